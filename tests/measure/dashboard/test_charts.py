import xml.etree.ElementTree as ET

import pytest

from afterwit.measure.charts import HEIGHT, WIDTH, Axis, Chart, Point, Series, drawn

SVG = "{http://www.w3.org/2000/svg}"
Y = Axis("apples & pears", 0, 10, [(0, "0"), (10, "10")])
X = Axis("week", 0, 4, [(0, "first"), (4, "last")])
PICKED = [Point(0, 2, "two", (1, 4)), Point(4, 10, "ten", (8, 10), counted=400)]


def picture(*series: Series, **more: object) -> ET.Element:
    chart = Chart("Picked <by week>", "What was picked.", X, Y, series or (Series("picked", PICKED),))
    return ET.fromstring(drawn(chart._replace(**more)))  # type: ignore[arg-type]


def texts(root: ET.Element) -> list[str]:
    return [element.text or "" for element in root.iter(f"{SVG}text")]


def test_a_picture_says_what_it_shows() -> None:
    root = picture()
    assert (root.findtext(f"{SVG}title"), root.findtext(f"{SVG}desc")) == ("Picked <by week>", "What was picked.")
    assert {"Picked <by week>", "picked", "apples & pears", "week", "first", "last", "0", "10"} <= set(texts(root))


def test_it_has_colours_for_a_dark_page_and_no_script() -> None:
    root = picture()
    assert "prefers-color-scheme: dark" in (root.findtext(f"{SVG}style") or "")
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
        *("svg", "title", "desc", "style", "rect", "text", "circle", "line", "polyline")
    }


def test_points_stand_where_their_figures_are_and_say_them() -> None:
    legend, low, high = picture().iter(f"{SVG}circle")
    assert [circle.findtext(f"{SVG}title") for circle in (low, high)] == ["two", "ten"]
    assert (low.get("cx"), low.get("cy")) == ("64", "228.8")  # two tenths of 216 above 272
    assert (high.get("cx"), high.get("cy")) == ("696", "56")
    assert float(high.get("r", "")) > float(legend.get("r", ""))


def test_intervals_are_drawn() -> None:
    spans = [line for line in picture().iter(f"{SVG}line") if "span" in (line.get("class") or "")]
    assert [(line.get("y1"), line.get("y2")) for line in spans] == [("250.4", "185.6"), ("99.2", "56")]


def test_two_series_differ_in_form_and_stand_beside_each_other() -> None:
    root = picture(Series("picked", PICKED), Series("sold", PICKED))
    squares = [rect for rect in root.iter(f"{SVG}rect") if rect.get("class") == "second"]
    circles = list(root.iter(f"{SVG}circle"))
    assert (len(squares), len(circles)) == (3, 3)
    assert float(squares[2].get("x", "")) > float(circles[2].get("cx", "")) - 7


def test_bars_rise_from_zero_and_fall_below_it() -> None:
    bars = Series("gained", [Point(1, 5, "five"), Point(2, -5, "less five")], is_bars=True)
    root = picture(bars, y=Axis("notes", -10, 10, [(0, "0")]))
    up, down = (rect for rect in root.iter(f"{SVG}rect") if "bar" in (rect.get("class") or ""))
    assert (up.get("y"), up.get("height")) == ("110", "54")
    assert (down.get("y"), down.get("height")) == ("164", "54")


def test_a_line_joins_its_points() -> None:
    (line,) = picture(Series("in use", PICKED, is_line=True)).iter(f"{SVG}polyline")
    assert line.get("points") == "64,228.8 696,56"


def test_a_dashed_line_marks_what_matters() -> None:
    marks = [line for line in picture(marks=[((0, 0), (4, 10))]).iter(f"{SVG}line") if line.get("class") == "mark"]
    assert [(mark.get("x1"), mark.get("y1"), mark.get("x2"), mark.get("y2")) for mark in marks] == [
        ("64", "272", "696", "56")
    ]


@pytest.mark.parametrize("axis", [Axis("week", 0, 0, []), Axis("week", 3, 3, [(3, "3")])])
def test_an_axis_without_length_puts_everything_into_the_middle(axis: Axis) -> None:
    root = picture(Series("picked", [Point(3, 5, "five")]), x=axis)
    assert [circle.get("cx") for circle in root.iter(f"{SVG}circle")][1:] == ["380"]


def test_nothing_lies_outside_of_the_picture() -> None:
    for circle in picture().iter(f"{SVG}circle"):
        assert 0 <= float(circle.get("cx", "")) <= WIDTH
        assert 0 <= float(circle.get("cy", "")) <= HEIGHT
