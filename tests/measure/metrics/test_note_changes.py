from tests.measure.metrics.noting import NO_HISTORY, day_ms, note, seen

from afterwit.measure.note_changes import GAINED, LOST, NoteChange, NoteHistory, gained_times, note_changes, velocity
from afterwit.model.knowledge import Category, ItemStatus
from afterwit.store.decisions import Decision, DecisionKind


def changes(*items: object, history: NoteHistory = NO_HISTORY) -> list[NoteChange]:
    return note_changes(items, history, gained_times(items, history))  # type: ignore[arg-type]


def test_a_note_is_gained_when_its_second_independent_session_has_shown_it() -> None:
    assert gained_times([note("n1", seen("a", 0), seen("a", 1), seen("b", 4), seen("c", 9))], NO_HISTORY) == {
        "n1": day_ms(4)
    }


def test_a_note_that_one_session_shows_is_gained_by_the_approval_of_a_person() -> None:
    approved = NoteHistory(decisions={"n1": [Decision(day_ms(7), DecisionKind.APPROVE)]})
    (change,) = changes(note("n1", seen("a", 0), is_decided=True), history=approved)
    assert (change.at_ms, change.change) == (day_ms(7), GAINED)


def test_a_note_that_waits_is_not_gained() -> None:
    waiting = note("n1", seen("a", 0), status=ItemStatus.CANDIDATE)
    assert changes(waiting) == []


def test_a_note_that_a_person_has_to_look_at_first_is_not_gained() -> None:
    assert changes(note(status=ItemStatus.QUARANTINED)) == []


def test_a_note_is_lost_on_the_day_of_the_decision_that_took_it_out() -> None:
    rejected = NoteHistory(decisions={"n1": [Decision(day_ms(9), DecisionKind.REJECT)]})
    gone = note(status=ItemStatus.RETIRED, reason="rejected by a person")
    assert [(change.change, change.at_ms) for change in changes(gone, history=rejected)] == [
        (GAINED, day_ms(2)),
        (LOST, day_ms(9)),
    ]


def test_a_note_is_lost_when_another_takes_its_place() -> None:
    old = note("old", status=ItemStatus.SUPERSEDED, superseded_by="new", reason="replaced by new")
    new = note("new", seen("c", 5), seen("d", 6))
    assert (LOST, day_ms(6)) in [(change.change, change.at_ms) for change in changes(old, new)]


def test_a_note_is_lost_with_the_last_that_speaks_against_it() -> None:
    against = [seen(name, 5 + at, is_against=True) for at, name in enumerate("cdefgh")]
    stale = note("n1", seen("a", 0), seen("b", 2), *against, status=ItemStatus.STALE, reason="contradicted by 6")
    assert [change.at_ms for change in changes(stale) if change.change == LOST] == [day_ms(10)]


def test_nobody_can_tell_when_a_note_grew_too_old() -> None:
    stale = note(status=ItemStatus.STALE, reason="not seen for 200 days")
    (lost,) = (change for change in changes(stale) if change.change == LOST)
    assert lost.at_ms == 0


def test_what_came_and_went_is_counted_by_category_and_by_what_found_it() -> None:
    stale = note("n3", status=ItemStatus.STALE, reason="not seen for 200 days")
    fact = note("n2", category=Category.FACT, harvester="environment")
    pace = velocity(changes(note("n1"), fact, stale), in_use=2, days=10)
    assert (pace.gained, pace.lost, pace.lost_undated, pace.in_use) == (3, 1, 1, 2)
    assert pace.by_category == {"fact": (1, 0), "pitfall": (2, 1)}
    assert pace.by_harvester == {"corrections": (2, 1), "environment": (1, 0)}


def test_nothing_came_of_nothing() -> None:
    pace = velocity([], in_use=0, days=0)
    assert (pace.gained, pace.days, pace.by_category) == (0, 0, {})
