"""Steps: what counts as worked and failed, and which command stands behind a poll."""

import pytest

from afterwit.actions.shell.parse import parsed
from afterwit.actions.steps import Step, command_of
from afterwit.model.kinds import ActionKind, Lean, Status


def step(status: Status, lean: Lean | None = None) -> Step:
    return Step(ActionKind.SHELL, "Bash", "make test", status, lean)


@pytest.mark.parametrize(
    ("status", "lean", "has_worked", "has_failed"),
    [
        (Status.SUCCEEDED, None, True, False),
        (Status.FAILED, None, False, True),
        (Status.UNKNOWN, None, False, False),
        (Status.UNKNOWN, Lean.FINE, True, False),
        (Status.UNKNOWN, Lean.FAILED, False, True),
        (Status.DENIED, None, False, False),
        (Status.CANCELLED, None, False, False),
    ],
)
def test_a_lean_counts_only_where_the_status_is_unknown(
    status: Status, lean: Lean | None, has_worked: bool, has_failed: bool
) -> None:
    one = step(status, lean)
    assert (one.has_worked, one.has_failed) == (has_worked, has_failed)


def test_the_command_of_a_poll_is_the_one_that_it_polls() -> None:
    started = Step(ActionKind.SHELL, "exec_command", "go test ./...", Status.UNKNOWN)
    poll = Step(ActionKind.SHELL, "write_stdin", "40020", Status.FAILED, started_by=0)
    assert [command_of([started, poll], at) for at in (0, 1)] == ["go test ./...", "go test ./..."]


def test_other_tools_have_no_command() -> None:
    assert command_of([Step(ActionKind.READ, "Read", "pear.py", Status.SUCCEEDED)], 0) == ""


def test_a_line_is_parsed_once() -> None:
    assert parsed("make prune") is parsed("make prune")
