"""Small charts as SVG: points with intervals, lines and bars over two labelled axes.

Readable on a light and on a dark page: the colours are in the picture's own style, which follows what the reader's
system prefers. Series differ in form, too. No script, no font, nothing from elsewhere. Every picture says in words what
it shows (`title`, `desc`), and every point its own figures.
"""

from collections.abc import Iterator, Sequence
from math import sqrt
from typing import NamedTuple
from xml.sax.saxutils import escape

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
        *(_dashed(chart, *mark) for mark in chart.marks),
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


def _dashed(chart: Chart, here: tuple[float, float], there: tuple[float, float]) -> str:
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
