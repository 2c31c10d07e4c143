from itertools import permutations

import pytest
from tests.harvest.talks import concluded, sentences
from tests.harvest.work import Act, edited, failed, ran, session

from afterwit.harvest.questions import Questions
from afterwit.model.kinds import FailureClass
from afterwit.model.knowledge import Category, Trigger

_TESTS = failed("make test", signature="make test: tests fail", says="1 failing")
_REFUSED = failed(
    "go test ./...", FailureClass.ENVIRONMENT, signature="go test: bind: operation not permitted", says="bind"
)


def test_a_check_left_failing_is_a_question() -> None:
    (draft,) = concluded(Questions(), [session(_TESTS)])
    assert draft.sentence == (
        "In `orchard`, `make test` was left failing (tests fail): look whether it fails before your change too."
    )
    assert (draft.category, draft.is_closed) == (Category.QUESTION, False)
    assert draft.triggers == (Trigger(program="make", signature="make test: tests fail"),)


def test_what_the_machine_did_not_let_run_is_one() -> None:
    (draft,) = concluded(Questions(), [session(_REFUSED, edited("a.go"))])
    assert "could not run when last tried (it lacks a permission)" in draft.sentence


def test_a_later_story_in_which_it_works_closes_it_with_evidence() -> None:
    (draft,) = concluded(Questions(), [session(_TESTS, day=1), session(ran("make test"), day=2)])
    assert draft.is_closed
    assert draft.sentence == "In `orchard`, `make test` was left failing (tests fail), and works again since."
    assert [(piece.session.native_id, piece.is_against) for piece in draft.evidence] == [
        ("talk 1", False),
        ("talk 2", True),
    ]


def test_what_could_not_run_is_closed_when_it_runs_and_finds_fault() -> None:
    later = session(failed("go test ./...", is_resolved=True), day=2)
    (draft,) = concluded(Questions(), [session(_REFUSED, day=1), later])
    assert draft.is_closed


def test_failing_again_does_not_close_it_and_what_worked_before_neither() -> None:
    before = session(ran("make test"), day=0)
    (draft,) = concluded(Questions(), [before, session(_TESTS, day=1), session(_TESTS, day=2)])
    assert not draft.is_closed
    assert len(draft.evidence) == 2


def test_failing_later_for_another_reason_does_not_close_it() -> None:
    later = session(failed("make test", signature="make test: syntax error", says="syntax error"), day=2)
    drafts = concluded(Questions(), [session(_TESTS, day=1), later])
    assert [draft.is_closed for draft in drafts] == [False, False]


def test_another_session_of_the_same_story_closes_nothing() -> None:
    sessions = [session(_TESTS, day=1, parent="root"), session(ran("make test"), day=2, parent="root")]
    assert [draft.is_closed for draft in concluded(Questions(), sessions)] == [False]


@pytest.mark.parametrize(
    "acts",
    [
        (_TESTS, edited("a.go")),
        (failed("make test", is_resolved=True),),
        (failed("rg press", FailureClass.ANSWER),),
        (failed("cat crate.txt", FailureClass.INVOCATION),),
        (failed("cat crate.txt", FailureClass.ENVIRONMENT),),
        (failed("node -e 'require(1)'", FailureClass.ENVIRONMENT),),
        (failed("git rebase main", FailureClass.WORK),),
    ],
)
def test_trivia_and_what_was_worked_on_leave_no_question(acts: tuple[Act, ...]) -> None:
    assert not concluded(Questions(), [session(*acts)])


def test_a_session_gives_few_rows() -> None:
    acts = [ran(f"tool{number} go") for number in range(40)] + [failed(f"make test{n}") for n in range(10)]
    assert len(list(Questions().see(session(*acts)))) <= 10


def test_the_order_of_sessions_does_not_matter() -> None:
    sessions = [session(_TESTS, day=1), session(_REFUSED, _TESTS, day=2), session(ran("go test ./..."), day=3)]
    said = [sentences(concluded(Questions(), order)) for order in permutations(sessions)]
    assert len(said[0]) == 2
    assert all(some == said[0] for some in said)
