"""A store in which one session has left a word that nobody else uses, in every place where something of it can lie; and
a look for that word in every byte of a store."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
from tests.engine.archive.store_faults import later
from tests.homes import CLAUDE, Silent, claude_records, family_home, learned, lines, put, world_of
from tests.zst import decompress

from afterwit.config.world import World
from afterwit.engine.archive.rebuild import rebuild
from afterwit.engine.curation.curate import LessonSource, Words, edit, judge, record
from afterwit.knowledge.door.list import all_items
from afterwit.model.knowledge import EVERYWHERE, Category
from afterwit.store import spool
from afterwit.store.database import back_up
from afterwit.store.decisions import DecisionKind, ItemChanges
from afterwit.store.store import open_store

WORD = "zanzibarine"
GONE, STAYS = "33333333-cccc-4ccc-8ccc-000000000001", "33333333-cccc-4ccc-8ccc-000000000002"
UNNAMED_DAY_MS = 1_777_629_600_000  # 2026-05-01, when the session ran


def planted_home(home: Path) -> Path:
    """Two families of sessions, of which one has the word in all that it says and does, and a history of prompts."""
    family_home(home)
    folder = home / CLAUDE
    text = lines(claude_records(GONE, 6)).decode()
    text = text.replace("Prune row", f"Prune the {WORD} row").replace("make prune-", f"make {WORD}-")
    text = text.replace("Done.", f"We always prune {WORD} trees first, because they {WORD} early.")
    titled = json.dumps({"type": "custom-title", "customTitle": f"About {WORD}", "sessionId": GONE})
    broken = f'{{"type": "user", "sessionId": "{GONE}", "message": {WORD}\n'
    put(folder / f"{GONE}.jsonl", f"{text}{titled}\n{broken}".encode())
    child = lines(claude_records(GONE, 1, start=62)).decode().replace('"isSidechain": false', '"isSidechain": true')
    for name in ("toolu_", "msg_", f'"uuid": "{GONE}'):
        child = child.replace(name, f"{name}child-")
    put(folder / GONE / "subagents" / "agent-cafe.jsonl", child.replace("Prune row", f"Look for {WORD}").encode())
    put(folder / GONE / "subagents" / "agent-cafe.meta.json", [{"agentType": WORD, "toolUseId": f"toolu_{GONE}_1"}])
    put(folder / GONE / "tool-results" / "toolu_large.txt", f"a long list of {WORD}".encode())
    put(folder / f"{STAYS}.jsonl", claude_records(STAYS, 6, start=9000))
    put(home / ".claude" / "history.jsonl", history())
    return home


def history() -> list[dict[str, Any]]:
    typed = {"timestamp": UNNAMED_DAY_MS, "project": "/srv/orchard", "pastedContents": {}}
    return [
        {"display": f"Prune the {WORD} row", "sessionId": GONE, **typed},
        {"display": f"an unnamed {WORD}", **typed},
        {"display": "Water the beech hedge", "sessionId": "44444444-dddd-4ddd-8ddd-000000000001", **typed},
    ]


def planted(folder: Path) -> World:
    """All of it learned, decided about, told, noted by hooks, and backed up."""
    home, store = planted_home(folder / "home"), folder / "store"
    learned(home, store)
    world = world_of(home, store)
    with open_store(world.layout) as present:
        note = next(item for item in all_items(present.db) if WORD in item.sentence)
    edit(later(world, 1), note.id, ItemChanges(sentence=f"Call `make {WORD}-1` first, and {WORD} later."))
    judge(later(world, 2), DecisionKind.PIN, [note.id])
    record(
        later(world, 3),
        LessonSource("claude-code", GONE),
        Words(sentence=f"The {WORD} trees are pruned in March.", category=Category.FACT, scope=EVERYWHERE),
    )
    for session in (GONE, STAYS):
        spool.append(world.layout.spool, "claude-code", session, told(session, note.id))
    spool.append(world.layout.spool, "claude-code", GONE, called(GONE))
    learned(home, store)
    for session in (GONE, STAYS):
        spool.append(world.layout.spool, "claude-code", session, told(session, note.id) | {"at": 2})
    with open_store(world.layout) as present:
        back_up(present.db, world.layout.backups / "afterwit-schema-3.db")
    put(store / "afterwit.db.damaged", f"old pages with {WORD}".encode())
    put(store / "notes" / "aider.md", f"- {WORD}\n".encode())
    return world


def told(session: str, item: str) -> dict[str, Any]:
    """A record of a hook that has shown a note."""
    return {
        "kind": "draw",
        "at": 1,
        "agent": "claude-code",
        "session": session,
        "moment": "start",
        "held": 0,
        "items": {item: 1},
        "repo": "orchard",
        "text": f"- about {WORD}",
        "would": f"- about {WORD}, and more",
    }


def called(session: str) -> dict[str, Any]:
    return {
        "kind": "tool",
        "at": 1,
        "agent": "claude-code",
        "session": session,
        "tool": "Bash",
        "status": "failed",
        "target": f"make {WORD}",
        "summary": f"no {WORD}",
    }


def places_of(word: str, store: Path) -> list[str]:
    """The files of a store in which the word stands: as it is, in packed files, and in packed values of databases."""
    places = [path for path in sorted(store.rglob("*")) if path.is_file() and _has(word.encode(), path)]
    return [str(path.relative_to(store)) for path in places]


def _has(word: bytes, path: Path) -> bool:
    raw = path.read_bytes()
    if word in raw.lower():
        return True
    if path.suffix == ".zst":
        return word in decompress(raw).lower()
    return path.suffix == ".db" and raw.startswith(b"SQLite") and any(word in value for value in _values(path))


def _values(path: Path) -> list[bytes]:
    """All values of all tables that are packed."""
    values: list[bytes] = []
    with closing(
        apsw.Connection(f"file:{path}?immutable=1", flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    ) as db:
        tables = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            for row in db.execute(f'SELECT * FROM "{table}"'):
                blobs = (value for value in row if isinstance(value, bytes) and value.startswith(b"\x28\xb5\x2f\xfd"))
                values += [decompress(blob).lower() for blob in blobs]
    return values


def rebuilt(world: World) -> None:
    rebuild(world, Silent())
