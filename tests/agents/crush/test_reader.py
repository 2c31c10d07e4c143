"""Crush's sessions, rendered from its database."""

from pathlib import PurePosixPath

from tests.agents.contract_cases import read
from tests.agents.gathered import case_of, readings_of
from tests.agents.transcripts import events, facts, spends, texts

from afterwit.agents.crush.reader import CrushReader, gatherers
from afterwit.agents.log_reader import SourceFile
from afterwit.model.kinds import EventKind, Relation
from afterwit.model.readings import Result, Usage
from afterwit.sources.gathering import row_line

FENCE = "5d1f0c9a-0000-4000-8000-00000000000a"
CHILD = "msg-0000000000001$$call_000000000000009"


def test_prompts_replies_and_thoughts_are_told_apart() -> None:
    readings = readings_of("crush", "basic.sql", FENCE)
    assert texts(readings, EventKind.PROMPT) == ["mend the fence by the road"]
    assert texts(readings, EventKind.THOUGHT) == ["Look at the posts first."]
    assert texts(readings, EventKind.REPLY) == ["I will look at the posts.", "The fence stands again."]
    assert texts(readings, EventKind.COMPACTION) == ["So far: the posts were counted."]
    assert texts(readings, EventKind.NOTICE) == ["go on without asking", "$ git status\nclean"]


def test_exit_codes_come_from_the_end_of_the_output() -> None:
    readings = readings_of("crush", "basic.sql", FENCE)
    assert [event.result for event in events(readings, EventKind.RESULT)] == [
        Result(is_error=False, exit_code=0, duration_ms=250),
        Result(is_error=False, exit_code=2),
        Result(is_error=True, is_denied=True, is_worded=True),
        Result(is_error=False, is_running=True),
    ]
    assert texts(readings, EventKind.RESULT)[0] == "oak\nelm"


def test_arguments_that_are_no_json_are_kept_as_they_are() -> None:
    calls = events(readings_of("crush", "basic.sql", FENCE), EventKind.CALL)
    assert [call.arguments for call in calls][1:3] == [{"command": "make fence"}, {"raw": "not json"}]


def test_errors_of_the_model_and_interrupts_end_a_message() -> None:
    readings = readings_of("crush", "basic.sql", FENCE)
    assert texts(readings, EventKind.MODEL_ERROR) == ["Provider Error: too many requests"]
    assert len(events(readings, EventKind.INTERRUPT)) == 1


def test_a_session_states_what_it_cost() -> None:
    (spend,) = spends(readings_of("crush", "basic.sql", FENCE))
    assert (spend.usage, spend.cost_usd) == (Usage(900, 0, 0, 40), 0.0123)


def test_the_session_of_a_tool_call_belongs_to_its_caller() -> None:
    readings = readings_of("crush", "basic.sql", CHILD)
    about = next(each for each in facts(readings) if each.parent)
    assert (about.parent, about.relation, about.parent_call) == (FENCE, Relation.SUBAGENT, "call_000000000000009")
    assert about.session == CHILD
    assert not events(readings, EventKind.PROMPT)


def test_the_project_is_the_folder_around_the_store() -> None:
    reading = CrushReader().start(SourceFile(PurePosixPath(".crush/crush.db/s.jsonl"), lambda _: None))
    (about,) = facts(read(reading, row_line("(database)", {"folder": "/w/farm/.crush"})))
    assert about.cwd == "/w/farm"
    assert not read(reading, row_line("(database)", {"folder": "/w/backup"}))


def test_the_first_schema_is_read() -> None:
    readings = readings_of("crush", "first_schema.sql", "5d1f0c9a-0000-4000-8000-00000000000b")
    assert texts(readings, EventKind.REPLY) == ["It is very old."]


def test_what_is_not_known_is_counted() -> None:
    case = case_of("crush", "basic.sql", FENCE)
    reading = case.start()
    read(reading, case.data)
    assert dict(reading.unknown) == {"part/moon": 1}


def test_files_beside_the_database_belong_to_it() -> None:
    (gatherer,) = gatherers()
    assert gatherer.collection(PurePosixPath("a/.crush/crush.db-wal")) == PurePosixPath("a/.crush/crush.db")
    assert gatherer.collection(PurePosixPath("a/.crush/logs/crush.log")) is None
