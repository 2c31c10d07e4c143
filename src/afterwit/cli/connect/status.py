"""`afterwit connect status`: what is connected."""

from collections.abc import Mapping
from typing import Any

import msgspec

from afterwit.cli.commands import command
from afterwit.cli.connect.machine import this_host, this_machine
from afterwit.cli.terminal.options import Here, reporting
from afterwit.cli.terminal.output import print_bad, print_json, print_line, print_text, talk
from afterwit.config.calendar import Calendar
from afterwit.connect import schedule
from afterwit.connect.plan import ConnectionState, states
from afterwit.connect.schedule import Installed
from afterwit.connect.schedulers import Cadence
from afterwit.edits.edits import Presence
from afterwit.engine.doctor.findings import HookCalls, Silence, hook_calls, silences

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
    installed = schedule.status(host, schedule.label_for(here.configured.place, host))
    wanted = here.world.settings.schedule.cadence
    machine = this_machine(here)
    connections = states(machine)
    calls = hook_calls(machine)
    silent = {silence.agent: silence for silence in silences(machine, calls)}
    called = {call.agent: call for call in calls}
    if is_json:
        planned = {**msgspec.structs.asdict(installed), "configured_cadence": wanted}
        print_json({"schedule": planned, "agents": [_shape(state, silent, called) for state in connections]})
        return
    _show(installed, wanted)
    for state in connections:
        _show_state(here.calendar, state, silent, called)
    if not connections:
        print_text("No agent is connected. `afterwit connect agents --all` connects those that are found.")


def _show(installed: Installed, wanted: str) -> None:
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


def _show_state(
    calendar: Calendar, state: ConnectionState, silent: Mapping[str, Silence], called: Mapping[str, HookCalls]
) -> None:
    name = state.project if state.is_file else state.agent
    place = f" in {state.project}" if state.project and not state.is_file else ""
    may = [word for word, is_on in (("refuses", state.may_refuse), ("rewrites", state.may_rewrite)) if is_on]
    allowed = f"; {' and '.join(may)} commands" if may else ""
    told = f"{name}{place}: {state.fault or _TOLD[state.presence]}{allowed}"
    is_bad = bool(state.fault) or state.presence is Presence.ABSENT
    (print_bad if is_bad else print_text)(told, rest="  ")
    for path in state.paths:
        print_line(f"    {path}")
    if state.agent in called:
        print_line(f"    {_fired(called[state.agent], calendar)}")
    for program in state.missing:
        talk(f"{name}: it calls {program}, which does not exist any more. Connect it again, or disconnect it.")
    if state.agent in silent:
        talk(silent[state.agent].what)


def _fired(calls: HookCalls, calendar: Calendar) -> str:
    if calls.has_called:
        return f"its hooks fired last at {calendar.moment(calls.called_ms)}"
    return f"its hooks have never fired since it was connected, {calendar.moment(calls.connected_ms)}"


def _shape(state: ConnectionState, silent: Mapping[str, Silence], called: Mapping[str, HookCalls]) -> dict[str, Any]:
    calls = called.get(state.agent)
    moments = {
        "connected_ms": calls.connected_ms if calls else None,
        "called_ms": calls.called_ms or None if calls else None,
    }
    shape = {**state._asdict(), "presence": state.presence.value, "paths": [str(path) for path in state.paths]}
    return {**shape, "missing": list(state.missing), "uncalled_sessions": _uncalled(state, silent), **moments}


def _uncalled(state: ConnectionState, silent: Mapping[str, Silence]) -> int:
    """Sessions that came in although no hook called."""
    return silent[state.agent].sessions if state.agent in silent else 0
