"""Digests of invented work: commands that ran, failed or reported rules, and files that were edited."""

from typing import Any, NamedTuple

from tests.harvest.talks import ORCHARD, talk

from afterwit.model.digest import Digest, Failure, Publication, Rule
from afterwit.model.kinds import ActionKind, FailureClass, Lean, NoteKind, ResolutionKind, Status, Step

REPO = ORCHARD


class Act(NamedTuple):
    """A step, with what the digest says of it elsewhere."""

    step: Step
    failure: FailureClass | None = None
    signature: str = ""
    is_resolved: bool = False
    rules: tuple[tuple[str, str], ...] = ()
    message: str = ""  # of a commit


def ran(command: str, *, is_over: bool = True, **more: Any) -> Act:
    status = Status.SUCCEEDED if is_over else Status.UNKNOWN
    given = {"duration_ms": 2_000, **more}
    return Act(Step(ActionKind.SHELL, "Bash", command, status, **given))


def piped(command: str, *, fine: bool = True) -> Act:
    lean = Lean.FINE if fine else Lean.FAILED
    return Act(Step(ActionKind.SHELL, "Bash", command, Status.UNKNOWN, lean))


def failed(
    command: str,
    failure: FailureClass = FailureClass.WORK,
    *,
    says: str = "",
    signature: str = "",
    is_resolved: bool = False,
    rules: tuple[tuple[str, str], ...] = (),
) -> Act:
    step = Step(ActionKind.SHELL, "Bash", command, Status.FAILED, exit_code=1, error=says)
    return Act(step, failure, signature or f"{command}: {says}", is_resolved, rules)


def edited(path: str, root: str = "/home/ann/code/orchard") -> Act:
    return Act(Step(ActionKind.EDIT, "Edit", f"{root}/{path}", Status.SUCCEEDED, files=(path,)))


def committed(message: str = "Press plums") -> Act:
    return Act(Step(ActionKind.SHELL, "Bash", "git commit", Status.SUCCEEDED), message=message)


def session(*acts: Act, day: int = 0, **more: Any) -> Digest:
    """A session that did this."""
    failures = [_failure(at, act) for at, act in enumerate(acts) if act.failure]
    rules = [Rule(at, *rule) for at, act in enumerate(acts) for rule in act.rules]
    commits = [(at, act.message) for at, act in enumerate(acts) if act.message]
    given: dict[str, Any] = {
        "steps": tuple(act.step for act in acts),
        "failures": tuple(failures),
        "rules": tuple(rules),
        "publications": tuple(Publication(kind=NoteKind.COMMIT, at=at, text=text) for at, text in commits),
    }
    return talk(day=day, **{**given, **more})


def _failure(at: int, act: Act) -> Failure:
    resolution = ResolutionKind.EDITED if act.is_resolved else ResolutionKind.UNRESOLVED
    assert act.failure
    return Failure(at=at, failure=act.failure, signature=act.signature, resolution=resolution)
