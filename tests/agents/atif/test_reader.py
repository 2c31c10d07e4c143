import pytest
from tests.agents.transcripts import events, facts, fixture, known_reader, read, spends, texts, unknown

from afterwit.model.kinds import EventKind, Relation
from afterwit.model.readings import Facts, Result, Usage

SESSION = "025b810f-b3a2-4c67-93c0-fe7a142a947a"
PATH = "jobs/first/agent/trajectory.json"


def test_a_trajectory_is_read_step_by_step() -> None:
    readings = read("atif", PATH, fixture("atif", "run.json"))
    assert texts(readings, EventKind.PROMPT) == ["Make the build pass\n[image]"]
    assert texts(readings, EventKind.THOUGHT, EventKind.REPLY) == [
        "The makefile comes first.",
        "I look at the makefile.",
        "There is one makefile.",
    ]
    assert unknown("atif", PATH, fixture("atif", "run.json")) == {"chorus": 1}


def test_observations_answer_the_calls_of_their_step() -> None:
    readings = read("atif", PATH, fixture("atif", "run.json"))
    calls, results = events(readings, EventKind.CALL), events(readings, EventKind.RESULT)
    assert [each.call_id for each in results] == [each.call_id for each in calls]
    assert results[0].result == Result(is_error=True, exit_code=2)
    assert texts(readings, EventKind.NOTICE) == ["You work in a terminal.", "the terminal was cleared", "look"]


def test_trajectories_of_subagents_are_sessions_of_their_own() -> None:
    readings = read("atif", PATH, fixture("atif", "run.json"))
    assert facts(readings) == [
        Facts(session=SESSION, version="2.0.0", origin="terminus-2"),
        Facts(session="sub-1", version="2.0.0", origin="terminus-2-sub", parent=SESSION, relation=Relation.SUBAGENT),
    ]
    assert events(readings)[-1].session == "sub-1"


def test_steps_state_what_they_used() -> None:
    first, second = spends(read("atif", PATH, fixture("atif", "run.json")))
    assert (first.model, first.usage, first.cost_usd) == ("gpt-5-mini", Usage(320, 200, 0, 80), 0.00045)
    assert (second.session, second.model, second.usage) == ("sub-1", "gpt-5-nano", Usage(50, 0, 0, 8))


def test_a_trajectory_without_an_id_is_known_by_its_path() -> None:
    assert events(read("atif", PATH, fixture("atif", "old.json")))[0].session == "jobs/first/agent/trajectory"


@pytest.mark.parametrize(
    "document", [{"steps": []}, {"schema_version": "ATIF-v1.0"}, {"schema_version": 1, "steps": []}]
)
def test_other_documents_are_not_taken_for_trajectories(document: dict[str, object]) -> None:
    assert not known_reader("atif").sniffs(document)
