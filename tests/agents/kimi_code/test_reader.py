import json
from pathlib import PurePosixPath

from tests.agents.transcripts import Transcript, lines, read, read_fixture

from afterwit.agents.kimi_code.reader import KimiCodeReader
from afterwit.model.kinds import EventKind, Relation
from afterwit.model.readings import Result, Usage

READER = KimiCodeReader()
SESSION = "session_5c000001-0000-4000-8000-000000000001"
FOLDER = "sessions/wd_app_0123456789ab/" + SESSION
WIRE = f"{FOLDER}/agents/main/wire.jsonl"


def fixture(name: str) -> Transcript:
    return read_fixture(READER, "kimi_code", name)


def test_a_session_is_a_folder_with_a_wire_for_each_agent() -> None:
    assert READER.primary(PurePosixPath(WIRE)) == PurePosixPath(WIRE)
    assert READER.primary(PurePosixPath(FOLDER, "state.json")) == PurePosixPath(WIRE)
    assert READER.primary(PurePosixPath(FOLDER, "logs", "kimi-code.log")) is None


def test_a_wire_is_read_in_order() -> None:
    transcript = fixture("main.jsonl")
    assert transcript.kinds == [
        EventKind.PROMPT,
        EventKind.NOTICE,
        EventKind.THOUGHT,
        EventKind.REPLY,
        EventKind.CALL,
        EventKind.RESULT,
        EventKind.CALL,
        EventKind.RESULT,
        EventKind.MODEL_ERROR,
        EventKind.INTERRUPT,
        EventKind.COMPACTION,
        EventKind.MODEL_ERROR,
    ]
    assert {event.session for event in transcript.events} == {SESSION}
    assert transcript.texts(EventKind.PROMPT) == ["Run the tests"]
    assert transcript.texts(EventKind.COMPACTION) == ["One test fails in lib."]
    assert transcript.texts(EventKind.MODEL_ERROR) == ["429 Too many requests", "The provider is away"]
    assert not transcript.reading.unknown
    assert not transcript.problems


def test_outcomes_are_told_apart() -> None:
    transcript = fixture("main.jsonl")
    assert transcript.result("call_1").result == Result(is_error=True, exit_code=2, duration_ms=13)
    assert transcript.result("call_2").result == Result(is_error=True, is_denied=True)


def test_tokens_of_a_step_are_counted_once() -> None:
    assert fixture("main.jsonl").usage("k3") == Usage(input=100, cache_read=300, cache_write=50, output=20)
    assert fixture("steps.jsonl").usage() == Usage(input=7, output=3)


def test_a_summary_may_be_a_message() -> None:
    assert fixture("steps.jsonl").texts(EventKind.COMPACTION) == ["They said hello."]


def test_a_subagent_has_a_session_of_its_own_and_no_prompts() -> None:
    transcript = fixture("subagent.jsonl")
    assert transcript.facts[0].session == f"{SESSION}/agent-1"
    assert (transcript.facts[0].parent, transcript.facts[0].relation) == (SESSION, Relation.SUBAGENT)
    assert transcript.kinds == [EventKind.NOTICE, EventKind.REPLY, EventKind.CALL, EventKind.RESULT]
    assert transcript.events[0].text == "Find the tests"
    assert transcript.call("call_1").arguments == {"pattern": "tests/*"}


def test_folder_and_title_stand_beside_the_wire() -> None:
    start = lines({"type": "metadata", "protocol_version": "1.5", "created_at": 1777629600000})
    state = json.dumps({"cwd": "/w/app", "title": "Tests", "isCustomTitle": True}).encode()
    facts = read(READER, WIRE, start, {f"{FOLDER}/state.json": state}).facts[0]
    assert (facts.cwd, facts.title, facts.is_title_manual) == ("/w/app", "Tests", True)
    older = read(READER, WIRE, start, {f"{FOLDER}/state.json": b'{"workDir": "/w/old"}'}).facts[0]
    assert older.cwd == "/w/old"
    assert read(READER, WIRE, start, {f"{FOLDER}/state.json": b"{"}).facts[0].cwd == ""


def test_the_kind_of_a_subagent_stands_in_the_state() -> None:
    state = b'{"agents": {"agent-1": {"type": "sub", "labels": {"profileName": "explore"}}}}'
    transcript = read_fixture(READER, "kimi_code", "subagent.jsonl", {f"{FOLDER}/state.json": state})
    assert transcript.facts[0].origin == "explore"


def test_an_unknown_event_of_the_loop_is_counted() -> None:
    data = lines({"type": "context.append_loop_event", "event": {"type": "poem"}, "time": 1777629600000})
    assert read(READER, WIRE, data).reading.unknown == {"context.append_loop_event/poem": 1}
