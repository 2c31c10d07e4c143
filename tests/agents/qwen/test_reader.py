from pathlib import PurePosixPath

from tests.agents.transcripts import Transcript, lines, read, read_fixture

from afterwit.agents.log_reader import Shape
from afterwit.agents.qwen.reader import QwenReader
from afterwit.model.kinds import EventKind, Relation
from afterwit.model.readings import Result, Usage

READER = QwenReader()
SESSION = "0e550001-0000-4000-8000-000000000001"


def fixture(name: str) -> Transcript:
    return read_fixture(READER, "qwen", name)


def test_transcripts_are_sessions_subagents_and_old_documents() -> None:
    for path in ("projects/-w/chats/a.jsonl", "projects/-w/subagents/a/agent-b.jsonl", "tmp/7/chats/session-a.json"):
        assert READER.primary(PurePosixPath(path)) == PurePosixPath(path)
    meta = PurePosixPath("projects/-w/subagents/a/agent-b.meta.json")
    assert READER.primary(meta) == meta.with_name("agent-b.jsonl")
    assert READER.primary(PurePosixPath("projects/-w/b.meta.json")) is None
    assert READER.primary(PurePosixPath("debug/a.txt")) is None
    assert READER.shape(PurePosixPath("session-a.json")) is Shape.DOCUMENT


def test_a_session_is_read_in_order() -> None:
    transcript = fixture("session.jsonl")
    assert transcript.kinds == [
        EventKind.PROMPT,
        EventKind.NOTICE,
        EventKind.MODEL_ERROR,
        EventKind.THOUGHT,
        EventKind.REPLY,
        EventKind.CALL,
        EventKind.CALL,
        EventKind.RESULT,
        EventKind.RESULT,
        EventKind.PROMPT,
        EventKind.NOTICE,
        EventKind.CALL,
        EventKind.RESULT,
        EventKind.COMPACTION,
        EventKind.MODEL_ERROR,
        EventKind.NOTICE,
        EventKind.PROMPT,
    ]
    assert {event.session for event in transcript.events} == {SESSION}
    assert not transcript.reading.unknown
    assert not transcript.problems


def test_what_was_typed_while_the_agent_worked_is_a_prompt_and_notifications_are_not() -> None:
    prompts = fixture("session.jsonl").texts(EventKind.PROMPT)
    assert prompts == ["Run the tests", "Only the fast ones", "Once more"]


def test_what_others_say_in_a_persons_place_is_no_prompt() -> None:
    record = {
        "uuid": "u1",
        "type": "user",
        "provenance": "goal_runtime",
        "message": {"role": "user", "parts": [{"text": "Go on"}]},
    }
    assert read(READER, "projects/-w/chats/a.jsonl", lines(record)).kinds == [EventKind.NOTICE]


def test_outcomes_are_told_apart() -> None:
    transcript = fixture("session.jsonl")
    assert transcript.result("call_1").result == Result(is_error=False, exit_code=1)
    assert transcript.result("call_1").text == "1 failed"
    assert transcript.result("call_2").result == Result(is_error=True, is_denied=True)
    assert transcript.result("call_3").result == Result(is_error=True, exit_code=2)
    assert transcript.result("call_3").text == "no rule to make target"


def test_tokens_are_normalised() -> None:
    assert fixture("session.jsonl").usage() == Usage(input=60, cache_read=40, output=25, reasoning=5)


def test_facts_are_told_when_they_change() -> None:
    facts = fixture("session.jsonl").facts
    assert [each.version for each in facts if each.cwd] == ["0.15.10", "0.24.4"]
    assert {each.branch for each in facts if each.cwd} == {"main"}
    assert [(each.title, each.is_title_manual) for each in facts if each.title] == [("The failing test", False)]


def test_a_fork_names_its_parent_and_copies_have_equal_keys() -> None:
    fork, parent = fixture("fork.jsonl"), fixture("session.jsonl")
    assert (fork.facts[0].parent, fork.facts[0].relation) == (SESSION, Relation.FORK)
    assert fork.events[0].key in parent.keys(EventKind.PROMPT)
    assert fork.events[1].key not in parent.keys(EventKind.PROMPT)


def test_a_subagent_has_a_session_of_its_own_and_no_prompts() -> None:
    transcript = fixture("agent.jsonl")
    assert transcript.facts[0].session == f"{SESSION}/agent-a1"
    assert (transcript.facts[0].parent, transcript.facts[0].relation) == (SESSION, Relation.SUBAGENT)
    assert transcript.facts[0].origin == "explorer"
    assert transcript.kinds == [EventKind.NOTICE, EventKind.CALL, EventKind.RESULT]
    assert transcript.result("call_9").result == Result(duration_ms=12)


def test_the_call_that_started_a_subagent_stands_beside_its_log() -> None:
    meta = f"projects/-w-app/subagents/{SESSION}/agent-a1.meta.json"
    transcript = read_fixture(READER, "qwen", "agent.jsonl", {meta: b'{"toolUseId": "call_7"}'})
    assert transcript.facts[0].parent_call == "call_7"


def test_old_documents_are_read_as_geminis() -> None:
    transcript = fixture("older.json")
    assert transcript.texts(EventKind.PROMPT) == ["Say hello"]
    assert transcript.spends[0].model == "qwen3-coder"


def test_an_unknown_subtype_of_a_system_record_is_counted() -> None:
    record = {"uuid": "u1", "type": "system", "subtype": "poem"}
    assert read(READER, "projects/-w/chats/a.jsonl", lines(record)).reading.unknown == {"system/poem": 1}


def test_logs_of_claude_code_are_not_taken_for_qwens() -> None:
    claudes = {"uuid": "u", "parentUuid": None, "sessionId": "s", "type": "user", "message": {"content": "Hello"}}
    assert not READER.sniffs(claudes)
