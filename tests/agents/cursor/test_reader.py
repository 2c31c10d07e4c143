"""Conversations of the Cursor editor, rendered from its key-value store."""

from pathlib import Path

from tests.agents.contract_cases import all_cases, make_database, read
from tests.agents.gathered import case_of, readings_of
from tests.agents.transcripts import events, facts, spends, texts
from tests.homes import learned, rows

from afterwit.model.kinds import EventKind, Relation
from afterwit.model.readings import Result, Usage

BOAT = "11111111-0000-4000-8000-000000000001"
FIXTURES = Path(__file__).parent / "fixtures"


def test_a_conversation_is_read_in_the_order_of_its_headers() -> None:
    readings = readings_of("cursor", "basic.sql", BOAT)
    assert texts(readings, EventKind.PROMPT) == ["paint the boat blue"]
    assert texts(readings, EventKind.THOUGHT) == ["Is there blue paint?"]
    assert texts(readings, EventKind.REPLY) == ["The boat is blue."]
    about = facts(readings)[0]
    assert (about.cwd, about.branch, about.title) == ("/w/boat", "paint", "Paint the boat")


def test_a_call_and_its_result_are_one_bubble() -> None:
    readings = readings_of("cursor", "basic.sql", BOAT)
    assert [call.arguments for call in events(readings, EventKind.CALL)][:2] == [
        {"command": "ls paint"},
        {"command": "paint"},
    ]
    assert [event.result for event in events(readings, EventKind.RESULT)] == [
        Result(exit_code=0),
        Result(exit_code=127),
        Result(is_error=True),
        Result(is_error=False, is_denied=True),
    ]
    assert texts(readings, EventKind.RESULT)[:3] == ["blue", "paint: not found", "the file is locked"]


def test_tokens_of_a_bubble_belong_to_the_model_of_the_conversation() -> None:
    (spend,) = spends(readings_of("cursor", "basic.sql", BOAT))
    assert (spend.model, spend.usage) == ("m-1", Usage(input=100, output=9))


def test_conversations_that_hold_their_messages_are_read() -> None:
    readings = readings_of("cursor", "basic.sql", "22222222-0000-4000-8000-000000000002")
    assert texts(readings, EventKind.REPLY) == ["Forty years."]


def test_a_subagent_belongs_to_its_parent_and_nobody_types_there() -> None:
    readings = readings_of("cursor", "basic.sql", "44444444-0000-4000-8000-000000000004")
    assert (facts(readings)[0].parent, facts(readings)[0].relation) == (BOAT, Relation.SUBAGENT)
    assert not events(readings, EventKind.PROMPT)


def test_keys_to_encrypted_data_and_dropped_messages_are_left_alone() -> None:
    data = case_of("cursor", "basic.sql", BOAT).data
    assert b"never kept" not in data
    assert b"dropped" not in data


def test_empty_and_broken_conversations_are_no_sessions() -> None:
    found = {case.rendered.stem[0] for case in all_cases() if case.agent == "cursor" and case.rendered}
    assert found == {"1", "2", "4"}


def test_unknown_bubbles_are_counted() -> None:
    case = case_of("cursor", "basic.sql", BOAT)
    reading = case.start()
    read(reading, case.data)
    assert dict(reading.unknown) == {"bubble/7": 1}


def test_the_database_is_learned_and_then_unchanged(tmp_path: Path) -> None:
    home = tmp_path / "home"
    make_database(FIXTURES / "basic.sql", home / ".config/Cursor/User/globalStorage/state.vscdb")
    assert learned(home, tmp_path / "store").agents[0].read == 3
    assert learned(home, tmp_path / "store").agents[0].unchanged == 3
    assert rows(tmp_path / "store", "SELECT count(*), sum(actions) FROM sessions") == [(3, 4)]
