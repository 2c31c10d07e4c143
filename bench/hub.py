"""What a sync with a PostgreSQL hub costs: the first, one without news, one with a single new note; and a search.

    python -m bench.hub [--notes N] [--digests N] [--keep]

A store is filled with approved notes of one repository and with digests of sessions, and synced with a server of its
own on this machine. Seconds are those on the clock and those of this process; the server's own are in the former alone.
The first push includes all that it takes: making lines, looking for secrets, sending, and noting what was sent. Of a
search, which connects first, the median of several is told.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import apsw
import psycopg
from tests.extras.memory import postgres_server
from tests.homes import CLAUDE, ORCHARD, claude_records, learned, put, world_of

from afterwit.config.world import World
from afterwit.extras.team.hub.address import HubAddress, address_of
from afterwit.extras.team.hub.owner import add_member, init, search
from afterwit.extras.team.hub.sync import Synced, SyncRequest, sync
from afterwit.knowledge.door.list import item_row
from afterwit.model.knowledge import (
    Authority,
    Belief,
    Category,
    Channel,
    Evidence,
    Item,
    ItemStatus,
    Scope,
    ScopeKind,
    SessionRef,
)
from afterwit.store.database import transaction
from afterwit.store.decisions import DecisionKind, JournalEntry, KnowledgeEntry
from afterwit.store.rows.items import put_decision, put_item
from afterwit.store.store import open_store
from bench.results import command_line, report

NOTES = 100_000
DIGESTS = 20_000
TEAM = "growers"
TRIES = 7
SEARCHES = {"search, a rare word": "crate-4711", "search, a word of all notes": "press"}


class Figure(NamedTuple):
    what: str
    seconds: float
    own_seconds: float
    share: float  # of the first, on the clock
    own_share: float
    notes_sent: int = 0
    digests_sent: int = 0


def table(notes: int = NOTES, digests: int = DIGESTS) -> list[Figure]:
    with tempfile.TemporaryDirectory(prefix="afterwit-bench-") as place, ExitStack() as stack:
        server = stack.enter_context(postgres_server.running())
        address = _hub(server.dsn)
        world, repo = _store(Path(place), notes, digests)
        request = SyncRequest(repos=(repo,), has_digests=True)

        def synced(minutes: int) -> Callable[[], Synced]:
            later = world._replace(now_ms=world.now_ms + 60_000 * minutes)
            return lambda: _only(sync(later, address, request, lambda _: True))

        first = _measured("first", synced(1))
        unchanged = _measured("no change", synced(2))
        with open_store(world.layout) as store, transaction(store.db):
            _plant(store.db, notes, repo)
        single = _measured("one note", synced(3))
        assert (first.notes_sent, unchanged.notes_sent, single.notes_sent) == (notes, 0, 1)
        assert first.digests_sent >= digests
        found = [_searched(address, what, words) for what, words in SEARCHES.items()]
        return [
            row._replace(share=row.seconds / first.seconds, own_share=row.own_seconds / first.own_seconds)
            for row in (first, unchanged, single, *found)
        ]


def _only(done: list[Synced] | None) -> Synced:
    assert done is not None
    return done[0]


def _measured(what: str, work: Callable[[], Synced]) -> Figure:
    wall, own = time.perf_counter(), time.process_time()
    done = work()
    return Figure(
        what, time.perf_counter() - wall, time.process_time() - own, 1.0, 1.0, done.notes_sent, done.digests_sent
    )


def _searched(address: HubAddress, what: str, words: str) -> Figure:
    times = []
    for _ in range(TRIES):
        wall, own = time.perf_counter(), time.process_time()
        assert search(address, words, 20)
        times.append((time.perf_counter() - wall, time.process_time() - own))
    return Figure(what, *sorted(times)[TRIES // 2], 0.0, 0.0)


def _hub(dsn: str) -> HubAddress:
    with psycopg.connect(dsn, autocommit=True) as db:
        db.execute("CREATE ROLE keeper LOGIN")
        db.execute("CREATE ROLE ada LOGIN")
        db.execute("CREATE DATABASE hub OWNER keeper")
    place = dsn.replace("dbname=postgres", "dbname=hub")
    keeper, ada = (address_of(place.replace("user=owner", f"user={name}"), {}, Path()) for name in ("keeper", "ada"))
    init(keeper, TEAM)
    add_member(keeper, "ada", TEAM)
    return ada


def _store(folder: Path, notes: int, digests: int) -> tuple[World, str]:
    home, root = folder / "home", folder / "store"
    put(home / CLAUDE / "11111111-aaaa-4aaa-8aaa-000000000001.jsonl", claude_records("s1", 12))
    learned(home, root)
    world = world_of(home, root, {"PATH": os.environ["PATH"]})
    repo = Path(ORCHARD).name
    with open_store(world.layout) as store, transaction(store.db):
        for number in range(notes):
            _plant(store.db, number, repo)
        _copy_digests(store.db, digests)
    return world, repo


def _plant(db: apsw.Connection, number: int, repo: str) -> None:
    """An approved note that was found by counting, with three pieces of evidence."""
    own = f"{number:012x}"
    pieces = tuple(
        Evidence(
            session=SessionRef(agent="codex", native_id=f"{number}-{place}", story=f"{number}-{place}"),
            channel=Channel.OUTCOME,
            at_ms=1_779_000_000_000 + place,
        )
        for place in range(3)
    )
    item = Item(
        id=own,
        harvester="fixed-commands",
        scope=Scope(ScopeKind.REPO, repo),
        category=Category.PITFALL,
        sentence=f"`make crate-{number}` fails where the press is shut; `make press-{number % 977}` opens it.",
        status=ItemStatus.ACTIVE,
        authority=Authority.GUIDANCE,
        channel=Channel.OUTCOME,
        belief=Belief(20, 1),
        advice=f"make press-{number % 977}",
        evidence=pieces,
        is_decided=True,
    )
    put_item(db, item_row(item), item.sentence)
    body = {"item": own, "decision": DecisionKind.APPROVE}
    put_decision(db, JournalEntry("bench", number + 1, 1_779_500_000_000 + number, KnowledgeEntry.DECIDED, body))


def _copy_digests(db: apsw.Connection, count: int) -> None:
    """The one session that was learned, so many times over."""
    names = [row[1] for row in db.execute("PRAGMA table_info(sessions)") if row[1] not in ("id", "native_id")]
    columns = ", ".join(names)
    for number in range(count):
        query = (
            f"INSERT INTO sessions (native_id, {columns}) SELECT ?, {columns} FROM sessions WHERE id = 1 RETURNING id"
        )
        session = db.execute(query, (f"copy-{number}",)).get
        query = """INSERT INTO digests (session_id, version, body, checksum)
                   SELECT ?, version, body, checksum FROM digests WHERE session_id = 1"""
        db.execute(query, (session,))


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--notes", type=int, default=NOTES)
    parser.add_argument("--digests", type=int, default=DIGESTS)
    asked = parser.parse_args()
    if postgres_server.found_binaries() is None:
        sys.exit("no PostgreSQL on this machine")
    report("hub", [row._asdict() for row in table(asked.notes, asked.digests)], keep=asked.keep)


if __name__ == "__main__":
    main()
