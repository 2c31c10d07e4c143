"""A task that is given again counts once, in whatever order its sessions come; each can be forgotten alone."""

from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from tests.homes import CLAUDE, Silent, learned, put, rows, world_of
from tests.measure.histories import HOUR_S, Log

from afterwit.engine.archive.rebuild import rebuild
from afterwit.engine.curation.undo import ForgetRequest, forget
from afterwit.harvest.door import SOON_MS, GivenTask, Tasks, is_again
from afterwit.knowledge.door.list import ItemFilter, listed
from afterwit.model.knowledge import Item

TASK = "Press the apples of every row, write down how much juice each of them gave, and print the sum."
OTHER = "Count every pear of the northern rows, weigh them and tell the buyer in writing what they cost."
UNKNOWN = "Exit code 2\nerror: unrecognized subcommand 'cargo'"
PARENT = Log(9, 0).session


def wrong_wrapper(number: int, hours: int, task: str = TASK) -> Log:
    log = Log(number, hours * HOUR_S).prompt(task)
    return log.shell("wrapit cargo test", UNKNOWN, fails=True).shell("cargo test", "test result: ok. 12 passed")


def item_of(home: Path, store: Path) -> Item:
    found = listed(world_of(home, store), ItemFilter(harvesters=("corrections",))).items
    return found[0]


def stories(item: Item) -> int:
    return len({piece.session.story for piece in item.evidence})


def with_matter(number: int, hours: int, task: str = TASK) -> Log:
    """A session with a mistake of its own, which no other session makes."""
    unknown = f"Exit code 2\nerror: unrecognized subcommand 'tool{number}'"
    log = Log(number, hours * HOUR_S).prompt(task)
    return log.shell(f"wrap{number} tool{number} test", unknown, fails=True).shell(f"tool{number} test", "12 passed")


def below_parent(log: Log, home: Path) -> None:
    """Puts the log there as that of a subagent."""
    records = [record | {"sessionId": PARENT, "isSidechain": True, "agentId": "abc"} for record in log.records]
    put(home / CLAUDE / PARENT / "subagents" / "agent-abc.jsonl", records)


def named_stories(home: Path, store: Path) -> dict[str, set[str]]:
    """Of each session, the stories it counts for."""
    found: dict[str, set[str]] = {}
    for item in listed(world_of(home, store), ItemFilter()).items:
        for piece in item.evidence:
            found.setdefault(piece.session.native_id, set()).add(piece.session.story)
    return found


def harvest_of(home: Path, store: Path) -> tuple[list[tuple[Any, ...]], list[Item]]:
    drafts = rows(store, "SELECT id, harvester, matter, body FROM drafts ORDER BY 1, 2, 3")
    return drafts, listed(world_of(home, store), ItemFilter()).items


def is_as_rebuilt(home: Path, store: Path) -> bool:
    learnt = harvest_of(home, store)
    rebuild(world_of(home, store), Silent())
    return harvest_of(home, store) == learnt


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


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_in_whatever_order_sessions_come_the_harvest_is_the_same(tmp_path: Path, order: tuple[int, ...]) -> None:
    """The tasks are hours apart, so that the last is a repeat only while the first is not there."""
    home, store = tmp_path / "home", tmp_path / "store"
    logs = [with_matter(number, hours) for number, hours in enumerate((0, 10, 20))]
    for number in order:
        logs[number].put(home)
        learned(home, store)
    first, second, last = (log.session for log in logs)
    assert named_stories(home, store) == {first: {first}, second: {first}, last: {last}}
    assert is_as_rebuilt(home, store)


def test_a_story_is_named_after_a_session_that_is_in_it(tmp_path: Path) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    for number, hours in enumerate((0, 10, 20, 25)):
        wrong_wrapper(number, hours).put(home)
    learned(home, store)
    told = {name: story for name, (story,) in named_stories(home, store).items()}
    assert all(told[story] == story for story in told.values())
    assert len(set(told.values())) == 2


def test_where_the_first_session_gets_another_task_the_second_is_the_first(tmp_path: Path) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    second = with_matter(1, 1)
    with_matter(0, 0).put(home)
    second.put(home)
    learned(home, store)
    assert named_stories(home, store)[second.session] == {with_matter(0, 0).session}
    with_matter(0, 0, OTHER).shell("ls").put(home)
    learned(home, store)
    assert named_stories(home, store)[second.session] == {second.session}
    assert is_as_rebuilt(home, store)


def test_a_parent_that_comes_after_its_subagent_takes_it_into_its_story(tmp_path: Path) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    again = with_matter(1, 2)
    below_parent(with_matter(0, 1), home)
    again.put(home)
    learned(home, store)
    assert named_stories(home, store)[again.session] == {"agent-abc"}
    Log(9, 0).prompt(OTHER).shell("ls").put(home)
    learned(home, store)
    assert named_stories(home, store) == {"agent-abc": {PARENT}, again.session: {again.session}}
    assert is_as_rebuilt(home, store)


def test_forgetting_the_first_run_leaves_the_second(tmp_path: Path) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    first, second = wrong_wrapper(0, 0), wrong_wrapper(1, 1)
    first.put(home)
    second.put(home)
    learned(home, store)
    forget(world_of(home, store), ForgetRequest(session=first.session), lambda _: True)
    assert [piece.session.native_id for piece in item_of(home, store).evidence] == [second.session]
    assert is_as_rebuilt(home, store)


PLAN = "Implement the following plan: count the apples of every row, write them to the ledger, and print the sum."
FIRST = GivenTask("orchard", "main", 1_000, PLAN)


def later(**changes: object) -> GivenTask:
    return FIRST._replace(at_ms=2_000)._replace(**changes)  # type: ignore[arg-type]


def test_the_same_prompt_is_the_same_task() -> None:
    assert is_again(later(), FIRST)
    assert is_again(later(task=PLAN.replace("print the sum", "print their sum")), FIRST)


@pytest.mark.parametrize(
    "other",
    [
        later(repo="harbour"),
        later(branch="fix/rows"),
        later(at_ms=FIRST.at_ms + SOON_MS + 1),
        later(at_ms=FIRST.at_ms - 1),
        later(task="Please " + PLAN),
        later(
            task="Implement the following plan: count the pears, weigh each of them and tell the buyer what they cost."
        ),
    ],
    ids=["repository", "branch", "day", "earlier", "beginning", "plan"],
)
def test_another_place_time_or_plan_is_another_task(other: GivenTask) -> None:
    assert not is_again(other, FIRST)


@pytest.mark.parametrize("task", ["continue", "fix the failing tests"])
def test_short_prompts_are_given_for_different_work(task: str) -> None:
    assert not is_again(later(task=task), FIRST._replace(task=task))


def test_outside_of_repositories_nothing_is_known() -> None:
    assert not is_again(later(repo=""), FIRST._replace(repo=""))


def test_the_first_session_that_got_a_task_names_it() -> None:
    tasks = Tasks()
    assert tasks.first("a", FIRST) == "a"
    assert tasks.first("b", later()) == "a"
    assert tasks.first("c", later(branch="fix/rows")) == "c"


def test_what_is_given_long_after_the_first_is_the_first_of_its_own() -> None:
    """Though it comes soon after a repeat of it, which names no story."""
    tasks = Tasks()
    assert tasks.first("a", FIRST) == "a"
    assert tasks.first("b", later()) == "a"
    assert tasks.first("c", later(at_ms=FIRST.at_ms + SOON_MS + 500)) == "c"
    assert tasks.first("d", later(at_ms=FIRST.at_ms + 2 * SOON_MS)) == "c"
