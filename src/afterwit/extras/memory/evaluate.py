"""Evaluates memory backends: what they can do, how fast, how well they find, what they lose, who sees the data.

Works on entries of its own: for the local backend in a scratch store beside the real one, for the others as a user made
up for the occasion. Both are removed at the end, whatever happens. Backends that are not configured are listed as such.
A backend that takes one entry at a time is filled with few: what its users would wait and pay for is not spent here.
"""

import random
import secrets
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

import apsw
import msgspec

from afterwit.config.world import World
from afterwit.extras.memory.backend import Backend, Bulk, Sized
from afterwit.extras.memory.checks import (
    AVAILABILITY,
    DELETED,
    FUNCTIONALITY,
    LATENCY,
    PASSED,
    PRIVACY,
    SEPARATE,
    WEIGHTS,
    Evaluated,
    Latency,
    Relevance,
    faults,
    functionality,
    labelled_set,
    latency_part,
    mean,
    privacy_part,
    recommendation,
    relevance,
)
from afterwit.extras.memory.local import LocalBackend, Recorder
from afterwit.extras.memory.registry import HONCHO, LOCAL, NULL, POSTGRES, make_backend, names, not_configured
from afterwit.model.memory_entry import Write
from afterwit.store.database import transaction
from afterwit.store.layout import Layout
from afterwit.store.rows import memory as rows
from afterwit.store.rows.files import page_bytes
from afterwit.store.store import open_store

SIZES = (1_000, 100_000)
_FEW = 20  # entries of a backend that takes one at a time
_ROUNDS, _FEW_ROUNDS = 200, 10
_BATCH = 5_000
_GROWTH = 1_000  # entries by which the size of one is measured
_LABELLED = "labelled"
Say = Callable[[str], None]


class Evaluation(msgspec.Struct, frozen=True, kw_only=True):
    weights: dict[str, float]
    backends: list[Evaluated]
    recommendation: str


def evaluate(
    world: World, wanted: Sequence[str] = (), sizes: Sequence[int] = SIZES, say: Say = lambda _: None
) -> Evaluation:
    """Of the wanted backends, or of all. `say` hears what is being done."""
    evaluated = [_evaluate_backend(world, name, sizes, say) for name in wanted or names()]
    return Evaluation(weights=dict(WEIGHTS), backends=evaluated, recommendation=recommendation(evaluated))


def _evaluate_backend(world: World, name: str, sizes: Sequence[int], say: Say) -> Evaluated:
    missing = not_configured(world, name)
    if missing:
        return Evaluated(backend=name, is_configured=False, reason=missing)
    with _scratch(world, name) as (backend, folder):
        is_available, reason = backend.availability()
        about = Evaluated(
            backend=name,
            is_configured=True,
            is_available=is_available,
            reason=reason,
            leaves_machine=backend.leaves_machine,
            privacy=backend.privacy,
        )
        if is_available:
            return _Trial(backend, folder, say).run(about, sizes)
        return about.with_parts(dict.fromkeys(WEIGHTS, 0.0) | {PRIVACY: 1.0}) if name == NULL else about


class _Trial:
    """One backend, measured as a user made up for it."""

    def __init__(self, backend: Backend, folder: Path, say: Say) -> None:
        self._backend = backend
        self._folder = folder
        self._say = say
        self._users = {
            name: f"afterwit-evaluation-{secrets.token_hex(6)}" for name in ("checks", _LABELLED, "growth", "many")
        }

    def run(self, about: Evaluated, sizes: Sequence[int]) -> Evaluated:
        try:
            return self._measure(about, sizes)
        finally:
            self._clean_up()

    def _measure(self, about: Evaluated, sizes: Sequence[int]) -> Evaluated:
        backend = self._backend
        self._say(f"{backend.name}: what it can do")
        checks = functionality(backend, self._users["checks"])
        survived = faults(backend, self._users["checks"], self._folder)
        self._say(f"{backend.name}: what it finds")
        relevant = self._relevance()
        bytes_per_entry = self._bytes_per_entry()
        latencies = list(self._latencies(sizes))
        largest = max((latency.entries for latency in latencies), default=0)
        passed = {name: outcome == PASSED for name, outcome in checks.items()}
        lossless = mean([fault == PASSED for fault in survived.values()])
        parts = {
            AVAILABILITY: 0.5 + 0.5 * lossless,  # half for being there
            FUNCTIONALITY: 0.75 * mean(list(passed.values())) + 0.25 * relevant.recall_at_5,
            LATENCY: latency_part([latency.p95_ms for latency in latencies if latency.entries == largest]),
            PRIVACY: privacy_part(
                leaves_machine=about.leaves_machine, is_separate=passed[SEPARATE], is_deleted=passed[DELETED]
            ),
        }
        measured = msgspec.structs.replace(
            about,
            functionality=checks,
            faults=survived,
            relevance=relevant,
            latencies=latencies,
            bytes_per_entry=bytes_per_entry,
            cost=_cost(backend, bytes_per_entry),
        )
        return measured.with_parts(parts)

    def _relevance(self) -> Relevance:
        labelled, user = labelled_set(), self._users[_LABELLED]
        entries = enumerate(labelled.entries.items(), start=1)
        self._fill([Write(user=user, key=key, value=value, at_ms=at) for at, (key, value) in entries])
        answers = [[hit.entry.key for hit in self._backend.query(user, query.text, 10)] for query in labelled.queries]
        return relevance(labelled.queries, answers)

    def _bytes_per_entry(self) -> float | None:
        """What one more entry takes: the growth by many, so that what an empty store takes does not count."""
        backend, user = self._backend, self._users["growth"]
        if not (isinstance(backend, Sized) and isinstance(backend, Bulk)):
            return None
        writes = list(invented_writes(user, 0, 2 * _GROWTH))
        self._fill(writes[:_GROWTH])  # tables and indexes that begin with a page are past that
        before = backend.used_bytes()
        self._fill(writes[_GROWTH:])
        grown = backend.used_bytes() - before
        backend.clear(user)
        return round(grown / _GROWTH, 1)

    def _latencies(self, sizes: Sequence[int]) -> Iterator[Latency]:
        is_bulk = isinstance(self._backend, Bulk)
        filled = 0
        for size in sizes if is_bulk else (_FEW,):
            self._say(f"{self._backend.name}: how fast it is with {size:,} entries")
            self._fill(list(invented_writes(self._users["many"], filled, size)))
            filled = size
            yield from self._time_calls(size, _ROUNDS if is_bulk else _FEW_ROUNDS)

    def _time_calls(self, size: int, rounds: int) -> Iterator[Latency]:
        backend, user = self._backend, self._users["many"]
        draw = random.Random(size)  # noqa: S311 - a fixed draw of keys, nothing secret
        held = list(invented_writes(user, 0, min(size, 1_000)))
        extra = list(invented_writes(user, size, size + rounds))
        texts = [" ".join(draw.sample(draw.choice(held).value.split(), 2)) for _ in range(rounds)]
        keys = [draw.choice(held).key for _ in range(rounds)]
        yield _latency("store", size, [partial(backend.store, write) for write in extra])
        yield _latency("retrieve", size, [partial(backend.retrieve, user, key) for key in keys])
        yield _latency("query", size, [partial(backend.query, user, text, 10) for text in texts])
        yield _latency("list", size, [partial(backend.keys, user, key[:-2]) for key in keys])
        yield _latency("delete", size, [partial(backend.delete, user, write.key, write.at_ms + 1) for write in extra])

    def _fill(self, writes: Sequence[Write]) -> None:
        if isinstance(self._backend, Bulk):
            for start in range(0, len(writes), _BATCH):
                self._backend.store_many(writes[start : start + _BATCH])
        else:
            for write in writes:
                self._backend.store(write)

    def _clean_up(self) -> None:
        for user in (*self._users.values(), f"{self._users['checks']}-other"):
            if isinstance(self._backend, Bulk):
                self._backend.clear(user)
                continue
            for key in self._backend.keys(user):
                self._backend.delete(user, key, time.time_ns() // 1_000_000)


class ScratchBackend(LocalBackend):
    """The local backend on a store that nobody keeps: can be filled without the journal."""

    def __init__(self, db: apsw.Connection, recorder: Recorder) -> None:
        super().__init__(db, recorder)
        self._scratch = db

    def store_many(self, writes: Sequence[Write]) -> None:
        with transaction(self._scratch):
            for write in writes:
                rows.put(self._scratch, write)

    def clear(self, user: str) -> int:
        return len(self.keys(user))  # the whole store goes

    def used_bytes(self) -> int:
        free, whole = page_bytes(self._scratch)
        return whole - free


@contextmanager
def _scratch(world: World, name: str) -> Iterator[tuple[Backend, Path]]:
    """The backend, and a private folder on the store's disk that goes at the end."""
    world.layout.create()
    with tempfile.TemporaryDirectory(prefix="memory-evaluation-", dir=world.layout.root) as place, ExitStack() as stack:
        folder = Path(place)
        if name == LOCAL:
            store = stack.enter_context(open_store(Layout(folder / "store")))
            yield ScratchBackend(store.db, Recorder(store)), folder
        else:
            yield make_backend(world, name, stack), folder


def invented_writes(user: str, start: int, end: int) -> Iterator[Write]:
    """Entries of made-up words, a few of them common and most rare. The same number gives the same entry."""
    words = _words()
    for number in range(start, end):
        draw = random.Random(number)  # noqa: S311 - nothing secret
        count = draw.randint(8, 24)
        drawn = [words[min(int(draw.paretovariate(0.6)), len(words)) - 1] for _ in range(count)]
        key = f"{drawn[0]}.{drawn[1]}.{number}"
        yield Write(user=user, key=key, value=" ".join(drawn), metadata={"number": number}, at_ms=1 + number)


def _words() -> list[str]:
    draw = random.Random(1)  # noqa: S311
    words: dict[str, None] = {}
    while len(words) < 8_000:
        words["".join(draw.choice("bdfgklmnprstvz") + draw.choice("aeiou") for _ in range(draw.randint(2, 4)))] = None
    return list(words)


def _latency(operation: str, entries: int, calls: Sequence[Callable[[], object]]) -> Latency:
    times = []
    for call in calls:
        start = time.perf_counter()
        call()
        times.append(1000 * (time.perf_counter() - start))
    times.sort()
    return Latency(operation, entries, times[len(times) // 2], times[min(len(times) - 1, int(0.95 * len(times)))])


def _cost(backend: Backend, bytes_per_entry: float | None) -> str:
    if backend.name == LOCAL:
        return f"No money. About {bytes_per_entry or 0:,.0f} bytes of disk for one more entry."
    if backend.name == POSTGRES:
        return "No money to us: the PostgreSQL server is yours."
    if backend.name == HONCHO:
        return "At least 5 requests for a write. The hosted service charges for what it reasons about; see its prices."
    return "Not known: ask its makers."
