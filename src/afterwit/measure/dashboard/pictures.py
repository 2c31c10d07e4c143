"""Which charts a report has: errors by week, how sessions go, what was learned, whether confidence is honest.

A chart that would show nothing is left out. What is many weeks is cut to the latest year.
"""

import datetime as dt
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from math import ceil

from afterwit.measure.dashboard.charts import Axis, Chart, Point, Series
from afterwit.measure.dashboard.history import ReportDay
from afterwit.measure.dashboard.words import of_many
from afterwit.measure.metrics.figures import Measured
from afterwit.measure.metrics.note_changes import GAINED, LOST, NoteChange
from afterwit.measure.metrics.recurrence import LAST_WEEK, Recurrence
from afterwit.measure.metrics.session_course import CourseShare
from afterwit.measure.statistics.calibration import Calibration

ERRORS, SESSIONS, NOTES = "errors.svg", "sessions.svg", "notes.svg"
IN_USE, CONFIDENCE = "in-use.svg", "confidence.svg"
CHARTS = frozenset((ERRORS, SESSIONS, NOTES, IN_USE, CONFIDENCE))
_MOST_WEEKS = 53
_MOST_TICKS = 8
_SHARES = [(tenths / 10, f"{10 * tenths} %") for tenths in range(0, 11, 2)]
_DAYS = 7


def pictures(measured: Measured, days: Sequence[ReportDay], week_of: Callable[[int], str]) -> dict[str, Chart]:
    """The charts by the names of their files. `week_of` names the week of a moment."""
    figures = measured.figures
    charts = {
        ERRORS: _errors(figures.recurrence),
        SESSIONS: _sessions(figures.course.weeks),
        NOTES: _notes(measured.rows.changes, week_of),
        IN_USE: _in_use(days),
        CONFIDENCE: _confidence(figures.confidence),
    }
    return {name: chart for name, chart in charts.items() if chart is not None}


def _errors(errors: Recurrence) -> Chart | None:
    if not errors.weeks:
        return None
    points = [
        Point(
            week.week,
            week.share or 0.0,
            f"week {week.week}: came back in {of_many(week.came_in, week.sessions)} pairs of a note and a session",
            week.interval,
            week.sessions,
        )
        for week in errors.weeks
    ]
    low, high = min(0, errors.weeks[0].week), max(1, errors.weeks[-1].week)
    every = ceil((high - low + 1) / (2 * _MOST_TICKS))
    shown = (week for week in range(low, high + 1) if not week % every)
    ticks = [(week, f"{week}+" if week == LAST_WEEK else str(week).replace("-", "−")) for week in shown]
    return Chart(
        "Errors, by weeks since their note was learned",
        "For each week before and after a note was learned: the share of sessions in which the error that it is about"
        " happened, all notes together, with 95 % intervals. The dashed line is when the note was learned.",
        Axis("weeks since the note was learned", low - 0.5, high + 0.5, ticks),
        Axis("sessions with the error", 0, 1, _SHARES),
        [Series("sessions in which the error happened", points)],
        [((-0.25, 0.0), (-0.25, 1.0))],
    )


def _sessions(weeks: Sequence[CourseShare]) -> Chart | None:
    if not weeks:
        return None
    axis, places = _week_axis([week.group for week in weeks])
    shown = [week for week in weeks if week.group in places]
    completed = [
        Point(
            places[week.group],
            week.completed_share,
            f"{week.group}: completed {of_many(week.completed, week.judged)}",
            week.completed_interval,
            week.judged,
        )
        for week in shown
        if week.completed_share is not None
    ]
    first_try = [
        Point(
            places[week.group],
            week.first_try_share,
            f"{week.group}: passed the first check {of_many(week.first_try, week.checked)}",
            week.first_try_interval,
            week.checked,
        )
        for week in shown
        if week.first_try_share is not None
    ]
    return Chart(
        "How sessions go, by week",
        "For each week: the share of sessions that ended well, and the share whose first check after the first change"
        " passed, with 95 % intervals. Weeks with few sessions have long intervals.",
        axis,
        Axis("share of sessions", 0, 1, _SHARES),
        [Series("completed", completed), Series("passed the first check", first_try)],
    )


def _notes(changes: Iterable[NoteChange], week_of: Callable[[int], str]) -> Chart | None:
    counts = Counter((week_of(change.at_ms), change.change) for change in changes if change.at_ms)
    if not counts:
        return None
    axis, places = _week_axis(sorted({week for week, _ in counts}))
    most = max(counts.values())
    step = max(1, ceil(most / 5))
    fewest = -step if any(change == LOST for _, change in counts) else 0
    gained = [
        Point(places[week], count, f"{week}: {count} gained")
        for (week, change), count in sorted(counts.items())
        if change == GAINED and week in places
    ]
    lost = [
        Point(places[week], -count, f"{week}: {count} lost")
        for (week, change), count in sorted(counts.items())
        if change == LOST and week in places
    ]
    low = min([fewest, *(point.y for point in lost)])
    ticks = [(value, str(abs(value))) for value in range(int(low), most + step, step)]
    return Chart(
        "Notes gained and lost, by week",
        "For each week: how many notes had enough evidence to be used (upwards), and how many went out of use"
        " (downwards).",
        axis,
        Axis("notes", low, ticks[-1][0], ticks),
        [Series("gained", gained, is_bars=True), Series("lost", lost, is_bars=True)],
    )


def _in_use(days: Sequence[ReportDay]) -> Chart | None:
    """A line needs two days."""
    if len(days) < 2:
        return None
    numbers = [dt.date.fromisoformat(day.day).toordinal() for day in days]
    points = [
        Point(number, day.in_use, f"{day.day}: {day.in_use} in use", counted=0)
        for number, day in zip(numbers, days, strict=True)
    ]
    most = max(day.in_use for day in days)
    step = max(1, ceil(most / 5))
    every = ceil((numbers[-1] - numbers[0] + 1) / _MOST_TICKS)
    shown = range(numbers[0], numbers[-1] + 1, every)
    return Chart(
        "Notes in use, by day",
        "For each day on which a report was made: how many notes were in use.",
        Axis("day", numbers[0] - 0.5, numbers[-1] + 0.5, [(at, f"{dt.date.fromordinal(at)}") for at in shown]),
        Axis(
            "notes", 0, step * ceil(max(1, most) / step), [(value, str(value)) for value in range(0, most + step, step)]
        ),
        [Series("in use", points, is_line=True)],
    )


def _confidence(calibration: Calibration | None) -> Chart | None:
    if calibration is None:
        return None
    points = [
        Point(
            part.mean_chance,
            part.came_true.share or 0.0,
            f"confidence about {part.mean_chance:.2f}: confirmed {of_many(*part.came_true)}",
            part.came_true.interval,
            part.came_true.of,
        )
        for part in calibration.bins
    ]
    return Chart(
        "What became of notes, by their confidence",
        "For each tenth of confidence: the share of sessions that spoke of a note and confirmed it, with 95 %"
        " intervals. On the dashed line confidence says exactly what happens; above it, it is too low.",
        Axis("confidence before the session", 0, 1, [(share, f"{share:.1f}") for share, _ in _SHARES]),
        Axis("confirmed", 0, 1, _SHARES),
        [Series(f"sessions that spoke of a note ({calibration.forecasts:,})", points)],
        [((0.0, 0.0), (1.0, 1.0))],
    )


def _week_axis(weeks: Sequence[str]) -> tuple[Axis, dict[str, int]]:
    """The axis, and where on it each week lies that it shows."""
    numbers = {week: _number_of(week) for week in weeks}
    last = max(numbers.values())
    first = max(min(numbers.values()), last - _MOST_WEEKS + 1)
    every = ceil((last - first + 1) / _MOST_TICKS)
    ticks = [(number, _named(number)) for number in range(first, last + 1, every)]
    places = {week: number for week, number in numbers.items() if number >= first}
    return Axis("week", first - 0.7, last + 0.7, ticks), places


def _number_of(week: str) -> int:
    """Weeks in their order, from one of long ago on."""
    year, _, number = week.partition("-W")
    return dt.date.fromisocalendar(int(year), int(number), 1).toordinal() // _DAYS


def _named(number: int) -> str:
    year, week, _ = dt.date.fromordinal(number * _DAYS + 1).isocalendar()
    return f"{year}-W{week:02d}"
