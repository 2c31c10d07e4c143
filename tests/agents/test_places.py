from afterwit.agents.log_reader import Place
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


IDS = ("call_1", "functions.Bash:0", "call_0000000000000001", "call_shellcommand1", "toolu_01ABCDEFGHIJKLMN")


def test_calls_are_told_apart_by_id_time_and_content_whatever_the_id_looks_like() -> None:
    later, elsewhere = PLACE._replace(at_ms=1_777_629_600_001), PLACE._replace(session="t")
    for call in IDS:
        asked = PLACE.asked(call, "Bash", {"command": "ls"}).key
        others = (later.asked(call, "Bash", {"command": "ls"}), PLACE.asked(call, "Bash", {}))
        assert len({asked, *(each.key for each in others)}) == 3
        assert elsewhere.asked(call, "Bash", {"command": "ls"}).key == asked  # a copy


def test_calls_without_a_time_are_told_apart_by_session() -> None:
    one, other = (Place(session, 5, 10) for session in "st")
    for call in IDS:
        assert one.asked(call, "Bash", {}).key != other.asked(call, "Bash", {}).key
    assert one.answered("call_1", "", Result()).key == "result:s:call_1"


def test_ids_that_the_log_does_not_have_are_made_from_the_place() -> None:
    assert PLACE.made_up(2) == "at-5-2"
