"""Prompts of sessions whose transcripts are gone: restored as partial sessions, and never counted twice."""

import itertools
from pathlib import Path
from typing import Any

import pytest
from tests.homes import (
    CLAUDE,
    ORCHARD,
    Silent,
    claude_records,
    codex_records,
    hash_of,
    learned,
    lines,
    put,
    rows,
    world_of,
)

from afterwit.engine.archive.rebuild import rebuild
from afterwit.engine.archive.upkeep import verify
from afterwit.engine.doctor.doctor import examine
from afterwit.store.layout import Layout

GONE, KEPT = "11111111-aaaa-4aaa-8aaa-00000000000a", "11111111-aaaa-4aaa-8aaa-00000000000b"
MAY_1 = 1_777_629_600_000  # 10:00, as in `claude_records`
HISTORY = ".claude/history.jsonl"
SESSIONS = "SELECT native_id, prompts, replies, is_partial FROM sessions ORDER BY native_id"


def typed(text: str, session: str = "", *, at_ms: int = MAY_1, project: str = ORCHARD) -> dict[str, Any]:
    line = {"display": text, "pastedContents": {}, "timestamp": at_ms, "project": project}
    return line | ({"sessionId": session} if session else {})


def transcript(session: str, turns: int = 2) -> list[dict[str, Any]]:
    return claude_records(session, turns)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A session whose transcript is gone, and one whose transcript is there."""
    put(tmp_path / "home" / CLAUDE / f"{KEPT}.jsonl", transcript(KEPT))
    put(
        tmp_path / "home" / HISTORY,
        [
            typed("Water the pears", GONE),
            typed("/clear", GONE, at_ms=MAY_1 + 1),
            typed("And the plums", GONE, at_ms=MAY_1 + 2),
            *(typed(f"Prune row {turn} of the orchard", KEPT) for turn in range(2)),
        ],
    )
    return tmp_path / "home"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


def test_prompts_of_a_gone_session_are_restored_as_a_partial_one(home: Path, store: Path) -> None:
    learned(home, store)
    assert rows(store, SESSIONS) == [(GONE, 2, 0, 1), (KEPT, 2, 4, 0)]
    assert rows(store, "SELECT first_prompt, cwd, started_ms FROM sessions WHERE is_partial") == [
        ("Water the pears", ORCHARD, MAY_1)
    ]
    assert list(verify(Layout(store))) == []


def test_a_transcript_that_turns_up_takes_the_place_of_its_partial_session(home: Path, store: Path) -> None:
    learned(home, store)
    put(home / CLAUDE / f"{GONE}.jsonl", transcript(GONE, 3))
    learned(home, store)
    assert rows(store, SESSIONS) == [(GONE, 3, 6, 0), (KEPT, 2, 4, 0)]
    assert list(verify(Layout(store))) == []


def test_a_session_stays_whole_when_its_transcript_is_deleted(home: Path, store: Path) -> None:
    learned(home, store)
    (home / CLAUDE / f"{KEPT}.jsonl").unlink()
    with (home / HISTORY).open("ab") as file:
        file.write(lines([typed("Are you still there?", KEPT)]))
    learned(home, store)
    assert rows(store, SESSIONS)[1] == (KEPT, 2, 4, 0)


def test_a_history_that_grows_adds_to_its_partial_sessions(home: Path, store: Path) -> None:
    learned(home, store)
    with (home / HISTORY).open("ab") as file:
        file.write(lines([typed("And the quinces", GONE), typed("Press the apples", "c1de")]))
    learned(home, store)
    assert rows(store, SESSIONS) == [(GONE, 3, 0, 1), (KEPT, 2, 4, 0), ("c1de", 1, 0, 1)]


def test_any_order_of_learning_gives_the_same_store(home: Path, tmp_path: Path) -> None:
    put(home / CLAUDE / f"{GONE}.jsonl", transcript(GONE, 3))
    with (home / HISTORY).open("ab") as file:
        file.write(lines([typed("Unnamed, that day"), typed("Unnamed, elsewhere", project="/srv/cellar")]))
    paths = [path.relative_to(home) for path in sorted(home.rglob("*.jsonl"))]
    hashes = set()
    for number, order in enumerate(itertools.permutations(paths)):
        copy, store = tmp_path / f"home{number}", tmp_path / f"store{number}"
        for path in order:
            put(copy / path, (home / path).read_bytes())
            learned(copy, store)
        hashes.add(hash_of(store))
    assert len(hashes) == 1


def test_any_split_of_the_history_gives_the_same_store(home: Path, tmp_path: Path) -> None:
    learned(home, tmp_path / "whole")
    content = (home / HISTORY).read_bytes()
    for cut in range(0, len(content), 97):
        put(home / HISTORY, content[:cut])
        learned(home, tmp_path / "parts")
    put(home / HISTORY, content)
    learned(home, tmp_path / "parts")
    assert hash_of(tmp_path / "parts") == hash_of(tmp_path / "whole")


def test_prompts_without_a_session_are_left_out_where_a_transcript_of_that_day_is_known(
    home: Path, store: Path
) -> None:
    day = 86_400_000
    put(
        home / HISTORY,
        [typed("That day"), typed("The day before", at_ms=MAY_1 - day), typed("Elsewhere", project="/srv/cellar")],
    )
    learned(home, store)
    found = rows(store, "SELECT first_prompt FROM sessions WHERE is_partial ORDER BY first_prompt")
    assert found == [("Elsewhere",), ("The day before",)]


def test_a_rebuild_gives_the_same_store(home: Path, store: Path) -> None:
    learned(home, store)
    before = hash_of(store)
    assert rebuild(world_of(home, store), Silent()).after == before
    assert rows(store, SESSIONS) == [(GONE, 2, 0, 1), (KEPT, 2, 4, 0)]


def test_learning_twice_equals_learning_once(home: Path, store: Path) -> None:
    learned(home, store)
    before = hash_of(store)
    report = learned(home, store)
    assert [(one.read, one.unchanged) for one in report.agents] == [(0, 2)]
    assert hash_of(store) == before


def test_a_copy_of_the_history_counts_once(home: Path, store: Path, tmp_path: Path) -> None:
    put(tmp_path / "backup" / "history.jsonl", (home / HISTORY).read_bytes())
    learned(home, store)
    learned(home, store, folder=tmp_path / "backup")
    assert rows(store, SESSIONS) == [(GONE, 2, 0, 1), (KEPT, 2, 4, 0)]


def test_codex_has_a_history_too(tmp_path: Path, store: Path) -> None:
    home, there = tmp_path / "home", "01970001-0000-7000-8000-00000000000a"
    gone = "01970001-0000-7000-8000-00000000000b"
    put(home / ".codex/sessions/2026/05/01" / f"rollout-2026-05-01T10-00-00-{there}.jsonl", codex_records(there))
    put(
        home / ".codex/history.jsonl",
        [{"session_id": name, "ts": MAY_1 // 1000, "text": f"Pick for {name[-1]}"} for name in (there, gone)],
    )
    learned(home, store)
    assert rows(store, SESSIONS) == [(there, 2, 2, 0), (gone, 1, 0, 1)]


def test_the_doctor_counts_partial_sessions_and_misses_deleted_transcripts(home: Path, store: Path) -> None:
    learned(home, store)
    found = examine(world_of(home, store))
    assert (found.agents[0].files_on_disk, found.agents[0].partial_sessions, found.findings) == (1, 1, [])
    (home / CLAUDE / f"{KEPT}.jsonl").unlink()
    assert [finding.code for finding in examine(world_of(home, store)).findings] == ["folder-empty"]
