import pytest
from tests.measure.metrics.noting import NO_HISTORY, day_ms, note, seen

from afterwit.measure.note_changes import ConfidenceTest, NoteHistory, confidence_tests
from afterwit.model.knowledge import Channel, Trigger
from afterwit.store.decisions import Decision, DecisionKind


def tried(*evidence: object, history: NoteHistory = NO_HISTORY, **more: object) -> list[ConfidenceTest]:
    return confidence_tests([note("n1", *evidence, **more)], history)  # type: ignore[arg-type]


def test_the_session_that_a_note_comes_from_is_no_test_of_it() -> None:
    assert tried(seen("a", 0)) == []


def test_confidence_is_that_of_the_evidence_before() -> None:
    first, second = tried(seen("a", 0), seen("b", 180), seen("c", 360, is_against=True))
    assert (first.session, first.came_true) == ("b", True)
    assert first.confidence == pytest.approx((1 + 0.5) / (2.3 + 0.5))  # one piece, halved by a half-life
    assert (second.session, second.came_true) == ("c", False)
    assert second.confidence == pytest.approx((1 + 0.25 + 0.5) / (2.3 + 0.25 + 0.5))


def test_what_came_at_once_is_no_test_of_each_other() -> None:
    assert tried(seen("a", 0), seen("b", 0)) == []


def test_an_approval_counts_from_its_day_on() -> None:
    history = NoteHistory(decisions={"n1": [Decision(day_ms(0), DecisionKind.APPROVE)]})
    (approved,) = tried(seen("a", 0), seen("b", 180), history=history)
    assert approved.confidence == pytest.approx((1 + 0.5 + 5) / (2.3 + 0.5 + 5))


def test_a_session_counts_once_and_so_does_the_same_task_given_again() -> None:
    assert [test.session for test in tried(seen("a", 0), seen("b", 1), seen("b", 2), seen("b", 3))] == ["b"]


def test_a_session_that_was_told_the_note_is_no_test_unless_it_tried_a_fix() -> None:
    history = NoteHistory(echoes={"n1": frozenset(("b", "c"))})
    words = seen("b", 1, channel=Channel.ASSISTANT)
    fixed = seen("c", 2)
    given = {"advice": "press", "triggers": (Trigger(signature="press: unknown option --fast"),)}
    assert [test.session for test in tried(seen("a", 0), words, fixed, history=history, **given)] == ["c"]
    assert tried(seen("a", 0), words, fixed, history=history, triggers=(Trigger(rule="E501"),)) == []


def test_tests_can_be_those_of_late() -> None:
    item = note("n1", seen("a", 0), seen("b", 1), seen("c", 5))
    assert [test.session for test in confidence_tests([item], NO_HISTORY, day_ms(3))] == ["c"]
