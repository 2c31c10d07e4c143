from pathlib import PurePosixPath
from typing import Any

import msgspec
import pytest
from tests.agents.transcripts import HERE, events, facts, fixture, lines, read, spends, texts, unknown

from afterwit.agents.openhands.reader import gatherers
from afterwit.model.kinds import EventKind, RecordedEnd
from afterwit.model.readings import Facts, Result, Usage

FIXTURES = HERE / "openhands" / "fixtures"
OLD = "sessions/0a1b2c3d.jsonl"
NEW = "conversations/5f1d0c3e-0000-4000-8000-000000000001.jsonl"


def rendered(home: str, path: str) -> bytes:
    place = PurePosixPath(path)
    gatherer = next(each for each in gatherers() if each.renders(place))
    return gatherer.render(FIXTURES / home, place).data


def event(**content: Any) -> bytes:
    return lines({"file": "0a1b2c3d/events/7.json", "content": {"id": 7, **content}})


def test_events_of_the_first_generation_are_read_in_order() -> None:
    data = rendered("old.home", OLD)
    readings = read("openhands", OLD, data)
    assert texts(readings, EventKind.PROMPT) == ["Make the build pass"]
    assert texts(readings, EventKind.REPLY) == [
        "I look at the makefile.",
        "I read on.",
        "All is done",
        "The build passes.",
    ]
    assert [call.tool for call in events(readings, EventKind.CALL)] == [
        "execute_bash",
        "str_replace_editor",
        "fetch",
        "execute_bash",
        "run",
        "finish",
    ]
    assert unknown("openhands", OLD, data) == {"action/levitate": 1}


def test_observations_say_how_their_actions_ended() -> None:
    results = events(read("openhands", OLD, rendered("old.home", OLD)), EventKind.RESULT)
    assert [each.result for each in results] == [
        Result(is_error=True, exit_code=2),
        Result(is_error=False),
        Result(),
        Result(is_denied=True),
        Result(exit_code=-1, is_running=True),
        Result(is_error=True),
    ]


def test_states_and_condensations_of_the_first_generation_are_told() -> None:
    readings = read("openhands", OLD, rendered("old.home", OLD))
    assert texts(readings, EventKind.MODEL_ERROR) == ["no model", "the budget is used up"]
    assert texts(readings, EventKind.COMPACTION) == ["The makefile has no target all."]
    assert len(events(readings, EventKind.INTERRUPT)) == 1


def test_sums_of_a_conversation_have_one_key_so_that_the_largest_counts() -> None:
    found = spends(read("openhands", OLD, rendered("old.home", OLD)))
    assert {each.key for each in found} == {"0a1b2c3d:all"}
    assert (found[-1].model, found[-1].usage, found[-1].cost_usd) == (
        "claude-opus-4-8",
        Usage(500, 8000, 500, 190),
        0.02,
    )


def test_events_of_the_second_generation_are_read_in_order() -> None:
    data = rendered("new.home", NEW)
    readings = read("openhands", NEW, data)
    assert texts(readings, EventKind.PROMPT) == ["Make the build pass"]
    assert texts(readings, EventKind.REPLY) == ["I look at the makefile.", "The build passes."]
    assert [(call.tool, call.arguments) for call in events(readings, EventKind.CALL)] == [
        ("terminal", {"command": "make"}),
        ("file_editor", {"command": "view", "path": "/w/app/Makefile"}),
        ("terminal", {"command": "rm -r build"}),
    ]
    assert [each.result for each in events(readings, EventKind.RESULT)] == [
        Result(is_error=True, exit_code=2),
        Result(is_error=True),
        Result(is_denied=True, said="not this folder"),
    ]
    assert unknown("openhands", NEW, data) == {"LevitationEvent": 1}


def test_the_state_says_where_a_conversation_ran_and_what_it_used() -> None:
    readings = read("openhands", NEW, rendered("new.home", NEW))
    assert facts(readings) == [Facts(session="5f1d0c3e-0000-4000-8000-000000000001", cwd="/w/app")]
    agent, condenser = spends(readings)
    assert (agent.usage, agent.cost_usd) == (Usage(500, 8000, 500, 190, 40), 0.03)
    assert (condenser.model, condenser.usage) == ("anthropic/claude-opus-4-8", Usage(100, 0, 0, 10))


@pytest.mark.parametrize(
    ("content", "result"),
    [
        ({"observation": "read", "content": "ERROR: no such file", "cause": 6}, Result(is_error=True)),
        (
            {"observation": "run", "content": "", "cause": 6, "extras": {"exit_code": 0}},
            Result(is_error=False, exit_code=0),
        ),
        ({"observation": "browse", "content": "a page", "cause": 6}, Result()),
    ],
)
def test_an_observation_of_any_kind_has_an_ending(content: dict[str, Any], result: Result) -> None:
    assert events(read("openhands", OLD, event(**content)))[0].result == result


def test_each_line_of_an_evaluation_is_a_session() -> None:
    readings = read("openhands", "runs/first/output.jsonl", fixture("openhands", "output.jsonl"))
    assert [about.session for about in facts(readings)] == [
        "runs/first/w__app-1",
        "runs/first/w__app-2",
        "runs/first/w__app-3",
    ]
    assert texts(readings, EventKind.MODEL_ERROR) == ["the agent is stuck"]
    assert len(events(readings, EventKind.CALL)) == 3


@pytest.mark.parametrize(("is_solved", "end"), [(True, RecordedEnd.DONE), (False, RecordedEnd.UNSOLVED)])
def test_a_judged_evaluation_says_whether_the_task_was_solved(*, is_solved: bool, end: RecordedEnd) -> None:
    run = {"instance_id": "w__app-1", "history": [], "report": {"resolved": is_solved}}
    assert facts(read("openhands", "runs/first/output.jsonl", lines(run)))[-1].end is end


def test_a_growing_conversation_grows_at_its_end() -> None:
    data = rendered("old.home", OLD)
    files = [msgspec.json.decode(line)["file"] for line in data.splitlines()]
    assert files == [f"0a1b2c3d/events/{number}.json" for number in range(24)]
