"""The report: counts all figures, and writes them below the store as a page with charts, as JSON, and into a history
of one line for each day.

Each file is written whole or not at all. The history comes first; a run that is killed leaves the files of the run
before, and the next one makes them all. Of several runs on one day the last counts; one that looks at a part of the
time leaves no line.
"""

from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from afterwit.config.calendar import week_of
from afterwit.config.world import World
from afterwit.measure.charts import CHARTS, drawn, pictures
from afterwit.measure.collect import Measured, ReportDay, as_lines, collect, day_of, days_in, with_day
from afterwit.measure.page import page, summary
from afterwit.model.learn_run import Progress
from afterwit.model.times import with_times
from afterwit.store.atomic import replace_file, step
from afterwit.store.regular_files import read_regular

DASHBOARD, METRICS, HISTORY = "dashboard.md", "metrics.json", "history.jsonl"
_DIGITS = 4  # of what is no whole number


class WrittenReport(NamedTuple):
    page: Path
    measured: Measured
    lines: list[str]  # what to know without opening the page


def report(world: World, folder: Path | None, since_ms: int, progress: Progress) -> WrittenReport:
    """Counts and writes."""
    measured = collect(world, since_ms, progress)
    place, calendar = folder or world.layout.metrics, world.calendar
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    days = _days(place / HISTORY)
    if not since_ms:
        days = with_day(days, day_of(measured.figures, calendar.today))
    charts = pictures(measured, days, lambda at_ms: week_of(calendar.date(at_ms)))
    files = {name: drawn(chart).encode() for name, chart in charts.items()}
    files[METRICS] = msgspec.json.format(msgspec.json.encode(plain(measured.figures)), indent=2) + b"\n"
    files[DASHBOARD] = page(measured.figures, charts, calendar).encode()
    if not since_ms:
        replace_file(place / HISTORY, as_lines(days))
    for name, content in files.items():
        step(f"{name} is not written yet")
        replace_file(place / name, content, is_durable=False)
    for name in CHARTS - files.keys():  # of an earlier run
        (place / name).unlink(missing_ok=True)
    return WrittenReport(place / DASHBOARD, measured, summary(measured.figures))


def is_due(world: World) -> bool:
    """Whether a report is wanted every day, and there is none of today."""
    today = world.calendar.today.isoformat()
    return world.settings.measure.daily_report and all(
        day.day != today for day in _days(world.layout.metrics / HISTORY)
    )


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


def _days(path: Path) -> list[ReportDay]:
    try:
        return days_in(read_regular(path))
    except FileNotFoundError:
        return []
