"""`afterwit connect schedule`: a regular `learn`, set up and removed."""

import re

import click

from afterwit.cli.commands import ExitCode, command
from afterwit.cli.connect.machine import this_host
from afterwit.cli.terminal.options import Here, agreed, reporting
from afterwit.cli.terminal.output import ask_or_leave, print_json, print_line
from afterwit.connect.schedule import Planned, apply, job_for, label_for, plan_install, plan_removal
from afterwit.connect.schedulers import HOURLY, Cadence, RemoveFile, RunProgram, Step, WriteFile

_TIME = re.compile(r"(?:[01]?[0-9]|2[0-3]):[0-5][0-9]")


@command(
    examples=(
        "afterwit connect schedule",
        "afterwit connect schedule --daily 07:45 --yes",
        "afterwit connect schedule --hourly --dry-run",
        "afterwit connect schedule --off",
    ),
    exits={ExitCode.FAILED: "There is no scheduler that can be used, it refused, or the answer was no."},
)
@click.option("--daily", metavar="HH:MM", help="Once a day at this time of the local clock.")
@click.option("--hourly", "is_hourly", is_flag=True, help="Once an hour.")
@click.option("--off", "is_off", is_flag=True, help="Remove the schedule, and leave everything as it was before.")
@agreed
@click.option("--dry-run", "is_dry_run", is_flag=True, help="Show what would be done, and do nothing.")
@reporting
def schedule(
    here: Here,
    daily: str | None,
    is_hourly: bool,
    is_off: bool,
    is_agreed: bool,
    is_dry_run: bool,
    is_json: bool,
) -> None:
    """Let your own scheduler run `learn` regularly.

    Uses systemd of the user, launchd on macOS, or else cron, at low priority. Shows the exact files and lines first,
    and asks. Without a time the setting `schedule.cadence` says when. Running it again changes what is there; nothing
    but its own files and its own block of the crontab is ever touched.
    """
    if bool(daily) + is_hourly + is_off > 1:
        raise click.UsageError("--daily, --hourly and --off exclude each other.")
    host, place = this_host(here), here.configured.place
    if is_off:
        planned = plan_removal(host, label_for(place, host))
    else:
        cadence = Cadence.of(HOURLY if is_hourly else _time(daily) or here.world.settings.schedule.cadence)
        planned = plan_install(host, job_for(place, host, cadence))
    if not is_json:
        _show(planned)
    is_applied = bool(planned.steps) and not is_dry_run
    if is_applied:
        if not is_agreed:
            ask_or_leave("Do this?", "Look at it with --dry-run, and add --yes.")
        apply(host, planned)
    if is_json:
        print_json(_shape(planned, is_dry_run=is_dry_run, is_applied=is_applied))
    elif is_applied:
        print_line(_ended(planned))


def _time(text: str | None) -> str | None:
    if text is None:
        return None
    if not _TIME.fullmatch(text):
        raise click.BadParameter(f"{text!r} is no time like 07:45.", param_hint="--daily")
    return text.zfill(len("00:00"))


def _show(planned: Planned) -> None:
    if not planned.steps:
        print_line("There is no schedule." if planned.job is None else f"It is set up already: {_words(planned)}.")
    for step in planned.steps:
        for line in _lines(step):
            print_line(line)


def _lines(step: Step) -> list[str]:
    match step:
        case WriteFile(path, content):
            return [f"write {path}", *(f"    {line}" for line in content.decode().splitlines())]
        case RemoveFile(path):
            return [f"remove {path}"]
        case RunProgram(arguments, _, shown):
            return [f"run {' '.join(arguments)}", *(f"    {line}" for line in shown.splitlines())]


def _words(planned: Planned) -> str:
    assert planned.job is not None
    return f"{planned.job.cadence.words}, by {planned.scheduler}"


def _ended(planned: Planned) -> str:
    if planned.job is None:
        return "The schedule is removed."
    return f"`learn` runs {_words(planned)}. `afterwit connect schedule --off` removes it."


def _shape(planned: Planned, *, is_dry_run: bool, is_applied: bool) -> dict[str, object]:
    return {
        "label": planned.label,
        "scheduler": planned.scheduler or "",
        "cadence": planned.job.cadence.text if planned.job else "",
        "command": list(planned.job.command) if planned.job else [],
        "environment": dict(planned.job.environment) if planned.job else {},
        "steps": [{"action": type(step).__name__.lower(), "lines": _lines(step)} for step in planned.steps],
        "is_dry_run": is_dry_run,
        "is_applied": is_applied,
    }
