"""Which charts a report has: errors by week, how sessions go, what was learned, whether confidence is honest.

A chart that would show nothing is left out. What is many weeks is cut to the latest year.
"""

import datetime as dt
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import ceil, sqrt
from typing import NamedTuple
from xml.sax.saxutils import escape

from afterwit.measure.collect import Measured, ReportDay
from afterwit.measure.confidence import Calibration
from afterwit.measure.note_changes import GAINED, LOST, NoteChange
from afterwit.measure.recurrence import LAST_WEEK, Recurrence
from afterwit.measure.session_course import CourseShare
from afterwit.measure.words import of_many

WIDTH, HEIGHT = 720, 320
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 24, 56, 48
_STYLE = """
  text { fill: #1f2328; font: 12px system-ui, sans-serif; }
  .heading { font-size: 15px; font-weight: 600; }
  .page { fill: #ffffff; }
  .soft { fill: #59636e; }
  .grid { stroke: #d1d9e0; }
  .mark { stroke: #59636e; stroke-dasharray: 4 4; }
  .first { fill: #0b5cad; stroke: #0b5cad; }
  .second { fill: #b35000; stroke: #b35000; }
  .span { stroke-width: 1.5; stroke-opacity: .55; }
  .line { fill: none; stroke-width: 1.5; }
  .bar { stroke: none; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; }
    .page { fill: #0d1117; }
    .soft { fill: #9198a1; }
    .grid { stroke: #3d444d; }
    .mark { stroke: #9198a1; }
    .first { fill: #79b8ff; stroke: #79b8ff; }
    .second { fill: #ffa657; stroke: #ffa657; }
    .line { fill: none; }
    .bar { stroke: none; }
  }
"""
_KINDS = ("first", "second")
_USUAL, _LARGEST = 4.0, 7.0  # radii


class Axis(NamedTuple):
    label: str
    low: float
    high: float
    ticks: Sequence[tuple[float, str]]


class Point(NamedTuple):
    x: float
    y: float
    words: str
    interval: tuple[float, float] | None = None
    counted: int = 16  # how many stand behind it: the more, the larger it is drawn


class Series(NamedTuple):
    name: str
    points: Sequence[Point]
    is_bars: bool = False
    is_line: bool = False


class Chart(NamedTuple):
    title: str
    description: str
    x: Axis
    y: Axis
    series: Sequence[Series]
    marks: Sequence[tuple[tuple[float, float], tuple[float, float]]] = ()  # dashed lines from here to there


def drawn(chart: Chart) -> str:
    """The picture as a file holds it."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
        ' role="img" aria-labelledby="title desc">',
        f'<title id="title">{escape(chart.title)}</title>',
        f'<desc id="desc">{escape(chart.description)}</desc>',
        f"<style>{_STYLE}</style>",
        f'<rect class="page" width="{WIDTH}" height="{HEIGHT}"/>',
        f'<text class="heading" x="{_LEFT}" y="22">{escape(chart.title)}</text>',
        *_legend(chart.series),
        *_axes(chart),
        *(_draw_dashes(chart, *mark) for mark in chart.marks),
        *(line for at, series in enumerate(chart.series) for line in _series(chart, series, at)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _legend(series: Sequence[Series]) -> Iterator[str]:
    x = _LEFT
    for at, own in enumerate(series):
        yield _form(at, x + 5, 38, _USUAL, own.name)
        yield f'<text class="soft" x="{x + 16}" y="42">{escape(own.name)}</text>'
        x += 32 + 7 * len(own.name)


def _axes(chart: Chart) -> Iterator[str]:
    right, bottom = WIDTH - _RIGHT, HEIGHT - _BOTTOM
    for value, text in chart.y.ticks:
        y = _y(chart, value)
        yield f'<line class="grid" x1="{_LEFT}" x2="{right}" y1="{y}" y2="{y}"/>'
        yield f'<text class="soft" x="{_LEFT - 8}" y="{_number(float(y) + 4)}" text-anchor="end">{escape(text)}</text>'
    for value, text in chart.x.ticks:
        yield f'<text class="soft" x="{_x(chart, value)}" y="{bottom + 18}" text-anchor="middle">{escape(text)}</text>'
    x, y = _number((_LEFT + right) / 2), _number((_TOP + bottom) / 2)
    yield f'<text class="soft" x="{x}" y="{HEIGHT - 8}" text-anchor="middle">{escape(chart.x.label)}</text>'
    yield (
        f'<text class="soft" x="16" y="{y}" text-anchor="middle" transform="rotate(-90 16 {y})">'
        f"{escape(chart.y.label)}</text>"
    )


def _draw_dashes(chart: Chart, here: tuple[float, float], there: tuple[float, float]) -> str:
    x1, y1, x2, y2 = _x(chart, here[0]), _y(chart, here[1]), _x(chart, there[0]), _y(chart, there[1])
    return f'<line class="mark" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>'


def _series(chart: Chart, series: Series, at: int) -> Iterator[str]:
    kind = _KINDS[at % len(_KINDS)]
    if series.is_line and len(series.points) > 1:
        path = " ".join(f"{_x(chart, point.x)},{_y(chart, point.y)}" for point in series.points)
        yield f'<polyline class="{kind} line" points="{path}"/>'
    for point in series.points:
        if series.is_bars:
            yield _bar(chart, point, kind, at, len(chart.series))
            continue
        x = float(_x(chart, point.x)) + _beside(at, len(chart.series))
        if point.interval is not None:
            low, high = (_y(chart, value) for value in point.interval)
            yield f'<line class="{kind} span" x1="{_number(x)}" x2="{_number(x)}" y1="{low}" y2="{high}"/>'
        yield _form(at, x, float(_y(chart, point.y)), min(_LARGEST, 2 + sqrt(point.counted) / 2), point.words)


def _beside(at: int, count: int) -> float:
    """Series stand beside each other, so that their intervals can be told apart."""
    return 5.0 * (at - (count - 1) / 2)


def _form(at: int, x: float, y: float, size: float, words: str) -> str:
    """A circle, or a square of about the same area."""
    title = f"<title>{escape(words)}</title>"
    if at % 2:
        side, half = _number(1.8 * size), 0.9 * size
        place = f'x="{_number(x - half)}" y="{_number(y - half)}"'
        return f'<rect class="second" {place} width="{side}" height="{side}">{title}</rect>'
    return f'<circle class="first" cx="{_number(x)}" cy="{_number(y)}" r="{_number(size)}">{title}</circle>'


def _bar(chart: Chart, point: Point, kind: str, at: int, count: int) -> str:
    span = (WIDTH - _LEFT - _RIGHT) / max(1.0, chart.x.high - chart.x.low)
    width = max(2.0, min(24.0, 0.8 * span) / count)
    x = float(_x(chart, point.x)) + width * (at - count / 2)
    zero, top = float(_y(chart, 0)), float(_y(chart, point.y))
    return (
        f'<rect class="{kind} bar" x="{_number(x)}" y="{_number(min(zero, top))}" width="{_number(width)}"'
        f' height="{_number(abs(zero - top))}"><title>{escape(point.words)}</title></rect>'
    )


def _x(chart: Chart, value: float) -> str:
    return _number(_LEFT + (WIDTH - _LEFT - _RIGHT) * _place(chart.x, value))


def _y(chart: Chart, value: float) -> str:
    return _number(HEIGHT - _BOTTOM - (HEIGHT - _TOP - _BOTTOM) * _place(chart.y, value))


def _place(axis: Axis, value: float) -> float:
    return (value - axis.low) / (axis.high - axis.low) if axis.high > axis.low else 0.5


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


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
    ticks = [(number, _name_week(number)) for number in range(first, last + 1, every)]
    places = {week: number for week, number in numbers.items() if number >= first}
    return Axis("week", first - 0.7, last + 0.7, ticks), places


def _number_of(week: str) -> int:
    """Weeks in their order, from one of long ago on."""
    year, _, number = week.partition("-W")
    return dt.date.fromisocalendar(int(year), int(number), 1).toordinal() // _DAYS


def _name_week(number: int) -> str:
    year, week, _ = dt.date.fromordinal(number * _DAYS + 1).isocalendar()
    return f"{year}-W{week:02d}"
