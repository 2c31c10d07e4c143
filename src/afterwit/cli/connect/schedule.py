"""`afterwit connect schedule` and `status`: a regular `learn`, set up and removed, and what is connected."""

from typing import Any

import click
import msgspec

from afterwit.cli.commands import command, flag
from afterwit.cli.connect.agents import this_host, this_machine
from afterwit.cli.terminal.options import Here, agreed, reporting
from afterwit.cli.terminal.output import ask_or_leave, print_bad, print_json, print_line, print_text, talk
from afterwit.config.calendar import Calendar
from afterwit.connect.plan import ConnectionState, states
from afterwit.connect.schedule import Installed, Planned, apply, job_for, label_for, plan_install, plan_removal
from afterwit.connect.schedule import status as schedule_status
from afterwit.connect.schedulers import HOURLY, Cadence, RemoveFile, RunProgram, Step, WriteFile
from afterwit.edits.edits import Presence
from afterwit.engine.doctor.findings import HookCalls, hook_calls
from afterwit.model.text import regex

_TIME = regex(r"(?:[01]?[0-9]|2[0-3]):[0-5][0-9]")


@command(
    examples=(
        "afterwit connect schedule",
        "afterwit connect schedule --daily 07:45 --yes",
        "afterwit connect schedule --hourly --dry-run",
        "afterwit connect schedule --off",
    ),
)
@click.option("--daily", metavar="HH:MM", help="Once a day at this time of the local clock.")
@flag("--hourly", "is_hourly", "Once an hour.")
@flag("--off", "is_off", "Remove the schedule, and leave everything as it was before.")
@agreed
@flag("--dry-run", "is_dry_run", "Show what would be done, and do nothing.")
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
        print_line(_ending(planned))


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


def _ending(planned: Planned) -> str:
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


_TOLD = {
    Presence.CURRENT: "connected",
    Presence.OUTDATED: "connected, but not as it would be now: connect it again",
    Presence.ABSENT: "was connected, but nothing that Afterwit wrote is left: connect it again, or disconnect it",
}


@command(examples=("afterwit connect status", "afterwit connect status --json"))
@reporting
def status(here: Here, is_json: bool) -> None:
    """Show what is connected.

    Which agents and files hear from Afterwit, and what it wrote into their files; whether the program that they call is
    there, and when their hooks called last. Whether a regular `learn` is set up for this store, by which scheduler,
    how often, and in which files.
    """
    host = this_host(here)
    installed = schedule_status(host, label_for(here.configured.place, host))
    wanted = here.world.settings.schedule.cadence
    machine = this_machine(here)
    connections = states(machine)
    called = {call.agent: call for call in hook_calls(machine)}
    if is_json:
        planned = {**msgspec.structs.asdict(installed), "configured_cadence": wanted}
        print_json(
            {"schedule": planned, "agents": [_state_shape(state, called.get(state.agent)) for state in connections]}
        )
        return
    _show_schedule(installed, wanted)
    for state in connections:
        _show_state(here.calendar, state, called.get(state.agent))
    if not connections:
        print_text("No agent is connected. `afterwit connect agents --all` connects those that are found.")


def _show_schedule(installed: Installed, wanted: str) -> None:
    if not installed.is_installed:
        print_text("No schedule. `afterwit connect schedule` sets one up.")
        return
    when = Cadence.of(installed.cadence).words if installed.cadence else "at times of its own"
    print_line(f"`learn` runs {when}, by {installed.scheduler}:")
    for place in installed.places:
        print_line(f"    {place}")
    if not installed.is_running:
        talk("But the scheduler does not know of it. `afterwit connect schedule` sets it up again.")
    if installed.cadence != wanted:
        talk(f"The setting schedule.cadence is {wanted}; `afterwit connect schedule` applies it.")


def _show_state(calendar: Calendar, state: ConnectionState, calls: HookCalls | None) -> None:
    name = state.project if state.is_file else state.agent
    place = f" in {state.project}" if state.project and not state.is_file else ""
    may = [word for word, is_on in (("refuses", state.may_refuse), ("rewrites", state.may_rewrite)) if is_on]
    allowed = f"; {' and '.join(may)} commands" if may else ""
    told = f"{name}{place}: {state.fault or _TOLD[state.presence]}{allowed}"
    is_bad = bool(state.fault) or state.presence is Presence.ABSENT
    (print_bad if is_bad else print_text)(told, rest="  ")
    for path in state.paths:
        print_line(f"    {path}")
    if calls is not None and calls.has_called:
        print_line(f"    its hooks fired last at {calendar.moment(calls.called_ms)}")
    elif calls is not None:
        print_line(f"    its hooks have never fired since it was connected, {calendar.moment(calls.connected_ms)}")
    for program in state.missing:
        talk(f"{name}: it calls {program}, which does not exist any more. Connect it again, or disconnect it.")
    if calls is not None and calls.unheard:
        talk(calls.silence)


def _state_shape(state: ConnectionState, calls: HookCalls | None) -> dict[str, Any]:
    return {
        **state._asdict(),
        "presence": state.presence.value,
        "paths": [str(path) for path in state.paths],
        "missing": list(state.missing),
        "uncalled_sessions": calls.unheard if calls else 0,
        "connected_ms": calls.connected_ms if calls else None,
        "called_ms": calls.called_ms or None if calls else None,
    }
