"""`afterwit doctor`: a table per agent, the state of the store, then alarms and warnings."""

import click

from afterwit.cli.commands import ExitCode, command, flag
from afterwit.cli.connect.agents import this_machine
from afterwit.cli.terminal.options import Here, reporting, timed
from afterwit.cli.terminal.output import print_bad, print_json, print_line, print_text
from afterwit.cli.terminal.table import Column, print_table
from afterwit.config.calendar import Calendar
from afterwit.engine.doctor.agent_health import AgentHealth, RetentionHealth, VersionHealth
from afterwit.engine.doctor.doctor import Examination, examine, within
from afterwit.engine.doctor.findings import Level, StoreHealth, connection_findings
from afterwit.model.figures import human_bytes, human_count

_COLUMNS = (
    Column("version", most=12),
    Column("files", is_number=True, gives_way=2),
    Column("sessions", is_number=True),
    Column("events", is_number=True, gives_way=3),
    Column("actions", is_number=True),
    Column("unknown", is_number=True, gives_way=1),
    Column("last session"),
)
_SUMS = ("sessions", "events", "actions")
_VERSIONS_SHOWN = 4
_LOCKS = {"free": "free", "held": "held by process", "stale": "free; left by a run that was killed, process"}


@command(
    examples=("afterwit doctor", "afterwit doctor --full", "afterwit doctor --json"),
    exits={
        ExitCode.FINE: "No alarm. Warnings do not change the exit code.",
        ExitCode.FAILED: "At least one alarm, or there is no store yet.",
    },
)
@flag("--full", "is_full", "Read all pages and archived bytes, as `store verify` does.")
@flag("--versions", "has_all_versions", "Show every version of an agent, not only the newest.")
@reporting
@timed
def doctor(here: Here, is_full: bool, has_all_versions: bool, is_json: bool) -> None:
    """Check that nothing is missed and that the store is sound.

    When an agent changes the format of its logs, files may be read and nothing comes out. This compares what lies on
    the disk with what was read, per agent and version, and takes a quick look at the store, which says what it left
    out. Each alarm says what to do.
    """
    machine = this_machine(here)
    examination = examine(here.world, is_full=is_full).plus(connection_findings(machine))
    if is_json:
        print_json(examination)
    else:
        _show(here.calendar, examination, has_all_versions=has_all_versions)
    if examination.has_alarms:
        raise click.exceptions.Exit(ExitCode.FAILED)


def _show(calendar: Calendar, examination: Examination, *, has_all_versions: bool) -> None:
    for agent in examination.agents:
        _show_agent(calendar, agent, has_all_versions=has_all_versions)
        print_line("")
    if not examination.agents:
        print_text("No agent logs, neither on the disk nor in the store. `afterwit config show` lists where to look.")
    for name, fact in _facts(calendar, examination.store):
        print_text(fact, first=f"{name:<9} ", rest=" " * 10)
    print_line("")
    for finding in examination.findings:
        (print_bad if finding.level is Level.ALARM else print_text)(f"{finding.level}: {finding.what}")
    alarms = sum(finding.level is Level.ALARM for finding in examination.findings)
    print_line(f"{human_count(alarms, 'alarm')}." if alarms else "No alarms.")


def _show_agent(calendar: Calendar, agent: AgentHealth, *, has_all_versions: bool) -> None:
    print_text(_files(agent), first=f"{agent.agent}: ", rest="  ")
    if not agent.evidence:
        return
    print_text(f"  reader written on {agent.evidence}")
    print_text(f"  {_retention(agent.retention)}")
    if agent.newest_error:
        print_text(f"  newest error: {agent.newest_error}")
    shown = agent.versions if has_all_versions else agent.versions[:_VERSIONS_SHOWN]
    rows = [_row(calendar, version.version or "not stated", version) for version in shown]
    if len(agent.versions) > len(shown):
        rest = agent.versions[len(shown) :]
        rows.append(_row(calendar, f"{len(rest):,} others", *rest))
    if rows:
        print_table(_COLUMNS, rows)


def _row(calendar: Calendar, name: str, *versions: VersionHealth) -> tuple[str, ...]:
    files = sum(version.files for version in versions)
    share = sum(version.unknown_share * version.files for version in versions) / files
    moments = [version.last_ms for version in versions if version.last_ms is not None]
    return (
        name,
        human_count(files),
        *(
            human_count(sum(getattr(version, name) for version in versions))
            for name in ("sessions", "events", "actions")
        ),
        f"{share:.1%}",
        calendar.day(max(moments, default=None)),
    )


def _files(agent: AgentHealth) -> str:
    on_disk = f"{human_count(agent.files_on_disk, 'file')} on the disk"
    if not agent.evidence:
        return f"{on_disk}, no reader yet"
    said = [on_disk, f"{human_count(agent.files_in_store)} in the store"]
    for count, what in (
        (agent.files_pending, "not read yet"),
        (agent.files_without_reader, "without a reader"),
        (agent.files_unclaimed, "that nobody reads"),
        (agent.files_orphaned, "beside a log that is gone"),
        (agent.files_empty, "empty"),
        (agent.files_failed, "failed"),
    ):
        said += [f"{human_count(count)} {what}"] if count else []
    said.append(human_count(agent.sessions, "session"))
    if agent.partial_sessions:
        said.append(f"{human_count(agent.partial_sessions)} of them prompts only")
    return ", ".join(said)


def _retention(kept: RetentionHealth | None) -> str:
    if kept is None:
        return "not known whether the agent deletes its logs"
    if kept.days is None:
        return "the agent keeps its logs"
    going = [f"{human_count(horizon.vanishing)} {within(horizon)}" for horizon in kept.horizons if horizon.vanishing]
    soon = ", ".join(going) or "none soon"
    return f"the agent deletes its logs after {kept.days:g} days ({kept.source}): {soon}"


def _facts(calendar: Calendar, store: StoreHealth) -> list[tuple[str, str]]:
    schema = "not readable" if store.schema_version is None else str(store.schema_version)
    run = f", last run {calendar.moment(store.last_run_ms)}" if store.last_run_ms else ""
    process = f" {store.lease_process}" if store.lease_process else ""
    return [
        ("stored in", store.root),
        ("SQLite", f"{store.sqlite_version}, schema {schema}"),
        ("check", f"{store.check}: {'sound' if store.is_sound else 'damaged'}"),
        *([("unchecked", f"{', '.join(store.unchecked)} (`afterwit doctor --full`)")] if store.unchecked else []),
        ("sizes", f"database {human_bytes(store.database_bytes)}, archive {human_bytes(store.archive_bytes)}"),
        ("disk", f"{human_bytes(store.free_bytes)} free"),
        ("lock", f"{_LOCKS[store.lease]}{process}{run}"),
        ("hooks", f"{human_count(store.spool_files, 'file')} to be taken in, {human_bytes(store.spool_bytes)}"),
    ]
