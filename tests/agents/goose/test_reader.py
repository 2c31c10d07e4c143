"""Goose's sessions, from its database and from the JSON lines of earlier versions."""

from tests.agents.contract_cases import all_cases, read
from tests.agents.gathered import case_of, readings_of
from tests.agents.transcripts import events, facts, spends, texts

from afterwit.agents.goose.reader import GooseReader
from afterwit.model.kinds import EventKind
from afterwit.model.readings import Reading, Result, Usage

HENS = "20260501_1"


def old_lines() -> list[Reading]:
    case = next(case for case in all_cases() if case.agent == "goose" and case.name.endswith(".jsonl"))
    return read(case.start(), case.data)


def test_a_session_of_the_database_is_read() -> None:
    readings = readings_of("goose", "basic.sql", HENS)
    assert texts(readings, EventKind.PROMPT) == ["feed the hens please"]
    assert texts(readings, EventKind.REPLY) == ["I will look for corn."]
    assert [event.tool for event in events(readings, EventKind.CALL)] == [
        "developer__shell",
        "developer__shell",
        "unreadable",
        "developer__text_editor",
    ]
    (about,) = facts(readings)
    assert (about.cwd, about.title, about.provider, about.origin) == ("/w/henhouse", "Feed the hens", "loop", "user")


def test_results_say_whether_the_tool_failed_and_nothing_of_what_was_declined() -> None:
    results = events(readings_of("goose", "basic.sql", HENS), EventKind.RESULT)
    assert {event.call_id: event.result for event in results} == {
        "call_1": Result(is_error=False),
        "call_2": Result(is_error=True),
        "call_3": Result(is_error=True),
        "call_4": Result(),
    }


def test_what_people_do_not_see_is_a_summary_or_a_notice() -> None:
    readings = readings_of("goose", "basic.sql", HENS)
    assert texts(readings, EventKind.COMPACTION) == ["So far the hens wait.", "made short again"]
    assert texts(readings, EventKind.NOTICE) == ["Compacted", "context for the model"]
    assert texts(readings, EventKind.MODEL_ERROR) == ["too long for the model"]


def test_the_running_total_is_one_spend() -> None:
    (spend,) = spends(readings_of("goose", "basic.sql", HENS))
    assert (spend.usage, spend.model) == (Usage(input=500, output=50), "m-1")


def test_nobody_types_in_the_session_of_a_subagent() -> None:
    readings = readings_of("goose", "basic.sql", "20260501_2")
    assert not events(readings, EventKind.PROMPT)
    assert texts(readings, EventKind.NOTICE) == ["Count the eggs."]


def test_lines_of_earlier_versions_are_read() -> None:
    readings = old_lines()
    assert texts(readings, EventKind.PROMPT) == ["sweep the barn"]
    assert texts(readings, EventKind.RESULT) == ["dust"]
    assert facts(readings)[0].title == "Sweep the barn"
    assert spends(readings)[0].usage == Usage(input=200, output=40)


def test_what_is_not_known_is_counted() -> None:
    case = case_of("goose", "basic.sql", HENS)
    reading = case.start()
    read(reading, case.data)
    assert dict(reading.unknown) == {"content/moonRise": 1}


def test_messages_of_other_agents_are_not_taken_for_its_own() -> None:
    assert not GooseReader().sniffs({"role": "user", "content": "plain chat"})
    assert not GooseReader().sniffs({"type": "user", "message": {"role": "user", "content": []}})
