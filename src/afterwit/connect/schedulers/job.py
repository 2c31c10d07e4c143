"""What is scheduled, how often, and the steps that set it up: plain data, to be shown before they are done.

A planner of one scheduler turns a `Job` (or None, for none) and what it finds in place into steps. No steps means that
everything is as it should be. Carrying steps out is left to `connect.schedule`.
"""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import PurePath
from typing import NamedTuple

HOURLY = "hourly"
_MINUTE = 17  # of the hour: on the hour everyone's jobs start


class Cadence(NamedTuple):
    """Each day at this hour and minute; each hour at this minute where there is no hour."""

    hour: int | None
    minute: int

    @classmethod
    def of(cls, text: str) -> "Cadence":
        """`hourly` or `HH:MM`, as the settings have it."""
        if text == HOURLY:
            return cls(None, _MINUTE)
        hour, _, minute = text.partition(":")
        return cls(int(hour), int(minute))

    @property
    def text(self) -> str:
        return HOURLY if self.hour is None else f"{self.hour:02d}:{self.minute:02d}"

    @property
    def words(self) -> str:
        """For people."""
        return "every hour" if self.hour is None else f"every day at {self.text}"


NAME = "afterwit-learn"
MARK = "Written by `afterwit connect schedule`; `--off` removes it."
NICE = 10


class Scheduler(StrEnum):
    """The programs that can start a job for a user."""

    SYSTEMD = "systemd"
    LAUNCHD = "launchd"
    CRON = "cron"


class Job(NamedTuple):
    """A command with the surroundings it needs, and how often it runs."""

    label: str  # one for each store, so that several can be scheduled
    command: tuple[str, ...]
    environment: Mapping[str, str]
    cadence: Cadence


class WriteFile(NamedTuple):
    """Put a file of ours in place, whole."""

    path: PurePath
    content: bytes


class RemoveFile(NamedTuple):
    """Remove a file of ours."""

    path: PurePath


class RunProgram(NamedTuple):
    """Call a program. `shown` is what its input changes, for people."""

    arguments: tuple[str, ...]
    stdin: bytes = b""
    shown: str = ""
    may_fail: bool = False  # it only clears away what may not be there


Step = WriteFile | RemoveFile | RunProgram
Steps = tuple[Step, ...]


class JobFiles(NamedTuple):
    """What is in place of one scheduler's part."""

    files: Mapping[PurePath, bytes]
    is_running: bool = False  # whether the scheduler knows the job and will start it
