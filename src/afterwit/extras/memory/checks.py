"""What `memory evaluate` tries on a backend, and from what it measured to a score out of 100 and a recommendation.

Every check runs as a user of its own, made for the evaluation, and says in a word or two what it tried. A backend that
raises fails the check with that message. Four parts, each from 0 to 1, are weighed and added. How well a backend finds
is measured on the labelled set, which ships with the package: entries, and queries with the keys that answer them.
"""

import math
import tomllib
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from functools import cache, partial
from importlib import resources
from pathlib import Path
from typing import Any, cast

import msgspec

from afterwit.extras.memory.backend import Backend, UnreachableError, UnsupportedError
from afterwit.extras.memory.queue import Queue, QueueingBackend
from afterwit.model.errors import AfterwitError
from afterwit.model.memory_entry import Entry, Write

FIRST = 5


class Query(msgspec.Struct, frozen=True):
    text: str
    keys: tuple[str, ...]
    is_hard: bool = False  # shares no word with its answer


class LabelledSet(msgspec.Struct, frozen=True):
    entries: dict[str, str]
    queries: tuple[Query, ...]


class Relevance(msgspec.Struct, frozen=True):
    queries: int
    recall_at_5: float  # share of the answers that stand among the first five
    reciprocal_rank: float  # mean of 1 / place of the first answer
    plain_recall_at_5: float  # the same without the queries that share no word with their answer


AVAILABILITY, FUNCTIONALITY, LATENCY, PRIVACY = "availability", "functionality", "latency", "privacy"
WEIGHTS: Mapping[str, float] = {AVAILABILITY: 20, FUNCTIONALITY: 40, LATENCY: 20, PRIVACY: 20}
RECOMMENDED, ACCEPTABLE, MARGINAL, NOT_RECOMMENDED = "recommended", "acceptable", "marginal", "not recommended"
_VERDICTS = ((80.0, RECOMMENDED), (60.0, ACCEPTABLE), (40.0, MARGINAL))
_FAST_MS = 10.0  # nobody notices
_SLOW_MS = 1_000.0  # everybody does


def score(parts: Mapping[str, float]) -> float:
    """Out of 100."""
    return sum(weight * parts[name] for name, weight in WEIGHTS.items())


def verdict(points: float) -> str:
    """A score in plain words. The thresholds are documented: who compares backends goes by them."""
    return next((word for least, word in _VERDICTS if points >= least), NOT_RECOMMENDED)


def latency_part(p95_ms: Sequence[float]) -> float:
    """1 up to 10 ms, 0 from a second on, even steps for even factors between; the mean of all."""
    span = math.log(_SLOW_MS / _FAST_MS)
    return mean([1 - math.log(max(_FAST_MS, min(_SLOW_MS, time_ms)) / _FAST_MS) / span for time_ms in p95_ms])


def privacy_part(*, leaves_machine: bool, is_separate: bool, is_deleted: bool) -> float:
    """Half for staying on the machine, a quarter each for separate users and for deletion that holds."""
    return 0.5 * (not leaves_machine) + 0.25 * is_separate + 0.25 * is_deleted


def mean(values: Sequence[float]) -> float:
    """Of truths: their share."""
    return sum(values) / len(values) if values else 0.0


class Latency(msgspec.Struct, frozen=True):
    operation: str
    entries: int
    p50_ms: float
    p95_ms: float


class Evaluated(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured of a backend."""

    backend: str
    is_configured: bool
    is_available: bool = False
    reason: str = ""  # what is missing
    leaves_machine: bool = False
    privacy: str = ""
    functionality: dict[str, str] = msgspec.field(default_factory=dict)
    faults: dict[str, str] = msgspec.field(default_factory=dict)
    relevance: Relevance | None = None
    latencies: list[Latency] = msgspec.field(default_factory=list)
    bytes_per_entry: float | None = None  # of disk, without what an empty store takes; None where it cannot be told
    cost: str = ""
    parts: dict[str, float] = msgspec.field(default_factory=dict)
    score: float | None = None
    verdict: str = ""  # the score in plain words; "" where nothing was measured

    def with_parts(self, parts: dict[str, float]) -> "Evaluated":
        points = score(parts)
        return msgspec.structs.replace(self, parts=parts, score=points, verdict=verdict(points))


def recommendation(evaluated: Sequence[Evaluated]) -> str:
    """Which to use, in words; and whenever that means that data leave the machine, so."""
    scored = ((backend.score, backend) for backend in evaluated if backend.is_available and backend.score is not None)
    usable = sorted(scored, key=lambda pair: -pair[0])
    if not usable:
        return 'No backend can be used now. Set memory.backend = "local", which needs no server.'
    points, best = usable[0]
    text = f"Use {best.backend}: {best.verdict}, {points:.0f} of 100. "
    if best.verdict == NOT_RECOMMENDED:
        text = f"No backend is recommended; the best is {best.backend}, {points:.0f} of 100. "
    if not best.leaves_machine:
        return text + f"No data leave this machine. {best.privacy}"
    at_home = next((f"{other.backend} ({at:.0f} of 100)" for at, other in usable if not other.leaves_machine), "")
    instead = f" If they must not, use {at_home}." if at_home else ""
    return text + f"But with it data leave this machine. {best.privacy}{instead}"


@cache
def labelled_set() -> LabelledSet:
    text = resources.files("afterwit.extras.memory").joinpath("labelled.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), LabelledSet)


def relevance(queries: Sequence[Query], answers: Sequence[Sequence[str]]) -> Relevance:
    """How good the answers are: for each query the keys that were found, best first."""
    pairs = list(zip(queries, answers, strict=True))
    recalls = [len(set(query.keys) & set(keys[:FIRST])) / len(query.keys) for query, keys in pairs]
    ranks = [
        next((1 / place for place, key in enumerate(keys, start=1) if key in query.keys), 0.0) for query, keys in pairs
    ]
    plain = [recall for query, recall in zip(queries, recalls, strict=True) if not query.is_hard]
    return Relevance(len(queries), mean(recalls), mean(ranks), mean(plain))


Check = Callable[[Backend, str], bool]
PASSED = "passed"
SEPARATE, DELETED = "users are separate", "deleted entries are gone"
_AT = 1_000_000
_KEY = "evaluation.check"
_CALLS = ("store", "retrieve", "query", "keys", "delete")


def functionality(backend: Backend, user: str) -> dict[str, str]:
    """By check: `passed`, or what went wrong."""
    return {name: _outcome(check, backend, user) for name, check in _CHECKS.items()}


def faults(backend: Backend, user: str, folder: Path) -> dict[str, str]:
    """By fault: `passed` if nothing was lost or doubled, or what went wrong."""
    outcomes = {}
    for number, (name, is_done) in enumerate(_FAULTS.items()):
        with closing(Queue(folder / f"queue-{number}.db", backend.name)) as queue:
            check = _fault(queue, folder / f"{number}.lock", 100 + 10 * number, is_done=is_done)
            outcomes[name] = _outcome(check, backend, user)
    return outcomes


def _outcome(check: Check, backend: Backend, user: str) -> str:
    try:
        return PASSED if check(backend, user) else "failed: the answer is not what it should be"
    except UnsupportedError as error:
        return f"unsupported: {error}"
    except AfterwitError as error:
        return f"failed: {error}"


def _write(user: str, value: str, at: int = 0, key: str = _KEY) -> Write:
    return Write(user=user, key=key, value=value, metadata={"by": "evaluation", "count": 1}, at_ms=_AT + at)


def _value(backend: Backend, user: str) -> str | None:
    entry = backend.retrieve(user, _KEY)
    return entry.value if entry else None


def _keeps(backend: Backend, user: str) -> bool:
    text = "Zwei Leerzeichen\n\t“naïve” 🍏"
    backend.store(_write(user, text))
    wanted = Entry(key=_KEY, value=text, metadata={"by": "evaluation", "count": 1}, created_ms=_AT, updated_ms=_AT)
    return backend.retrieve(user, _KEY) == wanted


def _replaces(backend: Backend, user: str) -> bool:
    backend.store(_write(user, "first", 1))
    backend.store(_write(user, "second", 2))
    backend.store(_write(user, "second", 2))
    return _value(backend, user) == "second" and backend.keys(user) == [_KEY]


def _lists(backend: Backend, user: str) -> bool:
    backend.store(_write(user, "another", 3, "other.check"))
    return backend.keys(user) == [_KEY, "other.check"] and backend.keys(user, "other") == ["other.check"]


def _finds(backend: Backend, user: str) -> bool:
    backend.store(_write(user, "Prune the apple trees in March", 4))
    return _KEY in [hit.entry.key for hit in backend.query(user, "pruning apples", 5)]


def _separates(backend: Backend, user: str) -> bool:
    other = f"{user}-other"
    backend.store(_write(user, "mine", 5))
    unseen = backend.retrieve(other, _KEY) is None and backend.keys(other) == [] and not backend.query(other, "mine", 5)
    return unseen and backend.delete(other, _KEY, _AT + 6) is False and _value(backend, user) == "mine"


def _deletes(backend: Backend, user: str) -> bool:
    backend.store(_write(user, "gone soon", 7))
    is_deleted = all(backend.delete(user, key, _AT + 8) for key in backend.keys(user))
    return is_deleted and backend.keys(user) == [] and not backend.query(user, "gone soon", 5)


_CHECKS: dict[str, Check] = {
    "entries come back as they were": _keeps,
    "a second write replaces the first": _replaces,
    "keys are listed": _lists,
    "a query finds": _finds,
    SEPARATE: _separates,
    DELETED: _deletes,
}
_FAULTS = {"gone before a write": False, "gone in the middle of a write": True}


def _fault(queue: Queue, lock: Path, at: int, *, is_done: bool) -> Check:
    """Stores while the backend fails, then again with it working: the entry is there before, after, and once. Each
    fault has moments of its own, because one write may come to a backend again, but not after its deletion."""

    def check(backend: Backend, user: str) -> bool:
        now = [_AT + at]
        failing = _Failing(backend, is_done=is_done)
        queueing = QueueingBackend(cast("Backend", failing), lambda: backend, queue, lock, lambda: now[0])
        detour = queueing.store(_write(user, "kept through a fault", at + 1))
        is_seen = queueing.retrieve(user, _KEY) is not None
        failing.is_failing = False
        now[0] += 60_000
        is_delivered = queueing.deliver() == 1 and queue.first() is None
        is_once = _value(backend, user) == "kept through a fault" and backend.keys(user) == [_KEY]
        backend.delete(user, _KEY, _AT + at + 2)
        return detour.is_waiting and is_seen and is_delivered and is_once

    return check


class _Failing:
    """A backend whose answers get lost, before or after the work was done."""

    def __init__(self, backend: Backend, *, is_done: bool) -> None:
        self._backend = backend
        self._is_done = is_done
        self.is_failing = True

    def __getattr__(self, name: str) -> Any:
        given = getattr(self._backend, name)
        return partial(self._lose, name, given) if name in _CALLS else given

    def _lose(self, name: str, call: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        is_made = not self.is_failing or (self._is_done and name == "store")
        answer = call(*arguments, **options) if is_made else None
        if self.is_failing:
            raise UnreachableError("The answer was lost, as the evaluation wanted it.")
        return answer
