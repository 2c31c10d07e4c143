"""The report: counts all figures, and writes them below the store as a page, as JSON, and into a history of one line
for each day.

Each file is written whole or not at all. The history comes first; a run that is killed leaves the files of the run
before, and the next one makes them all. Of several runs on one day the last counts; one that looks at a part of the
time leaves no line.
"""

import datetime as dt
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from afterwit.config.world import World
from afterwit.measure.collect import Figures, collect
from afterwit.measure.page import page, summary
from afterwit.model.learn_run import Progress
from afterwit.model.times import with_times
from afterwit.store.atomic import replace_file, step
from afterwit.store.regular_files import read_regular

DASHBOARD, METRICS, HISTORY = "dashboard.md", "metrics.json", "history.jsonl"
_DIGITS = 4  # of what is no whole number
_MOST_DAYS = 1_100  # of the history
_COUNTS = (  # what is kept of a day, besides the number of sessions
    ("velocity", ("in_use", "gained", "lost")),
    ("hit_rate", ("told", "available", "used")),
    ("wrong", ("wrong",)),
    ("cost", ("tokens",)),
)
_OF_COURSE = ("completed", "judged", "first_try", "checked")


class WrittenReport(NamedTuple):
    page: Path
    figures: Figures
    lines: list[str]  # what to know without opening the page


def report(world: World, folder: Path | None, since_ms: int, progress: Progress) -> WrittenReport:
    """Counts and writes."""
    figures = collect(world, since_ms, progress).figures
    place = folder or world.layout.metrics
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not since_ms:
        today = day_of(figures, world.calendar.today)
        days = [day for day in days_in(place / HISTORY) if day["day"] != today["day"]]
        lines = sorted([*days, today], key=lambda day: str(day["day"]))[-_MOST_DAYS:]
        replace_file(place / HISTORY, b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    as_json = msgspec.json.format(msgspec.json.encode(plain(figures)), indent=2) + b"\n"
    for name, content in ((METRICS, as_json), (DASHBOARD, page(figures, world.calendar).encode())):
        step(f"{name} is not written yet")
        replace_file(place / name, content, is_durable=False)
    return WrittenReport(place / DASHBOARD, figures, summary(figures))


def is_due(world: World) -> bool:
    """Whether a report is wanted every day, and there is none of today."""
    today = world.calendar.today.isoformat()
    days = days_in(world.layout.metrics / HISTORY)
    return world.settings.measure.daily_report and all(day["day"] != today for day in days)


def day_of(figures: Figures, today: dt.date) -> dict[str, Any]:
    """The line of a day."""
    counts = {name: getattr(getattr(figures, part), name) for part, names in _COUNTS for name in names}
    whole = {name: getattr(figures.course.whole, name) for name in _OF_COURSE}
    return {"day": today.isoformat(), "sessions": figures.sessions, **counts, **whole}


def days_in(history: Path) -> list[dict[str, Any]]:
    """The lines of a history, as they stand there. One that makes no sense is passed over."""
    days = []
    try:
        lines = read_regular(history).splitlines()
    except FileNotFoundError:
        lines = []
    for line in lines:
        try:
            day = msgspec.json.decode(line, type=dict[str, Any])
            dt.date.fromisoformat(day.get("day", ""))
        except (msgspec.MsgspecError, TypeError, ValueError):
            continue
        if all(isinstance(day.get(name), int) for _, names in _COUNTS for name in names):
            days.append(day)
    return days


def plain(value: Any) -> Any:
    """Figures and rows as programs get them: every field by its name, times in their one shape, shares rounded."""
    return with_times(_by_name(value))


def _by_name(value: Any) -> Any:
    if isinstance(value, msgspec.Struct):
        return _by_name(msgspec.structs.asdict(value))
    if isinstance(value, dict):
        return {name: _by_name(part) for name, part in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return _by_name(value._asdict())
    if isinstance(value, list | tuple):
        return [_by_name(part) for part in value]
    return round(value, _DIGITS) if isinstance(value, float) else value
