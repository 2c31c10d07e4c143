"""The command lines behind the steps of a digest."""

from collections.abc import Sequence

from afterwit.actions.shell.parse import parsed
from afterwit.actions.shell.programs import Weight
from afterwit.model.digest import DigestStep
from afterwit.model.kinds import ActionKind
from afterwit.model.knowledge import EXCERPT_LIMIT


def command_at(steps: Sequence[DigestStep], at: int) -> str:
    """The command line that a step runs or polls; "" where it is no shell call."""
    step = steps[at]
    if step.kind is not ActionKind.SHELL:
        return ""
    return steps[step.started_by].target if step.started_by is not None else step.target


def work_of(line: str) -> str:
    """The program that does the work of a line, with its subcommand; "" where it only looks or prepares."""
    main = parsed(line).main
    return f"{main.program} {main.subcommand}".strip() if main and main.weight is Weight.WORKS else ""


def excerpt_of(step: DigestStep) -> str:
    """What was called and what came of it, as evidence shows it."""
    return f"{step.target[: EXCERPT_LIMIT // 2]} → {step.error}"[:EXCERPT_LIMIT]
