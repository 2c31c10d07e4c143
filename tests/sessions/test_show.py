"""Sessions as moments: in order, once each, redacted, and without their texts where the archive lacks them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.homes import CLAUDE, PARENT, PARENT_CALL, claude_records, family_home, learned, put, world_of

from afterwit.model.kinds import EventKind
from afterwit.sessions.filters import find_session
from afterwit.sessions.originals import TranscriptSource, source_of
from afterwit.sessions.show import (
    Begins,
    CopiedEvents,
    Ends,
    GoneTexts,
    SessionMoment,
    WantedMoments,
    descendants,
    moments,
    scenes,
)
from afterwit.store.rows.session_list import SessionRow

KEY = "sk-" + "ant-api03-" + "Qm7xW2" * 15 + "AA"


def source(home: Path, store: Path) -> Iterator[TranscriptSource]:
    learned(home, store)
    with source_of(world_of(home, store)) as found:
        yield found


@pytest.fixture
def family(tmp_path: Path) -> Iterator[TranscriptSource]:
    yield from source(family_home(tmp_path / "home"), tmp_path / "store")


def parent(found: TranscriptSource) -> SessionRow:
    return find_session(found.store.db, PARENT)


def only(found: TranscriptSource, row: SessionRow) -> list[SessionMoment]:
    return [moment for moment in moments(found, row, WantedMoments()) if isinstance(moment, SessionMoment)]


def test_moments_have_their_texts_and_how_actions_ended(family: TranscriptSource) -> None:
    found = only(family, parent(family))
    assert [moment.kind for moment in found[:5]] == ["prompt", "reply", "call", "result", "reply"]
    assert found[0].text == "Prune row 0 of the orchard"
    call = found[2]
    assert call.action is not None
    assert (call.action.status, call.action.target) == ("failed", "make prune-0")
    assert call.arguments == {"command": "make prune-0"}
    assert "No rule to make target" in (found[3].text or "")


def test_only_what_is_wanted_is_read(family: TranscriptSource) -> None:
    wanted = WantedMoments(frozenset({EventKind.CALL}), has_arguments=False)
    found = list(moments(family, parent(family), wanted))
    assert [(moment.kind, moment.arguments) for moment in found if isinstance(moment, SessionMoment)] == [
        ("call", None)
    ] * 3


def test_subagents_stand_under_the_call_that_started_them(family: TranscriptSource) -> None:
    told = list(scenes(family, parent(family), WantedMoments()))
    at = next(place for place, scene in enumerate(told) if scene.depth == 1)
    before = told[at - 1].what
    assert isinstance(before, SessionMoment)
    assert before.call_id == PARENT_CALL
    assert isinstance(told[at].what, Begins)
    assert sum(scene.depth == 1 for scene in told) == 5 + 2
    assert isinstance(told[-1].what, Ends)


def test_subagents_can_be_left_out_and_listed(family: TranscriptSource) -> None:
    assert {scene.depth for scene in scenes(family, parent(family), WantedMoments(), with_subagents=False)} == {0}
    assert [row.native_id for row in descendants(family, parent(family))] == ["agent-f00d"]


def test_a_circle_of_parents_ends(family: TranscriptSource) -> None:
    family.store.db.execute(
        "UPDATE sessions SET parent = 'agent-f00d', relation = 'subagent' WHERE native_id = ?", (PARENT,)
    )
    assert (
        len([scene for scene in scenes(family, parent(family), WantedMoments()) if isinstance(scene.what, Begins)]) == 2
    )
    assert len(descendants(family, parent(family))) == 1


def test_what_the_archive_lacks_is_told_from_the_database(family: TranscriptSource) -> None:
    for path in family.store.layout.archive.glob("*/*.zst"):
        path.unlink()
    found = list(moments(family, parent(family), WantedMoments()))
    assert isinstance(found[0], GoneTexts)
    kept = [moment for moment in found if isinstance(moment, SessionMoment)]
    assert all(moment.text is None for moment in kept)
    assert [moment.action.target for moment in kept if moment.action] == [
        "make prune-0",
        "make prune-1",
        "make prune-2",
    ]


def test_texts_are_redacted_on_the_way(tmp_path: Path) -> None:
    records = claude_records("s", 1)
    records[0]["message"]["content"] = f"use {KEY} \x1b[31mnow\u200b"
    records[2]["message"]["content"][0]["input"] = {"command": f"curl -H 'x-api-key: {KEY}'", "deep": [{"key": KEY}]}
    put(tmp_path / "home" / CLAUDE / "s.jsonl", records)
    for found in source(tmp_path / "home", tmp_path / "store"):
        told = only(found, find_session(found.store.db, "s"))
        assert KEY not in repr(told)
        assert "\x1b" not in (told[0].text or "")
        assert "‹" in (told[0].text or "")


def test_copied_history_is_told_once(tmp_path: Path) -> None:
    records = claude_records("a", 2)
    put(tmp_path / "home" / CLAUDE / "a.jsonl", records)
    copied = [record | {"forkedFrom": {"sessionId": "a", "messageUuid": record["uuid"]}} for record in records]
    put(tmp_path / "home" / CLAUDE / "b.jsonl", [*copied, *claude_records("b", 1, start=900)])
    for found in source(tmp_path / "home", tmp_path / "store"):
        fork = list(moments(found, find_session(found.store.db, "b"), WantedMoments()))
        assert isinstance(fork[0], CopiedEvents)
        assert fork[0].events == 10
        assert next(moment.text for moment in fork if isinstance(moment, SessionMoment)) == "Prune row 0 of the orchard"
        assert len(fork) == 1 + 5


def test_several_files_of_a_session_are_merged_by_time(tmp_path: Path) -> None:
    """A rewritten file that lost its beginning leaves an earlier generation: both together are the session."""
    file = put(tmp_path / "home" / CLAUDE / "s.jsonl", claude_records("s", 2))
    learned(tmp_path / "home", tmp_path / "store")
    put(file, claude_records("s", 3)[5:])
    for found in source(tmp_path / "home", tmp_path / "store"):
        told = only(found, find_session(found.store.db, "s"))
        prompts = [moment.text for moment in told if moment.kind is EventKind.PROMPT]
        assert prompts == [f"Prune row {turn} of the orchard" for turn in range(3)]
        times = [moment.at_ms or 0 for moment in told]
        assert times == sorted(times)
