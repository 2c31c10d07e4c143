"""From measurements of a backend to a score out of 100, and from scores to a recommendation. Pure.

Four parts, each from 0 to 1, weighed and added. The weights are shown beside the score and can be changed; they count
in proportion. How well a backend finds is measured on the labelled set, which ships with the package: entries, and
queries with the keys that answer them.
"""

import math
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources

import msgspec

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
_FAST_MS = 10.0  # nobody notices
_SLOW_MS = 1_000.0  # everybody does
_RELEVANCE_SHARE = 0.25


def score(parts: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """Out of 100."""
    total = sum(weights.values())
    return 100 * sum(weights[name] * parts[name] for name in weights) / total if total else 0.0


def availability_part(*, is_available: bool, faults: Sequence[bool]) -> float:
    """Half for being there, half for what is not lost when it is not."""
    return 0.5 * is_available + 0.5 * share(faults)


def functionality_part(checks: Sequence[bool], recall: float) -> float:
    return (1 - _RELEVANCE_SHARE) * share(checks) + _RELEVANCE_SHARE * recall


def latency_part(p95_ms: Sequence[float]) -> float:
    """1 up to 10 ms, 0 from a second on, even steps for even factors between; the mean of all."""
    if not p95_ms:
        return 0.0
    span = math.log(_SLOW_MS / _FAST_MS)
    parts = [1 - math.log(max(_FAST_MS, min(_SLOW_MS, time_ms)) / _FAST_MS) / span for time_ms in p95_ms]
    return sum(parts) / len(parts)


def privacy_part(*, leaves_machine: bool, is_separate: bool, is_deleted: bool) -> float:
    """Half for staying on the machine, a quarter each for separate users and for deletion that holds."""
    return 0.5 * (not leaves_machine) + 0.25 * is_separate + 0.25 * is_deleted


def share(checks: Sequence[bool]) -> float:
    return sum(checks) / len(checks) if checks else 0.0


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
    cost: str = ""
    parts: dict[str, float] = msgspec.field(default_factory=dict)
    score: float | None = None


def recommendation(evaluated: Sequence[Evaluated]) -> str:
    """Which to use, in words; and whenever that means that data leave the machine, so."""
    scored = ((backend.score, backend) for backend in evaluated if backend.is_available and backend.score is not None)
    usable = sorted(scored, key=lambda pair: -pair[0])
    if not usable:
        return 'No backend can be used now. Set memory.backend = "local", which needs no server.'
    points, best = usable[0]
    text = f"Use {best.backend}: {points:.0f} of 100. "
    if not best.leaves_machine:
        return text + f"No data leave this machine. {best.privacy}"
    at_home = next((f"{other.backend} ({at:.0f} of 100)" for at, other in usable if not other.leaves_machine), "")
    instead = f" If they must not, use {at_home}." if at_home else ""
    return text + f"But with it data leave this machine. {best.privacy}{instead}"


@cache
def labelled_set() -> LabelledSet:
    text = resources.files("afterwit.memory.backends").joinpath("labelled.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), LabelledSet)


def relevance(queries: Sequence[Query], answers: Sequence[Sequence[str]]) -> Relevance:
    """How good the answers are: for each query the keys that were found, best first."""
    recalls = [_recall(query, keys) for query, keys in zip(queries, answers, strict=True)]
    ranks = [_reciprocal(query, keys) for query, keys in zip(queries, answers, strict=True)]
    plain = [recall for query, recall in zip(queries, recalls, strict=True) if not query.is_hard]
    return Relevance(len(queries), _mean(recalls), _mean(ranks), _mean(plain))


def _recall(query: Query, keys: Sequence[str]) -> float:
    return len(set(query.keys) & set(keys[:FIRST])) / len(query.keys)


def _reciprocal(query: Query, keys: Sequence[str]) -> float:
    return next((1 / place for place, key in enumerate(keys, start=1) if key in query.keys), 0.0)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
