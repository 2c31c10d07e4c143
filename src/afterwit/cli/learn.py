"""`afterwit learn`: the main job."""

import os
import sys
from pathlib import Path

import click

from afterwit.cli.commands import ExitCode, command, flag
from afterwit.cli.learned import show_report
from afterwit.cli.terminal.options import (
    COUNT,
    FolderOrUrl,
    Here,
    many,
    refuse_unknown,
    reporting,
    since_ms,
)
from afterwit.cli.terminal.output import print_json, print_line, talk
from afterwit.cli.terminal.progress import at_most, bar
from afterwit.engine.learn import learn as run
from afterwit.model.errors import BusyError
from afterwit.model.figures import human_count, human_dollars, human_tokens
from afterwit.model.learn_run import LearnReading, Options, Report, WantedSession


@command(
    examples=(
        "afterwit learn",
        "afterwit learn --source codex --since 30d",
        "afterwit learn --session codex/019b2c4e-7d1f-7a55-9c3e-2f6f0f9a1b77",
        "afterwit learn --sessions-dir ~/old-laptop/logs --dry-run",
        "afterwit learn --sessions-dir s3://bucket/logs --executor dask://127.0.0.1:8786",
    ),
    exits={
        ExitCode.FINE: "Fine; also where another run was at work and did the job.",
        ExitCode.FAILED: "No file could be read, the store cannot be used, or the storage budget cost a session that"
        " was not analysed (data_loss).",
        ExitCode.PARTLY_DONE: "Some files could not be opened, or Ctrl-C stopped the run. What was read is kept.",
    },
)
@many("--source", "sources", "AGENT", "Only this agent; repeat for more.")
@click.option(
    "--sessions-dir",
    "folder",
    type=FolderOrUrl(),
    metavar="FOLDER",
    help="Read the logs in this folder instead; their format is recognised. Also a URL: s3://, gs://, sftp:// …",
)
@click.option(
    "--since",
    metavar="TIME",
    help="Only files changed since then: 12h, 30d, yesterday, 'last week', 2026-03, a day.",
)
@many("--session", "named", "AGENT/ID", "Only this session, without a look at other logs; repeat for more.")
@flag(
    "--ended",
    "is_ended",
    "Only sessions that connected agents said have ended since the last run. The agents start this themselves.",
)
@click.option(
    "--jobs",
    type=COUNT,
    metavar="N",
    default=None,
    help="Processes to use; 0 means one for every core. Default: what the configuration says.",
)
@click.option(
    "--executor",
    metavar="ADDRESS",
    default="",
    help="Let the workers of a cluster of yours read and sum up: dask://HOST:PORT. Default: processes of this machine.",
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
    help="Stop after this time, as Ctrl-C would. What was read is kept.",
)
@flag(
    "--relearn", "is_reharvest", "Look for notes in all stored sessions again, and show which came, went and changed."
)
@many("--again", "again", "ID", "Also this session, although it was deleted: its whole id; repeat for more.")
@flag("--dry-run", "is_dry_run", "Do everything but write.")
@flag(
    "--accept-database",
    "accepts_database",
    "Go on with a database that lacks some of the archive, instead of running `store rebuild`.",
)
@reporting
def learn(
    here: Here,
    sources: tuple[str, ...],
    folder: Path | str | None,
    since: str | None,
    named: tuple[str, ...],
    is_ended: bool,
    jobs: int | None,
    executor: str,
    wait_seconds: float | None,
    limit_seconds: float | None,
    is_reharvest: bool,
    again: tuple[str, ...],
    is_dry_run: bool,
    accepts_database: bool,
    is_json: bool,
) -> None:
    """Read what your agents have logged since the last time.

    Finds the logs of all agents on this machine, keeps the originals, stores sessions and actions with secrets removed,
    and makes notes of what is worth knowing next time. Unchanged files cost almost nothing: run it as often as you
    like.
    """
    refuse_unknown(sources, here.world.declared, "--source")
    wanted = _sessions(here, named)
    if (named or is_ended) and (sources or folder or since or is_reharvest):
        raise click.UsageError("--session and --ended go with none of --source, --sessions-dir, --since, --relearn.")
    if executor:
        from afterwit.capture.workers import refuse_unknown as refuse_unknown_executor

        refuse_unknown_executor(executor)
    if is_ended and is_dry_run:
        raise click.UsageError("--ended takes in what agents have noted, so it cannot go with --dry-run.")
    if again and is_dry_run:
        raise click.UsageError("--again is a decision that stays, so it cannot go with --dry-run.")
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
        executor,
    )
    try:
        with at_most(limit_seconds), bar("learning") as progress:
            report, lines, faults = run(here.world, options, progress, again, is_json=is_json)
    except BusyError as busy:
        talk(f"afterwit: {busy}")
        if is_json:
            print_json(None)
        return
    for fault in faults:
        talk(fault)
    if is_json:
        print_json(report)
    else:
        show_report(here, report, folder, is_reharvest=is_reharvest, is_narrow=options.is_narrow, is_ended=is_ended)
        _tell_reading(report.reading)
        for line in lines:
            print_line(line)
        if not (is_dry_run or is_ended or folder):
            offer(here)
    _exit(report)


def offer(here: Here) -> None:
    """What a model could do here, where a person looks on."""
    if here.world.settings.reading.model is None and sys.stdout.isatty():
        from afterwit.cli.reading_calls import offer_reading

        offer_reading(here)


def _tell_reading(reading: LearnReading | None) -> None:
    if reading is None:
        return
    if reading.sessions or reading.settled:
        cost = f", {human_dollars(reading.cost_usd)}" if reading.cost_usd is not None else ""
        settled = f", {reading.settled:,} lines of briefs compiled or notes replaced" if reading.settled else ""
        print_line(
            f"{reading.model} read {human_count(reading.sessions, 'session')}: {human_count(reading.notes, 'new note')}"
            f"{settled} ({human_tokens(reading.tokens)} tokens{cost})."
        )
    if reading.is_stopped:
        talk("Stopped. What was learned and read so far is kept.")
    if reading.problem:
        talk(f"Not all could be read by {reading.model}: {reading.problem.rstrip('.')}. It is tried again later.")


def _sessions(here: Here, named: tuple[str, ...]) -> tuple[WantedSession, ...]:
    pairs = [(agent, session) for agent, _, session in (name.partition("/") for name in named)]
    if not all(agent and session for agent, session in pairs):
        raise click.BadParameter("a session is named AGENT/ID, such as codex/019b2c4e.", param_hint="--session")
    refuse_unknown(tuple(agent for agent, _ in pairs), here.world.declared, "--session")
    return tuple(WantedSession(agent, session) for agent, session in pairs)


def _exit(report: Report) -> None:
    if report.evicted is not None and report.evicted.has_failed:
        raise click.exceptions.Exit(ExitCode.FAILED)
    if report.has_failures:
        was_read = any(agent.read or agent.unchanged for agent in report.agents)
        raise click.exceptions.Exit(ExitCode.PARTLY_DONE if was_read else ExitCode.FAILED)
