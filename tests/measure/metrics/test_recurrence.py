import pytest
from tests.harvest.work import Act, failed, ran, session
from tests.measure.metrics.noting import SIGNATURE, day_ms, note

from afterwit.measure.standing_figures import LAST_WEEK, ErrorWeek, RecurrenceTally, recurrence
from afterwit.measure.told_notes import SessionKey
from afterwit.model.digest import Digest
from afterwit.model.knowledge import EVERYWHERE, Item, Scope, ScopeKind, Trigger

FAILS = failed("press --fast", signature=SIGNATURE)
LEARNED = {"n1": day_ms(13.9)}


def on(day: int, *acts: Act, **more: object) -> Digest:
    return session(*(acts or (ran("ls"),)), day=day, name=f"s{day}", **more)


def counted(
    *digests: Digest, items: tuple[Item, ...] = (), told: dict[SessionKey, frozenset[str]] | None = None
) -> RecurrenceTally:
    tally = RecurrenceTally(items or (note(),), LEARNED, told or {})
    for digest in digests:
        tally.take(digest)
    return tally


def test_errors_are_counted_by_weeks_since_the_note_was_learned() -> None:
    tally = counted(on(7, FAILS), on(13), on(14, FAILS, FAILS), on(15), on(21), on(28, FAILS))
    assert tally.rows() == [
        ErrorWeek("n1", -1, 2, 0, 1),
        ErrorWeek("n1", 0, 2, 0, 1),
        ErrorWeek("n1", 1, 1, 0, 0),
        ErrorWeek("n1", 2, 1, 0, 1),
    ]
    assert [(error.session, error.week, error.times) for error in tally.seen] == [
        ("s7", -1, 1),
        ("s14", 0, 2),
        ("s28", 2, 1),
    ]


def test_rules_count_once_for_each_run_that_reported_them() -> None:
    item = note(triggers=(Trigger(rule="E501"), Trigger(rule="F401")))
    lint = failed("ruff check", rules=(("E501", "long"), ("E501", "long"), ("F401", "unused")))
    (error,) = counted(on(14, lint, lint), items=(item,)).seen
    assert error.times == 4


def test_long_before_is_left_out_and_long_after_counts_together() -> None:
    tally = counted(on(14 - 57), on(14 + 7 * 13), on(14 + 7 * 20))
    assert [(row.week, row.sessions) for row in tally.rows()] == [(LAST_WEEK, 2)]


@pytest.mark.parametrize(
    ("scope", "agents", "sessions"),
    [
        (EVERYWHERE, (), 3),
        (Scope(ScopeKind.AGENT, "gemini"), (), 1),
        (Scope(ScopeKind.REPO, "example.org/sea/harbour"), (), 1),
        (EVERYWHERE, ("gemini",), 1),
    ],
)
def test_only_sessions_count_in_which_the_note_holds(scope: Scope, agents: tuple[str, ...], sessions: int) -> None:
    digests = (on(14), on(15, agent="gemini"), on(16, repo="example.org/sea/harbour"))
    rows = counted(*digests, items=(note(scope=scope, agents=agents),)).rows()
    assert sum(row.sessions for row in rows) == sessions


def test_notes_that_name_no_error_and_notes_that_were_never_learned_are_not_followed() -> None:
    assert counted(on(14, FAILS), items=(note(triggers=(Trigger(program="press"),)), note("n2"))).rows() == []


def test_sessions_that_did_nothing_do_not_count() -> None:
    assert counted(session(day=14)).rows() == []


def test_told_sessions_are_counted_among_them() -> None:
    told = {SessionKey("codex", "s15"): frozenset(("n1",))}
    assert [row.told for row in counted(on(15), on(16), told=told).rows()] == [1]


def test_all_notes_together_have_a_share_by_week() -> None:
    rows = [ErrorWeek("a", 0, 8, 0, 2), ErrorWeek("b", 0, 2, 0, 1), ErrorWeek("a", 1, 4, 0, 0)]
    figure = recurrence(rows)
    assert figure.notes == 2
    assert [(week.week, week.notes, week.came_in, week.sessions, week.share) for week in figure.weeks] == [
        (0, 2, 3, 10, 0.3),
        (1, 1, 0, 4, 0.0),
    ]


def test_before_and_after_are_compared_for_notes_that_have_both() -> None:
    rows = [
        ErrorWeek("a", -1, 10, 0, 4),
        ErrorWeek("a", 0, 20, 7, 3),
        ErrorWeek("b", -2, 10, 0, 3),
        ErrorWeek("b", 3, 20, 0, 1),
        ErrorWeek("only after", 1, 50, 0, 50),
    ]
    figure = recurrence(rows)
    assert (figure.before.notes, figure.before.came_in, figure.before.sessions) == (2, 7, 20)
    assert (figure.after.notes, figure.after.came_in, figure.after.sessions, figure.after.told) == (2, 4, 40, 7)


def test_notes_without_sessions_on_both_sides_are_not_compared() -> None:
    figure = recurrence([ErrorWeek("a", 0, 20, 7, 3)])
    assert (figure.notes, figure.before.share, figure.after.share) == (1, None, None)


def test_the_session_that_a_note_was_learned_from_lies_before() -> None:
    tally = RecurrenceTally((note(),), {"n1": day_ms(14)}, {})
    for day in (14, 15):
        tally.take(on(day))
    assert [(row.week, row.sessions) for row in tally.rows()] == [(-1, 1), (0, 1)]
