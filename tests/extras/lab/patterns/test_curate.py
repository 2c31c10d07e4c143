"""Decisions about patterns: versions, lineage, and the way back; the journal holds all of it."""

import re
import subprocess
from pathlib import Path

import pytest
from tests.extras.lab.patterns.logs import learned_world
from tests.homes import Silent
from tests.secrets_planted import planted

from afterwit.config.world import World
from afterwit.engine.archive.delete import DeleteRequest, delete
from afterwit.engine.archive.rebuild import rebuild
from afterwit.extras.lab.patterns.catalog import CatalogDecision, CatalogEntry, EntryStatus
from afterwit.extras.lab.patterns.curate import (
    EntryChanges,
    SplitBy,
    catalog_of,
    diff,
    edit,
    judge,
    list_entries,
    list_undecided,
    log,
    merge,
    show_pattern,
    split,
    undo,
)
from afterwit.extras.lab.patterns.detect import detect
from afterwit.model.errors import UsageError

_TEXT = "Look at the help of the press before calling it."


@pytest.fixture
def world(tmp_path: Path) -> World:
    return learned_world(tmp_path)


def ids(world: World) -> list[str]:
    return [pattern.id for pattern in detect(world, fewest_stories=1)]


def approve(world: World, *names: str) -> tuple[CatalogEntry, ...]:
    return judge(world, CatalogDecision.APPROVE, names).entries


def test_an_approved_pattern_says_all_of_it(world: World) -> None:
    first = ids(world)[0]

    (entry,) = approve(world, first[:6])

    assert (entry.id, entry.version, entry.status, entry.scope) == (first, "1.0.0", EntryStatus.APPROVED, "global")
    assert entry.title == "`press` is called with the subcommand `bake`, which it does not know."
    assert [piece.agent for piece in entry.evidence][:2] == ["codex", "claude-code"]
    assert all(len(piece.hash) == 12 for piece in entry.evidence)
    assert [version.what for version in log(world)] == [f"approved {first}"]


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


def test_an_edit_changes_few_lines_of_what_is_compared(world: World) -> None:
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


def test_undo_takes_back_one_command_after_the_other(world: World) -> None:
    first, second = ids(world)
    approve(world, first)
    merge(world, [first, second])
    assert len(catalog_of(world).entries) == 2

    undo(world)
    assert {own: entry.version for own, entry in catalog_of(world).entries.items()} == {first: "1.0.0"}

    undo(world)
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
    before = catalog_of(world).entries

    rebuild(world, Silent())

    assert catalog_of(world).entries == before
    assert list_entries(world) == list(before.values())


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


def test_erasing_a_session_takes_it_out_of_the_catalog(world: World) -> None:
    first, second = ids(world)
    approve(world, first, second)
    gone = next(piece for piece in show_pattern(world, first).entry.evidence if piece.agent == "claude-code")
    whole = [piece.session for piece in show_pattern(world, second).entry.evidence]

    delete(world, DeleteRequest((gone.session, *whole)), lambda _: True)

    entries = catalog_of(world).entries
    assert gone.session not in str(entries)
    assert entries[first].title
    assert (entries[second].status, entries[second].title) == (EntryStatus.APPROVED, "")
    found = subprocess.run(["grep", "-rla", gone.session, str(world.layout.root)], capture_output=True, check=False)
    assert found.stdout == b""
