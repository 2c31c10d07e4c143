"""An action as analysis sees it: what was called, on what, how it ended, and the command line behind it.

Polls of a command that went to the background belong to the call that started it: `started_by` names its position, and
`command_of` gives the command line of either. Command lines are parsed once each.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from afterwit.actions.shell.parse import parse
from afterwit.actions.shell.tree import CommandLine
from afterwit.model.kinds import ActionKind, Lean, Status


class Step(NamedTuple):
    """One action of a session."""

    kind: ActionKind
    tool: str
    target: str
    status: Status
    lean: Lean | None = None
    exit_code: int | None = None
    error: str = ""
    files: tuple[str, ...] = ()  # that it changed, where it changed any
    started_by: int | None = None  # the step whose background command this one polls

    @property
    def has_worked(self) -> bool:
        return self.status is Status.SUCCEEDED or (self.status is Status.UNKNOWN and self.lean is Lean.FINE)

    @property
    def has_failed(self) -> bool:
        return self.status is Status.FAILED or (self.status is Status.UNKNOWN and self.lean is Lean.FAILED)


def command_of(steps: Sequence[Step], at: int) -> str:
    """The command line that this step runs or polls; "" where it is no shell call."""
    step = steps[at]
    if step.kind is not ActionKind.SHELL:
        return ""
    return steps[step.started_by].target if step.started_by is not None else step.target


@lru_cache(maxsize=4096)
def parsed(line: str) -> CommandLine:
    """The command line taken apart."""
    return parse(line)
