"""How fast the local memory is, beside bare SQLite on the same entries, in one run.

    python -m bench.memory [--entries N]

A query stands beside a LIKE scan of the same entries for the same words. A store and a retrieve stand beside a prepared
statement on a table without an index of words: the store beside one that is as durable (each commit flushed to the
disk, as the journal's are) and one that is not. Growth is the time at all entries over that at a tenth of them. Ours
and theirs take turns, so that a busy machine slows both.
"""

import random
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import NamedTuple

import apsw
import msgspec

from afterwit.extras.memory.evaluate import ScratchBackend, invented_writes
from afterwit.extras.memory.local import Recorder
from afterwit.model.memory_entry import Write
from afterwit.store.database import connect
from afterwit.store.layout import Layout
from afterwit.store.store import open_store
from bench.results import command_line, report

ENTRIES = 100_000
ROUNDS = 100
SCANS = 20
USER = "ada"
_TABLE = """CREATE TABLE entries (user TEXT, key TEXT, value TEXT, metadata TEXT, created_ms INTEGER,
            updated_ms INTEGER, PRIMARY KEY (user, key)) STRICT, WITHOUT ROWID"""
_UPSERT = """INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (user, key) DO UPDATE
             SET value = excluded.value, metadata = excluded.metadata, updated_ms = excluded.updated_ms"""
_SELECT = "SELECT key, value, metadata, created_ms, updated_ms FROM entries WHERE user = ? AND key = ?"
_SCAN = """SELECT key, value, metadata, created_ms, updated_ms FROM entries
           WHERE user = ? AND ({conditions}) ORDER BY updated_ms DESC LIMIT 10"""
Call = Callable[[], object]


class Figure(NamedTuple):
    what: str
    ours_ms: float
    theirs_ms: float
    ratio: float


class Bare:
    """The same entries without us."""

    def __init__(self, path: Path, *, durable: bool) -> None:
        self.db: apsw.Connection = connect(path, durable=durable)
        self.db.execute(_TABLE)

    def fill(self, writes: Sequence[Write]) -> None:
        with self.db:
            self.db.executemany(_UPSERT, (_row(write) for write in writes))

    def store(self, write: Write) -> None:
        self.db.execute(_UPSERT, _row(write))

    def retrieve(self, key: str) -> object:
        return self.db.execute(_SELECT, (USER, key)).fetchone()

    def scan(self, words: Sequence[str]) -> object:
        conditions = " OR ".join("key LIKE ? OR value LIKE ?" for _ in words)
        values = [f"%{word}%" for word in words for _ in range(2)]
        return self.db.execute(_SCAN.format(conditions=conditions), (USER, *values)).fetchall()


def table(entries: int = ENTRIES, folder: Path | None = None) -> list[dict[str, object]]:
    with tempfile.TemporaryDirectory(prefix="afterwit-bench-", dir=folder) as place, ExitStack() as stack:
        store = stack.enter_context(open_store(Layout(Path(place) / "store")))
        ours = ScratchBackend(store.db, Recorder(store))
        bare = Bare(Path(place) / "durable.db", durable=True)
        quick = Bare(Path(place) / "quick.db", durable=False)
        stack.callback(bare.db.close)
        stack.callback(quick.db.close)
        small = _fill(ours, [bare, quick], 0, entries // 10)
        few = _pairs(small)
        before = {name: _median([partial(ours.query, USER, text, 10) for text in texts]) for name, texts in few}
        held = small + _fill(ours, [bare, quick], entries // 10, entries)
        figures = [*_queries(ours, bare, held), *_keyed(ours, bare, quick, held, entries)]
        growth = [
            {"what": f"query, {name}: growth ×10", "growth": after / before[name]}
            for name, texts in _pairs(held)
            for after in [_median([partial(ours.query, USER, text, 10) for text in texts])]
        ]
    return [{"entries": entries, "figures": [figure._asdict() for figure in figures], "growth": growth}]


def _queries(ours: ScratchBackend, bare: Bare, held: Sequence[Write]) -> list[Figure]:
    found = []
    for name, texts in _pairs(held):
        mine = [partial(ours.query, USER, text, 10) for text in texts[:SCANS]]
        theirs = [partial(bare.scan, text.split()) for text in texts[:SCANS]]
        found.append(_compared(f"query, {name}", mine, theirs))
    return found


def _keyed(ours: ScratchBackend, bare: Bare, quick: Bare, held: Sequence[Write], entries: int) -> list[Figure]:
    extra = list(invented_writes(USER, entries, entries + ROUNDS))
    again = [msgspec.structs.replace(write, value=write.value + " more") for write in extra]
    keys = [write.key for write in random.Random(3).sample(held, ROUNDS)]
    return [
        _compared("store, as durable", _stores(ours.store, extra), _stores(bare.store, extra)),
        _compared("replace, as durable", _stores(ours.store, again), _stores(bare.store, again)),
        _compared("store, against not durable", _stores(ours.store, extra), _stores(quick.store, extra)),
        _compared(
            "retrieve",
            [partial(ours.retrieve, USER, key) for key in keys],
            [partial(bare.retrieve, key) for key in keys],
        ),
    ]


def _stores(store: Callable[[Write], object], writes: Sequence[Write]) -> list[Call]:
    return [partial(store, write) for write in writes]


def _fill(ours: ScratchBackend, others: Sequence[Bare], start: int, end: int) -> list[Write]:
    writes = list(invented_writes(USER, start, end))
    for at in range(0, len(writes), 5_000):
        ours.store_many(writes[at : at + 5_000])
    for other in others:
        other.fill(writes)
    return writes


def _pairs(held: Sequence[Write]) -> list[tuple[str, list[str]]]:
    """Queries of two words: as they come in entries, rare ones, and the commonest."""
    draw = random.Random(5)
    counts: dict[str, int] = {}
    for write in held[:10_000]:
        for word in set(write.value.split()):
            counts[word] = counts.get(word, 0) + 1
    common = sorted(counts, key=lambda word: -counts[word])
    rare = [word for word in common if counts[word] <= 20]
    drawn = [" ".join(draw.sample(draw.choice(held).value.split(), 2)) for _ in range(ROUNDS)]
    return [
        ("words as they come", drawn),
        ("rare words", [" ".join(draw.sample(rare, 2)) for _ in range(ROUNDS)]),
        ("the commonest words", [" ".join(draw.sample(common[:6], 2)) for _ in range(ROUNDS)]),
    ]


def _compared(what: str, ours: Sequence[Call], theirs: Sequence[Call]) -> Figure:
    mine, other = [], []
    for one, two in zip(ours, theirs, strict=True):
        mine.append(_seconds(one))
        other.append(_seconds(two))
    ours_ms, theirs_ms = 1000 * statistics.median(mine), 1000 * statistics.median(other)
    return Figure(what, ours_ms, theirs_ms, ours_ms / theirs_ms)


def _median(calls: Sequence[Call]) -> float:
    return statistics.median(_seconds(call) for call in calls)


def _seconds(call: Call) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def _row(write: Write) -> tuple[object, ...]:
    metadata = msgspec.json.encode(write.metadata).decode()
    return write.user, write.key, write.value, metadata, write.at_ms, write.at_ms


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--entries", type=int, default=ENTRIES)
    options = parser.parse_args()
    report("memory", table(options.entries), keep=options.keep)


if __name__ == "__main__":
    main()
