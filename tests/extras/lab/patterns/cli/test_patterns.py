"""`afterwit patterns` as people and programs call it."""

import json
from pathlib import Path

from click.testing import CliRunner, Result
from tests.extras.lab.patterns.logs import learned_world
from tests.processes import COMMAND, run_text

from afterwit.cli.main import afterwit


def called(tmp_path: Path, *words: str, keys: str = "") -> Result:
    environ = {"HOME": str(tmp_path / "home"), "AFTERWIT_HOME": str(tmp_path / "store")}
    return CliRunner().invoke(afterwit, ["patterns", *words], env=environ, input=keys)


def test_detect_shows_what_recurs_across_agents_first(tmp_path: Path) -> None:
    learned_world(tmp_path)

    shown = called(tmp_path, "detect", "--min-frequency", "2")

    first, second = shown.stdout.splitlines()[2:]
    assert first.endswith("claude-code, codex  `press` is called with the subcommand `bake`, which it does not know.")
    assert second.endswith("codex               `cider` is stopped with “operation not permitted”.")
    assert "2 not decided yet" in shown.stderr


def test_detect_prints_the_documented_shape(tmp_path: Path) -> None:
    learned_world(tmp_path)

    (pattern,) = json.loads(called(tmp_path, "detect", "--min-frequency", "3", "--json").stdout)

    assert (pattern["kind"], pattern["side"], pattern["status"]) == ("word-unknown", "problem", "found")
    assert (pattern["is_cross_agent"], pattern["stories"], pattern["users"]) == (True, 5, 0)
    assert pattern["first_seen"].startswith("2026-05-01T")
    assert set(pattern["evidence"][0]) == {"agent", "session", "repo", "step", "happened_at", "excerpt", "hash"}


def test_detect_says_so_where_nothing_recurs(tmp_path: Path) -> None:
    learned_world(tmp_path)

    assert "Nothing recurs in 9 independent sessions." in called(tmp_path, "detect", "--min-frequency", "9").stderr
    assert "No sessions match." in called(tmp_path, "detect", "--since", "2030-01-01").stderr


def test_review_decides_with_single_keys_and_undoes(tmp_path: Path) -> None:
    learned_world(tmp_path)

    walked = called(tmp_path, "review", "--min-frequency", "2", keys="y\nu\nw\nn\ne\nInstall `cider` first.\n")

    assert walked.stdout == "0 approved, 1 rejected, 1 edited, 0 skipped, 0 left.\n"
    listed = json.loads(called(tmp_path, "list", "--json").stdout)
    assert {entry["kind"]: (entry["status"], entry["text"]) for entry in listed} == {
        "word-unknown": ("rejected", "Do not give `press` the subcommand `bake`; its help says what it takes."),
        "not-permitted": ("approved", "Install `cider` first."),
    }
    assert "Nothing waits for you." in called(tmp_path, "review", "--min-frequency", "2").stderr


def test_review_without_an_answer_fails_and_decides_nothing(tmp_path: Path) -> None:
    learned_world(tmp_path)

    assert called(tmp_path, "review").exit_code == 1
    assert json.loads(called(tmp_path, "list", "--json").stdout) == []


def test_a_pattern_goes_through_its_life(tmp_path: Path) -> None:
    learned_world(tmp_path)
    first = json.loads(called(tmp_path, "detect", "--json").stdout)[0]["id"]

    approved = called(tmp_path, "approve", first[:5])
    edited = called(tmp_path, "edit", first, "--text", "Look first.", "--json")
    differing = called(tmp_path, "diff", first)
    split = called(tmp_path, "split", first, "--by", "agent")
    taken_back = called(tmp_path, "undo")

    assert f"{first} 1.0.0 approved" in approved.stderr
    assert json.loads(edited.stdout)["entries"][0]["version"] == "1.0.1"
    assert '+text = "Look first."' in differing.stdout.splitlines()
    assert "(codex)" in split.stderr
    assert taken_back.stderr.startswith("Undid: split")
    history = json.loads(called(tmp_path, "log", first, "--json").stdout)
    assert [(made["version"], made["is_undone"]) for made in history] == [
        ("2.0.0", True),
        ("1.0.1", False),
        ("1.0.0", False),
    ]
    assert "1.0.1" in called(tmp_path, "show", first).stdout


def test_edit_wants_something_to_change(tmp_path: Path) -> None:
    learned_world(tmp_path)

    assert called(tmp_path, "edit", "3fa9c1").exit_code == 2


def test_a_decision_that_is_killed_is_whole_or_not_there(tmp_path: Path) -> None:
    learned_world(tmp_path)
    first, second = json.loads(called(tmp_path, "detect", "--min-frequency", "1", "--json").stdout)
    environ = {"HOME": str(tmp_path / "home"), "AFTERWIT_HOME": str(tmp_path / "store")}
    kills = 0
    while True:
        step = environ | {"AFTERWIT_KILL_AT_STEP": str(kills + 1)}
        done = run_text(COMMAND, ["patterns", "merge", first["id"], second["id"]], step)
        if done.returncode >= 0:
            break
        kills += 1
        assert len(json.loads(called(tmp_path, "list", "--json").stdout)) in (0, 2)
        called(tmp_path, "undo")
    assert kills >= 2
    assert done.returncode == 0
    assert len(json.loads(called(tmp_path, "list", "--json").stdout)) == 2
