"""Times as people type them: a day, a month, `yesterday`, `last week`, a weekday, or a span back from now.

Each names a period. `--since` takes its beginning, `--until` its end, so that a day, a week or a month counts whole.
Days are those of the calendar, which knows the zone; weeks begin on Monday. A weekday is the latest that has begun.
"""

import datetime as dt
import re
from collections.abc import Callable
from typing import NamedTuple

from afterwit.config.calendar import Calendar, last_month, next_month

EXAMPLES = "12h, 3d, 2w, today, yesterday, monday, last week, last month, 2026-03, 2026-03-15, 2026-03-15T14:00"
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_BACK = re.compile(r"(\d{1,6})\s?([hdw])")
_YEAR = re.compile(r"(?:19|20)\d{2}")
_MONTH = re.compile(r"\d{4}-\d{2}")
_WEEK = re.compile(r"(\d{4})-w(\d{2})")
_DAY = re.compile(r"\d{4}-?\d{2}-?\d{2}")
_ONE_DAY = dt.timedelta(days=1)
_ONE_WEEK = dt.timedelta(days=7)
_SHORTEST_NAME = 3  # of a weekday


class Period(NamedTuple):
    """`end_ms` itself is no longer in. Of a single moment both are the same."""

    begin_ms: int
    end_ms: int


def period(text: str, calendar: Calendar) -> Period | None:
    """The period that somebody means, or None where the words name none."""
    typed = " ".join(text.casefold().replace("_", " ").split())
    try:
        named = _named(typed, calendar)
        meant = named if named is not None else _dated(typed, calendar)
    except (ValueError, OverflowError, OSError):
        return None
    return Period(max(0, meant.begin_ms), max(0, meant.end_ms))


def _named(typed: str, calendar: Calendar) -> Period | None:
    """Periods that depend on what day it is."""
    words: dict[str, Callable[[], Period]] = {
        "now": lambda: Period(calendar.now_ms, calendar.now_ms),
        "today": lambda: _days(calendar, calendar.today, _ONE_DAY),
        "yesterday": lambda: _days(calendar, calendar.today - _ONE_DAY, _ONE_DAY),
        "this week": lambda: _days(calendar, _monday(calendar.today), _ONE_WEEK),
        "last week": lambda: _days(calendar, _monday(calendar.today) - _ONE_WEEK, _ONE_WEEK),
        "this month": lambda: _month(calendar, calendar.today),
        "last month": lambda: _month(calendar, last_month(calendar.today)),
    }
    typed = typed.removesuffix(" ago")
    if typed in words:
        return words[typed]()
    if back := _BACK.fullmatch(typed):
        at_ms = _back_ms(int(back[1]), back[2], calendar)
        return Period(at_ms, at_ms)
    name = typed.removeprefix("last ")
    weekdays = [at for at, day in enumerate(_WEEKDAYS) if len(name) >= _SHORTEST_NAME and day.startswith(name)]
    if not weekdays:
        return None
    behind = (calendar.today.weekday() - weekdays[0]) % 7
    if name != typed and not behind:
        behind = 7
    return _days(calendar, calendar.today - behind * _ONE_DAY, _ONE_DAY)


def _dated(typed: str, calendar: Calendar) -> Period:
    """Periods that are the same whenever they are asked for. Raises ValueError."""
    if week := _WEEK.fullmatch(typed):
        return _days(calendar, dt.date.fromisocalendar(int(week[1]), int(week[2]), 1), _ONE_WEEK)
    if _YEAR.fullmatch(typed):
        first = dt.date(int(typed), 1, 1)
        return Period(calendar.begin_ms(first), calendar.begin_ms(first.replace(year=first.year + 1)))
    if _MONTH.fullmatch(typed):
        return _month(calendar, dt.date.fromisoformat(f"{typed}-01"))
    if _DAY.fullmatch(typed):
        return _days(calendar, dt.date.fromisoformat(typed), _ONE_DAY)
    moment = dt.datetime.fromisoformat(typed.upper())
    at_ms = calendar.at_ms(moment) if moment.tzinfo is None else round(moment.timestamp() * 1000)
    return Period(at_ms, at_ms)


def _days(calendar: Calendar, first: dt.date, length: dt.timedelta) -> Period:
    return Period(calendar.begin_ms(first), calendar.begin_ms(first + length))


def _month(calendar: Calendar, day: dt.date) -> Period:
    return Period(calendar.begin_ms(day.replace(day=1)), calendar.begin_ms(next_month(day)))


def _monday(day: dt.date) -> dt.date:
    return day - day.weekday() * _ONE_DAY


def _back_ms(count: int, unit: str, calendar: Calendar) -> int:
    """Hours are counted; days and weeks go back to the same time of the clock."""
    if unit == "h":
        return calendar.now_ms - count * 3_600_000
    days = count * (7 if unit == "w" else 1)
    now = calendar.wall(calendar.now_ms)
    return (
        0 if days >= now.date().toordinal() - dt.date(1970, 1, 2).toordinal() else calendar.at_ms(now - days * _ONE_DAY)
    )
