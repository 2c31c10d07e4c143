"""`afterwit patterns publish` and `unpublish` as people and programs call them."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tests.extras.lab.patterns.logs import learned_world
from tests.processes import COMMAND, run_text

from afterwit.cli.main import afterwit
from afterwit.extras.lab.patterns.catalog import Bump, CatalogDecision, CatalogEntry
from afterwit.extras.lab.patterns.curate import catalog_desk
from afterwit.store.store import open_store

_GONE = "Folders are open_store as if they were files."


def environ(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path / "home"), "AFTERWIT_HOME": str(tmp_path / "store")}


def called(tmp_path: Path, *words: str, keys: str = "", group: str = "patterns") -> Result:
    return CliRunner().invoke(afterwit, [group, *words], env=environ(tmp_path), input=keys)


def asked(tmp_path: Path, *words: str) -> Any:
    return json.loads(called(tmp_path, *words, "--json").stdout)


def approved(tmp_path: Path) -> str:
    learned_world(tmp_path)
    own = str(asked(tmp_path, "detect")[0]["id"])
    assert called(tmp_path, "approve", own).exit_code == 0
    return own


def skills(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "home").rglob("SKILL.md"))


def test_publishing_shows_the_change_asks_and_says_where_it_is(tmp_path: Path) -> None:
    own = approved(tmp_path)

    refused = called(tmp_path, "publish", own, "--as", "skill", "--agent", "codex", keys="n\n")
    assert refused.exit_code == 1
    assert "+name: word-unknown-" in refused.stdout
    assert skills(tmp_path) == []

    done = called(tmp_path, "publish", own[:6], "--as", "skill", "--agent", "codex", keys="y\n")
    assert (done.exit_code, "Published." in done.stderr) == (0, True)
    (file,) = skills(tmp_path)
    shown = called(tmp_path, "show", own).stdout
    assert "published as skill for codex" in shown
    listed = called(tmp_path, "list").stdout
    assert "skill" in listed

    again = called(tmp_path, "publish", own, "--as", "skill", "--agent", "codex")
    assert "It is so already." in again.stderr
    assert called(tmp_path, "unpublish", own, "--yes").exit_code == 0
    assert not file.exists()
    assert "It is so already." in called(tmp_path, "unpublish", own, "--yes").stderr


def test_everything_can_be_taken_back_at_once(tmp_path: Path) -> None:
    own = approved(tmp_path)
    called(tmp_path, "publish", own, "--as", "skill", "--as", "note", "--yes")
    assert called(tmp_path, "unpublish").exit_code == 2
    assert called(tmp_path, "unpublish", "--all", "--yes").exit_code == 0
    assert skills(tmp_path) == []
    assert asked(tmp_path, "show", own)["published"] == []


def test_nobody_answering_is_no_answer(tmp_path: Path) -> None:
    own = approved(tmp_path)
    done = called(tmp_path, "publish", own, "--as", "note")
    assert (done.exit_code, "Use --yes" in done.stderr) == (1, True)


def test_programs_get_the_documented_shapes(tmp_path: Path) -> None:
    own = approved(tmp_path)
    file = tmp_path / "AGENTS.md"
    planned = asked(tmp_path, "publish", own, "--as", "note", "--as", "block", "--file", str(file), "--dry-run")
    assert planned["is_dry_run"] is True
    assert [(step["form"], step["is_needed"], step["is_removal"]) for step in planned["steps"]] == [
        ("note", True, False),
        ("block", True, False),
    ]
    assert set(planned["steps"][1]) == {
        *("form", "what", "patterns", "name", "path", "agents", "is_removal", "is_needed", "lines"),
    }
    assert not file.exists()

    asked(tmp_path, "publish", own, "--as", "block", "--file", str(file), "--yes")
    (place,) = asked(tmp_path, "show", own)["published"]
    assert (place["form"], place["version"], place["state"], place["path"]) == ("block", "1.0.0", "current", str(file))
    assert asked(tmp_path, "list")[0]["published"] == [place]
    edited = asked(tmp_path, "edit", own, "--text", "Look at the help of the press before calling it.")
    assert edited["published"][own][0]["state"] == "outdated"


def test_decisions_about_what_is_published_say_so(tmp_path: Path) -> None:
    own = approved(tmp_path)
    called(tmp_path, "publish", own, "--as", "note", "--yes")
    edited = called(tmp_path, "edit", own, "--text", "Look at the help of the press before calling it.")
    assert f"`afterwit patterns publish {own}` brings it up to date" in edited.stderr
    rejected = called(tmp_path, "reject", own)
    assert f"`afterwit patterns unpublish {own}` takes it back" in rejected.stderr
    for _ in range(3):
        undone = called(tmp_path, "undo")
    assert f"`afterwit patterns unpublish {own}` takes it back" in undone.stderr


def test_an_approved_pattern_of_a_kind_that_is_no_longer_looked_for_is_shown_and_taken_back(tmp_path: Path) -> None:
    world = learned_world(tmp_path)
    gone = CatalogEntry(id="0a11ad5c1de5", kind="folder-read", side="problem", title=_GONE, text=_GONE, scope="global")
    with catalog_desk(world) as desk:
        desk.decide(CatalogDecision.APPROVE, [desk.with_version(gone, Bump.PATCH)], f"approved {gone.id}")
    with open_store(world.layout) as store:
        store.db.execute("UPDATE sightings SET matter = 'folder-read' WHERE harvester = 'pattern-signals'")

    assert (asked(tmp_path, "detect", "--min-frequency", "1"), called(tmp_path, "review").exit_code) == ([], 0)
    assert called(tmp_path, "publish", gone.id, "--as", "skill", "--as", "note", "--yes").exit_code == 0
    (listed,) = asked(tmp_path, "list")
    assert (listed["kind"], listed["status"], listed["title"]) == ("folder-read", "approved", _GONE)
    assert _GONE in called(tmp_path, "show", gone.id).stdout
    assert [path.parent.name for path in skills(tmp_path)] == ["folder-read-0a11ad5c"] * 2

    assert called(tmp_path, "unpublish", gone.id, "--yes").exit_code == 0
    assert (skills(tmp_path), asked(tmp_path, "show", gone.id)["published"]) == ([], [])
    assert called(tmp_path, "reject", gone.id).exit_code == 0


def test_options_go_with_the_form_they_are_for(tmp_path: Path) -> None:
    assert called(tmp_path, "publish", "3fa9c1", "--as", "note", "--file", "AGENTS.md").exit_code == 2
    assert called(tmp_path, "publish", "3fa9c1", "--as", "note", "--agent", "codex").exit_code == 2


def test_deleting_sessions_says_what_was_taken_back(tmp_path: Path) -> None:
    own = approved(tmp_path)
    called(tmp_path, "publish", own, "--as", "skill", "--yes")
    sessions = [piece["session"] for piece in asked(tmp_path, "show", own)["decided"]["evidence"]]
    deleted = called(tmp_path, "delete", *sessions, "--yes", group="sessions")
    assert deleted.exit_code == 0
    assert "Of what patterns publish, skill goes" in deleted.stderr
    assert skills(tmp_path) == []


@pytest.mark.slow
def test_a_publishing_that_is_killed_anywhere_is_finished_by_the_same_command(tmp_path: Path) -> None:
    own = approved(tmp_path)
    file = tmp_path / "AGENTS.md"
    file.write_text("Mine.\n")
    publishing = ["patterns", "publish", own, "--as", "note", "--as", "skill", "--as", "block", "--file", str(file)]
    kills = 0
    while True:
        step = environ(tmp_path) | {"AFTERWIT_KILL_AT_STEP": str(kills + 1)}
        done = run_text(COMMAND, [*publishing, "--yes"], step)
        if done.returncode >= 0:
            break
        kills += 1
        assert called(tmp_path, *publishing[1:], "--yes").exit_code == 0
        assert [place["state"] for place in asked(tmp_path, "show", own)["published"]] == ["current"] * 4
        assert called(tmp_path, "unpublish", own, "--yes").exit_code == 0
        assert (skills(tmp_path), file.read_text()) == ([], "Mine.\n")
    assert (done.returncode, kills >= 5) == (0, True)


@pytest.mark.slow
def test_a_taking_back_that_is_killed_anywhere_is_finished_by_the_same_command(tmp_path: Path) -> None:
    own = approved(tmp_path)
    file = tmp_path / "AGENTS.md"
    file.write_text("Mine.\n")
    kills = 0
    while True:
        called(tmp_path, "publish", own, "--as", "skill", "--as", "block", "--file", str(file), "--yes")
        step = environ(tmp_path) | {"AFTERWIT_KILL_AT_STEP": str(kills + 1)}
        done = run_text(COMMAND, ["patterns", "unpublish", own, "--yes"], step)
        called(tmp_path, "unpublish", own, "--yes")
        assert (skills(tmp_path), file.read_text()) == ([], "Mine.\n"), kills
        if done.returncode >= 0:
            break
        kills += 1
    assert (done.returncode, kills >= 3) == (0, True)
