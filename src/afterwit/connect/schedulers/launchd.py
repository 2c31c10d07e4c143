"""A launch agent of the user on macOS: one property list, loaded and unloaded with `launchctl`.

launchd throws the output away. A run that was missed while the machine slept is made up for.
"""

import plistlib
from pathlib import PurePath
from typing import Any
from xml.parsers.expat import ExpatError

from afterwit.connect.schedulers.job import NICE, Cadence, Job, JobFiles, RemoveFile, RunProgram, Step, Steps, WriteFile


def path(folder: PurePath, label: str) -> PurePath:
    """The file of the job. `folder` is the user's folder of launch agents."""
    return folder / f"{label}.plist"


def target(uid: int, label: str) -> str:
    """The job as `launchctl` names it."""
    return f"gui/{uid}/{label}"


def is_ours(content: bytes, label: str) -> bool:
    return _read(content).get("Label") == label


def cadence_in(content: bytes) -> Cadence | None:
    when = _read(content).get("StartCalendarInterval")
    if not isinstance(when, dict) or not isinstance(when.get("Minute"), int):
        return None
    hour = when.get("Hour")
    return Cadence(hour if isinstance(hour, int) else None, when["Minute"])


def plan(folder: PurePath, label: str, uid: int, job: Job | None, present: JobFiles) -> Steps:
    """The steps from what is found to the job, or to none."""
    file = path(folder, label)
    unload = RunProgram(("launchctl", "bootout", target(uid, label)), may_fail=True)
    unloading: list[Step] = [unload] if present.is_running else []
    if job is None:
        return (*unloading, *([RemoveFile(file)] if file in present.files else []))
    content = _written(job)
    writes: list[Step] = [WriteFile(file, content)] if present.files.get(file) != content else []
    if not writes and present.is_running:
        return ()
    return (*writes, *unloading, RunProgram(("launchctl", "bootstrap", f"gui/{uid}", str(file))))


def _written(job: Job) -> bytes:
    when = {"Minute": job.cadence.minute}
    if job.cadence.hour is not None:
        when = {"Hour": job.cadence.hour, **when}
    return plistlib.dumps(
        {
            "Label": job.label,
            "ProgramArguments": list(job.command),
            "EnvironmentVariables": dict(sorted(job.environment.items())),
            "StartCalendarInterval": when,
            "ProcessType": "Background",
            "LowPriorityIO": True,
            "Nice": NICE,
        },
        sort_keys=False,
    )


def _read(content: bytes) -> dict[str, Any]:
    try:
        value = plistlib.loads(content)
    except (plistlib.InvalidFileException, ExpatError, ValueError, OverflowError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
