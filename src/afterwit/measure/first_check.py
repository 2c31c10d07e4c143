"""Whether work passed its first check: how the first run of tests, linters or a build after the first change ended."""

from collections.abc import Sequence

from afterwit.actions.activities import has_check
from afterwit.model.kinds import ActionKind, Step


def first_check_passed(steps: Sequence[Step]) -> bool | None:
    """None where nothing was changed, or nothing was checked after that, or nobody can tell. One line may do both."""
    for at in range(first_change(steps), len(steps)):
        if has_check(_command(steps, at)) and (steps[at].has_worked or steps[at].has_failed):
            return steps[at].has_worked
    return None


def first_change(steps: Sequence[Step]) -> int:
    """The position of the first step that changed a file; behind the last where none did."""
    return next((at for at, step in enumerate(steps) if step.has_changed), len(steps))


def _command(steps: Sequence[Step], at: int) -> str:
    """The line that a step runs, "" where it is no shell call; a poll runs the line that it asks about."""
    if steps[at].kind is not ActionKind.SHELL:
        return ""
    started_by = steps[at].started_by
    return steps[at if started_by is None else started_by].target
