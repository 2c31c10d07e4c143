"""The same task, given again soon after, is found; short and stock prompts for other work are not."""

import pytest

from afterwit.harvest.stories import SOON_MS, GivenTask, Tasks, is_again

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
