from pathlib import PurePosixPath
from typing import Any

import pytest
from tests.agents.transcripts import events, facts, fixture, known_reader, lines, read, spends, texts, unknown

from afterwit.model.kinds import EventKind, ReaderEvidence, Relation
from afterwit.model.readings import Facts, Result, Usage

SESSION = "01970000-0000-7000-8000-000000000001"
PATH = f"sessions/%2Fw%2Fapp/{SESSION}/updates.jsonl"
OLDER = "sessions/%2Fw%2Fapp/01970000-0000-7000-8000-000000000002/updates.jsonl"
CALL = "call-00000000000000000001"


def update(name: str, meta: dict[str, Any] | None = None, **body: Any) -> dict[str, Any]:
    params = {"sessionId": SESSION, "update": {"sessionUpdate": name, **body}, "_meta": meta or {}}
    return {"timestamp": 1777629601, "method": "session/update", "params": params}


def prompt(text: str, number: int, prompt_id: str) -> dict[str, Any]:
    body = {"content": {"type": "text", "text": text}, "_meta": {"promptIndex": number}}
    return update("user_message_chunk", {"promptId": prompt_id}, **body)


def finished(status: str = "completed", **output: Any) -> bytes:
    call = update("tool_call", toolCallId=CALL, title="run_terminal_command", rawInput={"command": "make"})
    return lines(call, update("tool_call_update", toolCallId=CALL, status=status, rawOutput=output))


def one_result(data: bytes, beside: dict[str, Any] | None = None) -> Result | None:
    return events(read("grok", PATH, data, beside), EventKind.RESULT)[0].result


def test_the_reader_says_that_it_was_written_from_documentation() -> None:
    assert known_reader("grok").evidence is ReaderEvidence.DOCUMENTATION


def test_a_session_is_read_in_order() -> None:
    readings = read("grok", PATH, fixture("grok", "turns.jsonl"))
    assert texts(readings, EventKind.PROMPT) == ["Make the build pass", "and the tests?", "only the unit tests"]
    assert texts(readings, EventKind.THOUGHT, EventKind.REPLY) == [
        "The makefile comes first.",
        "I look at the makefile.",
    ]
    assert {each.session for each in events(readings)} == {SESSION}
    assert events(readings)[0].at_ms == 1_777_629_601_250
    assert unknown("grok", PATH, fixture("grok", "turns.jsonl")) == {"levitation_started": 1}


def test_a_line_that_goes_on_with_a_prompt_is_no_second_prompt() -> None:
    readings = read("grok", PATH, fixture("grok", "turns.jsonl"))
    assert texts(readings, EventKind.NOTICE) == ["see main.c"]


def test_calls_have_the_name_that_the_client_gives_their_tool() -> None:
    calls = events(read("grok", PATH, fixture("grok", "turns.jsonl")), EventKind.CALL)
    assert [call.tool for call in calls] == ["run_terminal_command", "read", "search_replace", "web_search"]
    assert calls[0].arguments == {"command": "make", "description": "build"}


def test_the_name_of_a_tool_is_taken_from_the_files_beside() -> None:
    data = lines(update("tool_call", toolCallId=CALL, title="Execute `make`", kind="execute"))
    chat = lines({"type": "assistant", "tool_calls": [{"id": CALL, "name": "bash", "arguments": "{}"}]})
    log = lines({"type": "tool_started", "tool_call_id": CALL, "tool_name": "shell"})
    assert events(read("grok", PATH, data))[0].tool == "execute"
    assert events(read("grok", PATH, data, {"events.jsonl": log}))[0].tool == "shell"
    assert events(read("grok", PATH, data, {"events.jsonl": log, "chat_history.jsonl": chat}))[0].tool == "bash"


def test_a_completed_command_with_an_exit_code_has_failed() -> None:
    results = events(read("grok", PATH, fixture("grok", "turns.jsonl")), EventKind.RESULT)
    assert [each.result for each in results] == [
        Result(is_error=True, exit_code=2),
        Result(is_error=False),
        Result(is_error=True),
        Result(is_error=False),
    ]
    assert [each.text for each in results][1:] == ["build:\n\tcc main.c", "string not found", "hi"]


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        ("success", Result(is_error=False, duration_ms=120)),
        ("error", Result(is_error=True, duration_ms=120)),
        ("permission_rejected", Result(is_denied=True, duration_ms=120)),
        ("hook_denied", Result(is_denied=True, duration_ms=120)),
        ("permission_cancelled", Result(is_cancelled=True, duration_ms=120)),
    ],
)
def test_how_a_call_ended_is_taken_from_the_events(outcome: str, expected: Result) -> None:
    row = {"type": "tool_completed", "tool_call_id": CALL, "outcome": outcome, "duration_ms": 120}
    echo = {**row, "outcome": "success", "duration_ms": 999, "source": "workspace"}
    log = lines(row, echo) + b"torn {\n"
    assert one_result(finished(type="Bash", output="fine"), {"events.jsonl": log}) == expected


def test_a_command_that_took_too_long_has_failed() -> None:
    assert one_result(finished(type="Bash", output="", timed_out=True)) == Result(is_error=True)


def test_a_message_that_the_client_made_is_no_prompt() -> None:
    data = lines(prompt("The task has ended.", 0, "p0"), prompt("go on", 1, "p1"))
    chat = lines(
        {"type": "user", "content": [], "prompt_index": 0, "synthetic_reason": "task_completed"},
        {"type": "user", "content": [], "prompt_index": 1},
    )
    readings = read("grok", PATH, data, {"chat_history.jsonl": chat})
    assert texts(readings, EventKind.PROMPT) == ["go on"]
    assert texts(readings, EventKind.NOTICE) == ["The task has ended."]


def test_a_turn_that_a_person_stopped_is_told_once() -> None:
    over = update("turn_completed", prompt_id="p0", stop_reason="cancelled")
    chat = lines({"type": "user", "prompt_index": 1, "prior_turn_interrupt": "mid_turn_abort"})
    beside = {"chat_history.jsonl": chat}
    first, second = prompt("make it", 0, "p0"), prompt("no", 1, "p1")
    for data in (lines(first, second), lines(first, over, second)):
        assert len(events(read("grok", PATH, data, beside), EventKind.INTERRUPT)) == 1


def test_a_compaction_that_is_written_down_twice_counts_once() -> None:
    readings = read("grok", PATH, fixture("grok", "turns.jsonl"))
    assert texts(readings, EventKind.COMPACTION) == ["The makefile has no target all."]


def test_failures_of_the_model_are_told() -> None:
    readings = read("grok", PATH, fixture("grok", "turns.jsonl"))
    assert texts(readings, EventKind.MODEL_ERROR) == ["429 too many requests", "the server said no"]


def test_a_turn_states_what_each_model_used() -> None:
    first, second = spends(read("grok", PATH, fixture("grok", "turns.jsonl")))
    assert (first.model, first.usage) == ("grok-code-2", Usage(900, 4000, 0, 290, 100))
    assert first.cost_usd == pytest.approx(0.002)
    assert (second.model, second.usage) == ("grok-mini", Usage(100, 0, 0, 10, 0))


def test_older_versions_state_how_much_the_context_grew() -> None:
    found = spends(read("grok", OLDER, fixture("grok", "context.jsonl")))
    largest = {each.key.rpartition(":")[2]: each.usage.input for each in found}
    assert largest == {"p1": 4120, "p2": 50}
    assert {each.model for each in found} == {"grok-code-1"}
    assert spends(read("grok", OLDER, fixture("grok", "context.jsonl"), {"usage.json": {}})) == []


def test_the_summary_says_what_the_session_is() -> None:
    summary = {
        "info": {"id": SESSION, "cwd": "/w/elsewhere"},
        "generated_title": "Mending",
        "created_at": "2026-05-01T10:00:00Z",
        "head_branch": "main",
        "git_remotes": ["https://example.org/w/app.git"],
        "parent_session_id": "01960000-0000-7000-8000-000000000001",
        "session_kind": "fork",
        "current_model_id": "grok-code-2",
    }
    readings = read("grok", PATH, fixture("grok", "turns.jsonl"), {"summary.json": summary})
    assert facts(readings) == [
        Facts(
            session=SESSION,
            at_ms=1_777_629_600_000,
            cwd="/w/elsewhere",
            branch="main",
            remote="https://example.org/w/app.git",
            title="Mending",
            parent="01960000-0000-7000-8000-000000000001",
            relation=Relation.FORK,
        )
    ]


def test_without_a_summary_the_name_of_the_folder_and_the_stream_say_it() -> None:
    first, second = facts(read("grok", PATH, fixture("grok", "turns.jsonl")))
    assert (first.cwd, second.title) == ("/w/app", "Mending the build")


def test_a_subagent_below_its_parent_has_no_prompts() -> None:
    path = f"sessions/%2Fw%2Fapp/{SESSION}/subagents/01970000-0000-7000-8000-00000000000a/updates.jsonl"
    readings = read("grok", path, fixture("grok", "subagent.jsonl"))
    assert (facts(readings)[0].parent, facts(readings)[0].relation) == (SESSION, Relation.SUBAGENT)
    assert texts(readings, EventKind.NOTICE) == ["Find all makefiles"]
    assert not events(readings, EventKind.PROMPT)


def test_what_was_typed_before_a_rewind_stays_and_keeps_its_key() -> None:
    marker = update("rewind_marker", target_prompt_index=0)
    data = lines(prompt("one", 0, "p-one"), marker, prompt("other", 0, "p-other"))
    keys = [each.key for each in events(read("grok", PATH, data), EventKind.PROMPT)]
    regrown = lines(prompt("one", 0, "p-one"), prompt("third", 0, "p-third"))
    again = [each.key for each in events(read("grok", PATH, regrown), EventKind.PROMPT)]
    assert len(set(keys)) == 2
    assert again[0] == keys[0]
    assert again[1] not in keys


@pytest.mark.parametrize(
    ("path", "owner"),
    [
        (PATH, PATH),
        (f"sessions/%2Fw%2Fapp/{SESSION}/events.jsonl", PATH),
        (f"sessions/%2Fw%2Fapp/{SESSION}/summary.json", PATH),
        (f"sessions/%2Fw%2Fapp/{SESSION}/plan.json", None),
        ("sessions/session_search.sqlite", None),
        ("logs/a/b/updates.jsonl", None),
    ],
)
def test_the_files_of_a_session_belong_to_its_updates(path: str, owner: str | None) -> None:
    found = known_reader("grok").primary(PurePosixPath(path))
    assert found == (PurePosixPath(owner) if owner else None)


def test_the_folder_stands_in_a_file_where_the_name_of_the_group_is_too_long() -> None:
    path = f"sessions/w-app-0badf00d/{SESSION}/updates.jsonl"
    data = lines(prompt("Make the build pass", 0, "p1"))
    assert facts(read("grok", path, data, {".cwd": b"/w/app\n"}))[0].cwd == "/w/app"
    assert facts(read("grok", path, data, {".cwd": b"notes"}))[0].cwd == ""
    assert known_reader("grok").primary(PurePosixPath("sessions/w-app-0badf00d/.cwd")) is None


def test_early_histories_name_tools_in_the_manner_of_chats() -> None:
    call = {"id": CALL, "type": "function", "function": {"name": "search_replace", "arguments": "{}"}}
    history = lines({"role": "assistant", "content": "", "reasoning_content": "Hm.", "tool_calls": [call]})
    data = lines(update("tool_call", toolCallId=CALL, title="Edit main.c", rawInput={"path": "main.c"}))
    (asked,) = events(read("grok", PATH, data, {"chat_history.jsonl": history}), EventKind.CALL)
    assert asked.tool == "search_replace"
