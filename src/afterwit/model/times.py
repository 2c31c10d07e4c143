"""Times in logs: ISO strings, seconds, milliseconds, numbers as strings. Inside: whole milliseconds since 1970 UTC.
In JSON for other programs: ISO 8601 in UTC with a `Z`, in a field that ends with `_at`.

A moment before the year 2000 or after 9999 is none: it is a counter, a duration or a placeholder such as the zero time
of Go, and would put a session at the wrong end of history.
"""

import datetime as dt
from functools import lru_cache
from typing import Any

_MS_FROM = 100_000_000_000  # as seconds this is the year 5138, as milliseconds 1973
_EARLIEST_MS = 946_684_800_000  # the start of the year 2000
_LATEST_MS = 253_402_300_799_999  # the end of the year 9999
_DATE_DIGITS = 8  # 20260501; longer runs of digits are seconds or milliseconds, though some also parse as ISO
_MOMENTS = frozenset(
    f"{name}_ms"
    for name in (
        *("at", "started", "ended", "last", "last_run", "vanishes", "dropped", "since", "created", "updated"),
        *("news", "rescued_from", "connected", "called", "stopped", "made"),
    )
)
_FOREIGN = frozenset(("arguments", "metadata"))
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_MS = dt.timedelta(milliseconds=1)


def ms_from_any(value: Any) -> int | None:
    """The moment that a log's timestamp names, or None where it names none. A naive time counts as UTC."""
    if isinstance(value, str):
        return _ms_from_text(value.strip())
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if not 0 < value <= _LATEST_MS:
        return None
    return _sane(round(value if value >= _MS_FROM else value * 1000))


def iso_from_ms(ms: int) -> str:
    """The moment as people and JSON read it: 2026-05-01T10:00:00.123Z."""
    moment = _EPOCH + ms * _MS
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def with_times(value: Any) -> Any:
    """A value of plain dicts and lists with its moments in the shape that programs get: `started_ms` as `started_at`.
    Spans of time stay numbers. What others wrote (arguments of calls, metadata) stays as it is."""
    if isinstance(value, list | tuple):
        return [with_times(item) for item in value]
    if not isinstance(value, dict):
        return value
    return dict(_with_time(name, item) for name, item in value.items())


def _with_time(name: Any, value: Any) -> tuple[Any, Any]:
    if name in _MOMENTS and (value is None or isinstance(value, int)):
        told = "happened_at" if name == "at_ms" else f"{name.removesuffix('_ms')}_at"
        return told, iso_from_ms(value) if value else ""
    return name, value if name in _FOREIGN else with_times(value)


@lru_cache(maxsize=64)
def _ms_from_text(text: str) -> int | None:
    """Kept for a moment: several readings of a record ask for its time, and so do the records of one response."""
    if text.isdecimal() and len(text) > _DATE_DIGITS:
        return _ms_from_number(text)
    try:
        moment = dt.datetime.fromisoformat(text.upper())
    except ValueError:
        return _ms_from_number(text)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=dt.UTC)
    return _sane(round((moment - _EPOCH) / _MS))


def _ms_from_number(text: str) -> int | None:
    try:
        return ms_from_any(float(text))
    except ValueError:
        return None


def _sane(ms: int) -> int | None:
    return ms if _EARLIEST_MS <= ms <= _LATEST_MS else None
