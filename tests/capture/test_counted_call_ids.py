"""Servers of local models count their tool calls: every session has a `call_1` or a `functions.Bash:0`.

Two sessions that have nothing in common but such ids, and even the same commands, are two sessions with all their
actions. A copy of a session's history is still counted once, though its ids are of no help.
"""

from pathlib import Path, PurePosixPath
from typing import NamedTuple

import pytest
from tests.agents.told_sessions import Session, Told, sessions
from tests.homes import CLAUDE, CODEX, THREAD, claude_records, codex_records, hash_of, learned, lines, put, rows
from tests.thoroughness import STRIDE

from afterwit.agents.registry import agent

LATER = {"2026-05-01T10:00": "2026-05-02T11:00", "17776296": "17777296", "17800000": "17801000"}


class File(NamedTuple):
    path: PurePosixPath
    data: bytes


def first_file(session: Session, ids: str) -> File:
    data = session.write(Told()).decode()
    for number, call in enumerate(("call_a", "call_c", "toolu_a", "toolu_c")):
        data = data.replace(f'"{call}"', f'"{ids.format(number % 2)}"')
    return File(session.path, data.encode())


def next_file(session: Session, before: File) -> File:
    path, data = str(before.path), before.data.decode()
    for old, new in {**session.next, **LATER}.items():
        path, data = path.replace(old, new), data.replace(old, new)
    return File(PurePosixPath(path), data.encode())


def put_file(home: Path, session: Session, file: File) -> None:
    put(home / agent(session.agent).homes[0] / file.path, file.data)


FORMS = [
    "call_{}",
    "functions.Bash:{}",
    "call_000000000000000{}",
    "call_shellcommand{}",
    "chatcmpl-tool-a1b2c3d4e5f6a7b8{}",
]


@pytest.mark.parametrize("ids", FORMS)
@pytest.mark.parametrize("session", sessions()[::STRIDE], ids=lambda session: session.agent)
def test_two_sessions_with_the_same_ids_and_commands_keep_their_actions(
    tmp_path: Path, session: Session, ids: str
) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    first = first_file(session, ids)
    put_file(home, session, first)
    put_file(home, session, next_file(session, first))
    learned(home, store, agents=frozenset({session.agent}))
    found = rows(store, "SELECT prompts, actions, failures FROM sessions ORDER BY native_id")
    assert found == [(1, 2, 1), (1, 2, 1)]


def counted(records: list[dict[str, object]], start: int = 0) -> bytes:
    """The log with ids as a local model's server counts them."""
    data = lines(records).decode()
    for number, call in enumerate(sorted({part.split('"')[0] for part in data.split('"toolu_')[1:]})):
        data = data.replace(f'"toolu_{call}"', f'"call_{start + number}"')
    return data.encode()


def test_a_session_resumed_into_a_new_file_is_counted_once_without_telling_ids(tmp_path: Path) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    old = counted(claude_records("s1"))
    put(home / CLAUDE / "s1.jsonl", old)
    put(home / CLAUDE / "s0.jsonl", old + counted(claude_records("s0", 1, start=9000)))
    learned(home, store)
    found = rows(store, "SELECT native_id, prompts, actions FROM sessions ORDER BY native_id")
    assert found == [("s0", 1, 1), ("s1", 3, 3)]


def forked_home(home: Path) -> tuple[Path, Path]:
    """A Codex thread and a fork of it, stamped anew, both with ids `call_0`, `call_1`."""
    child = "01970002-0000-7000-8000-00000000000b"
    original = codex_records(THREAD)
    own = codex_records(child, 1, start=20_000)[1:]
    for records in (original, own):
        numbers: dict[str, int] = {}
        for record in records:
            call = record["payload"].get("call_id")
            if call:
                record["payload"]["call_id"] = f"call_{numbers.setdefault(call, len(numbers))}"
    meta = {**original[0]["payload"], "id": child, "forked_from_id": THREAD}
    copies = [{**record, "timestamp": "2026-05-01T15:00:00.000Z"} for record in original]
    own[0]["payload"]["turn_id"] = "01970003-0000-7000-8000-00000000000c"
    fork = [{"timestamp": "2026-05-01T15:00:00.000Z", "type": "session_meta", "payload": meta}, *copies, *own]
    for number, record in enumerate(record for record in (*original, *copies) if record["type"] == "turn_context"):
        record["payload"]["turn_id"] = f"01970001-0000-7000-8000-0000000000{10 + number % 2}"
    first = put(home / CODEX / f"rollout-2026-05-01T10-00-00-{THREAD}.jsonl", original)
    return first, put(home / CODEX / f"rollout-2026-05-01T15-00-00-{child}.jsonl", fork)


def test_a_fork_is_counted_once_without_telling_ids_in_both_orders(tmp_path: Path) -> None:
    hashes = set()
    for number in range(2):
        home, store = tmp_path / f"home{number}", tmp_path / f"store{number}"
        later = forked_home(home)[number]
        content = later.read_bytes()
        later.unlink()
        learned(home, store)
        later.write_bytes(content)
        learned(home, store)
        assert rows(store, "SELECT prompts, actions FROM sessions ORDER BY native_id") == [(2, 2), (1, 1)]
        hashes.add(hash_of(store))
    assert len(hashes) == 1


def test_without_ids_and_times_nothing_is_lost(tmp_path: Path) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    for name in ("s1", "s2"):
        records = claude_records(name, 1)
        for record in records:
            del record["timestamp"]
        put(home / CLAUDE / f"{name}.jsonl", counted(records).replace(b"prune-0", b"prune"))
    learned(home, store)
    assert rows(store, "SELECT actions FROM sessions") == [(1,), (1,)]
