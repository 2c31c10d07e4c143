import hashlib
import json
from pathlib import Path, PurePosixPath

from tests.agents.transcripts import Transcript, lines, read, read_fixture

from afterwit.agents.gemini.reader import GeminiReader
from afterwit.agents.log_reader import Shape
from afterwit.model.kinds import EventKind, Relation
from afterwit.model.readings import Usage

READER = GeminiReader()
LOG = "tmp/app/chats/session-2026-05-01T10-00-aa.jsonl"
HEADER = {"sessionId": "s-1", "projectHash": "77", "startTime": "2026-05-01T10:00:00Z", "kind": "main"}


def fixture(name: str) -> Transcript:
    return read_fixture(READER, "gemini", name)


def test_transcripts_are_sessions_and_subagents_and_nothing_else() -> None:
    for path in (LOG, "tmp/77/chats/session-a.json", "tmp/app/chats/parent/child.jsonl"):
        assert READER.primary(PurePosixPath(path)) == PurePosixPath(path)
    for path in ("tmp/77/logs.json", "tmp/77/checkpoints/a.json", "projects.json", "tmp/77/chats/notes.json"):
        assert READER.primary(PurePosixPath(path)) is None
    assert READER.shape(PurePosixPath("session-a.json")) is Shape.DOCUMENT
    assert READER.shape(PurePosixPath("session-a.jsonl")) is Shape.LINES


def test_a_document_is_read_in_order() -> None:
    transcript = fixture("document.json")
    assert transcript.kinds == [
        EventKind.NOTICE,
        EventKind.PROMPT,
        EventKind.THOUGHT,
        EventKind.REPLY,
        *[EventKind.CALL, EventKind.RESULT] * 4,
        EventKind.MODEL_ERROR,
        EventKind.NOTICE,
        EventKind.NOTICE,
        EventKind.REPLY,
    ]
    assert transcript.facts[0].title == "Fix the build"
    assert {event.session for event in transcript.events} == {"aaaa1111-0000-4000-8000-000000000001"}
    assert transcript.reading.known == {"info": 1, "user": 2, "gemini": 2, "error": 1, "warning": 1}
    assert not transcript.reading.unknown
    assert not transcript.problems


def test_what_the_client_says_in_a_persons_place_is_no_prompt() -> None:
    assert fixture("document.json").texts(EventKind.PROMPT) == ["Make the build pass"]


def test_each_event_of_a_document_lies_at_its_message() -> None:
    raw = (Path(__file__).parent / "fixtures" / "document.json").read_bytes()
    for event in fixture("document.json").events:
        message = json.loads(raw[event.offset : event.offset + event.length])
        assert message["type"] in ("info", "user", "gemini", "error", "warning")


def test_outcomes_are_told_apart() -> None:
    transcript = fixture("document.json")
    results = [event.result for event in transcript.events if event.result]
    assert [(r.is_error, r.exit_code, r.is_denied, r.is_cancelled) for r in results] == [
        (False, 2, False, False),
        (True, None, False, False),
        (True, None, True, False),
        (True, None, False, True),
    ]
    assert transcript.result("run_shell_command-1770112805000-abc").text == "cc: no such file"


def test_cached_tokens_are_taken_out_of_the_input_and_thoughts_put_to_the_output() -> None:
    transcript = fixture("document.json")
    assert transcript.usage("gemini-2.5-pro") == Usage(input=400, cache_read=600, output=29, reasoning=9)
    assert transcript.usage("gemini-2.5-flash") == Usage(input=503, output=7)


def test_a_message_that_comes_again_is_told_once() -> None:
    transcript = fixture("log.jsonl")
    assert transcript.texts(EventKind.REPLY) == ["I run them."]
    assert transcript.texts(EventKind.THOUGHT) == ["Tests\nThey are in tests.", "Hm."]
    assert transcript.kinds.count(EventKind.CALL) == transcript.kinds.count(EventKind.RESULT) == 2
    assert transcript.result("run_shell_command__call_1").text == "1 failed"
    assert transcript.usage() == Usage(input=60, cache_read=40, output=25, reasoning=5)


def test_a_call_id_may_come_again_in_another_message() -> None:
    calls = [event for event in fixture("log.jsonl").events if event.kind is EventKind.CALL]
    assert [call.arguments for call in calls] == [{"command": "make test"}, {"command": "make -C lib test"}]
    assert len({call.key for call in calls}) == 2


def test_what_was_rewound_stays_and_nothing_is_told_twice() -> None:
    transcript = fixture("log.jsonl")
    assert transcript.texts(EventKind.PROMPT) == [
        "Run the tests\n[image]",
        "oops, the wrong folder",
        "Run them in lib",
    ]
    assert transcript.reading.known["$rewindTo"] == 1


def test_a_checkpoint_of_all_messages_tells_only_what_is_new() -> None:
    transcript = fixture("log.jsonl")
    assert transcript.texts(EventKind.COMPACTION) == ["<state_snapshot>\nThe tests in lib fail.\n</state_snapshot>"]
    assert "Got it. Thanks for the additional context!" in transcript.texts(EventKind.NOTICE)


def test_the_text_of_a_hook_is_cut_from_the_prompt() -> None:
    assert "Remember the tabs." in fixture("log.jsonl").texts(EventKind.NOTICE)


def test_the_text_of_a_hook_behind_the_prompt_is_cut_too() -> None:
    content = [{"text": "Prune the row"}, {"text": "<hook_context>Mind the bees.</hook_context>"}]
    message = {"id": "m1", "type": "user", "content": content}
    transcript = read(READER, LOG, lines(HEADER, message))
    assert transcript.texts(EventKind.PROMPT) == ["Prune the row"]
    assert transcript.texts(EventKind.NOTICE) == ["Mind the bees."]


def test_the_folder_stands_in_the_first_message() -> None:
    assert [facts.cwd for facts in fixture("log.jsonl").facts if facts.cwd] == ["/w/app"]


def test_a_title_comes_as_a_patch() -> None:
    assert fixture("log.jsonl").facts[-1].title == "Run the tests of the library"


def test_a_resumed_session_has_the_keys_of_its_document() -> None:
    before, after = fixture("document.json"), fixture("resumed.jsonl")
    kinds = (EventKind.PROMPT, EventKind.CALL)
    assert len(before.keys(*kinds) & after.keys(*kinds)) == 2
    assert after.keys(*kinds) - before.keys(*kinds) == {"11111111-aaaa-4000-8000-000000000008"}
    assert {spend.key for spend in after.spends} < {spend.key for spend in before.spends}


def test_a_subagent_names_its_parent_and_what_it_is_told_is_no_prompt() -> None:
    transcript = fixture("subagent.jsonl")
    assert transcript.facts[0].parent == "bbbb2222-0000-4000-8000-000000000001"
    assert transcript.facts[0].relation is Relation.SUBAGENT
    assert transcript.facts[0].cwd == "/w/app"
    assert transcript.kinds == [EventKind.NOTICE, EventKind.REPLY]


def test_the_folder_is_found_beside_the_sessions() -> None:
    root = read(READER, LOG, lines(HEADER), {"tmp/app/.project_root": b"/w/app\n"})
    assert root.facts[0].cwd == "/w/app"
    listed = json.dumps({"projects": {"/w/other": "other", "/w/app": "app"}}).encode()
    assert read(READER, LOG, lines(HEADER), {"projects.json": listed}).facts[0].cwd == "/w/app"
    assert read(READER, LOG, lines(HEADER), {"projects.json": b"{"}).facts[0].cwd == ""


def test_the_folder_is_found_by_its_hash() -> None:
    name = hashlib.sha256(b"/w/app").hexdigest()
    listed = json.dumps({"projects": {"/w/other": "other", "/w/app": "app"}}).encode()
    path = f"tmp/{name}/chats/session-a.jsonl"
    assert read(READER, path, lines(HEADER), {"projects.json": listed}).facts[0].cwd == "/w/app"


def test_short_ids_of_messages_are_told_apart_by_session() -> None:
    data = lines(HEADER, {"id": "1", "timestamp": "2026-05-01T10:00:01Z", "type": "user", "content": "Hello"})
    assert read(READER, LOG, data).events[0].key == "s-1:1"


def test_an_unknown_type_of_message_is_counted() -> None:
    assert read(READER, LOG, lines(HEADER, {"id": "m", "type": "poem"})).reading.unknown == {"poem": 1}
