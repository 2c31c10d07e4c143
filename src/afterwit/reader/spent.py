"""What reading took since the day and the month began, by UTC."""

import datetime as dt
from typing import NamedTuple

import apsw

from afterwit.store.rows.readings import SpentSince, spent_since


class ReadingSpent(NamedTuple):
    """What was spent, or is reserved, since the day and the month began."""

    day: SpentSince
    month: SpentSince


def spent_by(db: apsw.Connection, now_ms: int) -> ReadingSpent:
    """What was spent by a moment."""
    today = dt.datetime.fromtimestamp(now_ms / 1000, tz=dt.UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return ReadingSpent(*(spent_since(db, int(day.timestamp() * 1000)) for day in (today, today.replace(day=1))))
