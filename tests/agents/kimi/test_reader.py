import hashlib
import json

from tests.agents.transcripts import Transcript, lines, read, read_fixture

from afterwit.agents.kimi.reader import KimiReader
from afterwit.model.kinds import EventKind, Relation
from afterwit.model.readings import Result, Usage

READER = KimiReader()
SESSION = "61000001-0000-4000-8000-000000000001"
CLAIMED = (EventKind.PROMPT, EventKind.CALL)


def fixture(name: str) -> Transcript:
    return read_fixture(READER, "kimi", name)


def test_a_wire_is_read_in_order() -> None:
    transcript = fixture("wire.jsonl")
    assert transcript.of(SESSION).kinds == [
        EventKind.PROMPT,
        EventKind.THOUGHT,
        EventKind.REPLY,
        EventKind.CALL,
        EventKind.RESULT,
        EventKind.PROMPT,
        EventKind.CALL,
        EventKind.RESULT,
        EventKind.MODEL_ERROR,
        EventKind.INTERRUPT,
        EventKind.NOTICE,
    ]
    assert transcript.of(SESSION).events[0].at_ms == 1_777_629_601_500
    assert not transcript.reading.unknown
    assert not transcript.problems


def test_a_wire_states_tokens() -> None:
    assert fixture("wire.jsonl").usage() == Usage(input=100, cache_read=300, cache_write=50, output=20)


def test_a_wire_states_outcomes() -> None:
    transcript = fixture("wire.jsonl")
    assert transcript.result("tool_abc").result == Result(is_error=True, exit_code=1)
    assert transcript.result("tool_def").result == Result(is_error=True, is_denied=True)


def test_subagents_in_a_wire_are_sessions_of_their_own() -> None:
    child = fixture("wire.jsonl").of(f"{SESSION}/a7")
    assert child.kinds == [EventKind.NOTICE, EventKind.CALL]
    facts = child.facts[0]
    assert (facts.parent, facts.relation, facts.parent_call) == (SESSION, Relation.SUBAGENT, "tool_def")
    assert facts.origin == "explore"
    assert fixture("wire.jsonl").of(f"{SESSION}/call-tool_old").kinds == [EventKind.REPLY]


def test_contexts_have_the_keys_of_their_wire() -> None:
    wire, context = fixture("wire.jsonl").of(SESSION), fixture("rotated.jsonl")
    assert context.keys(*CLAIMED) < wire.keys(*CLAIMED)
    assert len(context.keys(*CLAIMED)) == 3
    own, nested = fixture("subagent.jsonl"), fixture("wire.jsonl").of(f"{SESSION}/a7")
    assert own.keys(EventKind.CALL) == nested.keys(EventKind.CALL)


def test_a_rotated_context_is_read() -> None:
    transcript = fixture("rotated.jsonl")
    assert transcript.texts(EventKind.NOTICE) == ["You are Kimi in a terminal.", "<system>CHECKPOINT 1</system>"]
    assert transcript.texts(EventKind.PROMPT) == ["Run the tests\n[image]", "Only in lib"]
    assert transcript.result("tool_abc").result == Result(is_error=True, exit_code=1)


def test_the_summary_of_a_compaction_stands_in_the_context() -> None:
    transcript = fixture("context.jsonl")
    assert transcript.texts(EventKind.COMPACTION) == ["One test fails in lib."]
    assert transcript.texts(EventKind.PROMPT) == ["Mend it"]
    assert transcript.texts(EventKind.REPLY) == ["Done so."]
    assert EventKind.COMPACTION not in fixture("wire.jsonl").kinds


def test_contexts_of_2025_are_read() -> None:
    transcript = fixture("old.jsonl")
    calls = ["ReadContext:0", "Bash:1", "ReadFile:2", "Grep:3"]
    results = [transcript.result(call).result for call in calls]
    assert results == [Result(is_error=False), Result(is_error=True, exit_code=2), Result(is_error=True), Result()]
    assert transcript.texts(EventKind.PROMPT) == ["Mend the parser"]
    assert not transcript.reading.unknown


def test_what_a_subagent_is_told_is_no_prompt() -> None:
    transcript = fixture("old_subagent.jsonl")
    assert transcript.kinds == [EventKind.NOTICE, EventKind.REPLY]
    assert transcript.facts[0].parent == "61000001-0000-4000-8000-000000000002"
    assert transcript.facts[0].relation is Relation.SUBAGENT


def test_a_prompt_that_is_typed_twice_counts_twice() -> None:
    data = lines({"role": "user", "content": "Go on"}, {"role": "user", "content": "Go on"})
    assert len(read(READER, "sessions/77/s.jsonl", data).keys(EventKind.PROMPT)) == 2


def test_the_folder_is_known_by_its_hash() -> None:
    name = hashlib.md5(b"/w/app", usedforsecurity=False).hexdigest()
    listed = json.dumps({"work_dirs": [{"path": "/w/app"}]}).encode()
    data = lines({"role": "_checkpoint", "id": 0})
    transcript = read(READER, f"sessions/{name}/s.jsonl", data, {"kimi.json": listed})
    assert transcript.facts[0].cwd == "/w/app"


def test_title_and_worktree_stand_in_the_state() -> None:
    state = b'{"custom_title": "Tests", "title_generated": true, "worktree_path": "/w/tree"}'
    data = lines({"type": "metadata", "protocol_version": "1.1"})
    facts = read(READER, "sessions/77/s/wire.jsonl", data, {"sessions/77/s/state.json": state}).facts[0]
    assert (facts.title, facts.is_title_manual, facts.cwd) == ("Tests", False, "/w/tree")


def test_an_unknown_message_on_the_wire_is_counted() -> None:
    data = lines({"timestamp": 1777629601.5, "message": {"type": "Poem", "payload": {}}})
    assert read(READER, "sessions/77/s/wire.jsonl", data).reading.unknown == {"Poem": 1}
