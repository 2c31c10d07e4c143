"""What each scheduler of a user wants: a block of the crontab, a launch agent, a systemd timer.

Plain data, to be shown before anything is done: a planner turns a `Job` (or None, for none) and what it finds in place
into steps. No steps means that everything is as it should be. Carrying steps out is left to `connect.schedule`.
"""

import plistlib
import re
import shlex
from collections.abc import Mapping
from enum import StrEnum
from pathlib import PurePath
from typing import Any, NamedTuple
from xml.parsers.expat import ExpatError

from afterwit.model.errors import AfterwitError
from afterwit.model.text import regex

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


_UNENDED = " (the line before had no end)"
_ALONE = " (there was no crontab before)"
_LINE = regex(rb"(?m)^(\d+) (\d+|\*) \* \* \* ")


class _Cut(NamedTuple):
    """A crontab without our block."""

    before: bytes
    block: bytes
    after: bytes
    note: str


def plan_crontab(label: str, job: Job | None, crontab: bytes | None, *, has_ionice: bool) -> Steps:
    """The steps from this crontab (None: there is none) to one with the job, or without it."""
    cut = _cut(crontab or b"", label)
    if job is None:
        return _remove_block(cut) if cut else ()
    if cut is None:
        cut = _append_block(crontab)
    block = _block(job, cut.note, has_ionice=has_ionice)
    if block == cut.block:
        return ()
    shown = _diff("-", cut.block) + _diff("+", block)
    return (RunProgram(("crontab", "-"), cut.before + block + cut.after, shown),)


def block_in(crontab: bytes | None, label: str) -> bytes:
    """Our block; empty if there is none."""
    cut = _cut(crontab or b"", label)
    return cut.block if cut else b""


def crontab_cadence(block: bytes) -> Cadence | None:
    match = _LINE.search(block)
    return Cadence(None if match[2] == b"*" else int(match[2]), int(match[1])) if match else None


def _append_block(crontab: bytes | None) -> _Cut:
    """Where a new block goes: to the end."""
    if crontab is None:
        return _Cut(b"", b"", b"", _ALONE)
    if crontab and not crontab.endswith(b"\n"):
        return _Cut(crontab + b"\n", b"", b"", _UNENDED)
    return _Cut(crontab, b"", b"", "")


def _remove_block(cut: _Cut) -> Steps:
    before = cut.before
    if cut.note == _UNENDED and not cut.after:
        before = before.removesuffix(b"\n")
    rest, shown = before + cut.after, _diff("-", cut.block)
    if not rest and cut.note == _ALONE:
        return (RunProgram(("crontab", "-r"), shown=shown),)
    return (RunProgram(("crontab", "-"), rest, shown),)


def _cut(crontab: bytes, label: str) -> _Cut | None:
    name = re.escape(label).encode()
    opening = re.search(rb"^# >>> " + name + rb" >>> [^\n(]*?( \([^\n)]*\))?\n", crontab, re.MULTILINE)
    closing = re.search(rb"^# <<< " + name + rb" <<<(?:\n|\Z)", crontab, re.MULTILINE)
    if opening is None and closing is None:
        return None
    if opening is None or closing is None or closing.start() < opening.end():
        raise AfterwitError(
            f"The block of {label} in your crontab is damaged: one of its two marks is missing."
            " Remove what is left of it with `crontab -e`, then try again."
        )
    note = (opening[1] or b"").decode()
    block = crontab[opening.start() : closing.end()]
    return _Cut(crontab[: opening.start()], block, crontab[closing.end() :], note)


def _block(job: Job, note: str, *, has_ionice: bool) -> bytes:
    hour = "*" if job.cadence.hour is None else str(job.cadence.hour)
    settings = [f"{name}={value}" for name, value in sorted(job.environment.items())]
    low = ["nice", "-n", str(NICE), *(["ionice", "-c", "3"] if has_ionice else [])]
    command = shlex.join([*low, "env", *settings, *job.command]).replace("%", "\\%")
    line = f"{job.cadence.minute} {hour} * * * {command} >/dev/null 2>&1"
    return f"# >>> {job.label} >>> {MARK}{note}\n{line}\n# <<< {job.label} <<<\n".encode()


def _diff(sign: str, block: bytes) -> str:
    return "".join(f"{sign}{line}\n" for line in block.decode("utf-8", "replace").splitlines())


def launchd_file(folder: PurePath, label: str) -> PurePath:
    """The file of the job. `folder` is the user's folder of launch agents."""
    return folder / f"{label}.plist"


def launchd_target(uid: int, label: str) -> str:
    """The job as `launchctl` names it."""
    return f"gui/{uid}/{label}"


def is_our_agent(content: bytes, label: str) -> bool:
    return _properties_in(content).get("Label") == label


def launchd_cadence(content: bytes) -> Cadence | None:
    when = _properties_in(content).get("StartCalendarInterval")
    if not isinstance(when, dict) or not isinstance(when.get("Minute"), int):
        return None
    hour = when.get("Hour")
    return Cadence(hour if isinstance(hour, int) else None, when["Minute"])


def plan_launchd(folder: PurePath, label: str, uid: int, job: Job | None, present: JobFiles) -> Steps:
    """The steps from what is found to the job, or to none."""
    file = launchd_file(folder, label)
    unload = RunProgram(("launchctl", "bootout", launchd_target(uid, label)), may_fail=True)
    unloading: list[Step] = [unload] if present.is_running else []
    if job is None:
        return (*unloading, *([RemoveFile(file)] if file in present.files else []))
    content = _property_list(job)
    writes: list[Step] = [WriteFile(file, content)] if present.files.get(file) != content else []
    if not writes and present.is_running:
        return ()
    return (*writes, *unloading, RunProgram(("launchctl", "bootstrap", f"gui/{uid}", str(file))))


def _property_list(job: Job) -> bytes:
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


def _properties_in(content: bytes) -> dict[str, Any]:
    try:
        value = plistlib.loads(content)
    except (plistlib.InvalidFileException, ExpatError, ValueError, OverflowError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


_CALENDAR = regex(rb"(?m)^OnCalendar=\*-\*-\* (\*|\d\d):(\d\d):00$")
_OURS = f"# {MARK}\n".encode()
_CALL = ("systemctl", "--user")


def systemd_files(folder: PurePath, label: str) -> tuple[PurePath, PurePath]:
    """The files of the service and of its timer. `folder` is the user's folder of units."""
    return folder / f"{label}.service", folder / f"{label}.timer"


def is_our_unit(content: bytes) -> bool:
    return content.startswith(_OURS)


def systemd_cadence(timer: bytes) -> Cadence | None:
    match = _CALENDAR.search(timer)
    return Cadence(None if match[1] == b"*" else int(match[1]), int(match[2])) if match else None


def plan_systemd(folder: PurePath, label: str, job: Job | None, present: JobFiles) -> Steps:
    """The steps from what is found to the job, or to none."""
    service, timer = systemd_files(folder, label)
    if job is None:
        return _remove_units(service, timer, present)
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


def _remove_units(service: PurePath, timer: PurePath, present: JobFiles) -> Steps:
    files = [RemoveFile(path) for path in (service, timer) if path in present.files]
    if not files and not present.is_running:
        return ()
    off = RunProgram((*_CALL, "disable", "--now", timer.name), may_fail=True)
    memory = RunProgram((*_CALL, "clean", "--what=state", timer.name), may_fail=True)
    return (off, memory, *files, RunProgram((*_CALL, "daemon-reload"), may_fail=True))


def _service(job: Job) -> bytes:
    settings = [f"Environment={_quote(f'{name}={value}')}" for name, value in sorted(job.environment.items())]
    program, *arguments = map(_quote, job.command)
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


def _quote(word: str) -> str:
    """A word as unit files have it; `%` would name a specifier."""
    return '"' + word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%") + '"'
