from afterwit.agents.places import Place
from afterwit.model.kinds import EventKind
from afterwit.model.readings import Result
from afterwit.sources.framing import Record

PLACE = Place("s", 5, 10, 1_777_629_600_000)


def test_events_lie_where_their_record_lies() -> None:
    made = (
        PLACE.said(EventKind.PROMPT, "Hello", "k"),
        PLACE.call("k", "c1", "ls", {}),
        PLACE.result("k", "c1", "a", Result()),
    )
    assert {(each.session, each.offset, each.length, each.at_ms) for each in made} == {("s", 5, 10, 1_777_629_600_000)}
    assert [each.kind for each in made] == [EventKind.PROMPT, EventKind.CALL, EventKind.RESULT]
    assert (PLACE.problem("odd").offset, PLACE.problem("odd").length) == (5, 10)


def test_a_tool_without_a_name_is_called_unnamed() -> None:
    assert PLACE.call("k", "c1", "", {}).tool == "unnamed"


def test_a_place_is_that_of_its_record() -> None:
    assert Place.of("s", Record(5, 10, b"{}"), 1_777_629_600_000) == PLACE


def test_ids_that_are_merely_counted_are_told_apart_by_session_time_and_content() -> None:
    places = (PLACE, PLACE._replace(session="t"), PLACE._replace(at_ms=1_777_629_600_001))
    for call in ("call_1", "functions.Bash:0", "functions.mcp__context7__get-library-docs:12", "run_shell_command__1"):
        asked = [*(place.asked(call, "Bash", {"command": "ls"}) for place in places), PLACE.asked(call, "Bash", {})]
        assert len({each.key for each in asked}) == 4
        assert PLACE.asked(call, "Bash", {}).key == PLACE.asked(call, "Bash", {}).key
    assert PLACE.asked("toolu_01ABCDEFGHIJKLMN", "Bash", {}).key == "call:toolu_01ABCDEFGHIJKLMN"
    assert PLACE.answered("call_1", "", Result()).key == "result:s:call_1"


def test_ids_that_the_log_does_not_have_are_made_from_the_place() -> None:
    assert PLACE.made_up(2) == "at-5-2"
