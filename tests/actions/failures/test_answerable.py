"""Which failures have a signature under which a fix is looked up."""

import pytest

from afterwit.actions.failures.signature import answerable_signature
from afterwit.actions.steps import Step
from afterwit.model.kinds import ActionKind, Status


def named(kind: ActionKind, target: str, error: str, exit_code: int | None = 1) -> str:
    return answerable_signature(Step(kind, "Bash", target, Status.FAILED, None, exit_code, error))


def test_a_wrong_call_and_a_fault_of_the_machine_are_answered() -> None:
    assert named(ActionKind.SHELL, "wrapit cargo", "unrecognized subcommand 'cargo'") == (
        "wrapit: unrecognized subcommand cargo"
    )
    assert named(ActionKind.SHELL, "go vet", "zsh: command not found: go", 127) == "go vet: command not found: go"


@pytest.mark.parametrize(
    ("kind", "target", "error", "exit_code"),
    [
        (ActionKind.SHELL, "pytest", "FAILED tests/test_pears.py::test_a - assert 1 == 2", 1),
        (ActionKind.SHELL, "git push", "connection reset by peer", 1),
        (ActionKind.SHELL, "orchard prune", "unknown option --fast", 130),
        (ActionKind.EDIT, "pears.py", "String to replace not found in file.", None),
    ],
)
def test_work_passing_faults_interrupts_and_own_tools_are_not(
    kind: ActionKind, target: str, error: str, exit_code: int | None
) -> None:
    assert named(kind, target, error, exit_code) == ""
