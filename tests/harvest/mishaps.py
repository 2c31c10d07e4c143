"""Digests of invented mishaps: calls that failed, and what made them good."""

from typing import Any

from tests.harvest.talks import talk

from afterwit.model.digest import Digest, Failure
from afterwit.model.kinds import ActionKind, FailureClass, ResolutionKind, Status, Step


def call(line: str, **more: Any) -> Step:
    """A command that worked."""
    return Step(ActionKind.SHELL, "Bash", line, more.pop("status", Status.SUCCEEDED), **more)


def broken(line: str, error: str, **more: Any) -> Step:
    return Step(ActionKind.SHELL, "Bash", line, Status.FAILED, error=error, **more)


def mishap(
    *steps: Step,
    signature: str,
    failure: FailureClass = FailureClass.INVOCATION,
    resolution: ResolutionKind = ResolutionKind.CHANGED,
    edits: int = 0,
    **more: Any,
) -> Digest:
    """A session whose first step failed and whose last made it good."""
    by = len(steps) - 1 if resolution is not ResolutionKind.UNRESOLVED else None
    one = Failure(at=0, failure=failure, signature=signature, resolution=resolution, by=by, edits_between=edits)
    return talk(steps=steps, failures=(one,), **more)
