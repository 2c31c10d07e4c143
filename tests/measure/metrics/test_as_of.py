from tests.measure.metrics.noting import NO_HISTORY, day_ms, note, seen

from afterwit.measure.note_changes import NoteHistory, item_at, item_before, time_of
from afterwit.model.knowledge import READ, Channel, Item, ItemStatus
from afterwit.store.decisions import Decision, DecisionKind

EVIDENCE = (seen("a", 0), seen("b", 2), seen("c", 4))


def on(item: Item, day: float, history: NoteHistory = NO_HISTORY) -> Item | None:
    """The item as all that had happened by then makes it."""
    return item_at(item, [piece for piece in item.evidence if time_of(piece) <= day_ms(day)], day_ms(day), history)


def test_before_anything_was_seen_there_was_no_note() -> None:
    assert on(note("n1", *EVIDENCE), -1) is None


def test_a_note_grows_with_its_evidence() -> None:
    item = note("n1", *EVIDENCE)
    then = [on(item, day) for day in (0, 2, 4)]
    assert [past.status for past in then if past] == [ItemStatus.CANDIDATE, ItemStatus.ACTIVE, ItemStatus.ACTIVE]
    assert [len(past.evidence) for past in then if past] == [1, 2, 3]
    assert {past.id for past in then if past} == {"n1"}


def test_what_was_decided_about_a_merged_note_counts_from_its_day_on() -> None:
    history = NoteHistory(decisions={"old": [Decision(day_ms(3), DecisionKind.REJECT)]})
    item = note("n1", *EVIDENCE, merged=("old",))
    before, after = (on(item, day, history) for day in (2, 3))
    assert before is not None
    assert after is not None
    assert (before.status, after.status) == (ItemStatus.ACTIVE, ItemStatus.RETIRED)


def test_before_a_session_nothing_of_that_session_counts() -> None:
    again = seen("b", 3)
    item = note("n1", seen("a", 0), seen("b", 2), again)
    past = item_before(item, again, NO_HISTORY)
    assert past is not None
    assert [piece.session.native_id for piece in past.evidence] == ["a"]


def test_what_a_model_read_begins_with_how_sure_it_was() -> None:
    history = NoteHistory(stated={"n1": 0.8}, minimum_stories={READ: 1})
    read = note("n1", seen("a", 0, channel=Channel.USER), harvester=READ, channel=Channel.USER)
    past = on(read, 0, history)
    assert past is not None
    assert round(past.belief.mean, 2) == 0.8
