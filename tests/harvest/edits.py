"""Digests of invented sessions that were given a task and changed files."""

from typing import Any

from tests.harvest.talks import talk
from tests.harvest.work import Act, edited, session

from afterwit.model.digest import Digest, DigestStep
from afterwit.model.kinds import ActionKind, Status

ROOT = "/home/ann/code/orchard"


def change(task: str, *paths: str, day: int, **more: Any) -> Digest:
    """A session with a task that edited these files."""
    return session(*(edited(path) for path in paths), day=day, task=task, **more)


def others(count: int, first_day: int = 100) -> list[Digest]:
    """Sessions about other things, each in a file of its own."""
    return [change(f"Mend gate{at}", f"gates/gate{at}.py", day=first_day + at) for at in range(count)]


def missed(path: str) -> Act:
    error = "File does not exist."
    return Act(DigestStep(ActionKind.READ, "Read", f"{ROOT}/{path}", Status.FAILED, error=error))


def silent(day: int) -> Digest:
    """A session that did nothing."""
    return talk(day=day)
