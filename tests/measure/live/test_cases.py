"""Draws joined with how their sessions went."""

from pathlib import Path

from tests.measure.histories import HOUR_S, Log
from tests.measure.live.drawn import AT_MS, ODDS, draw, learned_cases, subagent

from afterwit.measure.outcomes import Figure

DAY_MS = 86_400_000


def worked(number: int, fails: int = 1) -> Log:
    """Two searches, an edit, failures and a check that passes."""
    log = Log(number, number * HOUR_S).prompt("Let the cider press stop when the barrel is full")
    log.search("barrel").search("press").edit("src/press.py")
    for _ in range(fails):
        log.shell("make prune", "make: *** No rule to make target 'prune'.", fails=True)
    return log.shell("pytest -q", "3 passed")


def written_by(log: Log, model: str) -> Log:
    """The log as if this model had answered, with the tokens that it took."""
    for record in log.records:
        if record["type"] == "assistant":
            record["message"] |= {"model": model, "usage": {"input_tokens": 1_000, "output_tokens": 100}}
    return log


def test_a_session_is_joined_with_its_draw_and_its_figures_are_those_counted_by_hand(tmp_path: Path) -> None:
    log = worked(1).prompt("No, that is wrong: stop it earlier")
    log.put(tmp_path / "home")
    draw(tmp_path, log.session)
    (case,) = learned_cases(tmp_path).drawn
    assert (case.session, case.arm, case.odds) == (log.session, "told", ODDS)
    expected = {
        Figure.LOST: 30.0,  # two searches and a failure, of five actions that count as ten
        Figure.COMPLETION: 0.0,
        Figure.FAILURES: 10.0,
        Figure.REPEATED: 0.0,
        Figure.SEARCHES: 2.0,
        Figure.CORRECTIONS: 1.0,
        Figure.TURNS: 1.0,
        Figure.FIRST_TRY: 1.0,
        Figure.EARLY_ERRORS: 1.0,
    }
    assert {figure: case.figures[figure] for figure in expected} == expected


def test_failures_that_an_earlier_session_or_this_one_had_met_are_repeated(tmp_path: Path) -> None:
    for number, fails in ((1, 1), (2, 2), (3, 0)):
        log = worked(number, fails)
        log.put(tmp_path / "home")
        if number > 1:
            draw(tmp_path, log.session, at_ms=AT_MS + number * HOUR_S * 1000)
    cases = learned_cases(tmp_path)
    assert [case.figures[Figure.REPEATED] for case in cases.past] == [0.0]
    assert [case.figures[Figure.REPEATED] for case in cases.drawn] == [20.0, 0.0]


def test_subagents_count_with_their_session_on_its_side(tmp_path: Path) -> None:
    log, helper = worked(1), worked(2, fails=3)
    log.put(tmp_path / "home")
    subagent(tmp_path / "home", log.session, helper, "a1")
    draw(tmp_path, log.session, "held")
    draw(tmp_path, log.session, "held", context="a1", moment="after")
    (case,) = learned_cases(tmp_path).drawn
    assert (case.arm, case.figures[Figure.FAILURES]) == ("held", 100 * 4 / 12)


def test_a_session_has_a_cost_only_where_the_models_of_its_subagents_have_prices(tmp_path: Path) -> None:
    for number, model in enumerate(("claude-haiku-4-5", "model-of-nobody-9")):
        log, helper = written_by(worked(number), "claude-opus-4-6"), written_by(worked(number + 2), model)
        log.put(tmp_path / "home")
        subagent(tmp_path / "home", log.session, helper, f"a{number}")
        draw(tmp_path, log.session, at_ms=AT_MS + number)
    assert [Figure.COST in case.figures for case in learned_cases(tmp_path).drawn] == [True, False]


def test_a_session_over_midnight_or_after_a_change_of_the_clock_stays_on_its_side(tmp_path: Path) -> None:
    late, turned = worked(1), worked(2)
    for log in (late, turned):
        log.put(tmp_path / "home")
    draw(tmp_path, late.session, "held", AT_MS + DAY_MS - 1)
    draw(tmp_path, late.session, "held", AT_MS + DAY_MS + 1, moment="after")
    draw(tmp_path, turned.session, "told", AT_MS)
    draw(tmp_path, turned.session, "told", AT_MS - 3 * DAY_MS, moment="after")
    cases = learned_cases(tmp_path)
    assert {case.session: case.arm for case in cases.drawn} == {late.session: "held", turned.session: "told"}


def test_a_part_that_was_drawn_to_the_other_side_counts_where_the_first_draw_fell(tmp_path: Path) -> None:
    log, later = worked(1), worked(2)
    log.put(tmp_path / "home")
    forked = [{**record, "forkedFrom": {"sessionId": log.session, "messageUuid": "m"}} for record in later.records]
    later.records = forked
    later.put(tmp_path / "home")
    draw(tmp_path, log.session, "held")
    draw(tmp_path, later.session, "told", AT_MS + HOUR_S)
    (case,) = learned_cases(tmp_path).drawn
    assert (case.session, case.arm) == (log.session, "held")


def test_what_was_drawn_for_a_session_without_a_log_is_told_apart(tmp_path: Path) -> None:
    draw(tmp_path, "never-logged", "held")
    cases = learned_cases(tmp_path)
    assert [(case.session, case.arm) for case in cases.lost] == [("never-logged", "held")]
    assert cases.drawn == []


def test_a_plan_that_was_stopped_without_a_word_is_neither_lost_nor_refused(tmp_path: Path) -> None:
    stopped = (
        "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit,"
        " the new_string was NOT written to the file)."
    )
    answers = (f"{stopped} STOP what you are doing", f"{stopped} To tell you how to proceed, the user said:\nshorter")
    for number, answer in enumerate(answers):
        log = Log(number, number * HOUR_S).prompt("Prune the trees").plan(answer)
        log.put(tmp_path / "home")
        draw(tmp_path, log.session, at_ms=AT_MS + number)
    figures = [case.figures for case in learned_cases(tmp_path).drawn]
    assert [(own[Figure.LOST], own[Figure.REFUSALS]) for own in figures] == [(0.0, 0.0), (10.0, 1.0)]


def test_a_draw_without_odds_is_not_weighed(tmp_path: Path) -> None:
    log = worked(1)
    log.put(tmp_path / "home")
    draw(tmp_path, log.session, arm="told", odds={}, item_odds=None)
    assert learned_cases(tmp_path).drawn == []


def test_each_item_counts_with_its_first_draw_and_only_where_the_moment_was_told(tmp_path: Path) -> None:
    log, held = worked(1), worked(2)
    for one in (log, held):
        one.put(tmp_path / "home")
    draw(tmp_path, log.session, items={"rule-1": 1, "rule-2": 0, "places": 1})
    draw(tmp_path, log.session, at_ms=AT_MS + 1, moment="after", items={"rule-2": 1, "fix-1": 1}, act="activity")
    draw(tmp_path, held.session, "held")
    told, untold = sorted(learned_cases(tmp_path).drawn, key=lambda case: case.arm == "held")
    assert {(one.item, one.harvester, one.moment, one.is_told, one.chance) for one in told.items} == {
        ("rule-1", "", "start", True, 0.9),
        ("rule-2", "", "start", False, 0.9),
        ("places", "places", "start", True, 0.9),
        ("fix-1", "", "activity", True, 0.9),
    }
    assert untold.items == ()


def test_a_call_that_we_refused_is_lost_and_no_refusal_by_the_user(tmp_path: Path) -> None:
    refused = "[afterwit notes from past sessions]\nUse `make pears`.\n[end of afterwit notes]"
    denied = f"PreToolUse:Bash hook error: {refused}"
    log = Log(1, 0).prompt("Prune the trees").shell("make plums", denied, fails=True).shell("make pears")
    log.put(tmp_path / "home")
    draw(tmp_path, log.session)
    draw(tmp_path, log.session, at_ms=AT_MS + 1, moment="before", act="refuse", text=refused)
    (case,) = learned_cases(tmp_path).drawn
    assert (case.figures[Figure.LOST], case.figures[Figure.REFUSALS]) == (10.0, 0.0)


def test_what_an_agent_asked_for_is_no_draw_of_a_note(tmp_path: Path) -> None:
    log, other = worked(1), worked(2)
    for session in (log.session, other.session):
        draw(tmp_path, session, at_ms=AT_MS + 1, moment="asked", items={"asked-1": 1})
    for logged in (log, other):
        logged.put(tmp_path / "home")
    draw(tmp_path, other.session)
    draw(tmp_path, other.session, at_ms=AT_MS + 2, moment="recall", items={"recalled-1": 0})
    (case,) = learned_cases(tmp_path).drawn
    assert (case.session, [drawn.item for drawn in case.items]) == (other.session, ["rule-1"])
