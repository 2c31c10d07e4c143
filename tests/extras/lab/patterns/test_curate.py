"""Decisions about patterns: versions, lineage, files, and the way back; the journal holds all of it."""

import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
from tests.extras.lab.patterns.logs import learned_world
from tests.homes import Silent
from tests.secrets_planted import planted

from afterwit.config.world import World
from afterwit.engine.archive.delete import DeleteRequest, delete
from afterwit.engine.archive.rebuild import rebuild
from afterwit.extras.lab.patterns.catalog import CatalogDecision, CatalogEntry, EntryStatus
from afterwit.extras.lab.patterns.catalog_files import FileState
from afterwit.extras.lab.patterns.curate import (
    EntryChanges,
    SplitBy,
    edit,
    edit_from_file,
    judge,
    merge,
    refresh_files,
    split,
    undo,
)
from afterwit.extras.lab.patterns.detect import detect
from afterwit.extras.lab.patterns.show import catalog_of, diff, list_entries, list_undecided, log, show_pattern
from afterwit.model.errors import PartlyDoneError, UsageError

_TEXT = "Look at the help of the press before calling it."


@pytest.fixture
def world(tmp_path: Path) -> World:
    return learned_world(tmp_path)


def ids(world: World) -> list[str]:
    return [pattern.id for pattern in detect(world, fewest_stories=1)]


def approve(world: World, *names: str, folder: Path | None = None) -> tuple[CatalogEntry, ...]:
    return judge(world, CatalogDecision.APPROVE, names, folder).entries


def files(world: World) -> dict[str, dict[str, Any]]:
    paths = sorted(world.layout.patterns.glob("*.toml"))
    return {path.name: tomllib.loads(path.read_text("utf-8")) for path in paths}


def test_an_approved_pattern_has_a_file_that_says_all_of_it(world: World) -> None:
    first = ids(world)[0]

    (entry,) = approve(world, first[:6])

    (written,) = files(world).values()
    assert (entry.version, entry.status) == ("1.0.0", EntryStatus.APPROVED)
    assert written["title"] == "`press` is called with the subcommand `bake`, which it does not know."
    assert (written["id"], written["version"], written["applies_to"]) == (first, "1.0.0", "everywhere")
    assert [piece["agent"] for piece in written["evidence"]][:2] == ["codex", "claude-code"]
    assert all(len(piece["hash"]) == 12 for piece in written["evidence"])
    assert [version["decision"] for version in written["history"]] == [f"approved {first}"]


def test_approving_twice_changes_nothing(world: World) -> None:
    first = ids(world)[0]
    approve(world, first)

    again = judge(world, CatalogDecision.APPROVE, [first])

    assert not again.has_changed
    assert len(log(world)) == 1


def test_what_was_rejected_is_not_asked_about_again_and_can_still_be_approved(world: World) -> None:
    first, second = ids(world)
    judge(world, CatalogDecision.REJECT, [first])

    assert [pattern.id for pattern in list_undecided(world, fewest_stories=1)] == [second]
    assert [entry.version for entry in approve(world, first)] == ["1.0.0"]


def test_other_words_count_up_the_last_number_and_another_place_the_middle_one(world: World) -> None:
    first = ids(world)[0]
    approve(world, first)

    (worded,) = edit(world, first, EntryChanges(text=_TEXT)).entries
    (placed,) = edit(world, first, EntryChanges(scope="repo:orchard", triggers=("command:cat",))).entries

    assert (worded.version, placed.version) == ("1.0.1", "1.1.0")
    assert (placed.text, placed.scope, placed.triggers) == (_TEXT, "repo:orchard", ("command:cat",))
    assert f'-text = "{_TEXT}"' not in diff(world, first)
    assert f'+text = "{_TEXT}"' in diff(world, first, "1.0.0", "1.1.0")
    with pytest.raises(UsageError, match="no version 3"):
        diff(world, first, "3.0.0")


def test_an_edit_changes_few_lines_of_the_file(world: World) -> None:
    first = ids(world)[0]
    approve(world, first)
    edit(world, first, EntryChanges(text=_TEXT))

    changed = [line for line in diff(world, first)[2:] if line.startswith(("+", "-"))]

    assert [line.partition(" =")[0] for line in changed] == ["-version", "+version", "-text", "+text"]


def test_merging_keeps_the_lineage_of_both(world: World) -> None:
    first, second = ids(world)

    kept, gone = merge(world, [first, second]).entries

    assert (kept.id, kept.made_from, kept.status) == (first, (second,), EntryStatus.APPROVED)
    assert (gone.id, gone.became, gone.status) == (second, (first,), EntryStatus.MERGED)
    assert {piece.agent for piece in kept.evidence} == {"claude-code", "codex"}
    assert set(kept.triggers) == {"command:press", "command:cider"}
    with pytest.raises(UsageError, match=f"merged into {first}"):
        approve(world, second)


def test_splitting_makes_a_part_for_every_agent(world: World) -> None:
    first = ids(world)[0]

    whole, *parts = split(world, first, SplitBy.AGENT).entries

    assert whole.status is EntryStatus.SPLIT
    assert whole.became == tuple(part.id for part in parts)
    assert [(part.scope, part.made_from) for part in parts] == [
        ("agent:claude-code", (first,)),
        ("agent:codex", (first,)),
    ]
    assert [{piece.agent for piece in part.evidence} for part in parts] == [{"claude-code"}, {"codex"}]
    with pytest.raises(UsageError, match="nothing to split"):
        split(world, parts[0].id, SplitBy.AGENT)


def test_undo_takes_back_one_command_after_the_other_with_their_files(world: World) -> None:
    first, second = ids(world)
    approve(world, first)
    merge(world, [first, second])
    assert len(files(world)) == 2

    undo(world)
    assert {name: file["version"] for name, file in files(world).items()} == {f"word-unknown-{first}.toml": "1.0.0"}

    undo(world)
    assert files(world) == {}
    assert catalog_of(world).entries == {}
    with pytest.raises(UsageError, match="no decision"):
        undo(world)


def test_a_version_number_is_used_once(world: World) -> None:
    first = ids(world)[0]
    approve(world, first)
    edit(world, first, EntryChanges(text=_TEXT))
    undo(world)

    (entry,) = edit(world, first, EntryChanges(text="Look first.")).entries

    assert entry.version == "1.0.2"
    assert [(made.entry.version, made.is_undone) for made in log(world, first)] == [
        ("1.0.2", False),
        ("1.0.1", True),
        ("1.0.0", False),
    ]


def test_a_rebuilt_store_has_the_same_catalog(world: World) -> None:
    first, second = ids(world)
    approve(world, first)
    edit(world, first, EntryChanges(text=_TEXT))
    judge(world, CatalogDecision.REJECT, [second])
    undo(world)
    before, written = catalog_of(world).entries, files(world)

    rebuild(world, Silent())

    assert catalog_of(world).entries == before
    assert files(world) == written
    assert [each.state for each in list_entries(world)] == [FileState.CURRENT]


def test_a_file_that_was_changed_by_hand_stops_the_decision_and_stays(world: World) -> None:
    first, second = ids(world)
    approve(world, first)
    (path,) = world.layout.patterns.iterdir()
    mine = path.read_text("utf-8").replace("Do not give", "Never give")
    path.write_text(mine, "utf-8")

    with pytest.raises(UsageError, match="changed by hand"):
        edit(world, first, EntryChanges(text=_TEXT))
    with pytest.raises(UsageError, match="changed by hand"):
        judge(world, CatalogDecision.REJECT, [first])
    with pytest.raises(UsageError, match="changed by hand"):
        undo(world)
    approve(world, second)

    assert path.read_text("utf-8") == mine
    assert len(log(world, first)) == 1


def test_what_was_changed_by_hand_can_be_taken_over(world: World) -> None:
    first = ids(world)[0]
    approve(world, first)
    (path,) = world.layout.patterns.iterdir()
    path.write_text(path.read_text("utf-8").replace("Do not give", "Never give"), "utf-8")

    (entry,) = edit_from_file(world, first).entries

    assert (entry.version, entry.text) == (
        "1.0.1",
        "Never give `press` the subcommand `bake`; its help says what it takes.",
    )
    assert not edit_from_file(world, first).has_changed
    assert [each.state for each in list_entries(world)] == [FileState.CURRENT]


@pytest.mark.parametrize("broken", [b"title = ", b"\xff\xfe", b'id = "x"\n', b'title = 3\nid = "x"\n'])
def test_a_broken_file_is_said_to_be_one_and_stays(world: World, broken: bytes) -> None:
    first = ids(world)[0]
    approve(world, first)
    (path,) = world.layout.patterns.iterdir()
    path.write_bytes(broken)

    with pytest.raises(UsageError, match=r"word-unknown-.* cannot be read as a pattern"):
        edit_from_file(world, first)
    with pytest.raises(UsageError, match="changed by hand"):
        edit(world, first, EntryChanges(text=_TEXT))

    assert path.read_bytes() == broken


def test_a_file_that_is_gone_is_written_anew_by_the_next_decision(world: World) -> None:
    first, second = ids(world)
    approve(world, first)
    (path,) = world.layout.patterns.iterdir()
    content = path.read_bytes()
    path.unlink()

    approve(world, second)

    assert path.read_bytes() == content


def test_the_catalog_can_lie_in_a_folder_of_the_user(world: World, tmp_path: Path) -> None:
    folder = tmp_path / "ours" / "patterns"

    approve(world, ids(world)[0], folder=folder)

    assert len(list(folder.iterdir())) == 1
    assert not world.layout.patterns.exists()


def test_a_folder_that_cannot_be_written_leaves_the_decision_recorded(world: World, tmp_path: Path) -> None:
    folder = tmp_path / "taken"
    folder.write_text("a file", "utf-8")
    first = ids(world)[0]

    with pytest.raises(PartlyDoneError, match="recorded"):
        approve(world, first, folder=folder)

    assert list(catalog_of(world).entries) == [first]


def test_words_of_people_are_redacted_and_bounded(world: World) -> None:
    first = ids(world)[0]

    secret = planted()["github token"]

    (entry,) = edit(world, first, EntryChanges(text=f"Use {secret} for the press.")).entries

    assert secret not in entry.text
    assert re.search(r"‹[a-z-]+›", entry.text)
    with pytest.raises(UsageError, match="characters"):
        edit(world, first, EntryChanges(text="long " * 100))
    with pytest.raises(UsageError, match="none of everywhere"):
        edit(world, first, EntryChanges(scope="nowhere"))


def test_names_that_fit_nothing_or_several_are_refused_before_anything_is_decided(world: World) -> None:
    first = ids(world)[0]

    with pytest.raises(UsageError, match="no pattern 'zz'"):
        approve(world, first, "zz")
    with pytest.raises(UsageError, match="two different"):
        merge(world, [first, first])

    assert log(world) == []


def test_erasing_a_session_takes_it_out_of_the_catalog_and_its_files(world: World) -> None:
    first, second = ids(world)
    approve(world, first, second)
    gone = next(piece for piece in show_pattern(world, first).entry.evidence if piece.agent == "claude-code")
    whole = [piece.session for piece in show_pattern(world, second).entry.evidence]

    delete(world, DeleteRequest((gone.session, *whole)), lambda _: True)
    refresh_files(world)

    entries = catalog_of(world).entries
    assert gone.session not in str(entries)
    assert entries[first].title
    assert (entries[second].status, entries[second].title) == (EntryStatus.APPROVED, "")
    found = subprocess.run(["grep", "-rla", gone.session, str(world.layout.root)], capture_output=True, check=False)
    assert found.stdout == b""
