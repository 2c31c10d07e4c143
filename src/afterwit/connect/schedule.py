"""Sets up and removes a regular `learn` with the user's own scheduler, and says what is set up.

A change is planned as data, shown, and then done: if something has changed in between, nothing is done. A step that
fails takes the files before it back. Afterwards the plan is made again and must be empty. Only what is ours is touched:
files that carry our mark, and our block of the crontab. What each scheduler wants is in `schedulers`.
"""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePath
from typing import NamedTuple

import msgspec

from afterwit.agents.registry import AGENTS
from afterwit.config.show import StorePlace, default_root
from afterwit.connect.schedulers import (
    NAME,
    Cadence,
    Job,
    JobFiles,
    RemoveFile,
    RunProgram,
    Scheduler,
    Step,
    Steps,
    WriteFile,
    block_in,
    crontab_cadence,
    is_our_agent,
    is_our_unit,
    launchd_cadence,
    launchd_file,
    launchd_target,
    plan_crontab,
    plan_launchd,
    plan_systemd,
    systemd_cadence,
    systemd_files,
)
from afterwit.model.errors import AfterwitError, UsageError
from afterwit.model.text import regex
from afterwit.store.atomic import READABLE, replace_file
from afterwit.store.regular_files import read_regular

_TIMEOUT_SECONDS = 60
_NO_CRONTAB = regex(r"no crontab for|can't open .*No such file")


class Host(NamedTuple):
    """The machine and the user for whom a job is set up."""

    environ: Mapping[str, str]
    platform: str
    user_home: Path
    uid: int
    command: tuple[str, ...]  # what starts afterwit here, by absolute path

    def program(self, name: str) -> str | None:
        return shutil.which(name, path=self.environ.get("PATH", os.defpath))


class Planned(NamedTuple):
    """A change that can be shown and then applied."""

    scheduler: Scheduler | None  # None: nothing is installed afterwards
    job: Job | None
    label: str
    steps: Steps


class Installed(msgspec.Struct, frozen=True, kw_only=True):
    """What is set up for one store."""

    is_installed: bool = False
    scheduler: str = ""
    cadence: str = ""
    is_running: bool = False  # the scheduler knows of it
    places: tuple[str, ...] = ()  # files, or the crontab


def job_for(place: StorePlace, host: Host, cadence: Cadence) -> Job:
    """`learn` on this store, in the surroundings of now: a scheduler starts its jobs in nearly empty ones."""
    environment = {"HOME": str(host.user_home), "AFTERWIT_HOME": str(place.root), "AFTERWIT_PROFILE": place.profile}
    if place.config != place.root / "config.toml":
        environment["AFTERWIT_CONFIG"] = str(place.config)
    moved = {variable.name for agent in AGENTS for variable in agent.variables}
    environment |= {name: host.environ[name] for name in moved if host.environ.get(name, "").strip()}
    for text in (*host.command, *environment.values()):
        if not text.isprintable():
            raise UsageError(f"{text!r} cannot be put into a schedule. Give the folder another name.")
    return Job(label_for(place, host), (*host.command, "learn"), environment, cadence)


def label_for(place: StorePlace, host: Host) -> str:
    """The name of the job; stores in other places than the usual one have jobs of their own."""
    if place.store == Path(default_root(host.environ, host.platform)):
        return NAME
    return f"{NAME}-{hashlib.blake2b(os.fsencode(place.store), digest_size=4).hexdigest()}"


def plan_install(host: Host, job: Job) -> Planned:
    """How to get from what is there to this job, and to this job alone."""
    here = _here(host, job.label)
    chosen = here.choose(job)
    others = (step for scheduler in here.schedulers if scheduler != chosen for step in here.plan(scheduler, None))
    return Planned(chosen, job, job.label, (*here.plan(chosen, job), *others))


def plan_removal(host: Host, label: str) -> Planned:
    here = _here(host, label)
    return Planned(
        None, None, label, tuple(step for scheduler in here.schedulers for step in here.plan(scheduler, None))
    )


def apply(host: Host, planned: Planned) -> None:
    """Does what was planned, if it still is what has to be done."""
    if _again(host, planned).steps != planned.steps:
        raise AfterwitError("The schedule or the crontab has changed in the meantime. Run the command again.")
    _carry_out(host, planned.steps)
    left = _again(host, planned).steps
    if left:
        raise AfterwitError(f"The scheduler did not take it: {_named(left[0])} is still to be done. Try it by hand.")


def status(host: Host, label: str) -> Installed:
    """What is set up for this store. A scheduler that cannot be asked has nothing set up."""
    if host.platform == "win32":
        return Installed()
    here = _here(host, label)
    return next(filter(None, map(here.installed, here.schedulers)), Installed())


def _again(host: Host, planned: Planned) -> Planned:
    return plan_removal(host, planned.label) if planned.job is None else plan_install(host, planned.job)


class _Here(NamedTuple):
    """The schedulers of this host, and what they have of one job."""

    host: Host
    label: str
    schedulers: tuple[Scheduler, ...]
    present: Mapping[Scheduler, JobFiles]
    crontab: bytes | None
    cron_fault: str

    def choose(self, job: Job) -> Scheduler:
        if Scheduler.LAUNCHD in self.schedulers:
            return Scheduler.LAUNCHD
        if Scheduler.SYSTEMD in self.schedulers and _answers(self.host, "systemctl", "--user", "show", "-p", "Version"):
            return Scheduler.SYSTEMD
        if self.cron_fault:
            raise AfterwitError(
                f"There is no scheduler to use: no systemd of the user is running, and {self.cron_fault}."
                f" Let whatever starts jobs here call: {' '.join(job.command)}"
            )
        return Scheduler.CRON

    def plan(self, scheduler: Scheduler, job: Job | None) -> Steps:
        host, label = self.host, self.label
        match scheduler:
            case Scheduler.SYSTEMD:
                return plan_systemd(_units(host), label, job, self.present[scheduler])
            case Scheduler.LAUNCHD:
                return plan_launchd(_agents(host), label, host.uid, job, self.present[scheduler])
            case Scheduler.CRON:
                return plan_crontab(label, job, self.crontab, has_ionice=host.program("ionice") is not None)

    def installed(self, scheduler: Scheduler) -> Installed | None:
        if scheduler is Scheduler.CRON:
            block = block_in(self.crontab, self.label)
            files: Iterable[PurePath] = ()
            cadence, is_running, is_there = crontab_cadence(block), bool(block), bool(block)
        else:
            files, is_running = self.present[scheduler]
            contents = list(self.present[scheduler].files.values())
            read = launchd_cadence if scheduler is Scheduler.LAUNCHD else systemd_cadence
            cadence = next(filter(None, map(read, contents)), None)
            is_there = bool(contents)
        if not is_there:
            return None
        return Installed(
            is_installed=True,
            scheduler=scheduler.value,
            cadence=cadence.text if cadence else "",
            is_running=is_running,
            places=tuple(str(file) for file in files) or ("crontab",),
        )


def _here(host: Host, label: str) -> _Here:
    if host.platform == "win32":
        raise AfterwitError(
            "On Windows a schedule is set up by hand: in the Task Scheduler, or with"
            f' schtasks /Create /SC DAILY /ST 12:30 /TN {label} /TR "{subprocess.list2cmdline(host.command)} learn"'
        )
    if host.platform == "darwin":
        return _Here(host, label, (Scheduler.LAUNCHD,), {Scheduler.LAUNCHD: _launchd(host, label)}, None, "")
    present = {Scheduler.SYSTEMD: _systemd(host, label)}
    return _Here(host, label, (Scheduler.SYSTEMD, Scheduler.CRON), present, *_crontab(host))


def _systemd(host: Host, label: str) -> JobFiles:
    files = dict(_read(systemd_files(_units(host), label)))
    for path, content in files.items():
        _refuse_foreign(path, is_ours=is_our_unit(content))
    timer = f"{label}.timer"
    is_running = all(_answers(host, "systemctl", "--user", verb, timer) for verb in ("is-enabled", "is-active"))
    return JobFiles(files, is_running)


def _launchd(host: Host, label: str) -> JobFiles:
    files = dict(_read([launchd_file(_agents(host), label)]))
    for path, content in files.items():
        _refuse_foreign(path, is_ours=is_our_agent(content, label))
    return JobFiles(files, _answers(host, "launchctl", "print", launchd_target(host.uid, label)))


def _crontab(host: Host) -> tuple[bytes | None, str]:
    """The user's crontab, and why it cannot be used. Only a clear answer passes for an empty one: it is replaced."""
    if host.program("crontab") is None:
        return None, "there is no crontab program"
    done = _run(host, ("crontab", "-l"))
    said = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode == 0:
        return done.stdout, ""
    return None, "" if _NO_CRONTAB.search(said) else f"`crontab -l` says: {said or 'nothing'}"


def _units(host: Host) -> Path:
    config = Path(host.environ.get("XDG_CONFIG_HOME", ""))
    return (config if config.is_absolute() else host.user_home / ".config") / "systemd" / "user"


def _agents(host: Host) -> Path:
    return host.user_home / "Library" / "LaunchAgents"


def _read(paths: Iterable[PurePath]) -> Iterator[tuple[PurePath, bytes]]:
    for path in map(Path, paths):
        if path.is_symlink():
            _refuse_foreign(path, is_ours=False)
        if path.exists():
            yield path, read_regular(path)


def _refuse_foreign(path: PurePath, *, is_ours: bool) -> None:
    if not is_ours:
        raise AfterwitError(f"{path} is there and was not written by afterwit. Move it away, then try again.")


def _answers(host: Host, *arguments: str) -> bool:
    return host.program(arguments[0]) is not None and _run(host, arguments).returncode == 0


def _run(host: Host, arguments: tuple[str, ...], stdin: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
    program = host.program(arguments[0])
    try:
        return subprocess.run(
            [program or arguments[0], *arguments[1:]],
            input=stdin,
            capture_output=True,
            env={**host.environ, "LC_ALL": "C"},
            timeout=_TIMEOUT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess(arguments, 127, b"", str(error).encode())


def _carry_out(host: Host, steps: Steps) -> None:
    undo: list[tuple[Path, bytes | None]] = []
    try:
        for step in steps:
            match step:
                case WriteFile(path, content):
                    undo.append((Path(path), _before(Path(path))))
                    _write(Path(path), content)
                case RemoveFile(path):
                    undo.append((Path(path), _before(Path(path))))
                    Path(path).unlink(missing_ok=True)
                case RunProgram():
                    _call(host, step)
    except (AfterwitError, OSError):
        for place, before in reversed(undo):
            place.unlink(missing_ok=True) if before is None else _write(place, before)
        raise


def _call(host: Host, step: RunProgram) -> None:
    done = _run(host, step.arguments, step.stdin)
    if done.returncode and not step.may_fail:
        said = done.stderr.decode("utf-8", "replace").strip() or f"exit code {done.returncode}"
        raise AfterwitError(f"{_named(step)} failed: {said}. Files were put back as they were.")


def _before(path: Path) -> bytes | None:
    return read_regular(path) if path.exists() else None


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, content, READABLE)


def _named(step: Step) -> str:
    return f"`{' '.join(step.arguments)}`" if isinstance(step, RunProgram) else str(step.path)
