"""OpenCode's sessions from its database, its tree of files and its exports."""

from collections import Counter
from pathlib import PurePosixPath

import pytest
from tests.agents.contract_cases import Case, all_cases
from tests.agents.gathered import readings_of
from tests.agents.transcripts import events

from afterwit.agents.opencode.reader import OpenCodeReader, usage_of
from afterwit.model.kinds import EventKind, Relation
from afterwit.model.readings import Event, Facts, Reading, Result, Spend, Usage
from afterwit.sources.documents import read_document


def exported() -> list[Reading]:
    return read_document(case_of_export().start(), case_of_export().data)


def case_of_export() -> Case:
    return next(case for case in all_cases() if case.name == "export.json" and case.agent == "opencode")


def test_a_session_of_the_database_is_read_with_its_actions_and_what_it_spent() -> None:
    readings = readings_of("opencode", "basic.sql", "ses_a1")
    assert [each.text for each in events(readings, EventKind.PROMPT)] == ["count the trees in the orchard"]
    assert [each.arguments for each in events(readings, EventKind.CALL)][:2] == [
        {"command": "wc -l trees.txt"},
        {"command": "ls /no/barn"},
    ]
    assert [each.result for each in events(readings, EventKind.RESULT)] == [
        Result(exit_code=0, duration_ms=1000),
        Result(exit_code=2, duration_ms=1000),
        Result(is_error=True, is_denied=True, is_worded=True, duration_ms=500),
    ]
    assert [(each.usage, each.cost_usd, each.model) for each in readings if isinstance(each, Spend)] == [
        (Usage(100, 20, 5, 25, 5), 0.01, "m-1")
    ]


def test_calls_with_the_same_short_id_are_told_apart() -> None:
    calls = events(readings_of("opencode", "basic.sql", "ses_a1"), EventKind.CALL)
    assert len({call.call_id for call in calls}) == len(calls) == 4


def test_summaries_interrupts_and_errors_of_the_model_are_what_they_are() -> None:
    readings = readings_of("opencode", "basic.sql", "ses_a1")
    kinds = Counter(each.kind for each in readings if isinstance(each, Event))
    assert kinds[EventKind.COMPACTION] == 1
    assert kinds[EventKind.INTERRUPT] == 1
    assert [each.text for each in events(readings, EventKind.MODEL_ERROR)] == ["overloaded, try again"]
    assert [each.text for each in events(readings_of("opencode", "basic.sql", "ses_b1"), EventKind.MODEL_ERROR)] == [
        "ProviderAuthError: no key"
    ]


def test_nobody_types_in_a_session_that_another_agent_started() -> None:
    readings = readings_of("opencode", "basic.sql", "ses_b1")
    assert not events(readings, EventKind.PROMPT)
    assert [each.text for each in events(readings, EventKind.NOTICE)] == ["Look for a second orchard."]
    facts = next(each for each in readings if isinstance(each, Facts))
    assert (facts.parent, facts.relation, facts.title) == ("ses_a1", Relation.SUBAGENT, "")


def test_the_first_schema_of_the_database_is_read() -> None:
    readings = readings_of("opencode", "first_schema.sql", "ses_c1")
    assert [each.text for each in readings if isinstance(each, Event)] == ["which boats are in?", "Two boats are in."]
    assert next(each for each in readings if isinstance(each, Facts)).version == "1.2.20"


def test_the_tree_of_files_is_read_in_the_order_of_what_happened() -> None:
    readings = readings_of("opencode", "tree.home", "ses_d1")
    assert [each.kind for each in readings if isinstance(each, Event)] == [
        EventKind.PROMPT,
        EventKind.CALL,
        EventKind.RESULT,
        EventKind.REPLY,
    ]
    assert [each.result and each.result.is_cancelled for each in events(readings, EventKind.RESULT)] == [True]


def test_an_export_is_read_message_by_message() -> None:
    readings = exported()
    assert [each.text for each in events(readings, EventKind.REPLY)] == ["One boat, on line 3."]
    assert [each.result for each in events(readings, EventKind.RESULT)] == [Result(is_error=False, duration_ms=200)]
    reading = case_of_export().start()
    read_document(reading, case_of_export().data)
    assert dict(reading.unknown) == {"part/moon-phase": 1}


@pytest.mark.parametrize(
    ("tokens", "usage"),
    [
        ({"input": 10, "output": 5, "reasoning": 2}, Usage(10, 0, 0, 5, 2)),
        ({"total": 17, "input": 10, "output": 5, "reasoning": 2}, Usage(10, 0, 0, 7, 2)),
        ({"total": 15, "input": 10, "output": 5, "reasoning": 2}, Usage(10, 0, 0, 5, 2)),
        ({"input": -1, "output": "x", "cache": []}, Usage()),
    ],
)
def test_reasoning_is_counted_as_output_once(tokens: dict[str, object], usage: Usage) -> None:
    assert usage_of(tokens) == usage


def test_other_documents_are_not_taken_for_exports() -> None:
    reader = OpenCodeReader()
    assert not reader.sniffs({"messages": [], "info": {"exit_status": "submitted"}})
    assert reader.primary(PurePosixPath("auth.json")) is None
