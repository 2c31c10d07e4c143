"""Which originals go when the archive outgrows its budget. Decides; drops nothing.

Three passes: what is older than the backstop, then what is above the soft cap, then what is above the hard cap. Only
originals that were analysed go, those of the least value per byte first, or the oldest. What was not analysed goes as
the last resort, above the hard cap alone: that is a loss of data, and the plan says so. What is kept never goes.
"""

from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import NamedTuple

from afterwit.model.settings import EvictionOrder, RetentionSettings

_DAY_MS = 86_400_000


class Reason(StrEnum):
    """Why an original goes."""

    AGE = "age"
    SOFT_CAP = "soft-cap"
    HARD_CAP = "hard-cap"


class EvictionCandidate(NamedTuple):
    """One original with what belongs to it."""

    id: int
    packed_bytes: int
    ended_ms: int  # when what it tells of was over
    value: float = 0.0  # what it may still teach
    is_analysed: bool = False
    is_kept: bool = False  # pinned, or of a kind that is never given up

    @property
    def worth(self) -> float:
        return self.value / max(1, self.packed_bytes)


class EvictionPass(NamedTuple):
    """What one pass gives up, in this order."""

    reason: Reason
    candidates: list[EvictionCandidate]
    after_bytes: int

    @property
    def freed_bytes(self) -> int:
        return sum(candidate.packed_bytes for candidate in self.candidates)


class EvictionPlan(NamedTuple):
    before_bytes: int
    passes: list[EvictionPass]
    is_over: bool  # above the hard cap even so, because of what is kept

    @property
    def after_bytes(self) -> int:
        return self.passes[-1].after_bytes if self.passes else self.before_bytes

    @property
    def candidates(self) -> list[EvictionCandidate]:
        """All that goes."""
        return [candidate for eviction in self.passes for candidate in eviction.candidates]

    @property
    def lost(self) -> list[EvictionCandidate]:
        """What goes without having been analysed."""
        return [candidate for candidate in self.candidates if not candidate.is_analysed]


def plan_eviction(candidates: Iterable[EvictionCandidate], limits: RetentionSettings, now_ms: int) -> EvictionPlan:
    """What has to go now. The order of the candidates does not matter."""
    first = _by_worth if limits.order is EvictionOrder.VALUE else _by_age
    everything = sorted(candidates, key=first)
    analysed = [candidate for candidate in everything if candidate.is_analysed and not candidate.is_kept]
    last_resort = [candidate for candidate in everything if not candidate.is_analysed and not candidate.is_kept]
    passes = _Passes(sum(candidate.packed_bytes for candidate in everything))
    if limits.raw_max_age_days:
        oldest_ms = now_ms - limits.raw_max_age_days * _DAY_MS
        passes.run(Reason.AGE, analysed, lambda candidate, _: candidate.ended_ms < oldest_ms)
    passes.run(Reason.SOFT_CAP, analysed, lambda _, used: used > limits.raw_soft_cap_bytes)
    passes.run(Reason.HARD_CAP, [*analysed, *last_resort], lambda _, used: used > limits.hard_cap_bytes)
    return EvictionPlan(passes.before_bytes, passes.passes, passes.used_bytes > limits.hard_cap_bytes)


class _Passes:
    """The passes, one after the other, each on what the earlier ones left."""

    def __init__(self, used_bytes: int) -> None:
        self.before_bytes = self.used_bytes = used_bytes
        self.passes: list[EvictionPass] = []
        self._gone: set[int] = set()

    def run(
        self, reason: Reason, among: list[EvictionCandidate], must_go: Callable[[EvictionCandidate, int], bool]
    ) -> None:
        dropped: list[EvictionCandidate] = []
        for candidate in among:
            if candidate.id not in self._gone and must_go(candidate, self.used_bytes):
                dropped.append(candidate)
                self._gone.add(candidate.id)
                self.used_bytes -= candidate.packed_bytes
        if dropped:
            self.passes.append(EvictionPass(reason, dropped, self.used_bytes))


def _by_worth(candidate: EvictionCandidate) -> tuple[float, int, int]:
    return candidate.worth, candidate.ended_ms, candidate.id


def _by_age(candidate: EvictionCandidate) -> tuple[int, int]:
    return candidate.ended_ms, candidate.id
