from tests.agents.transcripts import events, facts, fixture, read, spends, texts, unknown
from tests.every import for_every

from afterwit.agents.swe_agent.reader import SweAgentCall, call_of, recorded_end
from afterwit.model.kinds import EventKind, RecordedEnd
from afterwit.model.readings import Facts, Result, Usage

SESSION = "runs/first/w__app-1/w__app-1"
PATH = f"{SESSION}.traj"


def test_steps_are_read_with_the_task_before_them() -> None:
    readings = read("swe-agent", PATH, fixture("swe_agent", "steps.traj"))
    assert texts(readings, EventKind.PROMPT) == ["ISSUE: the sum is wrong"]
    assert [call.tool for call in events(readings, EventKind.CALL)] == [
        "find_file",
        "open",
        "edit",
        "str_replace_editor",
        "bash",
        "submit",
    ]
    calls, results = events(readings, EventKind.CALL), events(readings, EventKind.RESULT)
    assert [each.call_id for each in results] == [each.call_id for each in calls]
    assert results[0].result == Result(duration_ms=500)
    assert unknown("swe-agent", PATH, fixture("swe_agent", "steps.traj")) == {}


def test_a_step_without_an_action_is_what_the_program_said() -> None:
    readings = read("swe-agent", PATH, fixture("swe_agent", "steps.traj"))
    assert texts(readings, EventKind.NOTICE) == ["Your output was not formatted correctly."]


def test_a_run_is_known_by_its_path_and_states_what_it_used() -> None:
    readings = read("swe-agent", PATH, fixture("swe_agent", "steps.traj"))
    assert facts(readings) == [
        Facts(session=SESSION, cwd="/w__app", version="1.1.0"),
        Facts(session=SESSION, end=RecordedEnd.DONE),
    ]
    (spend,) = spends(readings)
    assert (spend.model, spend.usage, spend.cost_usd) == ("gpt-5-mini", Usage(5000, 0, 0, 300), 0.25)


@for_every(
    "status, submission, end",
    [
        ("submitted", "diff --git a/x b/x", RecordedEnd.DONE),
        ("submitted", "", RecordedEnd.UNSOLVED),
        ("submitted (exit_cost)", "diff --git a/x b/x", RecordedEnd.FORCED),
        ("submitted (exit_cost)", None, RecordedEnd.UNSOLVED),
        ("exit_cost", None, RecordedEnd.LIMIT),
        ("exit_context", None, RecordedEnd.LIMIT),
        ("exit_total_execution_time", None, RecordedEnd.LIMIT),
        ("exit_forfeit", None, RecordedEnd.UNSOLVED),
        ("exit_format", None, RecordedEnd.ERROR),
        (None, None, None),
    ],
)
def test_the_exit_status_says_how_a_run_ended(
    status: str | None, submission: str | None, end: RecordedEnd | None
) -> None:
    assert recorded_end({"exit_status": status, "submission": submission}) is end


def test_a_history_without_steps_is_read_with_its_tool_calls() -> None:
    readings = read("swe-agent", "demo.traj", fixture("swe_agent", "history.traj"))
    (call,), (result,) = events(readings, EventKind.CALL), events(readings, EventKind.RESULT)
    assert (call.tool, call.arguments) == ("find_file", {"file_name": "main.c"})
    assert (result.call_id, result.text) == (call.call_id, "Found 1 matches")
    assert unknown("swe-agent", "demo.traj", fixture("swe_agent", "history.traj")) == {"chorus": 1}


def test_a_history_of_texts_has_its_task_and_its_actions() -> None:
    readings = read("swe-agent", "demo.traj", fixture("swe_agent", "plain_history.traj"))
    assert texts(readings, EventKind.PROMPT) == ["ISSUE: the sum is wrong"]
    assert events(readings, EventKind.CALL)[0].arguments == {"command": "python main.py"}


@for_every(
    "action, call",
    [
        ("open src/main.c 12\n", SweAgentCall("open", {"path": "src/main.c", "raw": "open src/main.c 12"})),
        (
            "edit 4:4\nx\nend_of_edit",
            SweAgentCall("edit", {"path": "/w/a.c", "raw": "edit 4:4", "text": "x\nend_of_edit"}),
        ),
        ('search_dir "a b" src', SweAgentCall("search_dir", {"query": "a b", "path": "src"})),
        (
            "str_replace_editor create /w/a.c",
            SweAgentCall("str_replace_editor", {"command": "create", "path": "/w/a.c"}),
        ),
        ("submit", SweAgentCall("submit", {"command": "submit"})),
        ("open", SweAgentCall("bash", {"command": "open"})),
        ("ls -F", SweAgentCall("bash", {"command": "ls -F"})),
        ("echo 'unclosed", SweAgentCall("bash", {"command": "echo 'unclosed"})),
        ("\n", SweAgentCall("bash", {"command": ""})),
    ],
)
def test_an_action_is_a_command_of_the_interface_or_a_line_for_the_shell(action: str, call: SweAgentCall) -> None:
    assert call_of(action, "/w/a.c") == call
