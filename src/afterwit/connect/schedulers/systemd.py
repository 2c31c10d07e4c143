"""A timer of the user's own systemd: two unit files, switched on and off with `systemctl --user`.

Output goes to the journal, which systemd bounds. A run that was missed because the machine was off is made up for.
"""

import re
from pathlib import PurePath

from afterwit.connect.schedulers.job import (
    MARK,
    NICE,
    Cadence,
    Job,
    JobFiles,
    RemoveFile,
    RunProgram,
    Step,
    Steps,
    WriteFile,
)

_CALENDAR = re.compile(rb"^OnCalendar=\*-\*-\* (\*|\d\d):(\d\d):00$", re.MULTILINE)
_OURS = f"# {MARK}\n".encode()
_CALL = ("systemctl", "--user")


def paths(folder: PurePath, label: str) -> tuple[PurePath, PurePath]:
    """The files of the service and of its timer. `folder` is the user's folder of units."""
    return folder / f"{label}.service", folder / f"{label}.timer"


def is_ours(content: bytes) -> bool:
    return content.startswith(_OURS)


def cadence_in(timer: bytes) -> Cadence | None:
    match = _CALENDAR.search(timer)
    return Cadence(None if match[1] == b"*" else int(match[1]), int(match[2])) if match else None


def plan(folder: PurePath, label: str, job: Job | None, present: JobFiles) -> Steps:
    """The steps from what is found to the job, or to none."""
    service, timer = paths(folder, label)
    if job is None:
        return _removed(service, timer, present)
    wanted = {service: _service(job), timer: _timer(job)}
    writes: list[Step] = [
        WriteFile(path, content) for path, content in wanted.items() if present.files.get(path) != content
    ]
    if not writes and present.is_running:
        return ()
    started = (
        RunProgram((*_CALL, "restart", timer.name))
        if present.is_running
        else RunProgram((*_CALL, "enable", "--now", timer.name))
    )
    return (*writes, RunProgram((*_CALL, "daemon-reload")), started)


def _removed(service: PurePath, timer: PurePath, present: JobFiles) -> Steps:
    files = [RemoveFile(path) for path in (service, timer) if path in present.files]
    if not files and not present.is_running:
        return ()
    off = RunProgram((*_CALL, "disable", "--now", timer.name), may_fail=True)
    memory = RunProgram((*_CALL, "clean", "--what=state", timer.name), may_fail=True)
    return (off, memory, *files, RunProgram((*_CALL, "daemon-reload"), may_fail=True))


def _service(job: Job) -> bytes:
    settings = [f"Environment={_quoted(f'{name}={value}')}" for name, value in sorted(job.environment.items())]
    program, *arguments = map(_quoted, job.command)
    command = " ".join([program, *(word.replace("$", "$$") for word in arguments)])  # variables count in arguments only
    return _unit(
        ("Unit", ["Description=Afterwit reads what coding agents have logged"]),
        (
            "Service",
            ["Type=oneshot", *settings, f"ExecStart={command}", f"Nice={NICE}", "IOSchedulingClass=idle"],
        ),
    )


def _timer(job: Job) -> bytes:
    hour = "*" if job.cadence.hour is None else f"{job.cadence.hour:02d}"
    when = f"OnCalendar=*-*-* {hour}:{job.cadence.minute:02d}:00"
    return _unit(
        ("Unit", [f"Description=Afterwit, {job.cadence.words}"]),
        ("Timer", [when, "Persistent=true"]),
        ("Install", ["WantedBy=timers.target"]),
    )


def _unit(*sections: tuple[str, list[str]]) -> bytes:
    body = "\n".join("\n".join([f"[{name}]", *lines, ""]) for name, lines in sections)
    return _OURS + body.encode()


def _quoted(word: str) -> str:
    """A word as unit files have it; `%` would name a specifier."""
    return '"' + word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%") + '"'
