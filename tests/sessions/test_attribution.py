"""Lines and what calls wrote, as values: what must hold whatever the lines are."""

from hypothesis import given
from hypothesis import strategies as st

from afterwit.actions.changes import SpanChange
from afterwit.sessions.attribution import LineOrigin, Match, Writing, attribute, count_added

MINUTE_MS = 60_000
LINE = st.sampled_from(["", "}", "return x", "wooden_screw.turn_slowly()", "staves_of_oak = 24", "  hoops = 6"])
TEXT = st.lists(LINE, max_size=8).map(tuple)
SPAN = st.builds(
    lambda before, after, is_whole: SpanChange("a", () if is_whole else before, after, is_whole),
    TEXT,
    TEXT,
    st.booleans(),
)


def written(*spans: SpanChange, at: int = 0) -> Writing:
    return Writing(at * MINUTE_MS * 10, spans)


def whole(*lines: str) -> SpanChange:
    return SpanChange("a", (), lines, is_whole=True)


@given(st.lists(st.tuples(LINE, st.integers(0, 5)), max_size=20), st.lists(SPAN, max_size=6))
def test_no_line_is_of_a_call_after_its_commit_and_each_names_one_that_is_there(
    lines: list[tuple[str, int]], spans: list[SpanChange]
) -> None:
    writings = [written(span, at=at) for at, span in enumerate(spans)]
    origins = [LineOrigin(str(at), at * 10 * MINUTE_MS + 1) for _, at in lines]
    found = attribute([text for text, _ in lines], origins, writings)
    assert len(found) == len(lines)
    for match, origin in zip(found, origins, strict=True):
        assert match is None or writings[match.writing].at_ms <= (origin.at_ms or 0) + MINUTE_MS


@given(st.lists(LINE, max_size=20))
def test_without_calls_nothing_is_told(lines: list[str]) -> None:
    assert attribute(lines, [LineOrigin("")] * len(lines), []) == [None] * len(lines)


def test_of_equal_lines_those_with_the_same_surroundings_are_meant() -> None:
    first = whole("open_the_cellar_door()", "return the_barrel", "close_the_cellar_door()")
    second = SpanChange("a", ("x",), ("climb_the_long_ladder()", "return the_barrel", "leave_the_long_ladder()"))
    lines = [*first.after, *second.after]
    writings = [written(first), written(second, at=1)]
    found = attribute(lines, [LineOrigin("")] * 6, writings)
    assert [match.writing if match else None for match in found] == [0, 0, 0, 1, 1, 1]


def test_a_short_line_is_of_a_call_that_wrote_it_and_its_neighbours() -> None:
    span = whole("open_the_cellar_door()", "go_in()", "close_the_cellar_door()")
    origins = [LineOrigin("1"), LineOrigin("2"), LineOrigin("1")]
    assert [m and m.writing for m in attribute(span.after, origins, [written(span)])] == [0, 0, 0]
    assert attribute(["go_in()"], [LineOrigin("1")], [written(span)]) == [None]


def test_other_line_breaks_are_said_to_be_such() -> None:
    long = whole("press_the_apples(with_the_screw,", "in_the_basket)")
    joined = "press_the_apples(with_the_screw, in_the_basket)"
    assert attribute([joined], [LineOrigin("")], [written(long)]) == [Match(0, is_laid_out=True)]


def test_a_hidden_part_may_be_anything_and_the_rest_must_be_the_same() -> None:
    span = whole('open_the_cellar_door(with_key="‹api-key:3f9c2a›", at_night=True)')
    same = 'open_the_cellar_door(with_key="oak-17", at_night=True)'
    assert attribute([same], [LineOrigin("")], [written(span)]) == [Match(0)]
    assert attribute([same.replace("night", "noon")], [LineOrigin("")], [written(span)]) == [None]


def test_what_a_call_added_is_counted() -> None:
    assert count_added(SpanChange("a", ("one", "two"), ("one", "three", "four"))) == 2
    assert count_added(whole("five")) == 1


def test_what_was_copied_from_lines_that_came_with_an_earlier_commit_is_left_open() -> None:
    span = whole("open_the_cellar_door_with_a_key()", "roll_out_the_barrel_of_oak()")
    origins = [LineOrigin("1", MINUTE_MS)] * 2 + [LineOrigin("2", 2 * MINUTE_MS)] * 2
    found = attribute([*span.after, *span.after], origins, [written(span)])
    assert [match and match.writing for match in found] == [0, 0, None, None]
    in_one = attribute([*span.after, *span.after], [LineOrigin("1", MINUTE_MS)] * 4, [written(span)])
    assert in_one == [None] * 4  # the call wrote them once: nobody knows which
    both = whole(*span.after, *span.after)
    twice = attribute(both.after, [LineOrigin("1", MINUTE_MS)] * 4, [written(both)])
    assert [match and match.writing for match in twice] == [0] * 4
