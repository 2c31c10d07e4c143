from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec
import pytest
from tests.every import for_every

from afterwit.agents.chat.reader import ChatReader
from afterwit.agents.hermes.reader import HermesReader
from afterwit.agents.log_reader import SourceFile
from afterwit.model.kinds import EventKind, ReaderEvidence
from afterwit.model.readings import Event, Facts, Problem, Reading, Result, Spend, Usage
from afterwit.sources.framing import Framing

FIXTURES = Path(__file__).parent / "fixtures"
START_MS = 1_777_629_600_000  # 2026-05-01T10:00:00Z


def source(name: str) -> SourceFile:
    return SourceFile(PurePosixPath("sessions") / name, lambda _: None)


def read_bytes(data: bytes, name: str = "chat.jsonl") -> list[Reading]:
    return list(Framing(ChatReader().start(source(name))).read(data.splitlines(keepends=True)))


def read_fixture(name: str) -> list[Reading]:
    return read_bytes((FIXTURES / name).read_bytes(), name)


def read(*messages: dict[str, Any], name: str = "chat.jsonl") -> list[Reading]:
    return read_bytes(b"\n".join(msgspec.json.encode(each) for each in messages), name)


def events(readings: Iterable[Reading]) -> list[Event]:
    return [each for each in readings if isinstance(each, Event)]


def kinds(readings: Iterable[Reading]) -> list[EventKind]:
    return [each.kind for each in events(readings)]


def one_result(content: str) -> Event:
    return events(read({"role": "tool", "tool_call_id": "call_1", "content": content}))[0]


def test_a_session_is_read_in_order() -> None:
    readings = read_fixture("session_20260501_101500_a1b2c3d4.jsonl")
    assert kinds(readings) == [
        EventKind.PROMPT,
        EventKind.THOUGHT,
        EventKind.REPLY,
        EventKind.CALL,
        EventKind.RESULT,
        EventKind.CALL,
        EventKind.CALL,
        EventKind.RESULT,
        EventKind.RESULT,
        EventKind.REPLY,
    ]
    assert {each.session for each in readings if not isinstance(each, Problem)} == {"20260501_101500_a1b2c3d4"}
    assert events(readings)[0].text == "Make the build pass"
    assert events(readings)[0].at_ms == START_MS + 905_000
    assert events(readings)[1].text == "The makefile is the place to start."


def test_the_meta_line_gives_facts_and_its_tools_are_left_out() -> None:
    readings = read_fixture("session_20260501_101500_a1b2c3d4.jsonl")
    assert readings[0] == Facts(session="20260501_101500_a1b2c3d4", at_ms=START_MS + 900_250, origin="cli")


def test_a_first_line_without_a_role_gives_facts_too() -> None:
    facts = [each for each in read_fixture("usage.jsonl") if isinstance(each, Facts)]
    assert facts == [
        Facts(session="usage", cwd="/w/app", branch="main", title="Sums", origin="api"),
    ]


def test_a_later_line_without_a_role_is_unknown() -> None:
    reading = ChatReader().start(source("chat.jsonl"))
    lines = [b'{"role":"user","content":"hi"}\n', b'{"model":"m","cwd":"/w"}\n', b'{"role":["user"]}\n']
    assert kinds(Framing(reading).read(lines)) == [EventKind.PROMPT]
    assert reading.known == {"user": 1}
    assert reading.unknown == {"no role": 2}


def test_a_call_id_that_comes_again_is_another_call() -> None:
    readings = events(read_fixture("session_20260501_101500_a1b2c3d4.jsonl"))
    calls = [each for each in readings if each.kind is EventKind.CALL]
    results = [each for each in readings if each.kind is EventKind.RESULT]
    assert [each.call_id for each in calls] == ["call_0", "call_0#2", "call_1"]
    assert [each.call_id for each in results] == ["call_0", "call_0#2", "call_1"]
    assert [each.key for each in calls] == [
        "call:20260501_101500_a1b2c3d4:call_0",
        "call:20260501_101500_a1b2c3d4:call_0#2",
        "call:20260501_101500_a1b2c3d4:call_1",
    ]
    assert len({each.key for each in calls + results}) == 6


def test_arguments_are_decoded_from_text_and_taken_from_objects() -> None:
    readings = events(read_fixture("session_20260501_101500_a1b2c3d4.jsonl"))
    calls = [each for each in readings if each.kind is EventKind.CALL]
    assert [(each.tool, each.arguments) for each in calls] == [
        ("terminal", {"command": "make"}),
        ("terminal", {"command": "make build"}),
        ("read_file", {"path": "Makefile"}),
    ]


@pytest.mark.parametrize(
    ("given", "arguments"),
    [("ls -l", {"raw": "ls -l"}), ("[1]", {"raw": "[1]"}), ("", {}), (None, {}), ([1], {"raw": [1]}), (3, {"raw": 3})],
)
def test_arguments_that_are_no_object_are_kept_raw(given: Any, arguments: dict[str, Any]) -> None:
    call = {"id": "c", "function": {"name": "shell", "arguments": given}}
    assert events(read({"role": "assistant", "tool_calls": [call]}))[0].arguments == arguments


def test_calls_as_json_text_are_read() -> None:
    calls = '[{"id":"c","function":{"name":"shell","arguments":"{}"}}]'
    assert events(read({"role": "assistant", "tool_calls": calls}))[0].tool == "shell"


def test_results_without_ids_answer_the_open_calls_in_order() -> None:
    calls = [{"function": {"name": "a"}}, {"function": {"name": "b"}}]
    readings = events(
        read(
            {"role": "assistant", "tool_calls": calls},
            {"role": "tool", "content": "1"},
            {"role": "tool", "content": "2"},
            {"role": "tool", "content": "3"},
        )
    )
    ids = [each.call_id for each in readings]
    assert ids[:2] == ids[2:4]
    assert ids[4] not in ids[:4]


def test_old_function_calls_are_joined_with_their_results() -> None:
    call, result = events(read_fixture("20260502_080000_0badf00d.jsonl"))[-2:]
    assert (call.kind, call.tool, call.arguments) == (EventKind.CALL, "plot", {"raw": "label=x"})
    assert result.call_id == call.call_id
    assert result.result == Result(), "any output can say that a user refused"


def test_pictures_are_placeholders_and_injected_text_is_no_prompt() -> None:
    readings = events(read_fixture("20260502_080000_0badf00d.jsonl"))
    assert readings[0].text == "What is wrong in this picture?\n[image]"
    assert [each.kind for each in readings] == [
        EventKind.PROMPT,
        EventKind.THOUGHT,
        EventKind.REPLY,
        EventKind.COMPACTION,
        EventKind.NOTICE,
        EventKind.CALL,
        EventKind.RESULT,
    ]


def test_a_data_url_inside_a_text_is_a_placeholder() -> None:
    text = "see data:image/png;base64," + "QUJD" * 50 + " there"
    assert events(read({"role": "user", "content": text}))[0].text == "see [image] there"


def test_the_start_comes_from_the_name_where_the_first_line_has_no_time() -> None:
    facts = read_fixture("20260502_080000_0badf00d.jsonl")[0]
    assert facts == Facts(session="20260502_080000_0badf00d", at_ms=START_MS + 79_200_000)
    assert events(read_fixture("20260502_080000_0badf00d.jsonl"))[0].at_ms is None


def test_every_kind_of_time_is_understood() -> None:
    times = [each.at_ms for each in events(read_fixture("usage.jsonl"))]
    assert times[:4] == [START_MS, START_MS + 250, START_MS + 1123, START_MS + 2000]
    assert times[4:] == [START_MS + 5000, None, START_MS + 9000]


def test_tokens_of_both_dialects_are_counted_alike() -> None:
    spends = [each for each in read_fixture("usage.jsonl") if isinstance(each, Spend)]
    assert [(each.model, each.usage) for each in spends] == [
        ("example/small-2", Usage(input=20, cache_read=100, output=8, reasoning=5)),
        ("other/large-3", Usage(input=10, cache_read=200, cache_write=30, output=4)),
    ]
    assert [each.key for each in spends] == ["usage:msg_reply_00000000001", "usage:8"]


def test_message_ids_are_keys_together_with_their_time() -> None:
    prompts = [each.key for each in events(read_fixture("usage.jsonl")) if each.kind is EventKind.PROMPT]
    assert prompts == [f"prompt:{START_MS + 1123}:msg_user_000000000001", f"prompt:{START_MS + 5000}:7"]
    assert events(read({"role": "user", "content": "hi"}))[0].key == ""


def test_an_unknown_role_is_counted_and_an_error_of_the_model_is_one() -> None:
    reading = ChatReader().start(source("usage.jsonl"))
    lines = (FIXTURES / "usage.jsonl").read_bytes().splitlines(keepends=True)
    assert kinds(Framing(reading).read(lines))[-1] is EventKind.MODEL_ERROR
    assert reading.unknown == {"critic": 1}
    assert reading.known == {"session_meta": 1, "system": 1, "developer": 1, "user": 2, "assistant": 3}


def test_many_unknown_roles_do_not_make_the_state_grow() -> None:
    reading = ChatReader().start(source("chat.jsonl"))
    for number in range(1000):
        list(Framing(reading).read([b'{"role":"r%d"}\n' % number]))
    assert sum(reading.unknown.values()) == 1000
    assert len(reading.unknown) < 110


def test_content_without_a_usable_shape_is_a_problem_and_the_calls_are_read() -> None:
    call = {"id": "c", "function": {"name": "shell"}}
    readings = read({"role": "assistant", "content": 5, "tool_calls": [call]}, {"role": "user", "content": True})
    assert [type(each) for each in readings] == [Problem, Event, Problem]


@for_every(
    "content, expected",
    [
        ("plain text", Result()),
        ('{"output": "x", "exit_code": 0, "error": null}', Result(exit_code=0)),
        ('{"output": "x", "exit_code": 1}', Result(exit_code=1)),
        ('{"returncode": -9}', Result(exit_code=-9)),
        ('{"error": "no such file"}', Result(is_error=True)),
        ('{"error": {"message": "bad"}}', Result(is_error=True)),
        ('{"error": ""}', Result()),
        ('{"success": false}', Result(is_error=True)),
        ('{"success": true}', Result(is_error=False)),
        ('{"status": "error"}', Result(is_error=True)),
        ('{"status": "denied"}', Result(is_denied=True, is_worded=True)),
        ('{"status": "cancelled"}', Result(is_cancelled=True)),
        ('{"status": "running"}', Result(is_running=True)),
        ('{"error": "Command rejected by user"}', Result(is_error=True)),
        ('{"error": "Permission denied: /etc/x"}', Result(is_error=True)),
        ("Interrupted by user", Result(is_cancelled=True)),
        ('{"exit_code": true, "duration_ms": 12}', Result(duration_ms=12)),
        ('{"exit_code": 0, "duration_seconds": 1.5}', Result(exit_code=0, duration_ms=1500)),
        ('{"broken', Result()),
        ("[1, 2]", Result()),
    ],
)
def test_the_output_says_how_the_call_ended(content: str, expected: Result) -> None:
    assert one_result(content).result == expected


def test_a_frame_around_the_output_is_taken_off_and_other_objects_are_kept() -> None:
    assert one_result('{"output": "a\\nb", "exit_code": 0, "error": null}').text == "a\nb"
    assert one_result('{"stdout": "a", "stderr": "b", "error": "c"}').text == "a\nb\nc"
    assert one_result('{"matches": ["a"], "exit_code": 0}').text == '{"matches": ["a"], "exit_code": 0}'


@for_every(
    "path, is_transcript",
    [
        ("sessions/20260501_101500_a1b2c3d4.jsonl", True),
        ("sessions/session_20260501_101500_a1b2c3d4.jsonl", True),
        ("profiles/work/sessions/20260501_101500_a1b2c3d4.jsonl", True),
        ("sessions/cron_daily_20260501_101500.jsonl", True),
        ("sessions/telegram-7.jsonl", True),
        ("logs/20260501_101500_a1b2c3d4.jsonl", False),
        ("state.db", False),
    ],
)
def test_only_session_files_of_hermes_are_transcripts(path: str, is_transcript: bool) -> None:
    below = PurePosixPath(path)
    assert HermesReader().primary(below) == (below if is_transcript else None)


def test_any_json_lines_below_a_folder_given_by_hand_are_transcripts() -> None:
    below = PurePosixPath("deep/down/talk.jsonl")
    assert ChatReader().primary(below) == below
    assert ChatReader().primary(PurePosixPath("talk.json")) is None
    assert ChatReader().agent == "chat"
    assert ChatReader().evidence is ReaderEvidence.DOCUMENTATION


def test_chat_messages_are_told_from_records_of_other_agents() -> None:
    reader = ChatReader()
    assert reader.sniffs({"role": "user", "content": "hi"})
    assert reader.sniffs({"role": "session_meta", "tools": []})
    assert not reader.sniffs({"type": "message", "role": "user", "content": []})
    assert not reader.sniffs({"role": "user", "message": {"content": []}})
    assert not reader.sniffs({"type": "user", "sessionId": "s"})
    assert not reader.sniffs({"role": ["user"]})
