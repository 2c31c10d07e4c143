import pytest
from tests.harvest.work import failed, ran, session
from tests.measure.metrics.noting import NO_HISTORY, day_ms, note, seen, told

from afterwit.measure.note_changes import NoteHistory
from afterwit.measure.told_notes import FINE, ToldNote, WrongTally, wrong_share
from afterwit.model.digest import Digest
from afterwit.model.kinds import FailureClass
from afterwit.model.knowledge import Item, ItemStatus
from afterwit.store.decisions import Decision, DecisionKind


def wrong(
    item: Item, *told_notes: ToldNote, digest: Digest | None = None, history: NoteHistory = NO_HISTORY
) -> list[str]:
    tally = WrongTally(told_notes or (told("s1"),), {item.id: item}, history)
    if digest is not None:
        tally.take(digest)
    return [row.wrong for row in tally.rows()]


def test_a_note_that_nothing_speaks_against_is_fine() -> None:
    assert wrong(note()) == [FINE]


@pytest.mark.parametrize(
    ("kind", "reason"),
    [(DecisionKind.REJECT, "rejected by a person later"), (DecisionKind.RETIRE, "retired by a person later")],
)
def test_a_note_that_a_person_took_out_after_it_was_told_was_wrong(kind: DecisionKind, reason: str) -> None:
    history = NoteHistory(decisions={"n1": [Decision(day_ms(12), kind)]})
    assert wrong(note(), told("s1", day=10), told("s2", day=14), history=history) == [reason, FINE]


def test_a_rejection_that_was_followed_by_an_approval_does_not_count() -> None:
    decisions = [Decision(day_ms(12), DecisionKind.REJECT), Decision(day_ms(13), DecisionKind.APPROVE)]
    assert wrong(note(), history=NoteHistory(decisions={"n1": decisions})) == [FINE]


def test_a_session_that_was_told_a_note_may_speak_against_it() -> None:
    item = note("n1", seen("a", 0), seen("b", 2), seen("s1", 10, is_against=True))
    assert wrong(item, told("s1"), told("s2")) == ["that session speaks against it", FINE]


def test_a_note_that_is_outdated_because_of_later_evidence_was_wrong() -> None:
    item = note("n1", seen("a", 0), seen("x", 12, is_against=True), status=ItemStatus.STALE)
    assert wrong(item, told("s1", day=10), told("s2", day=13)) == ["contradicted later", FINE]


def test_a_note_that_is_only_old_was_not_wrong() -> None:
    assert wrong(note(status=ItemStatus.STALE)) == [FINE]


def test_an_advised_command_that_cannot_be_called_was_wrong() -> None:
    missing = failed("uv run pytest -x", FailureClass.ENVIRONMENT, says="uv: command not found")
    digest = session(missing, name="s1", day=10)
    assert wrong(note(advice="uv run pytest"), digest=digest) == ["its command failed in that session"]


@pytest.mark.parametrize(
    "act",
    [
        failed("uv run pytest", FailureClass.WORK, says="2 failed"),
        failed("uv run mypy", FailureClass.ENVIRONMENT, says="uv: command not found"),
        ran("uv run pytest"),
    ],
)
def test_tests_that_fail_and_other_commands_say_nothing_against_an_advice(act: object) -> None:
    digest = session(act, name="s1", day=10)  # type: ignore[arg-type]
    assert wrong(note(advice="uv run pytest"), digest=digest) == [FINE]


def test_a_note_that_is_no_longer_there_is_not_called_wrong() -> None:
    assert wrong(note("other")) == [FINE]


def test_the_share_has_its_interval_and_its_reasons() -> None:
    item = note("n1", seen("a", 0), seen("b", 2), seen("s1", 10, is_against=True))
    tally = WrongTally([told(f"s{number}") for number in range(1, 11)], {"n1": item}, NO_HISTORY)
    figure = wrong_share(tally.rows())
    assert (figure.wrong, figure.told, figure.share) == (1, 10, 0.1)
    assert [round(bound, 3) for bound in figure.interval] == [0.018, 0.404]
    assert figure.by_reason == {"that session speaks against it": 1}
    assert wrong_share([]).share is None
