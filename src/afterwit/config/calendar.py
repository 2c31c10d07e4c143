"""The calendar of whoever looks: moments as days and clock times of a zone, and times as people type them.

For people moments are shown in their own time, by one rule: today `14:05`, this year `Nov 3 14:05`, else
`Nov 3 2025 14:05`. A day begins at its first moment, also where the clocks are changed at midnight. Programs get
another form, which `model.times` writes.

What people type (a day, a month, `yesterday`, `last week`, a weekday, a span back from now) names a period. `--since`
takes its beginning, `--until` its end, so that a day, a week or a month counts whole. Weeks begin on Monday. A weekday
is the latest that has begun.
"""

import datetime as dt
from typing import NamedTuple

from afterwit.model.text import regex

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAY = dt.timedelta(days=1)


class Calendar(NamedTuple):
    now_ms: int
    zone: dt.tzinfo | None = None  # None: that of this machine

    def wall(self, at_ms: int) -> dt.datetime:
        """What clock and calendar on the wall show at this moment."""
        return dt.datetime.fromtimestamp(at_ms / 1000, self.zone).replace(tzinfo=None)

    def at_ms(self, wall: dt.datetime) -> int:
        """The first moment at which they show this; where the clocks skip it, the moment of the skip."""
        return round(wall.replace(tzinfo=self.zone, fold=0).timestamp() * 1000)

    def begin_ms(self, day: dt.date) -> int:
        """The first moment of a day."""
        return self.at_ms(dt.datetime.combine(day, dt.time()))

    def date(self, at_ms: int) -> dt.date:
        return self.wall(at_ms).date()

    @property
    def today(self) -> dt.date:
        return self.date(self.now_ms)

    def moment(self, at_ms: int | None) -> str:
        """A moment to the minute, by the rule; nothing where it is not known."""
        if at_ms is None:
            return ""
        day = "" if self.date(at_ms) == self.today else f"{self.day(at_ms)} "
        return day + self.clock(at_ms)

    def day(self, at_ms: int | None) -> str:
        """The day alone: `Nov 3`, or `Nov 3 2025`."""
        if at_ms is None:
            return ""
        date = self.date(at_ms)
        year = "" if date.year == self.today.year else f" {date.year}"
        return f"{_MONTHS[date.month - 1]} {date.day}{year}"

    def clock(self, at_ms: int | None) -> str:
        return f"{self.wall(at_ms):%H:%M}" if at_ms is not None else ""


def week_of(day: dt.date) -> str:
    """2026-W46: weeks begin on Monday, and belong to the year that has most of their days."""
    year, week, _ = day.isocalendar()
    return f"{year}-W{week:02d}"


def month_of(day: dt.date) -> str:
    return f"{day:%Y-%m}"


EXAMPLES = "12h, 3d, 2w, today, yesterday, monday, last week, last month, 2026-03, 2026-03-15, 2026-03-15T14:00"
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_BACK = regex(r"(\d{1,6})\s?([hdw])")
_YEAR = regex(r"(?:19|20)\d{2}")
_MONTH = regex(r"\d{4}-\d{2}")
_WEEK = regex(r"(\d{4})-w(\d{2})")
_DATE = regex(r"\d{4}-?\d{2}-?\d{2}")
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
    today = calendar.today
    monday = today - today.weekday() * _DAY
    days = {
        "today": (today, _DAY),
        "yesterday": (today - _DAY, _DAY),
        "this week": (monday, _ONE_WEEK),
        "last week": (monday - _ONE_WEEK, _ONE_WEEK),
    }
    months = {"this month": today, "last month": today.replace(day=1) - _DAY}
    typed = typed.removesuffix(" ago")
    if typed == "now":
        return Period(calendar.now_ms, calendar.now_ms)
    if typed in days:
        return _days(calendar, *days[typed])
    if typed in months:
        return _month(calendar, months[typed])
    if back := _BACK.fullmatch(typed):
        at_ms = _back_ms(int(back[1]), back[2], calendar)
        return Period(at_ms, at_ms)
    name = typed.removeprefix("last ")
    weekdays = [at for at, day in enumerate(_WEEKDAYS) if len(name) >= _SHORTEST_NAME and day.startswith(name)]
    if not weekdays:
        return None
    behind = (today.weekday() - weekdays[0]) % 7
    if name != typed and not behind:
        behind = 7
    return _days(calendar, today - behind * _DAY, _DAY)


def _dated(typed: str, calendar: Calendar) -> Period:
    """Periods that are the same whenever they are asked for. Raises ValueError."""
    if week := _WEEK.fullmatch(typed):
        return _days(calendar, dt.date.fromisocalendar(int(week[1]), int(week[2]), 1), _ONE_WEEK)
    if _YEAR.fullmatch(typed):
        first = dt.date(int(typed), 1, 1)
        return Period(calendar.begin_ms(first), calendar.begin_ms(first.replace(year=first.year + 1)))
    if _MONTH.fullmatch(typed):
        return _month(calendar, dt.date.fromisoformat(f"{typed}-01"))
    if _DATE.fullmatch(typed):
        return _days(calendar, dt.date.fromisoformat(typed), _DAY)
    moment = dt.datetime.fromisoformat(typed.upper())
    at_ms = calendar.at_ms(moment) if moment.tzinfo is None else round(moment.timestamp() * 1000)
    return Period(at_ms, at_ms)


def _days(calendar: Calendar, first: dt.date, length: dt.timedelta) -> Period:
    return Period(calendar.begin_ms(first), calendar.begin_ms(first + length))


def _month(calendar: Calendar, day: dt.date) -> Period:
    after = (day.replace(day=28) + 4 * _DAY).replace(day=1)
    return Period(calendar.begin_ms(day.replace(day=1)), calendar.begin_ms(after))


def _back_ms(count: int, unit: str, calendar: Calendar) -> int:
    """Hours are counted; days and weeks go back to the same time of the clock."""
    if unit == "h":
        return calendar.now_ms - count * 3_600_000
    days = count * (7 if unit == "w" else 1)
    now = calendar.wall(calendar.now_ms)
    return 0 if days >= now.date().toordinal() - dt.date(1970, 1, 2).toordinal() else calendar.at_ms(now - days * _DAY)
