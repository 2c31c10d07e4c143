import datetime as dt

from tests.every import for_every
from tests.measure.dashboard.figuring import figures
from tests.measure.live.test_effect import lived, of
from tests.measure.metrics.noting import day_ms

from afterwit.config.calendar import Calendar, week_of
from afterwit.measure.effect import effect_of
from afterwit.measure.note_changes import GAINED, LOST, ConfidenceTest, NoteChange, calibration, velocity
from afterwit.measure.report import page, summary
from afterwit.measure.standing_figures import (
    ErrorWeek,
    JudgedSession,
    MemoryCost,
    ModelSpend,
    cost_of_memory,
    course,
    recurrence,
)
from afterwit.measure.told_notes import Came, MomentOfNote, ToldJudgement, hit_rate, wrong_share
from afterwit.measure.words import percent, shared

CALENDAR = Calendar(day_ms(20), dt.UTC)
CHANGES = [
    NoteChange(day_ms(1), "n1", GAINED, "fact", "places"),
    NoteChange(day_ms(9), "n1", LOST, "fact", "places"),
]
JUDGED = [
    JudgedSession(day_ms(1), "s1", "codex", "code", "success", True),
    JudgedSession(day_ms(9), "s2", "codex", "file", "failure", False),
]


def weekly(at_ms: int) -> str:
    return week_of(CALENDAR.date(at_ms))


def test_an_empty_store_is_said_to_be_one() -> None:
    text = page(figures(), CALENDAR)
    assert text.startswith("# What memory does\n\nMade on 2026-05-21 from 0 sessions.")
    assert "Nobody can tell yet: notes were told in 0 sessions" in text
    assert "No note is in use yet" in text
    assert "No session was learned yet: `afterwit learn` reads" in text
    assert "none of none" not in text
    assert "| --- |" not in text


def test_the_first_thing_to_read_is_whether_it_helps() -> None:
    text = page(figures(helps="It helps: 12 % fewer failures."), CALENDAR)
    assert text.index("It helps: 12 % fewer failures.") < text.index("## What was told")
    assert summary(figures(helps="It helps."))[0] == "Does it help? It helps."


def test_what_was_compared_stands_below_the_verdict() -> None:
    text = page(figures(helps="It helps.", effect=effect_of(of(list(lived(400, 3))))), CALENDAR)
    assert "(`lost-actions`)" in text
    assert "| helps |" in text


def test_told_notes_come_with_of_how_many_they_are() -> None:
    kinds = [Came.CAME, Came.CAME, Came.CAME, Came.NOT]
    rows = [MomentOfNote(day_ms(1), f"s{at}", "codex", "n1", "start", came) for at, came in enumerate(kinds)]
    judged = [ToldJudgement(day_ms(1), "s1", "codex", "n1", "it is")]
    text = page(figures(hit_rate=hit_rate(rows), wrong=wrong_share(judged)), CALENDAR)
    assert "3 of 4 (too few for a share) had their moment come" in text
    assert "In all, 4 notes told in 4 sessions" in text
    assert "| at the start | 3 of 4 |" in text
    assert "Found to be wrong since: 1 of 1 (too few for a share) of them: 1 it is." in text


def test_errors_are_not_said_to_fall_because_of_telling() -> None:
    text = page(figures(recurrence=recurrence([ErrorWeek("a", -1, 10, 0, 4), ErrorWeek("a", 0, 20, 7, 3)])), CALENDAR)
    assert "The errors of 1 note happened in 4 of 10 (40 %;" in text
    assert "in 3 of 20 (15 %; 95 % interval 5 to 36 %) after, of which 7 were told it." in text
    assert "this alone does not show that telling helps" in text
    assert "| -1 | 4 of 10 | 0 |" in text


def test_notes_without_sessions_on_both_sides_are_not_compared() -> None:
    text = page(figures(recurrence=recurrence([ErrorWeek("a", 0, 20, 7, 3)])), CALENDAR)
    assert "1 note to follow, and none with sessions before and after that." in text


def test_what_it_cost_names_every_kind_of_cost() -> None:
    costs = [
        MemoryCost(day_ms(1), "s1", "codex", False, 2, 300, 40),
        MemoryCost(day_ms(2), "s2", "codex", True, 0, 0, None),
    ]
    spent = cost_of_memory(costs, (), ModelSpend(requests=3, tokens=12_000, cost_usd=0.5, unpriced=1))
    text = page(figures(cost=spent), CALENDAR)
    assert "1 session was told 300 tokens: 300 on average, 300 at most" in text
    assert "took 12,000 tokens and $0.50 in 3 requests (1 of them without a known price)." in text
    assert "notes were told in 1 session, and 1 session was skipped on purpose, to compare." in text


def test_sessions_and_notes_are_counted_in_words_and_by_week() -> None:
    made = figures(course=course(JUDGED, weekly), velocity=velocity(CHANGES, 4, 20), sessions=2, since_ms=day_ms(1))
    text = page(made, CALENDAR)
    assert "from 2 sessions since May 2." in text
    assert "1 of 2 (too few for a share) ended well." in text
    assert "| 2026-W18 | 1 | 1 of 1 | 1 of 1 |" in text
    assert "4 notes are in use: in 20 days 1 gained and 1 lost." in text
    assert "| found by `places` | 1 | 1 |" in text


def test_confidence_that_rests_on_a_handful_is_left_out() -> None:
    text = page(figures(confidence=calibration([ConfidenceTest(0, "s1", "a", 0.8, True)] * 9)), CALENDAR)
    assert "nobody can tell yet: 9 times a session spoke of a note that was there before, and it takes 10." in text
    assert "Brier" not in text


def test_of_many_weeks_the_latest_year_is_shown() -> None:
    rows = [JUDGED[0]._replace(at_ms=day_ms(7 * week)) for week in range(80)]
    assert page(figures(course=course(rows, weekly)), CALENDAR).count("-W") == 53


def test_confidence_is_compared_with_what_happened() -> None:
    tests = [ConfidenceTest(0, "s1", note, chance, came) for note, chance, came in (("a", 0.8, True), ("b", 0.8, True))]
    tests.append(ConfidenceTest(0, "s2", "c", 0.6, False))
    text = page(figures(confidence=calibration(tests * 5)), CALENDAR)
    assert "15 times a session spoke of a note that was there before it;" in text
    assert "the Brier score of its confidence is 0.147" in text
    assert "Always saying the usual share would get 0.222; telling notes apart spares 0.222 of that" in text
    assert "| 0.80 | 10 of 10 (100 %; 95 % interval 72 to 100 %) |" in text


@for_every(
    "said, words",
    [
        (percent(0.123), "12 %"),
        (percent(0.004), "0.4 %"),
        (percent(0.0), "0 %"),
        (percent(0.9903), "99 %"),
        (percent(0.996), "99.6 %"),
        (percent(0.9999), "100 %"),
        (shared(0, 0, (0.0, 1.0)), "none of none"),
    ],
)
def test_figures_are_as_exact_as_they_are_useful(said: str, words: str) -> None:
    assert said == words
