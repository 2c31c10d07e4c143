"""What `doctor` says about hooks: faults that they noted, and programs that agents call and that are gone.

A hook never disturbs a session, so nobody sees that it fails. Connections are looked up in the agents' own files,
because an agent calls what stands there, whatever was meant.
"""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from afterwit.agents.retention import DAY_MS
from afterwit.integration.programs import hook_programs
from afterwit.model.errors import AfterwitError
from afterwit.model.times import iso_from_ms
from afterwit.store import hooks
from afterwit.store.hooks import FaultRow
from afterwit.store.store import Store
from afterwit.usecases.connecting import Machine, State, states
from afterwit.usecases.findings import Finding, alarm, warning
from afterwit.usecases.foreign_files import look
from afterwit.usecases.learn_faults import LEARN

RECENT_DAYS = 7


def fault_findings(store: Store, now_ms: int) -> Iterator[Finding]:
    """One warning for each agent whose hooks failed of late, and one for what they start."""
    by_agent: dict[str, list[FaultRow]] = {}
    for fault in hooks.faults(store.db, now_ms - RECENT_DAYS * DAY_MS):
        by_agent.setdefault(fault.agent, []).append(fault)
    by_itself = by_agent.pop(LEARN, [])
    if by_itself:
        yield _learn_warning(by_itself)
    for agent, faults in by_agent.items():
        yield warning(
            "hook-fault",
            f"{agent}: its hook failed {_often(faults)}, and the session went on without notes."
            f" Latest: {_told(faults[-1])}. Run `afterwit learn`, which writes anew what hooks read; if it fails again,"
            " report this line.",
            agent,
        )


def _learn_warning(faults: list[FaultRow]) -> Finding:
    return warning(
        "learn-fault",
        f"The `learn` that agents start at the end of a session failed {_often(faults)}. Latest: {_told(faults[-1])}."
        " Run `afterwit learn`; if it fails too, it says why.",
    )


def missing_hooks(machine: Machine) -> Iterator[Finding]:
    """One alarm for each connected agent that calls a program which is gone. A journal that cannot be read says
    nothing here: that is an alarm of its own."""
    found: list[State] = []
    with suppress(AfterwitError):
        found = states(machine)
    for state in found:
        gone = sorted(program for program in _called(state) if not Path(program).exists())
        if gone:
            place = f" in {state.project}" if state.project else ""
            yield alarm(
                "hook-missing",
                f"{state.agent}{place}: it calls {' and '.join(gone)}, which does not exist any more, so it hears"
                f" nothing. Run `afterwit connect {state.agent}`, or `afterwit disconnect {state.agent}`.",
                state.agent,
            )


def _often(faults: list[FaultRow]) -> str:
    times = "once" if len(faults) == 1 else f"{len(faults):,} times"
    return f"{times} in the last {RECENT_DAYS} days"


def _told(fault: FaultRow) -> str:
    said = f" ({fault.said})" if fault.said else ""
    place = f" in {fault.place}" if fault.place else ""
    return f"{iso_from_ms(fault.at_ms)[:16]}Z, at {fault.event}, {fault.error}{said}{place}"


def _called(state: State) -> set[str]:
    """What the files of an agent start. One that cannot be read starts nothing."""
    found: set[str] = set()
    for path in () if state.is_file else state.paths:
        with suppress(AfterwitError, OSError):
            found |= hook_programs((look(path).content or b"").decode(errors="replace"))
    return found
