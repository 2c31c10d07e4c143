"""`afterwit learn`: the main job."""

import os
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import click

from afterwit.cli.commands import ExitCode, command
from afterwit.cli.terminal.amounts import COUNT, human_bytes, human_count
from afterwit.cli.terminal.options import AgentName, Here, many, refuse_unknown, reporting
from afterwit.cli.terminal.output import print_json, print_line, talk
from afterwit.cli.terminal.periods import since_ms
from afterwit.cli.terminal.progress import at_most, bar
from afterwit.cli.terminal.table import Column, print_table
from afterwit.config.world import World
from afterwit.learn.unchanged import nothing_new
from afterwit.learn.unwatched_faults import faults_noted
from afterwit.model.errors import BusyError
from afterwit.model.learn_run import AgentReport, Digested, Harvested, Options, Progress, Report, WantedSession

_COLUMNS = (
    *(Column("agent"), Column("found", is_number=True), Column("read", is_number=True)),
    *(Column("unchanged", is_number=True), Column("empty", is_number=True, gives_way=1)),
    *(Column("failed", is_number=True, gives_way=1), Column("events", is_number=True)),
    *(Column("actions", is_number=True), Column("bytes", is_number=True)),
)
_FIELDS = ("agent", "discovered", "read", "unchanged", "empty", "failed", "events", "actions")
_MOST_CHANGES = 10
_MOST_ITEMS = 20


@command(
    examples=(
        "afterwit learn",
        "afterwit learn --source codex --since 30d",
        "afterwit learn --session codex/019b2c4e-7d1f-7a55-9c3e-2f6f0f9a1b77",
        "afterwit learn --sessions-dir ~/old-laptop/logs --dry-run",
    ),
    exits={
        ExitCode.FINE: "Fine; also where another run was at work and did the job.",
        ExitCode.FAILED: "No file could be read, the store cannot be used, or the storage budget cost a session that"
        " was not analysed (data_loss).",
        ExitCode.PARTLY_DONE: "Some files could not be opened, or Ctrl-C stopped the run. What was read is kept.",
    },
)
@many("--source", "sources", "AGENT", "Only this agent; repeat for more.", AgentName())
@click.option(
    "--sessions-dir",
    "folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Read this folder of logs instead; the format is recognised by content.",
)
@click.option(
    "--since",
    metavar="TIME",
    help="Only files changed since then: 12h, 30d, yesterday, 'last week', 2026-03, a day.",
)
@many("--session", "named", "AGENT/ID", "Only this session, without a look at other logs; repeat for more.")
@click.option(
    "--ended",
    "is_ended",
    is_flag=True,
    help="Only sessions whose end connected agents have noted since the last run. What they start by themselves.",
)
@click.option(
    "--jobs",
    type=COUNT,
    metavar="N",
    default=None,
    help="Processes to use; 0 means one for every core. Default: what the configuration says.",
)
@click.option(
    "--wait",
    "wait_seconds",
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    default=None,
    help="How long to wait for another run to end. Default: what the configuration says.",
)
@click.option(
    "--at-most",
    "limit_seconds",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Stop after so long, as Ctrl-C would. What was read is kept.",
)
@click.option(
    "--reharvest", "is_reharvest", is_flag=True, help="Let the present harvesters look at all sessions again."
)
@click.option("--dry-run", "is_dry_run", is_flag=True, help="Do everything but write.")
@click.option(
    "--accept-database",
    "accepts_database",
    is_flag=True,
    help="Go on with a database that knows less than the archive holds, instead of `store rebuild`.",
)
@reporting
def learn(
    here: Here,
    sources: tuple[str, ...],
    folder: Path | None,
    since: str | None,
    named: tuple[str, ...],
    is_ended: bool,
    jobs: int | None,
    wait_seconds: float | None,
    limit_seconds: float | None,
    is_reharvest: bool,
    is_dry_run: bool,
    accepts_database: bool,
    is_json: bool,
) -> None:
    """Read what your agents have logged since the last time.

    Finds the logs of all agents on this machine, archives them, stores sessions, events and actions, with secrets
    removed, and harvests what is worth knowing next time. Unchanged files cost a glance. Run it as often as you like.
    """
    refuse_unknown(sources, here.world.declared, "--source")
    wanted = _sessions(here, named)
    if (named or is_ended) and (sources or folder or since or is_reharvest):
        raise click.UsageError("--session and --ended go with none of --source, --sessions-dir, --since, --reharvest.")
    if is_ended and is_dry_run:
        raise click.UsageError("--ended takes in what agents have noted, so it cannot go with --dry-run.")
    wait = here.world.settings.learn.wait_seconds if wait_seconds is None else wait_seconds
    processes = (os.cpu_count() or 1) if jobs == 0 else jobs or 0
    options = Options(
        frozenset(sources),
        folder,
        since_ms(since, here.calendar) or 0,
        processes,
        wait,
        is_dry_run,
        is_reharvest,
        wanted,
        is_ended,
        accepts_database,
    )
    try:
        with _watched(here.world, is_ended=is_ended), at_most(limit_seconds), bar("learning") as progress:
            report = _run(here.world, options, progress)
    except BusyError as busy:
        talk(f"afterwit: {busy}")
        if is_json:
            print_json(None)
        return
    if is_json:
        print_json(report)
    else:
        show_report(here, report, folder, is_reharvest=is_reharvest, is_narrow=options.is_narrow, is_ended=is_ended)
    _exit(report)


def _watched(world: World, *, is_ended: bool) -> AbstractContextManager[None]:
    """Nobody sees how a run fails that an agent started."""
    return faults_noted(world.layout) if is_ended else nullcontext()


def _run(world: World, options: Options, progress: Progress) -> Report:
    """The run; what it takes is loaded only where there is something to do."""
    report = nothing_new(world) if options.is_whole and not options.is_reharvest else None
    if report is None:
        from afterwit.learn.learn import learn as run

        report = run(world, options, progress)
    return report


def _sessions(here: Here, named: tuple[str, ...]) -> tuple[WantedSession, ...]:
    pairs = [(agent, session) for agent, _, session in (name.partition("/") for name in named)]
    if not all(agent and session for agent, session in pairs):
        raise click.BadParameter("a session is named AGENT/ID, such as codex/019b2c4e.", param_hint="--session")
    refuse_unknown(tuple(agent for agent, _ in pairs), here.world.declared, "--session")
    return tuple(WantedSession(agent, session) for agent, session in pairs)


def show_report(
    here: Here,
    report: Report,
    folder: Path | None,
    *,
    is_reharvest: bool = False,
    is_narrow: bool = False,
    is_ended: bool = False,
) -> None:
    """The report of a run, for people."""
    agents = [agent for agent in report.agents if agent.discovered or agent.failed]
    if not agents and is_ended:
        talk("No session has ended since the last run.")
    elif not agents and is_narrow:
        talk("No log of such a session was found. `afterwit learn` looks at all logs.")
    elif not agents:
        _show_nothing(here, folder)
    else:
        _show_agents(report, agents, is_reharvest=is_reharvest)


def _show_agents(report: Report, agents: list[AgentReport], *, is_reharvest: bool) -> None:
    readable = [agent for agent in agents if agent.discovered > agent.no_reader or agent.failed]
    if readable:
        print_table(_COLUMNS, [_row(agent) for agent in readable], is_folded=True)
    for agent in agents:
        if agent.no_reader:
            print_line(f"no reader yet: {human_count(agent.no_reader, 'file')} of {agent.agent}")
        for error in agent.errors:
            talk(f"{agent.agent}: {error}")
    problems = sum(agent.problems for agent in agents)
    if problems:
        places = human_count(problems, "place")
        talk(f"{places} could not be read; `afterwit store problems` shows where and why.")
    verb = "would hold" if report.is_dry_run else "holds"
    print_line(f"The store {verb} {human_count(report.sessions, 'session')}.")
    _show_digested(report.digested)
    _show_harvested(report.harvested, is_again=is_reharvest)
    if report.evicted is not None:
        from afterwit.cli.store.evict import show

        show(report.evicted)


def _show_nothing(here: Here, folder: Path | None) -> None:
    if folder is not None:
        talk(f"No log of a known format found in {folder}.")
        return
    talk(
        f"No agent logs found below {here.world.user_home}. `afterwit config show` lists where each agent was looked"
        " for; `afterwit learn --sessions-dir FOLDER` reads logs from elsewhere."
        " `afterwit demo` (in a clone: `make demo`) shows on invented logs what it does."
    )


def _row(agent: AgentReport) -> tuple[object, ...]:
    return *(getattr(agent, name) for name in _FIELDS), human_bytes(agent.bytes)


def _show_digested(done: Digested) -> None:
    """What a better digester sees otherwise, after an upgrade; else nothing."""
    if not done.redone:
        return
    talk(f"Digested {human_count(done.redone, 'session')} again by a better digester.")
    for change in done.changed[:_MOST_CHANGES]:
        talk(f"  {change}")
    if len(done.changed) > _MOST_CHANGES:
        talk(f"  … and {human_count(len(done.changed) - _MOST_CHANGES, 'more change')}; --json has them all.")


def _show_harvested(harvested: Harvested, *, is_again: bool = False) -> None:
    """One line; after a harvest of everything, which items came, went and changed."""
    if not harvested.items and not harvested.lost:
        return
    news = ", ".join(
        f"{len(ids)} {word}"
        for ids, word in ((harvested.gained, "new"), (harvested.lost, "gone"), (harvested.changed, "changed"))
        if ids
    )
    waiting = harvested.items - harvested.active
    rest = f", {waiting} more {'waits' if waiting == 1 else 'wait'} for evidence or a person" if waiting else ""
    print_line(f"It knows {human_count(harvested.active, 'item')} of knowledge{rest}{f' ({news})' if news else ''}.")
    if is_again:
        for word, ids in (("gained", harvested.gained), ("lost", harvested.lost), ("changed", harvested.changed)):
            if not ids:
                print_line(f"{word}: none")
            else:
                more = f" and {len(ids) - _MOST_ITEMS} more" if len(ids) > _MOST_ITEMS else ""
                print_line(f"{word}: {' '.join(ids[:_MOST_ITEMS])}{more}")


def _exit(report: Report) -> None:
    if report.evicted is not None and report.evicted.has_failed:
        raise click.exceptions.Exit(ExitCode.FAILED)
    if report.has_failures:
        was_read = any(agent.read or agent.unchanged for agent in report.agents)
        raise click.exceptions.Exit(ExitCode.PARTLY_DONE if was_read else ExitCode.FAILED)
