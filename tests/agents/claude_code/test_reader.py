"""Each fixture stands for one feature of the format; the readings are compared exactly where that stays readable."""

from collections.abc import Iterable
from typing import Any, Protocol

import pytest
from tests.every import for_every

from afterwit.agents.claude_code.reader import ClaudeCodeReader
from afterwit.model.kinds import EventKind, Relation
from afterwit.model.readings import Event, Facts, Problem, Reading, Result, Spend, Usage


class AnyKey:
    """Equal to every key: those of calls whose ids are merely counted hold a hash."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str)

    def __hash__(self) -> int:
        return 0


ANY_KEY = AnyKey()


class ReadFixture(Protocol):
    def __call__(self, name: str, path: str = "", companions: Any = None) -> tuple[list[Reading], Any]: ...


def events(readings: Iterable[Reading]) -> list[Event]:
    return [reading for reading in readings if isinstance(reading, Event)]


def facts(readings: Iterable[Reading]) -> list[Facts]:
    return [reading for reading in readings if isinstance(reading, Facts)]


def spends(readings: Iterable[Reading]) -> list[Spend]:
    return [reading for reading in readings if isinstance(reading, Spend)]


def told(readings: Iterable[Reading]) -> list[tuple[EventKind, str, str]]:
    return [(event.kind, event.key, event.text) for event in events(readings)]


def test_a_plain_session_is_told_in_order(read_fixture: ReadFixture) -> None:
    readings, reading = read_fixture("session")
    assert told(readings) == [
        (EventKind.PROMPT, "u1", "make the build green"),
        (EventKind.THOUGHT, "a1:0", "First run it."),
        (EventKind.REPLY, "a2:0", "I run the build."),
        (EventKind.CALL, ANY_KEY, ""),
        (EventKind.RESULT, "result:toolu_1", "Exit code 2\nno rule to make target"),
        (EventKind.REPLY, "a3:2", "There is no such target."),
    ]
    assert {event.session for event in events(readings)} == {"session"}
    assert not [reading for reading in readings if isinstance(reading, Problem)]
    assert reading.known == {
        "file-history-snapshot": 1,
        "user": 2,
        "assistant": 3,
        "ai-title": 2,
        "custom-title": 1,
        "pr-link": 2,
        "summary": 2,
    }


def test_a_call_and_its_result_carry_what_the_log_says(read_fixture: ReadFixture) -> None:
    readings, _ = read_fixture("session")
    call, result = (event for event in events(readings) if event.call_id == "toolu_1")
    assert (call.tool, call.arguments) == ("Bash", {"command": "make"})
    assert result.result == Result(is_error=True, exit_code=2)
    assert result.at_ms == 1777629603500


def test_an_event_knows_where_its_record_lies(read_fixture: ReadFixture) -> None:
    readings, _ = read_fixture("session")
    prompt, thought, *_ = events(readings)
    assert thought.offset == prompt.offset + prompt.length + 1


def test_the_lines_of_one_response_share_a_spend_key(read_fixture: ReadFixture) -> None:
    readings, _ = read_fixture("session")
    first, second, third = spends(readings)
    assert first.key == second.key == "msg_1"
    assert second.usage == Usage(input=3, cache_read=900, cache_write=20, output=41)
    assert (third.key, third.model, third.usage) == ("msg_2", "claude-opus-4-8", Usage(input=5, output=7))


def test_cache_writes_that_are_kept_for_an_hour_are_counted_apart(read_fixture: ReadFixture) -> None:
    readings, _ = read_fixture("cache_hour")
    usual, total_left_out = spends(readings)
    assert usual.usage == Usage(input=10, cache_read=2000, cache_write=500, output=30, cache_write_1h=400)
    assert total_left_out.usage == Usage(input=4, cache_write=12, output=9, cache_write_1h=5)


def test_a_response_in_fast_mode_has_a_model_name_of_its_own(read_fixture: ReadFixture) -> None:
    readings, _ = read_fixture("cache_hour")
    assert [spend.model for spend in spends(readings)] == ["claude-opus-4-8", "claude-opus-4-8-fast"]


def test_facts_are_told_when_they_change(read_fixture: ReadFixture) -> None:
    readings, _ = read_fixture("session")
    at_ms = 1777629600000
    assert facts(readings) == [
        Facts(session="session", at_ms=at_ms, cwd="/w/app", branch="main", version="2.1.150", origin="cli"),
        Facts(session="session", at_ms=at_ms + 4000, cwd="/w/app/sub"),
        Facts(session="session", title="Mend the build"),
        Facts(session="session", title="build", is_title_manual=True),
        Facts(session="session", at_ms=at_ms + 5000, remote="https://github.com/acme/app", is_remote_linked=True),
        Facts(session="session", title="The build has no such target"),
    ]


def test_only_what_a_person_typed_is_a_prompt(read_fixture: ReadFixture) -> None:
    readings, _ = read_fixture("speakers")
    assert [(kind, key) for kind, key, _ in told(readings)] == [
        (EventKind.NOTICE, "u1"),
        (EventKind.NOTICE, "u2"),
        (EventKind.NOTICE, "u3"),
        (EventKind.NOTICE, "u4"),
        (EventKind.PROMPT, "u5"),
        (EventKind.NOTICE, "u6"),
        (EventKind.PROMPT, "u6:prompt"),
        (EventKind.INTERRUPT, "u7"),
        (EventKind.PROMPT, "u8"),
        (EventKind.NOTICE, "u9"),
        (EventKind.NOTICE, "u10"),
        (EventKind.NOTICE, "s1"),
        (EventKind.COMPACTION, "u11"),
        (EventKind.NOTICE, "a1:0"),
        (EventKind.MODEL_ERROR, "a2"),
        (EventKind.MODEL_ERROR, "s2"),
    ]


def test_prompts_lose_reminders_and_show_pictures_as_placeholders(read_fixture: ReadFixture) -> None:
    readings, _ = read_fixture("speakers")
    prompts = [text for kind, _, text in told(readings) if kind is EventKind.PROMPT]
    assert prompts == ["look here", "why is this red? [Image #1]\n[image]", "<div>this markup is mine</div>"]


def test_a_failed_request_is_told_without_its_headers(read_fixture: ReadFixture) -> None:
    readings, _ = read_fixture("speakers")
    errors = [text for kind, _, text in told(readings) if kind is EventKind.MODEL_ERROR]
    assert errors == ["API Error: 429 slow down", "529 overloaded_error: Overloaded"]


def test_messages_made_by_the_client_cost_nothing(read_fixture: ReadFixture) -> None:
    readings, _ = read_fixture("speakers")
    assert spends(readings) == []


def test_results_say_how_a_call_ended(read_fixture: ReadFixture) -> None:
    readings, _ = read_fixture("results")
    ended = {event.call_id: event.result for event in events(readings) if event.kind is EventKind.RESULT}
    assert ended == {
        "denied": Result(is_error=True, is_denied=True),
        "sibling": Result(is_error=True, is_cancelled=True),
        "background": Result(is_error=False, is_running=True, running_as="b1"),
        "stopped": Result(is_error=False, is_cancelled=True),
        "blocks": Result(is_error=False, duration_ms=4200),
        "toolu_big": Result(is_error=False, duration_ms=1500),
        "toolu_sly": Result(is_error=False),
    }


def test_a_result_of_blocks_is_joined_without_pictures_and_reminders(read_fixture: ReadFixture) -> None:
    readings, _ = read_fixture("results")
    (text,) = (event.text for event in events(readings) if event.call_id == "blocks")
    assert text == "one\n[image]\nWebFetch\ntwo"


@pytest.mark.parametrize("name", ["b77", "toolu_big"])
def test_a_spilled_result_is_read_from_its_companion(read_fixture: ReadFixture, name: str) -> None:
    whole = b"line 1\nline 2\n" * 100_000
    readings, _ = read_fixture("results", companions={f"projects/p/results/tool-results/{name}.txt": whole})
    (text,) = (event.text for event in events(readings) if event.call_id == "toolu_big")
    assert text == whole[:1_000_000].decode()


def test_a_spilled_result_without_its_companion_keeps_the_preview(read_fixture: ReadFixture) -> None:
    readings, _ = read_fixture("results")
    (text,) = (event.text for event in events(readings) if event.call_id == "toolu_big")
    assert text.startswith("<persisted-output>")


def test_arguments_in_a_string_are_decoded_or_kept_raw(read_fixture: ReadFixture) -> None:
    readings, _ = read_fixture("results")
    given = [event.arguments for event in events(readings) if event.kind is EventKind.CALL]
    assert given == [{"path": "a.py"}, {"raw": "not JSON"}, {"query": "q"}]


def test_ids_of_other_endpoints_are_told_apart_by_their_request(read_fixture: ReadFixture) -> None:
    readings, _ = read_fixture("results")
    assert [spend.key for spend in spends(readings)] == ["chat-1:req_7"]


def test_old_sidechains_are_sessions_of_their_own(read_fixture: ReadFixture) -> None:
    readings, _ = read_fixture("sidechain")
    assert [(event.session, event.kind) for event in events(readings)] == [
        ("sidechain", EventKind.PROMPT),
        ("sidechain", EventKind.CALL),
        ("sidechain/side-s1", EventKind.NOTICE),
        ("sidechain/side-s1", EventKind.CALL),
        ("sidechain/side-s1", EventKind.RESULT),
        ("sidechain/agent-beef", EventKind.NOTICE),
        ("sidechain", EventKind.RESULT),
    ]
    assert [spend.session for spend in spends(readings)] == ["sidechain/side-s1"]
    assert facts(readings)[1:] == [
        Facts(
            session=f"sidechain/{child}",
            parent="sidechain",
            relation=Relation.SUBAGENT,
            cwd="/w/app",
            version="2.0.15",
        )
        for child in ("side-s1", "agent-beef")
    ]


def test_a_subagent_in_progress_records_is_a_session_of_its_own(read_fixture: ReadFixture) -> None:
    readings, reading = read_fixture("agent_progress")
    nested = [event for event in events(readings) if event.session == "agent_progress/agent-a77"]
    assert [(event.kind, event.key) for event in nested] == [
        (EventKind.NOTICE, "n1"),
        (EventKind.CALL, ANY_KEY),
        (EventKind.RESULT, "result:toolu_n"),
    ]
    assert facts(readings)[-1] == Facts(
        session="agent_progress/agent-a77",
        at_ms=1771596001000,
        cwd="/w/app",
        version="2.1.47",
        parent="agent_progress",
        relation=Relation.SUBAGENT,
        parent_call="toolu_task",
        origin="explorer",
    )
    assert spends(readings)[-1].usage == Usage(input=3, cache_read=5, cache_write=11, output=2)
    assert spends(readings)[-1].is_nested
    assert reading.known == {"assistant": 1, "progress/agent_progress": 3, "progress/bash_progress": 1}


@pytest.mark.parametrize("folder", ["projects/p/parent/subagents", "projects/p/parent/subagents/workflows/wf_1"])
def test_a_subagents_own_file_names_its_parent(read_fixture: ReadFixture, folder: str) -> None:
    meta = {f"{folder}/agent-f00d.meta.json": b'{"agentType":"reviewer","description":"d","toolUseId":"toolu_p"}'}
    readings, _ = read_fixture("agent-f00d", f"{folder}/agent-f00d.jsonl", meta)
    assert facts(readings) == [
        Facts(
            session="agent-f00d",
            at_ms=1780304400000,
            cwd="/w/app",
            branch="main",
            version="2.1.178",
            parent="parent",
            relation=Relation.SUBAGENT,
            parent_call="toolu_p",
            origin="reviewer",
        )
    ]


def test_a_subagents_task_is_no_prompt_but_a_persons_word_to_it_is(read_fixture: ReadFixture) -> None:
    readings, _ = read_fixture("agent-f00d")
    assert told(readings) == [
        (EventKind.NOTICE, "u1", "Review the change."),
        (EventKind.REPLY, "a1:0", "Looks fine."),
        (EventKind.PROMPT, "u2", "also check the docs"),
    ]


def test_a_subagents_file_without_usable_meta_is_read_all_the_same(read_fixture: ReadFixture) -> None:
    readings, _ = read_fixture("agent-f00d", companions={"projects/p/agent-f00d.meta.json": b"{"})
    assert (facts(readings)[0].parent, facts(readings)[0].parent_call) == ("parent", "")


def test_a_resumed_copy_names_the_session_it_was_copied_from(read_fixture: ReadFixture) -> None:
    readings, _ = read_fixture("resumed")
    ancestry = [(fact.parent, fact.relation) for fact in facts(readings) if fact.parent]
    assert ancestry == [("earlier", Relation.RESUME)]
    assert [event.key for event in events(readings)] == ["u1", "a1:0", "u2", "u2"]


def test_a_fork_names_its_trunk(read_fixture: ReadFixture) -> None:
    readings, _ = read_fixture("forked")
    ancestry = [(fact.parent, fact.relation) for fact in facts(readings) if fact.parent]
    assert ancestry == [("trunk", Relation.FORK)]


def test_prompts_that_only_the_queue_has_are_read_from_it_once(read_fixture: ReadFixture) -> None:
    readings, _ = read_fixture("queue_before_2_1_90")
    assert [(kind, text) for kind, _, text in told(readings)] == [
        (EventKind.PROMPT, "write the tests"),
        (EventKind.PROMPT, "commit when you are done"),
        (EventKind.PROMPT, "and push"),
        (EventKind.NOTICE, "/model"),
        (EventKind.NOTICE, "<task-notification>\n<status>completed</status>\n</task-notification>"),
        (EventKind.PROMPT, "and push"),
    ]


def test_newer_versions_repeat_the_queue_so_that_it_is_left_alone(read_fixture: ReadFixture) -> None:
    readings, _ = read_fixture("queue")
    assert told(readings) == [
        (EventKind.PROMPT, "u1", "fix the linters"),
        (EventKind.PROMPT, "q1", "the Go ones too"),
        (EventKind.NOTICE, "q2", "<task-notification>\n<status>completed</status>\n</task-notification>"),
        (EventKind.PROMPT, "q3", "like this\n[image]"),
    ]


def test_what_the_client_showed_is_a_notice(read_fixture: ReadFixture) -> None:
    readings, _ = read_fixture("notices")
    assert told(readings) == [
        (EventKind.NOTICE, "n1", "/w/app/a.py\n1\timport os"),
        (EventKind.NOTICE, "n2", '/w/app/a.go: Error UnusedImport "fmt" imported and not used'),
        (EventKind.NOTICE, "n3", '{"systemMessage":"hello"}'),
        (EventKind.NOTICE, "n4", "one\ntwo"),
        (EventKind.NOTICE, "n5", "/w/app/memo.md\n# Memo"),
        (EventKind.NOTICE, "n7", "lint failed"),
        (EventKind.NOTICE, "n9", "We mended the build."),
    ]


def test_unknown_types_are_counted_and_nothing_else(read_fixture: ReadFixture) -> None:
    _, reading = read_fixture("notices")
    assert reading.unknown == {"system/brand_new": 1, "attachment/brand_new": 1, "telepathy": 1, "(none)": 1}
    assert sum(reading.known.values()) == 10


def test_a_stream_is_read_like_a_transcript(read_fixture: ReadFixture) -> None:
    readings, reading = read_fixture("stream")
    child = "stream/call-toolu_1"
    assert [(event.session, event.kind, event.key) for event in events(readings)] == [
        ("stream", EventKind.CALL, ANY_KEY),
        (child, EventKind.NOTICE, "u1"),
        (child, EventKind.REPLY, "a2:0"),
        ("stream", EventKind.RESULT, "result:toolu_1"),
        ("stream", EventKind.COMPACTION, "c1"),
        ("stream", EventKind.MODEL_ERROR, "r2"),
    ]
    assert facts(readings) == [
        Facts(session="stream", cwd="/w/app", version="2.1.170", origin="sdk"),
        Facts(session=child, parent="stream", relation=Relation.SUBAGENT, parent_call="toolu_1", origin="explorer"),
    ]
    assert reading.unknown == {}


def test_a_streams_cost_is_told_by_model_and_its_tokens_not_twice(read_fixture: ReadFixture) -> None:
    readings, _ = read_fixture("stream")
    costs = [(spend.key, spend.model, spend.cost_usd, spend.usage) for spend in spends(readings)[2:]]
    assert costs == [
        ("result:stream:claude-opus-4-8", "claude-opus-4-8", 0.24, Usage()),
        ("result:stream:claude-haiku-4-5", "claude-haiku-4-5", 0.01, Usage()),
        ("result:stream:", "", 0.3, Usage()),
    ]


def test_the_first_version_states_what_each_response_cost(read_fixture: ReadFixture) -> None:
    readings, reading = read_fixture("version1")
    assert [spend.cost_usd for spend in spends(readings)] == [0.0125, 0.0025]
    assert [event.kind.value for event in events(readings)] == ["prompt", "call", "result", "reply"]
    assert not reading.unknown


def test_odd_shapes_become_problems_and_the_rest_is_read(read_fixture: ReadFixture) -> None:
    readings, reading = read_fixture("odd_shapes")
    assert told(readings) == [
        (EventKind.REPLY, "a1:0", "kept"),
        (EventKind.CALL, ANY_KEY, ""),
        (EventKind.PROMPT, "u1", "a plain string\nand a block"),
        (EventKind.RESULT, "result:t1", "out"),
        (EventKind.PROMPT, "u5", "beside it"),
    ]
    assert [reading.reason for reading in readings if isinstance(reading, Problem)] == [
        "assistant: cannot use message.content[1]",
        "user: cannot use isMeta",
        "user: cannot use message",
        "user: no usable message",
        "user: no usable message",
        "user: cannot use cwd, message.content[0].is_error",
        "unknown content block 'hologram'",
        "progress/agent_progress: no usable message",
    ]
    assert spends(readings)[0].usage == Usage(input=12, output=3)
    assert reading.unknown == {"telepathy": 1}


@for_every(
    "record",
    [
        {"type": "user", "sessionId": "s", "message": {"role": "user", "content": "hello"}},
        {"type": "system", "subtype": "init", "session_id": "s", "tools": []},
        {"type": "assistant", "session_id": "s", "parent_tool_use_id": None, "message": {"content": []}},
        {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}},
        {"type": "summary", "summary": "t", "leafUuid": "u"},
        {"type": "queue-operation", "operation": "enqueue", "sessionId": "s"},
        {"type": "permission-mode", "permissionMode": "default", "sessionId": "s"},
        {"type": "progress", "data": {"type": "hook_progress"}, "sessionId": "s"},
    ],
)
def test_first_records_of_this_agent_are_recognised(record: dict[str, Any]) -> None:
    assert ClaudeCodeReader().sniffs(record)


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"type": ["user"], "sessionId": "s"},
        {"type": "session_meta", "payload": {"id": "x"}},
        {"type": "user", "sessionId": "s", "message": {"role": "user", "parts": [{"text": "hello"}]}},
        {"type": "system", "subtype": "ui_telemetry", "sessionId": "s"},
        {"type": "system", "subtype": "init", "session_id": "s", "model": "another agent's stream"},
        {"type": "message", "message": {"role": "user", "content": []}},
    ],
)
def test_records_of_other_agents_are_not(record: dict[str, Any]) -> None:
    assert not ClaudeCodeReader().sniffs(record)
