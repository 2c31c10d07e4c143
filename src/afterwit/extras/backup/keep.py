"""Which snapshots a rule keeps: the last of each of the newest days, weeks and months that have any. Pure."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from afterwit.config.calendar import Calendar, week_of


class KeepRule(NamedTuple):
    """How many days, weeks and months with a snapshot keep one."""

    daily: int
    weekly: int
    monthly: int


def kept_moments(moments: Sequence[int], rule: KeepRule, calendar: Calendar) -> set[int]:
    """Of these moments of snapshots, those that stay."""

    def day(at_ms: int) -> str:
        return calendar.date(at_ms).isoformat()

    def week(at_ms: int) -> str:
        return week_of(calendar.date(at_ms))

    def month(at_ms: int) -> str:
        return day(at_ms)[:7]

    spans: list[tuple[Callable[[int], str], int]] = [(day, rule.daily), (week, rule.weekly), (month, rule.monthly)]
    return {at_ms for span, count in spans for at_ms in _latest_of(moments, span, count)}


def _latest_of(moments: Sequence[int], span: Callable[[int], str], count: int) -> list[int]:
    latest: dict[str, int] = {}
    for at_ms in sorted(moments, reverse=True):
        latest.setdefault(span(at_ms), at_ms)
    return sorted(latest.values(), reverse=True)[:count]
