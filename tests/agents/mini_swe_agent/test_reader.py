import json

import pytest
from tests.agents.transcripts import events, facts, fixture, read, spends, texts, unknown

from afterwit.agents.mini_swe_agent.reader import recorded_end
from afterwit.model.kinds import EventKind, RecordedEnd
from afterwit.model.readings import Facts, Result, Usage

SESSION = "runs/first/w__app-1/w__app-1"
PATH = f"{SESSION}.traj.json"
NAMES = ("calls.json", "text.json")


def test_a_run_with_tool_calls_is_read_in_order() -> None:
    readings = read("mini-swe-agent", PATH, fixture("mini_swe_agent", "calls.json"))
    assert texts(readings, EventKind.PROMPT) == ["The sum is wrong"]
    assert [call.arguments for call in events(readings, EventKind.CALL)][:2] == [
        {"command": "ls src"},
        {"command": "make test"},
    ]
    assert [each.result for each in events(readings, EventKind.RESULT)] == [
        Result(is_error=False, exit_code=0),
        Result(is_error=True, exit_code=2),
        Result(is_error=True, exit_code=-1),
        Result(is_error=False),
    ]
    assert unknown("mini-swe-agent", PATH, fixture("mini_swe_agent", "calls.json")) == {"chorus": 1}


def test_what_was_submitted_is_the_result_of_the_last_command() -> None:
    readings = read("mini-swe-agent", PATH, fixture("mini_swe_agent", "calls.json"))
    assert events(readings, EventKind.RESULT)[-1].call_id == events(readings, EventKind.CALL)[-1].call_id


def test_an_answer_that_could_not_be_used_is_told_by_a_notice() -> None:
    told = [
        texts(read("mini-swe-agent", PATH, fixture("mini_swe_agent", name)), EventKind.NOTICE)[-1] for name in NAMES
    ]
    assert [text.splitlines()[0] for text in told] == [
        "Tool call error:",
        "Please always provide EXACTLY ONE action in triple backticks, found 0 actions.",
    ]


def test_the_instructions_around_a_task_are_no_part_of_it() -> None:
    notices = texts(read("mini-swe-agent", PATH, fixture("mini_swe_agent", "calls.json")), EventKind.NOTICE)
    assert notices[1] == "<instructions>\nWork in the shell.\n</instructions>"


def test_a_run_says_where_it_ran_and_what_it_used() -> None:
    readings = read("mini-swe-agent", PATH, fixture("mini_swe_agent", "calls.json"))
    assert facts(readings) == [
        Facts(session=SESSION, cwd="/testbed", remote="github.com/w/app", version="2.2.7", title="w__app-1"),
        Facts(session=SESSION, end=RecordedEnd.DONE),
    ]
    (spend,) = spends(readings)
    assert (spend.model, spend.usage, spend.cost_usd) == ("deepseek-chat", Usage(1675, 320, 0, 93), 0.0005)
    assert spend.at_ms == 1_777_629_602_250


def test_commands_in_code_blocks_are_answered_by_the_next_message() -> None:
    readings = read("mini-swe-agent", PATH, fixture("mini_swe_agent", "text.json"))
    (call,), (result,) = events(readings, EventKind.CALL), events(readings, EventKind.RESULT)
    assert (call.tool, call.arguments) == ("bash", {"command": "ls src"})
    assert (result.call_id, result.text) == (call.call_id, "main.c\nutil.c")


def test_the_oldest_runs_are_bare_lists() -> None:
    readings = read("mini-swe-agent", "oldest/traj.json", fixture("mini_swe_agent", "bare.json"))
    (result,) = events(readings, EventKind.RESULT)
    assert (result.text, result.result) == (
        "cat: main.c: No such file or directory",
        Result(is_error=True, exit_code=1),
    )
    assert result.session == "oldest/traj"


@pytest.mark.parametrize(
    ("name", "kind", "text"),
    [
        ("text.json", EventKind.MODEL_ERROR, "litellm.Timeout: the connection timed out"),
        ("stopped.json", EventKind.INTERRUPT, "stopped by the user"),
        ("stopped.json", EventKind.NOTICE, "LimitsExceeded"),
    ],
)
def test_the_end_of_a_run_is_told(name: str, kind: EventKind, text: str) -> None:
    assert texts(read("mini-swe-agent", PATH, fixture("mini_swe_agent", name)), kind)[-1] == text


@pytest.mark.parametrize(
    ("info", "end"),
    [
        ({"exit_status": "Submitted", "submission": "diff --git a/x b/x"}, RecordedEnd.DONE),
        ({"exit_status": "Submitted", "submission": ""}, RecordedEnd.UNSOLVED),
        ({"exit_status": "LimitsExceeded"}, RecordedEnd.LIMIT),
        ({"exit_status": "Timeout"}, RecordedEnd.ERROR),
        ({"exit_status": "UserInterruption"}, None),
        ({}, None),
    ],
)
def test_the_exit_status_says_how_a_run_ended(info: dict[str, str], end: RecordedEnd | None) -> None:
    assert recorded_end(info) is end


def test_a_bare_list_whose_last_command_submits_was_done() -> None:
    command = "```bash\necho MINI_SWE_AGENT_FINAL_OUTPUT && git diff\n```"
    messages = [{"role": "user", "content": "Mend the sum"}, {"role": "assistant", "content": command}]
    readings = read("mini-swe-agent", "oldest/traj.json", json.dumps(messages).encode())
    assert facts(readings)[-1].end is RecordedEnd.DONE
