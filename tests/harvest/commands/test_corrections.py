"""Wrong calls give the change that mends them, and nothing else does."""

from typing import Any

from tests.harvest.mishaps import broken, call, mishap
from tests.harvest.talks import concluded, talk

from afterwit.harvest.commands.corrections import Corrections
from afterwit.model.digest import Digest
from afterwit.model.kinds import FailureClass, Lean, ResolutionKind, Status
from afterwit.model.knowledge import EVERYWHERE, Draft, ScopeKind, Trigger

UNKNOWN = "error: unrecognized subcommand 'pip'\nUsage: wrap [OPTIONS] <COMMAND>"
SIGNATURE = "wrap: unrecognized subcommand pip"


def wrapped(day: int = 0, words: str = "list", **more: Any) -> Digest:
    steps = (broken(f"wrap pip {words} 2>&1", UNKNOWN), call(f"pip {words} | tail -3"))
    return mishap(*steps, signature=SIGNATURE, day=day, **more)


def drafts(*digests: Digest) -> list[Draft]:
    return concluded(Corrections(), digests)


def test_a_wrapper_that_does_not_wrap_is_left_out() -> None:
    (draft,) = drafts(wrapped(0), wrapped(1, "install plum"))
    assert draft.sentence == "Instead of `wrap pip …`, which fails, call `pip …`."
    assert draft.advice == "wrap pip → pip"
    assert draft.triggers == (
        Trigger(program="wrap", words=("pip",), signature=SIGNATURE),
        Trigger(program="wrap", words=("pip",)),
    )
    assert len(draft.evidence) == 2
    assert draft.scope.kind is ScopeKind.REPO


def test_what_two_repositories_show_holds_everywhere() -> None:
    (draft,) = drafts(wrapped(0), wrapped(1, repo="example.org/fruit/press"))
    assert draft.scope == EVERYWHERE


def test_the_change_of_most_stories_is_the_one() -> None:
    other = mishap(broken("wrap pip list", UNKNOWN), call("wrap run pip list"), signature=SIGNATURE, day=5)
    assert [one.advice for one in drafts(wrapped(0), wrapped(1), other)] == ["wrap pip → pip"]


def test_the_wrong_form_that_works_elsewhere_speaks_against() -> None:
    works = talk(steps=(call("wrap pip install plum"),), day=3)
    (draft,) = drafts(wrapped(0), works)
    assert [one.is_against for one in draft.evidence] == [False, True]
    assert all(trigger.signature for trigger in draft.triggers)


def test_a_success_that_a_pipe_hides_counts_by_its_lean() -> None:
    line = "wrap pip list | tail"
    failed = talk(steps=(call(line, status=Status.UNKNOWN, lean=Lean.FAILED),), day=3)
    fine = talk(steps=(call(line, status=Status.UNKNOWN, lean=Lean.FINE),), day=4)
    assert sum(one.is_against for one in drafts(wrapped(0), failed)[0].evidence) == 0
    assert sum(one.is_against for one in drafts(wrapped(0), fine)[0].evidence) == 1


def test_a_line_whose_change_is_not_general_gives_nothing() -> None:
    steps = (
        broken("press eval --filter plum --dry", "Unknown arguments"),
        call("press eval run --id plum --dry --all"),
    )
    assert drafts(mishap(*steps, signature="press: Unknown arguments")) == []


def test_nothing_follows_when_something_was_edited_in_between() -> None:
    steps = (broken("wrap pip list", UNKNOWN), call("pip list"))
    assert drafts(mishap(*steps, signature=SIGNATURE, edits=1)) == []


def test_a_second_try_at_something_else_teaches_nothing() -> None:
    steps = (broken("boat send plum", "no boat is named plum"), call("boat send pear"))
    assert drafts(mishap(*steps, signature="boat: no boat is named <q>")) == []


def test_the_work_itself_teaches_nothing() -> None:
    steps = (broken("make test", "usage: 1 failed"), call("make test-unit"))
    assert drafts(mishap(*steps, signature="make: x", failure=FailureClass.WORK)) == []


def test_a_secret_in_a_line_keeps_it_out() -> None:
    steps = (broken("wrap pip ‹token:0011ff›", UNKNOWN), call("pip ‹token:0011ff›"))
    assert drafts(mishap(*steps, signature=SIGNATURE)) == []


def test_an_unresolved_failure_gives_nothing() -> None:
    one = mishap(broken("wrap pip list", UNKNOWN), signature=SIGNATURE, resolution=ResolutionKind.UNRESOLVED)
    assert drafts(one) == []


def test_the_order_of_sessions_does_not_matter() -> None:
    works = talk(steps=(call("wrap pip install plum"),), day=3)
    some = [wrapped(0), wrapped(1, repo="example.org/fruit/press"), works, wrapped(5)]
    assert drafts(*some) == drafts(*reversed(some))


def test_a_session_gives_few_rows() -> None:
    steps = tuple(call(f"tool{number} run --flag{number}") for number in range(60))
    assert len(list(Corrections().see(talk(steps=steps)))) <= 8
