"""Calls that a person stopped."""

import pytest

from afterwit.actions.refusals import is_unwanted, reason_given
from afterwit.model.kinds import ActionKind

STOPPED = "The user doesn't want to proceed with this tool use. STOP what you are doing and wait."
ANSWERED = "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nprune less"


def test_the_words_of_the_person_are_told_apart_from_those_of_the_agent() -> None:
    assert (reason_given(ANSWERED), reason_given(STOPPED)) == ("prune less", "")


@pytest.mark.parametrize(
    ("kind", "error", "expected"),
    [
        (ActionKind.EDIT, STOPPED, True),
        (ActionKind.SHELL, ANSWERED, True),
        (ActionKind.PLAN, ANSWERED, True),
        (ActionKind.PLAN, STOPPED, False),
    ],
)
def test_a_plan_that_is_stopped_without_a_word_may_be_carried_out_elsewhere(
    kind: ActionKind, error: str, expected: bool
) -> None:
    assert is_unwanted(kind, error) is expected
