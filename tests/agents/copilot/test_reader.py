from pathlib import PurePosixPath
from typing import Any

import pytest
from tests.agents.transcripts import Transcript, lines, read, read_fixture

from afterwit.agents.copilot.reader import CopilotReader
from afterwit.agents.log_reader import Shape
from afterwit.model.kinds import EventKind, RecordedEnd, Relation
from afterwit.model.readings import Facts, Usage

READER = CopilotReader()
SESSION = "5e551011-0000-4000-8000-000000000001"
FOLDER = f"session-state/{SESSION}"


def fixture(name: str = "events.jsonl") -> Transcript:
    return read_fixture(READER, "copilot", name)


def main() -> Transcript:
    return fixture().of(SESSION)


def child() -> Transcript:
    return fixture().of(f"{SESSION}/agent-toolu_04")


def test_a_session_is_a_folder_with_companions() -> None:
    events = PurePosixPath(FOLDER, "events.jsonl")
    assert READER.primary(events) == events
    assert READER.primary(events.with_name("workspace.yaml")) == events
    assert READER.primary(events.with_name("checkpoints")) is None
    assert READER.primary(PurePosixPath("history-session-state/session_a.json"))
    assert READER.shape(PurePosixPath("session_a.json")) is Shape.DOCUMENT


def test_a_session_is_read_in_order() -> None:
    assert main().kinds == [
        EventKind.NOTICE,
        EventKind.NOTICE,
        EventKind.PROMPT,
        EventKind.NOTICE,
        EventKind.THOUGHT,
        EventKind.REPLY,
        EventKind.CALL,
        EventKind.CALL,
        EventKind.RESULT,
        EventKind.RESULT,
        EventKind.CALL,
        EventKind.CALL,
        EventKind.RESULT,
        EventKind.RESULT,
        EventKind.NOTICE,
        EventKind.INTERRUPT,
        EventKind.MODEL_ERROR,
        EventKind.COMPACTION,
        EventKind.CALL,
        EventKind.RESULT,
        EventKind.PROMPT,
        EventKind.REPLY,
    ]
    assert not fixture().reading.unknown
    assert not fixture().problems


def test_only_what_a_person_typed_is_a_prompt() -> None:
    assert main().texts(EventKind.PROMPT) == ["Run the tests\n[image]", "Thank you"]


def test_a_call_is_told_once_by_message_start_and_end() -> None:
    assert main().call("toolu_01").arguments == {"command": "make test"}
    assert main().call("user_1").tool == "bash"
    assert main().result("toolu_01").result.exit_code == 1  # type: ignore[union-attr]


def test_outcomes_are_told_apart() -> None:
    results = [event.result for event in main().events if event.result]
    assert [(r.is_error, r.is_denied, r.running_as) for r in results] == [
        (False, False, ""),
        (True, True, ""),
        (False, False, "7"),
        (True, False, ""),
        (False, False, ""),
    ]


def test_facts_come_from_the_start_and_from_each_resume() -> None:
    first = main().facts[0]
    assert (first.cwd, first.branch, first.version) == ("/w/app", "main", "1.0.64")
    assert first.remote == "github.com/example/app"
    assert main().facts[-1].branch == "fix"


@pytest.mark.parametrize(
    ("kind", "data", "end"),
    [
        ("session.shutdown", {"shutdownType": "error"}, RecordedEnd.ERROR),
        ("session.shutdown", {"shutdownType": "routine"}, None),
        ("session.task_complete", {"summary": "Pruned"}, RecordedEnd.DONE),
        ("session.task_complete", {"summary": "No ladder", "success": False}, RecordedEnd.UNSOLVED),
    ],
)
def test_a_recorded_end_is_told(kind: str, data: dict[str, Any], end: RecordedEnd | None) -> None:
    start = {"type": "session.start", "data": {"sessionId": SESSION}, "id": "e1"}
    records = [start, {"type": kind, "data": data, "id": "e2"}]
    ends = [about.end for about in read(READER, f"{FOLDER}/events.jsonl", lines(*records)).facts if about.end]
    assert ends == ([end] if end else [])


def test_a_subagent_inside_the_file_is_a_session_of_its_own() -> None:
    assert child().kinds == [EventKind.NOTICE, EventKind.REPLY]
    assert all(facts.parent == SESSION for facts in child().facts)
    assert {facts.relation for facts in child().facts} == {Relation.SUBAGENT}
    assert child().facts[0].origin == "explore"
    assert child().facts[0].parent_call == "toolu_04"


def test_a_subagent_is_named_by_its_records_in_newer_versions() -> None:
    transcript = fixture("usage_records.jsonl")
    session = "5e551011-0000-4000-8000-000000000002"
    assert transcript.of(f"{session}/agent-explore-1").facts[0].parent == session


def test_all_tokens_are_counted_once() -> None:
    opus = fixture().usage("claude-opus-4.8")
    assert opus == Usage(input=800, cache_read=500, cache_write=100, output=61, reasoning=12)
    assert fixture().usage("claude-haiku-4.5") == Usage(input=50, output=5)


def test_tokens_of_a_response_are_not_told_again_by_its_message_or_the_shutdown() -> None:
    assert fixture("usage_records.jsonl").usage() == Usage(input=70, cache_read=30, output=20)


def test_the_title_stands_beside_the_log() -> None:
    start = b'{"type":"session.start","data":{},"id":"e1","timestamp":"2026-05-01T10:00:00Z","parentId":null}\n'
    path = f"{FOLDER}/events.jsonl"
    for yaml, expected in (
        (b"id: a\nname: Mend the parser\nuser_named: true\n", [("Mend the parser", True)]),
        (b"summary: 'Mend it'\n", [("Mend it", False)]),
        (b"name: |-\n  many lines\n", []),
        (b"id: a\n", []),
    ):
        facts = read(READER, path, start, {f"{FOLDER}/workspace.yaml": yaml}).facts
        assert [(each.title, each.is_title_manual) for each in facts if each.title] == expected


def test_an_old_timeline_is_read() -> None:
    transcript = fixture("timeline.json")
    assert transcript.kinds == [
        EventKind.NOTICE,
        EventKind.PROMPT,
        EventKind.REPLY,
        *[EventKind.CALL, EventKind.RESULT] * 2,
        EventKind.MODEL_ERROR,
    ]
    assert transcript.facts == [Facts(session="5e551011-0000-4000-8000-000000000003", at_ms=1759917600000)]
    assert transcript.result("toolu_1").result.exit_code == 1  # type: ignore[union-attr]
    assert transcript.result("toolu_2").result.is_denied  # type: ignore[union-attr]
    assert not transcript.reading.unknown


def test_old_messages_are_read_where_there_is_no_timeline() -> None:
    transcript = fixture("messages.json")
    assert transcript.texts(EventKind.PROMPT) == ["List the files"]
    assert transcript.call("toolu_9").arguments == {"command": "ls"}
    assert transcript.result("toolu_9").text == "a.py b.py"
    assert transcript.texts(EventKind.REPLY) == ["I look.", "There are two files."]


def test_the_system_prompt_holds_the_instruction_files() -> None:
    prompt = "You are the terminal assistant. " + "Be kind. " * 2_000
    content = f"{prompt}<custom_instruction>\\nPick plums.\\n</custom_instruction>"
    line = f'{{"type":"system.message","data":{{"content":"{content}"}},"id":"e1","parentId":null}}\n'
    (event,) = read(READER, f"{FOLDER}/events.jsonl", line.encode()).events
    assert event.file == ("AGENTS.md", "\nPick plums.\n")
    assert event.text.startswith("You are")
    assert "Pick plums." not in event.text
