"""How often users ask for what is told: before, told, and held out."""

from pathlib import Path
from typing import Any

import pytest
from tests.homes import world_of
from tests.measure.live.drawn import case
from tests.repeated_home import AGAIN, TEXT, Told

from afterwit.measure.asked_again import LineAsked, asked_again
from afterwit.measure.cases import Case, Cases, cases_of

LINE = {"line": TEXT}
ASKED = (frozenset(LINE),)


def some(count: int, asking: int, start: int, **more: Any) -> list[Case]:
    """So many sessions, the first of which ask for the line."""
    fields: list[dict[str, Any]] = [
        {"asked": ASKED, "texts": LINE} if number < asking else {} for number in range(count)
    ]
    return [case(start + number, 0.0, **more, **given) for number, given in enumerate(fields)]


def total(past: list[Case], told: list[Case], held_out: list[Case]) -> LineAsked:
    return asked_again(Cases(past=past, drawn=[*told, *held_out], lost=[]))[0]


def told(count: int, asking: int) -> list[Case]:
    return some(count, asking, 100, heard={"line": True})


def held(count: int, asking: int) -> list[Case]:
    return some(count, asking, 100, arm="held", heard={"line": False})


def test_few_sessions_say_nothing() -> None:
    assert total(some(30, 20, -99), told(9, 0), []).verdict.startswith("Too early")
    assert total(some(9, 9, -99), told(30, 0), held(9, 9)).verdict.startswith("Too early")


def test_before_and_after_are_compared_with_a_warning_until_enough_is_held_out() -> None:
    before = some(30, 20, -99)
    assert total(before, told(30, 2), []).verdict == "Fewer than before (what it was learned from counts there)."
    assert total(before, told(30, 2), held(20, 14)).verdict == "Fewer than held out."
    assert total(before, told(30, 2), held(20, 2)).verdict == "No difference from held out to be seen yet."
    assert total([], told(30, 25), held(20, 2)).verdict == "More than held out: not obeyed."


def test_a_line_is_compared_with_the_sessions_before_it_was_told_first() -> None:
    cases = Cases(past=some(3, 2, -99), drawn=[*some(4, 1, 0), *told(5, 1), *held(2, 1)], lost=[])
    whole, line = asked_again(cases)
    assert (line.id, line.text) == ("line", TEXT)
    sides = [(side.sessions, side.asked) for side in (line.before, line.told, line.held_out)]
    assert sides == [(7, 3), (5, 1), (2, 1)]
    assert whole.told.sessions == 9


@pytest.fixture
def lived(tmp_path: Path) -> Cases:
    """A session before, one that was told the line, one for which it was held out, each with a turn that asks."""
    home = Told(tmp_path)
    odds: dict[str, Any] = {"odds": {"held": 0.1, "told": 0.9}, "item_odds": 0.9}
    home.session(1, AGAIN, told_s=None)
    home.session(2, AGAIN, "The cider looks fine.", arm="told", **odds)
    home.session(3, AGAIN, is_shown=False, arm="held", held=1, **odds)
    home.learn()
    return cases_of(world_of(home.home, home.store))


def test_the_same_turns_are_counted_on_all_sides(lived: Cases) -> None:
    whole, line = asked_again(lived)
    assert [(side.sessions, side.asked, side.turns) for side in (whole.before, whole.told, whole.held_out)] == [
        (2, 1, 1),
        (1, 1, 1),
        (1, 1, 1),
    ]
    assert (line.text, line.before.asked, line.told.asked, line.held_out.asked) == (TEXT, 1, 1, 1)
