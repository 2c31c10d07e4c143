"""What follows from cases whose truth is known."""

import random
from collections.abc import Iterator

import msgspec
import pytest
from tests.measure.live.drawn import AT_MS, ODDS, case

from afterwit.measure.cases import Case, Cases, ItemDraw
from afterwit.measure.effect import Alarm, Grouping, arms_compared, effect_of, explained, explained_group
from afterwit.measure.outcomes import Figure
from afterwit.measure.statistics import Finding

EVEN = {"held": 0.5, "told": 0.5}


def of(drawn: list[Case], past: list[Case] | None = None, lost: list[Case] | None = None) -> Cases:
    return Cases(past=past or [], drawn=drawn, lost=lost or [])


def lived(count: int, spared: float, odds: dict[str, float] | None = None, seed: int = 1) -> Iterator[Case]:
    """Sessions that lose about 20 of 100 actions, and so many fewer where they were told."""
    rng = random.Random(seed)
    chances = odds or EVEN
    for number in range(count):
        arm = rng.choices(list(chances), list(chances.values()))[0]
        usual = 20 + rng.gauss(0, 4)
        yield case(number, usual - (spared if arm == "told" else 0), arm, chances)


@pytest.mark.parametrize(("spared", "finding"), [(3, Finding.HELPS), (0, Finding.NO_EVIDENCE), (-3, Finding.HARMS)])
def test_the_verdict_is_that_of_the_truth(spared: float, finding: Finding) -> None:
    report = effect_of(of(list(lived(400, spared))))
    assert (report.finding, report.alarms) == (finding, [])
    low, high = report.main.estimate.low, report.main.estimate.high
    assert low is not None
    assert high is not None
    assert low < -spared < high


def test_a_share_that_was_changed_in_between_does_not_shift_the_effect() -> None:
    """While sessions get easier, the share that is told goes up: a plain difference of means would call that help."""
    rng = random.Random(3)
    drawn = []
    for number in range(600):
        odds = {"held": 0.8, "told": 0.2} if number < 300 else {"held": 0.1, "told": 0.9}
        arm = rng.choices(list(odds), list(odds.values()))[0]
        drawn.append(case(number, (40 if number < 300 else 10) + rng.gauss(0, 4), arm, odds))
    report = effect_of(of(drawn))
    assert report.finding is Finding.NO_EVIDENCE
    assert abs(report.main.estimate.effect or 0) < 3


def test_where_the_draws_are_next_to_impossible_nothing_is_concluded() -> None:
    drawn = [one for one in lived(600, 5) if one.arm == "told" or int(one.session[1:]) % 5 == 0]
    report = effect_of(of(drawn))
    assert (report.alarms, report.finding) == ([Alarm.DRAWS], Finding.NO_EVIDENCE)


def test_where_logs_of_one_side_are_missing_nothing_is_concluded() -> None:
    everyone = list(lived(600, 5))
    kept = [one for one in everyone if one.arm == "told" or int(one.session[1:]) % 5 == 0]
    lost = [msgspec.structs.replace(one, figures={}) for one in everyone if one not in kept]
    report = effect_of(of(kept, lost=lost))
    assert (report.alarms, report.finding, report.lost) == ([Alarm.LOGS], Finding.NO_EVIDENCE, len(lost))


def test_an_item_that_harms_is_found_among_those_that_do_nothing() -> None:
    rng = random.Random(7)
    drawn = []
    for number in range(800):
        shown = {item: rng.random() < 0.7 for item in ("bad", "idle", "other")}
        value = 20 + rng.gauss(0, 4) + (8 if shown["bad"] else 0)
        items = tuple(
            ItemDraw(item=item, harvester="rules" if item == "bad" else "", moment="start", is_told=told, chance=0.7)
            for item, told in shown.items()
        )
        drawn.append(case(number, value, "told", {"told": 1.0}, items=items))
    cases = msgspec.structs.replace(of(drawn), in_use=frozenset({"bad", "idle"}))
    report = effect_of(cases)
    assert effect_of(of(drawn)).harmful == []  # one that is no longer told needs no retirement
    assert {item.name: item.finding for item in report.items} == {
        "bad": Finding.HARMS,
        "idle": Finding.NO_EVIDENCE,
        "other": Finding.NO_EVIDENCE,
    }
    assert report.harmful == ["bad"]
    assert {group.name: group.finding for group in report.harvesters} == {"rules": Finding.HARMS}
    assert [(group.name, group.draws) for group in report.moments] == [("start", 2400)]
    assert [(group.name, group.draws) for group in report.origins] == [("counting", 800)]
    rows = explained_group(cases, Grouping.ITEM, "bad")
    (bad,) = (item for item in report.items if item.name == "bad")
    scores = [row.score for row in rows if row.score is not None]
    assert sum(scores) / len(scores) == pytest.approx(bad.estimate.effect)


def test_the_arms_of_an_experiment_are_compared_with_the_first() -> None:
    odds = {"cold": 1 / 3, "block": 1 / 3, "actions": 1 / 3}
    rng = random.Random(9)
    effects = {"cold": 0, "block": 4, "actions": 0}
    drawn = [
        case(number, 20 - effects[arm] + rng.gauss(0, 4), arm, odds)
        for number, arm in enumerate(rng.choices(list(odds), k=600))
    ]
    assert arms_compared(of(drawn), "block", "cold", 2).main.finding is Finding.HELPS
    assert arms_compared(of(drawn), "actions", "cold", 2).main.finding is Finding.NO_EVIDENCE
    assert effect_of(of(drawn)).sessions == 0  # none of them was told everything


def test_an_arm_that_is_told_nothing_counts_as_held_out_beside_one_that_is_told_everything() -> None:
    odds = {"cold": 0.5, "told": 0.5}
    drawn = [
        msgspec.structs.replace(lived_case, arm={"held": "cold"}.get(lived_case.arm, lived_case.arm), odds=odds)
        for lived_case in lived(400, 3)
    ]
    report = effect_of(of(drawn))
    assert (report.sessions, report.finding) == (400, Finding.HELPS)


def test_arms_are_not_compared_where_their_draws_are_next_to_impossible() -> None:
    odds = {"cold": 0.5, "told": 0.5}
    drawn = [case(number, 20.0 + number % 3, "cold" if number % 6 == 0 else "told", odds) for number in range(400)]
    effect = arms_compared(of(drawn), "told", "cold", 1)
    assert (effect.alarms, effect.main.finding) == ([Alarm.DRAWS], Finding.NO_EVIDENCE)


def test_draws_of_notes_that_are_next_to_impossible_raise_the_alarm_and_nothing_is_called_harmful() -> None:
    """An item that is noted only where it was told."""
    item = ItemDraw(item="noted", harvester="", moment="start", is_told=True, chance=0.9)
    drawn = [msgspec.structs.replace(lived_case, items=(item,)) for lived_case in lived(600, 0)]
    report = effect_of(msgspec.structs.replace(of(drawn), in_use=frozenset({"noted"})))
    assert (report.alarms, report.harmful) == ([Alarm.DRAWS], [])
    assert {group.finding for group in report.items} == {Finding.NO_EVIDENCE}


def test_the_rows_behind_a_figure_add_up_to_its_effect() -> None:
    certain = case(99, 50.0, "told", {"told": 1.0})  # from a time in which nothing was skipped
    drawn = list(lived(60, 2, ODDS))
    past = [case(-number, 21.0, "", {}) for number in range(1, 5)]
    cases = of([*drawn, certain], past)
    rows = explained(cases, Figure.LOST)
    assert [row.session for row in rows] == [one.session for one in drawn]
    scores = [row.score for row in rows if row.score is not None]
    assert sum(scores) / len(scores) == pytest.approx(effect_of(cases).main.estimate.effect)
    assert {(row.is_told, round(row.chance, 2)) for row in rows} == {(True, 0.9), (False, 0.1)}
    assert rows[0].usual == pytest.approx(21.0)


def test_without_a_single_session_nothing_is_said() -> None:
    report = effect_of(of([]))
    assert (report.sessions, report.finding, report.alarms) == (0, Finding.NO_EVIDENCE, [])
    assert report.main.estimate.effect is None


def test_the_order_of_time_counts_and_not_that_of_the_list() -> None:
    assert effect_of(of([case(1, 20.0), case(2, 30.0, "held")])).since_ms == AT_MS + 1
