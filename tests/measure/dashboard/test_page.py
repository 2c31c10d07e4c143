import datetime as dt

from tests.every import for_every
from tests.measure.dashboard.figuring import figures, measured
from tests.measure.dashboard.test_history import day
from tests.measure.live.test_effect import lived, of
from tests.measure.metrics.noting import day_ms

from afterwit.config.calendar import Calendar, week_of
from afterwit.measure.charts import CONFIDENCE, ERRORS, IN_USE, NOTES, SESSIONS, pictures
from afterwit.measure.confidence import Forecast, calibration
from afterwit.measure.effect import effect_of
from afterwit.measure.memory_cost import MemoryCost, ModelSpend, cost_of_memory
from afterwit.measure.note_changes import GAINED, LOST, NoteChange, velocity
from afterwit.measure.page import page, summary
from afterwit.measure.recurrence import ErrorWeek, recurrence
from afterwit.measure.session_course import JudgedSession, course
from afterwit.measure.told_notes import Came, MomentOfNote, ToldJudgement, hit_rate, wrong_share
from afterwit.measure.words import percent, rate, shared, signed

CALENDAR = Calendar(day_ms(20), dt.UTC)
CHANGES = [
    NoteChange(day_ms(1), "n1", GAINED, "fact", "places", "there was enough evidence"),
    NoteChange(day_ms(9), "n1", LOST, "fact", "places", "rejected by a person"),
]
JUDGED = [
    JudgedSession(day_ms(1), "s1", "codex", "code", "success", True),
    JudgedSession(day_ms(9), "s2", "codex", "file", "failure", False),
]
WEEKS = [
    ErrorWeek("a", -1, 10, 0, 4, 5),
    ErrorWeek("a", 0, 20, 7, 3, 4),
    ErrorWeek("b", -1, 10, 0, 0, 1),
    ErrorWeek("b", 0, 5, 0, 0, 1),
]


def weekly(at_ms: int) -> str:
    return week_of(CALENDAR.date(at_ms))


def test_an_empty_store_is_said_to_be_one() -> None:
    text = page(figures(), {}, CALENDAR)
    assert text.startswith("# What memory does\n\nMade on 2026-05-21 from 0 sessions.")
    assert "Nobody can tell yet: no session was told anything." in text
    assert "No note is in use yet." in text
    assert "No session was learned yet: `afterwit learn` reads" in text
    assert "none of none" not in text
    assert "![" not in text
    assert "| --- |" not in text


def test_the_first_thing_to_read_is_whether_it_helps() -> None:
    text = page(figures(helps="It helps: 12 % fewer failures."), {}, CALENDAR)
    assert text.index("It helps: 12 % fewer failures.") < text.index("## What was told")
    assert summary(figures(helps="It helps."))[0] == "It helps."


def test_what_was_compared_stands_below_the_verdict_and_what_it_saved_beside_the_cost() -> None:
    cost = cost_of_memory([MemoryCost(day_ms(1), "s1", "codex", False, 1, 40, 17, 0.5)], (), ModelSpend())
    text = page(figures(helps="It helps.", effect=effect_of(of(list(lived(400, 3)))), cost=cost), {}, CALENDAR)
    assert "(`lost-actions`)" in text
    assert "| helps |" in text
    assert "put on two sides by chance with nothing told to either" in text
    assert "What it saved, by the comparison under the first heading: lost in 100 of the first 30 actions" in text
    unknown = page(figures(effect=effect_of(of([])), cost=cost), {}, CALENDAR)
    assert "What it saved nobody can tell yet" in unknown


def test_told_notes_come_with_of_how_many_they_are() -> None:
    kinds = [Came.CAME, Came.CAME, Came.CAME, Came.NOT]
    rows = [MomentOfNote(day_ms(1), f"s{at}", "codex", "n1", "start", came) for at, came in enumerate(kinds)]
    told = figures(hit_rate=hit_rate(rows), wrong=wrong_share([ToldJudgement(day_ms(1), "s1", "codex", "n1", "it is")]))
    text = page(told, {}, CALENDAR)
    assert "3 of 4 (75 %; 95 % interval 30 to 95 %) had their moment come" in text
    assert "In all, 4 notes were told in 4 sessions" in text
    assert "| at the start | 3 of 4 |" in text
    assert "Found to be wrong since: 1 of 1 (100 %; 95 % interval 21 to 100 %) told notes: 1 it is." in text


def test_errors_are_not_said_to_fall_because_of_telling() -> None:
    text = page(figures(recurrence=recurrence(WEEKS)), {}, CALENDAR)
    assert "too few to tell (from 30 to 20 in 100 sessions once the notes were learned; 95 %" in text
    assert "fell" not in text
    assert "Of the sessions after, 7 were told the note." in text
    assert "this alone does not show that telling helps" in text


def test_errors_that_nobody_was_told_about_come_and_go_by_themselves() -> None:
    untold = [row._replace(told=0) for row in WEEKS]
    assert "this is how errors come and go by themselves" in page(figures(recurrence=recurrence(untold)), {}, CALENDAR)


def test_one_note_says_nothing_about_others() -> None:
    text = page(figures(recurrence=recurrence(WEEKS[:2])), {}, CALENDAR)
    assert "too few to tell, it is one note so far." in text
    assert "rose" not in text


def test_notes_without_sessions_on_both_sides_are_not_compared() -> None:
    assert "1 note to follow, and none with sessions both before and after" in page(
        figures(recurrence=recurrence(WEEKS[1:2])), {}, CALENDAR
    )


def test_what_it_cost_names_every_kind_of_cost() -> None:
    costs = [
        MemoryCost(day_ms(1), "s1", "codex", False, 2, 300, 40, 0.9),
        MemoryCost(day_ms(2), "s2", "codex", True, 0, 0, None, 0.8),
    ]
    spent = cost_of_memory(costs, (), ModelSpend(requests=3, tokens=12_000, cost_usd=0.5, unpriced=1))
    text = page(figures(cost=spent), {}, CALENDAR)
    assert "1 session was told 300 tokens: 300 on average, 300 at most" in text
    assert "How long hooks took was not recorded." in text
    assert "90 % of what models were given in 1 session that was told something" in text
    assert "80 % in 1 session that was skipped on purpose, to compare" in text
    assert "took 12,000 tokens and $0.50 in 3 requests (1 of them without a known price)." in text
    assert "notes were told in 1 session, and 1 session was skipped on purpose, to compare." in text


def test_sessions_and_notes_are_counted_in_words() -> None:
    text = page(
        figures(course=course(JUDGED, weekly), velocity=velocity(CHANGES, 4, 20), sessions=2, since_ms=day_ms(1)),
        {},
        CALENDAR,
    )
    assert "from 2 sessions since May 2." in text
    assert "1 of 2 (50 %; 95 % interval 9 to 91 %) ended well." in text
    assert "That is too few to say much." in text
    assert "Of 1 session that mostly ran commands, 1 of 1 ended well, and 1 of 1 passed the first check." in text
    assert "4 notes are in use: in 20 days 1 was gained (one in 20 days), and 1 lost." in text
    assert "| found by `places` | 1 | 1 |" in text


def test_confidence_is_compared_with_what_happened() -> None:
    tested = calibration([Forecast(0.8, True, "a"), Forecast(0.8, True, "b"), Forecast(0.6, False, "c")])
    text = page(figures(confidence=tested), {}, CALENDAR)
    assert "3 times a session spoke of a note that was there before it;" in text
    assert "the Brier score of its confidence is 0.147" in text
    assert "Always saying the usual share would get 0.222; telling notes apart spares 0.222 of that" in text


def test_where_all_sessions_said_the_same_nothing_is_told_apart() -> None:
    text = page(figures(confidence=calibration([Forecast(0.8, True, "a"), Forecast(0.7, True, "b")])), {}, CALENDAR)
    assert "All of these sessions said the same" in text


def test_a_picture_is_shown_only_where_there_is_something_to_show() -> None:
    assert pictures(measured(), [day("2026-05-21")], weekly) == {}
    full = measured(
        CHANGES,
        recurrence=recurrence(WEEKS),
        course=course(JUDGED, weekly),
        confidence=calibration([Forecast(0.8, True)]),
    )
    charts = pictures(full, [day("2026-05-20"), day("2026-05-21", 3)], weekly)
    assert list(charts) == [ERRORS, SESSIONS, NOTES, IN_USE, CONFIDENCE]
    text = page(full.figures, charts, CALENDAR)
    assert all(f"]({name})" in text for name in charts)


def test_weeks_stand_where_they_are_in_time() -> None:
    charts = pictures(measured(course=course(JUDGED, weekly)), [], weekly)
    first, last = (point.x for point in charts[SESSIONS].series[0].points)
    assert last - first == 1
    assert [text for _, text in charts[SESSIONS].x.ticks] == ["2026-W18", "2026-W19"]


def test_of_many_weeks_the_latest_year_is_shown() -> None:
    rows = [JUDGED[0]._replace(at_ms=day_ms(7 * week)) for week in range(80)]
    charts = pictures(measured(course=course(rows, weekly)), [], weekly)
    assert len(charts[SESSIONS].series[0].points) == 53
    assert len(charts[SESSIONS].x.ticks) <= 8


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
        (rate(12.3), "12"),
        (rate(4.26), "4.3"),
        (signed(-12.3), "−12"),
        (signed(0.0), "0"),
        (signed(3.21), "+3.2"),
    ],
)
def test_figures_are_as_exact_as_they_are_useful(said: str, words: str) -> None:
    assert said == words
