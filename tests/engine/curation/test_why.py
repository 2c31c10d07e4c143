"""What stands behind a note: the changes themselves, what speaks against it, and how far the sessions lie apart."""

import datetime as dt
from pathlib import Path

from tests.homes import learned, world_of
from tests.knowledge.door.test_settle import wrapper_item, wrong_wrapper
from tests.knowledge.drafting import DAY_MS, piece
from tests.measure.histories import HOUR_S, Log

from afterwit.config.calendar import Calendar
from afterwit.engine.curation.curate import judge
from afterwit.engine.curation.undo import ForgetRequest, forget
from afterwit.engine.curation.why import line_that_tells, side_of, why
from afterwit.knowledge.door.list import ItemFilter, listed
from afterwit.store.decisions import DecisionKind

UTC = Calendar(0, dt.UTC)


def test_what_is_about_no_files_has_no_changes_to_show(tmp_path: Path) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    for number in range(3):
        wrong_wrapper(number).put(home)
    learned(home, store)
    answer = why(world_of(home, store), wrapper_item(store).id)
    assert [backing.edits for backing in answer.evidence] == [()] * 3
    side = answer.side(UTC, is_against=False)
    assert (side.independent_sessions, side.days) == (3, 1)
    assert answer.side(UTC, is_against=True).sessions == 0


def test_sessions_are_counted_as_independent_ones_and_by_days() -> None:
    same = [piece("apples", days_ago=at) for at in (1, 2)]
    side = side_of([*same, piece("pears", days_ago=1)], UTC)
    assert (side.independent_sessions, side.days) == (2, 2)
    assert (side.last_ms or 0) - (side.since_ms or 0) == DAY_MS


def test_the_line_that_shares_most_with_the_note_is_the_telling_one(tmp_path: Path) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    for number in range(3):
        wrong_wrapper(number).put(home)
    learned(home, store)
    assert line_that_tells(wrapper_item(store), "warming up\nwrapit cargo fails\ndone") == 1


def test_what_a_person_approved_stays_although_nobody_would_be_asked_about_it(tmp_path: Path) -> None:
    """A rule of two sessions is approved; then one of them is forgotten, and the other alone would be no question."""
    home, store = tmp_path / "home", tmp_path / "store"
    report = "src/press.py:4:1: DTZ005 `datetime.now()` called without a `tz` argument"
    for number in range(2):
        log = Log(number, number * 30 * HOUR_S).prompt(f"Press the fruit of row {number} and date the barrels")
        log.edit("src/press.py").shell("ruff check .", report, fails=True).edit("src/press.py")
        log.shell("ruff check .", "All checks passed!").put(home)
    learned(home, store)
    world = world_of(home, store)
    (rule,) = (item for item in listed(world, ItemFilter()).items if item.harvester == "rules")
    judge(world, DecisionKind.APPROVE, [rule.id])
    forget(world, ForgetRequest(session=f"33333333-cccc-4ccc-8ccc-{1:012d}"), lambda _: True)
    assert rule.id in {item.id for item in listed(world, ItemFilter()).items}
    judge(world, DecisionKind.REJECT, [rule.id])
    assert rule.id not in {item.id for item in listed(world, ItemFilter()).items}
