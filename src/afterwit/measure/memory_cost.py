"""What memory cost: tokens that sessions were told, time of hooks, and what models that read took.

Tokens are estimated as everywhere in recall, four characters each. What a told token then costs again with every later
response is not counted apart: it is in what the session spent.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import mean, median
from typing import NamedTuple

import msgspec

from afterwit.measure.told_notes import SessionKey


class Occasion(NamedTuple):
    """One time at which there was something to say."""

    at_ms: int
    to: SessionKey
    moment: str
    tokens: int  # that were said; 0: skipped on purpose, to compare
    is_skipped: bool  # not only some of the notes
    took_ms: int | None  # None: not recorded


class MemoryCost(NamedTuple):
    """One session for which there was something to say."""

    at_ms: int
    session: str
    agent: str
    is_skipped: bool
    times: int  # that something was said
    tokens: int
    hook_ms: int | None


class ModelSpend(msgspec.Struct, frozen=True, kw_only=True):
    """What models that read sessions for notes took."""

    requests: int = 0
    tokens: int = 0
    cost_usd: float | None = None  # None: no price is known
    unpriced: int = 0  # requests


class CostOfMemory(msgspec.Struct, frozen=True, kw_only=True):
    sessions: int  # for which there was something to say
    told_sessions: int
    skipped_sessions: int
    tokens: int
    tokens_per_session: float | None  # of those that were told something
    most_tokens: int
    tokens_by_moment: dict[str, int]
    hook_calls: int  # whose time was recorded
    hook_ms_median: float | None
    hook_ms_most: int | None
    model: ModelSpend


def memory_costs(calls: Iterable[Occasion]) -> list[MemoryCost]:
    """By session, in order of time."""
    by_session: dict[SessionKey, list[Occasion]] = {}
    for call in calls:
        by_session.setdefault(call.to._replace(is_subagent=False), []).append(call)
    return sorted(_cost(session, own) for session, own in by_session.items())


def _cost(session: SessionKey, calls: Sequence[Occasion]) -> MemoryCost:
    took = [call.took_ms for call in calls if call.took_ms is not None]
    return MemoryCost(
        at_ms=min(call.at_ms for call in calls),
        session=session.session,
        agent=session.agent,
        is_skipped=all(call.is_skipped for call in calls),
        times=sum(bool(call.tokens) for call in calls),
        tokens=sum(call.tokens for call in calls),
        hook_ms=sum(took) if took else None,
    )


def cost_of_memory(rows: Sequence[MemoryCost], calls: Sequence[Occasion], model: ModelSpend) -> CostOfMemory:
    tokens = [row.tokens for row in rows if row.times]
    by_moment: Counter[str] = Counter()
    for call in calls:
        by_moment[call.moment] += call.tokens
    took = [call.took_ms for call in calls if call.took_ms is not None]
    return CostOfMemory(
        sessions=len(rows),
        told_sessions=len(tokens),
        skipped_sessions=sum(row.is_skipped for row in rows),
        tokens=sum(tokens),
        tokens_per_session=mean(tokens) if tokens else None,
        most_tokens=max(tokens, default=0),
        tokens_by_moment={moment: count for moment, count in sorted(by_moment.items()) if count},
        hook_calls=len(took),
        hook_ms_median=median(took) if took else None,
        hook_ms_most=max(took, default=None),
        model=model,
    )
