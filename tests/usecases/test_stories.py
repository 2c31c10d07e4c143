"""A task that is given again counts once, in whatever order its sessions come; each can be forgotten alone."""

from pathlib import Path

import pytest
from tests.homes import hash_of, learned, world_of
from tests.measure.histories import HOUR_S, Log

from afterwit.model.knowledge import Item
from afterwit.usecases.forgetting import Wanted, forget
from afterwit.usecases.item_views import ItemFilter, listed

TASK = "Press the apples of every row, write down how much juice each of them gave, and print the sum."
UNKNOWN = "Exit code 2\nerror: unrecognized subcommand 'cargo'"


def wrong_wrapper(number: int, hours: int, task: str = TASK) -> Log:
    log = Log(number, hours * HOUR_S).prompt(task)
    return log.shell("wrapit cargo test", UNKNOWN, fails=True).shell("cargo test", "test result: ok. 12 passed")


def item_of(home: Path, store: Path) -> Item:
    found = listed(world_of(home, store), ItemFilter(harvesters=("corrections",))).items
    return found[0]


def stories(item: Item) -> int:
    return len({piece.session.story for piece in item.evidence})


def test_a_task_that_is_given_again_is_one_story(tmp_path: Path) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    for number, hours in enumerate((0, 1, 3)):
        wrong_wrapper(number, hours).put(home)
    learned(home, store)
    assert (len(item_of(home, store).evidence), stories(item_of(home, store))) == (3, 1)
    assert item_of(home, store).status == "candidate"


def test_the_same_task_on_the_next_day_is_another_story(tmp_path: Path) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    wrong_wrapper(0, 0).put(home)
    wrong_wrapper(1, 26).put(home)
    learned(home, store)
    assert stories(item_of(home, store)) == 2


@pytest.mark.parametrize("late", [0, 1, 2])
def test_whichever_session_comes_late_the_store_is_the_same(tmp_path: Path, late: int) -> None:
    logs = [wrong_wrapper(number, number) for number in range(3)]
    for log in logs:
        log.put(tmp_path / "at-once")
    learned(tmp_path / "at-once", tmp_path / "store")
    for log in logs:
        if log is not logs[late]:
            log.put(tmp_path / "home")
    learned(tmp_path / "home", tmp_path / "later")
    logs[late].put(tmp_path / "home")
    learned(tmp_path / "home", tmp_path / "later")
    both = [item_of(tmp_path / "at-once", tmp_path / "store"), item_of(tmp_path / "home", tmp_path / "later")]
    assert [(stories(item), item.status, item.belief) for item in both[:1]] == [
        (stories(item), item.status, item.belief) for item in both[1:]
    ]


def test_forgetting_the_first_run_leaves_the_second(tmp_path: Path) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    first, second = wrong_wrapper(0, 0), wrong_wrapper(1, 1)
    first.put(home)
    second.put(home)
    learned(home, store)
    forget(world_of(home, store), Wanted(session=first.session), lambda _: True)
    assert [piece.session.native_id for piece in item_of(home, store).evidence] == [second.session]
    assert hash_of(store)
