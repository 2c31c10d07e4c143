"""`afterwit sessions restore`, `export`, `pin` and `unpin`: the agents' own files back, sessions as JSON lines, and
whose originals stay whatever the storage budget says.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import click

from afterwit.cli.commands import ExitCode, command, flag
from afterwit.cli.sessions.filters import filtered
from afterwit.cli.terminal.options import COUNT, Here, agreed, in_place, reporting
from afterwit.cli.terminal.output import is_confirmed, print_json, print_line, refuse_existing, talk, whole_file
from afterwit.model.errors import DamagedError, UsageError
from afterwit.model.figures import human_bytes, human_count
from afterwit.sessions.export import export as run
from afterwit.sessions.filters import Filter, find_session
from afterwit.sessions.originals import TranscriptSource, source_of
from afterwit.sessions.pin import Pinned
from afterwit.sessions.pin import pin as run_pin
from afterwit.sessions.restore import (
    AtTarget,
    RestoreChoice,
    RestorePlan,
    RestoreStep,
    plan_restore,
    restore_file,
)


@command(
    examples=(
        "afterwit sessions restore 5ea50001",
        "afterwit sessions restore 5ea50001 --to ~/restored --with-subagents",
        "afterwit sessions restore 5ea50001 --dry-run",
    ),
    exits={
        ExitCode.FAILED: "Nothing could be restored, or the answer was no.",
        ExitCode.WRONG_USE: "No such session, or a different file is there and no --force. Nothing is written.",
        ExitCode.PARTLY_DONE: "Some files are not in the archive, or damaged there. The others are restored.",
    },
)
@click.argument("sessions", nargs=-1, required=True, metavar="SESSION...")
@click.option(
    "--to",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Below this folder, with the paths that they have below the agent's home.",
)
@click.option("--with-subagents", is_flag=True, help="The files of subagents too.")
@click.option(
    "--generation",
    type=COUNT,
    metavar="N",
    help="An earlier state of a file that the agent rewrote; the first is 0. Default: the latest.",
)
@flag("--force", "is_forced", "Replace different files; they are kept under another name.")
@agreed
@flag("--dry-run", "is_dry_run", "Show what would be written, and write nothing.")
@reporting
def restore(
    here: Here,
    sessions: tuple[str, ...],
    folder: Path | None,
    with_subagents: bool,
    generation: int | None,
    is_forced: bool,
    is_agreed: bool,
    is_dry_run: bool,
    is_json: bool,
) -> None:
    """Give the original files of sessions back, byte for byte, with what belongs to them.

    SESSION is an id or the beginning of one. Without --to they go where the agent looks for them, if you agree. What
    would be written is shown first. Files that are there already and equal are left alone. Restored files hold what was
    redacted elsewhere: secrets, if there were any.
    """
    with source_of(here.world) as source:
        rows = [find_session(source.store.db, name) for name in sessions]
        target = folder.absolute() if folder is not None else None
        plan = plan_restore(source, here.world, rows, target, RestoreChoice(with_subagents, generation))
        if not is_json:
            _show(plan)
        if not is_dry_run:
            _agree(plan, is_agreed=is_agreed or folder is not None, is_forced=is_forced)
        done = [_restore_step(source, step, is_forced=is_forced, is_dry_run=is_dry_run) for step in plan.steps]
    faults = [*plan.faults, *(file["error"] for file in done if file["error"])]
    if is_json:
        print_json({"files": done, "faults": faults, "is_dry_run": is_dry_run})
    _report(done, faults, is_dry_run=is_dry_run)


def _show(plan: RestorePlan) -> None:
    for step in plan.steps:
        print_line(f"{step.found:<9}  {human_bytes(step.file.held_bytes):>8}  {step.target}")
    for step in plan.renderings:
        talk(f"{step.origin.path} holds the rows that were read; {step.origin.agent} itself has no such file.")


def _agree(plan: RestorePlan, *, is_agreed: bool, is_forced: bool) -> None:
    """Ends the command where nothing may be written."""
    if plan.conflicts and not is_forced:
        count = human_count(len(plan.conflicts), "file")
        raise UsageError(
            f"{count} there already and different. Nothing was written; --force keeps them aside, --to FOLDER writes"
            " copies."
        )
    missing = sum(step.found is not AtTarget.SAME for step in plan.steps)
    if missing and not is_confirmed(f"Write {human_count(missing, 'file')}?", is_agreed=is_agreed, verb="write"):
        talk("Nothing was written.")
        raise click.exceptions.Exit(ExitCode.FAILED)


def _restore_step(source: TranscriptSource, step: RestoreStep, *, is_forced: bool, is_dry_run: bool) -> dict[str, Any]:
    backup, error = None, ""
    if not is_dry_run:
        try:
            backup = restore_file(source, step, is_forced=is_forced)
        except DamagedError as damage:
            error = str(damage)
    return {
        "agent": step.origin.agent,
        "target": str(step.target),
        "bytes": step.file.held_bytes,
        "found": step.found,
        "backup": str(backup or ""),
        "error": error,
    }


def _report(done: list[dict[str, Any]], faults: list[str], *, is_dry_run: bool) -> None:
    for fault in faults:
        talk(fault)
    for file in done:
        if file["backup"]:
            talk(f"What was there is now {file['backup']}.")
    sound = [file for file in done if not file["error"]]
    written = [file for file in sound if file["found"] != AtTarget.SAME]
    verb = "would be restored" if is_dry_run else "restored"
    talk(f"{human_count(len(written), 'file')} {verb}, {len(sound) - len(written)} already there.")
    if faults:
        raise click.exceptions.Exit(ExitCode.PARTLY_DONE if sound else ExitCode.FAILED)


@command(
    examples=(
        "afterwit sessions export --repo orchard --output orchard.jsonl",
        'afterwit sessions export --since 7d | jq -c \'select(.type == "action" and .status == "failed")\'',
    ),
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write to this file instead of standard output. It must not exist yet.",
)
@flag("--force", "is_forced", "Replace FILE if it is there.")
@in_place
@filtered
def export(here: Here, wanted: Filter, output: Path | None, is_forced: bool) -> None:
    """Write sessions as JSON lines: one record per session, event and action.

    Everything is redacted, and placeholders lose the suffix that only this machine can make. The shape is the same for
    all agents and stable; docs/reference/export.md describes it.
    """
    refuse_existing(output, is_forced=is_forced)
    with source_of(here.world) as source, _sink(output) as sink:
        records = 0
        for line in run(source, here.world.settings, wanted):
            sink.write(line)
            records += 1
    talk(f"{human_count(records, 'record')} written.")


@contextmanager
def _sink(output: Path | None) -> Iterator[BinaryIO]:
    if output is not None:
        with whole_file(output) as file:
            yield file
    else:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()


@command(examples=("afterwit sessions pin 5ea50001", "afterwit sessions pin 5ea50001 0c0de001"))
@click.argument("sessions", nargs=-1, required=True, metavar="SESSION...")
@reporting
def pin(here: Here, sessions: tuple[str, ...], is_json: bool) -> None:
    """Keep the originals of sessions, whatever the storage budget says.

    SESSION is an id or the beginning of one. `afterwit sessions unpin` takes it back.
    """
    _show_pinned(run_pin(here.world, sessions), is_json=is_json)


@command(examples=("afterwit sessions unpin 5ea50001",))
@click.argument("sessions", nargs=-1, required=True, metavar="SESSION...")
@reporting
def unpin(here: Here, sessions: tuple[str, ...], is_json: bool) -> None:
    """Let the storage budget decide again about the originals of sessions.

    SESSION is an id or the beginning of one.
    """
    _show_pinned(run_pin(here.world, sessions, is_wanted=False), is_json=is_json)


def _show_pinned(done: list[Pinned], *, is_json: bool) -> None:
    if is_json:
        print_json(done)
        return
    for session in done:
        when = "now" if session.has_changed else "already"
        talk(f"{session.session} is {'pinned' if session.is_pinned else 'not pinned'} {when}.")
        if session.is_pinned and session.is_dropped:
            talk(f"An original of {session.session} was dropped before: `afterwit store dropped` lists it.")
