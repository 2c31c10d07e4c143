"""A failure whose fix is known is answered right after it; a call known to fail is refused once, or rewritten."""

import pytest
from tests.e2e.delivery import Scene, Session
from tests.e2e.excuses import Ability
from tests.e2e.history import BARE, COMPLAINT, PASSED, PIPED, WRAPPED
from tests.e2e.model_server import Script

pytestmark = pytest.mark.e2e

FIX = f"Here: `{BARE}`"
AGAIN = "call the same command again to run it as it is"
STUBBORN = Script((PIPED, PIPED, WRAPPED), "The fence does not wrap.")


@pytest.mark.needs(Ability.ANSWER)
def test_a_failure_whose_fix_is_known_is_answered_right_after_it(scene: Scene) -> None:
    session = scene.whole_session()
    assert [session.after(results).count(FIX) for results in range(4)] == [0, 0, 1, 1]
    assert COMPLAINT in session.after(2)


@pytest.mark.needs(Ability.REFUSAL)
def test_a_call_that_is_known_to_fail_is_refused_once_and_passes_then(scene: Scene) -> None:
    session = stubborn(scene)
    assert [session.after(results).count(AGAIN) for results in range(4)] == [0, 1, 1, 1]
    assert COMPLAINT not in session.after(1)
    assert COMPLAINT in session.after(2)


@pytest.mark.needs(Ability.REWRITE)
def test_a_call_that_is_known_to_fail_is_rewritten(scene: Scene) -> None:
    session = stubborn(scene)
    assert [PASSED in session.after(results) for results in (2, 3)] == [False, True]


def stubborn(scene: Scene) -> Session:
    """A session that insists on a command which is no plain word for word, then calls one which is."""
    scene.connect("--refuse", "--rewrite")  # what a client cannot do is left out
    session = scene.session(STUBBORN)
    session.must_have_ended_with(STUBBORN.goodbye)
    return session
