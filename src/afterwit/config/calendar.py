"""The calendar of whoever looks: moments as days and clock times of a zone, and back.

For people moments are shown in their own time, by one rule: today `14:05`, this year `Nov 3 14:05`, else
`Nov 3 2025 14:05`. A day begins at its first moment, also where the clocks are changed at midnight. Programs get
another form, which `model.times` writes.
"""

import datetime as dt
from typing import NamedTuple

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


def next_month(day: dt.date) -> dt.date:
    """The first of the month after that of this day."""
    return (day.replace(day=28) + 4 * _DAY).replace(day=1)


def last_month(day: dt.date) -> dt.date:
    """The first of the month before that of this day."""
    return (day.replace(day=1) - _DAY).replace(day=1)
