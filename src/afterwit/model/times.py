"""Times in logs: ISO strings, seconds, milliseconds, numbers as strings. Inside: whole milliseconds since 1970 UTC."""

import datetime as dt
import math
from typing import Any

_MS_FROM = 100_000_000_000  # as seconds this is the year 5138, as milliseconds 1973
_LATEST_MS = 253_402_300_799_999  # the end of the year 9999


def ms_from_any(value: Any) -> int | None:
    """The moment that a log's timestamp names, or None where it names none. A naive time counts as UTC."""
    if isinstance(value, str):
        return _ms_from_text(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if not math.isfinite(value) or value <= 0:
        return None
    ms = int(value if value >= _MS_FROM else value * 1000)
    return ms if ms <= _LATEST_MS else None


def iso_from_ms(ms: int) -> str:
    """The moment as people and JSON read it: 2026-05-01T10:00:00.123Z."""
    moment = dt.datetime.fromtimestamp(ms / 1000, tz=dt.UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _ms_from_text(text: str) -> int | None:
    try:
        moment = dt.datetime.fromisoformat(text)
    except ValueError:
        try:
            return ms_from_any(float(text))
        except ValueError:
            return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=dt.UTC)
    try:
        ms = round(moment.timestamp() * 1000)
    except (OverflowError, ValueError):
        return None
    return ms if 0 < ms <= _LATEST_MS else None
