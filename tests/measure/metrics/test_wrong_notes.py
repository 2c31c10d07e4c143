import pytest
from tests.measure.metrics.noting import NO_HISTORY, day_ms, note, seen, told

from afterwit.measure.note_changes import NoteHistory
from afterwit.measure.told_notes import ToldNote, judge_told, wrong_share
from afterwit.model.knowledge import Item, ItemStatus
from afterwit.store.decisions import Decision, DecisionKind


def wrong(item: Item, *told_notes: ToldNote, history: NoteHistory = NO_HISTORY) -> list[str]:
    return [row.wrong for row in judge_told(told_notes or (told("s1"),), {item.id: item}, history)]


def test_a_note_that_nothing_speaks_against_is_fine() -> None:
    assert wrong(note()) == [""]


@pytest.mark.parametrize(
    ("kind", "reason"),
    [(DecisionKind.REJECT, "rejected by a person later"), (DecisionKind.RETIRE, "retired by a person later")],
)
def test_a_note_that_a_person_took_out_after_it_was_told_was_wrong(kind: DecisionKind, reason: str) -> None:
    history = NoteHistory(decisions={"n1": [Decision(day_ms(12), kind)]})
    assert wrong(note(), told("s1", day=10), told("s2", day=14), history=history) == [reason, ""]


def test_a_rejection_that_was_followed_by_an_approval_does_not_count() -> None:
    decisions = [Decision(day_ms(12), DecisionKind.REJECT), Decision(day_ms(13), DecisionKind.APPROVE)]
    assert wrong(note(), history=NoteHistory(decisions={"n1": decisions})) == [""]


def test_a_session_that_was_told_a_note_may_speak_against_it() -> None:
    item = note("n1", seen("a", 0), seen("b", 2), seen("s1", 10, is_against=True))
    assert wrong(item, told("s1"), told("s2")) == ["that session speaks against it", ""]


def test_a_note_that_is_outdated_because_of_later_evidence_was_wrong() -> None:
    item = note("n1", seen("a", 0), seen("x", 12, is_against=True), status=ItemStatus.STALE)
    assert wrong(item, told("s1", day=10), told("s2", day=13)) == ["contradicted later", ""]


def test_a_note_that_is_only_old_was_not_wrong() -> None:
    assert wrong(note(status=ItemStatus.STALE)) == [""]


def test_the_share_has_its_interval_and_its_reasons() -> None:
    item = note("n1", seen("a", 0), seen("b", 2), seen("s1", 10, is_against=True))
    told_notes = [told(f"s{number}") for number in range(1, 11)]
    figure = wrong_share(judge_told([*told_notes, told("s1", "gone")], {"n1": item}, NO_HISTORY))
    assert (figure.wrong, figure.told, figure.share) == (1, 10, 0.1)
    assert [round(bound, 3) for bound in figure.interval] == [0.018, 0.404]
    assert figure.by_reason == {"that session speaks against it": 1}
    assert wrong_share([]).share is None
