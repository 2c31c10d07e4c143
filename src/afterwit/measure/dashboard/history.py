"""The history of the report: one line for each day, the last run of a day, for at most three years."""

import datetime as dt
from collections.abc import Iterable

import msgspec

from afterwit.measure.metrics.figures import Figures

_MOST_DAYS = 1_100


class ReportDay(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept of a day. Fields are only added."""

    day: str
    sessions: int
    in_use: int
    gained: int
    lost: int
    told: int
    available: int
    used: int
    wrong: int
    completed: int
    judged: int
    first_try: int
    checked: int
    tokens: int


def day_of(figures: Figures, today: dt.date) -> ReportDay:
    whole = figures.course.whole
    return ReportDay(
        day=today.isoformat(),
        sessions=figures.sessions,
        in_use=figures.velocity.in_use,
        gained=figures.velocity.gained,
        lost=figures.velocity.lost,
        told=figures.hit_rate.told,
        available=figures.hit_rate.available,
        used=figures.hit_rate.used,
        wrong=figures.wrong.wrong,
        completed=whole.completed,
        judged=whole.judged,
        first_try=whole.first_try,
        checked=whole.checked,
        tokens=figures.cost.tokens,
    )


def with_day(days: Iterable[ReportDay], today: ReportDay) -> list[ReportDay]:
    """The history with a day, in the place of what was noted of it before."""
    others = (day for day in days if day.day != today.day)
    return sorted([*others, today], key=lambda day: day.day)[-_MOST_DAYS:]


def days_in(content: bytes) -> list[ReportDay]:
    """The days of a file. A line that makes no sense is passed over."""
    days = []
    for line in content.splitlines():
        try:
            days.append(msgspec.json.decode(line, type=ReportDay))
        except msgspec.MsgspecError:
            continue
    return days


def as_lines(days: Iterable[ReportDay]) -> bytes:
    return b"".join(msgspec.json.encode(day) + b"\n" for day in days)
