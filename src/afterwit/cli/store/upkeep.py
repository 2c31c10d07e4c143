"""`afterwit store stat`, `verify`, `rebuild`, `compact` and `problems`: what the store holds, and if it is sound."""

import click

from afterwit.cli.commands import ExitCode, command
from afterwit.cli.terminal.amounts import COUNT, human_bytes, human_count
from afterwit.cli.terminal.options import Here, reporting
from afterwit.cli.terminal.output import print_json, print_line, print_text, talk
from afterwit.cli.terminal.progress import bar
from afterwit.engine.archive import upkeep
from afterwit.engine.archive.rebuild import Rebuilt
from afterwit.engine.archive.rebuild import rebuild as run_rebuild
from afterwit.engine.archive.upkeep import verify as verified

_EXITS = {ExitCode.FAILED: "There is no store yet, or it cannot be used."}


@command(examples=("afterwit store stat", "afterwit store stat --json"), exits=_EXITS)
@reporting
def stat(here: Here, is_json: bool) -> None:
    """Show what the store takes and holds, and its content hash.

    The content hash is the same for the same knowledge, in whatever order, when and where it was learned.
    """
    sizes = upkeep.stat(here.world.layout)
    if is_json:
        print_json(sizes)
        return
    for name, fact in _facts(sizes):
        print_line(f"{name:<13} {fact}")


def _facts(sizes: upkeep.Sizes) -> list[tuple[str, str]]:
    rows = sizes.rows
    packed = human_bytes(sizes.archive_bytes)
    if sizes.original_bytes:
        share = sizes.archive_bytes / sizes.original_bytes
        packed += f" ({share:.0%} of {human_bytes(sizes.original_bytes)})"
    entries = human_count(sizes.journal_entries, "entry", "entries")
    return [
        ("stored in", sizes.root),
        ("database", human_bytes(sizes.database_bytes)),
        ("archive", packed),
        ("dropped", f"{human_count(sizes.dropped_files, 'original')}, {human_bytes(sizes.remains_bytes)} kept of them"),
        ("journal", f"{human_bytes(sizes.journal_bytes)}, {entries}"),
        ("hooks", f"{human_count(sizes.spool_files, 'file')} to be taken in, {human_bytes(sizes.spool_bytes)}"),
        ("sessions", f"{human_count(rows.sessions)} from {human_count(rows.files, 'file')}"),
        ("events", human_count(rows.events)),
        ("actions", f"{human_count(rows.actions)}, {human_count(rows.failures)} failed"),
        ("problems", human_count(rows.problems)),
        ("content hash", sizes.content_hash),
    ]


@command(
    examples=("afterwit store verify",),
    exits={ExitCode.FAILED: "Something is wrong, or there is no store yet."},
)
@reporting
def verify(here: Here, is_json: bool) -> None:
    """Check database, archive and journal.

    Reads every archived byte. What is found is listed, one line each; unless all of it is harmless, the exit code is 1.
    """
    findings = list(verified(here.world.layout))
    is_sound = all(finding.is_harmless for finding in findings)
    if is_json:
        print_json(findings)
    else:
        for finding in findings:
            mark = " (harmless)" if finding.is_harmless else ""
            print_text(f"{finding.where}{mark}: {finding.what}", rest="  ")
        if is_sound:
            print_line("Database, archive and journal are sound.")
    if not is_sound:
        raise click.exceptions.Exit(ExitCode.FAILED)


@command(
    examples=("afterwit store rebuild",),
    exits={**_EXITS, ExitCode.PARTLY_DONE: "Some archived files could not be read; the rest was made again."},
)
@click.option(
    "--accept-journal",
    "accepts_journal",
    is_flag=True,
    help="Go on without the decisions that the journal has lost.",
)
@click.option(
    "--accept-archive",
    "accepts_archive",
    is_flag=True,
    help="Go on without the archived files that are gone or damaged.",
)
@reporting
def rebuild(here: Here, accepts_journal: bool, accepts_archive: bool, is_json: bool) -> None:
    """Make the database again from the archive and the journal.

    The old database stays until the new one is complete. The content hash should not change; if it does, the command
    says so. Where the journal lacks decisions that were made, or the archive holds less than the database knows,
    nothing is done unless that is accepted.
    """
    with bar("rebuilding") as progress:
        done = run_rebuild(here.world, progress, accepts_journal=accepts_journal, accepts_archive=accepts_archive)
    if is_json:
        print_json(done)
    else:
        _show_rebuilt(done)
    if done.faults:
        raise click.exceptions.Exit(ExitCode.PARTLY_DONE)


def _show_rebuilt(done: Rebuilt) -> None:
    for fault in done.faults:
        talk(f"archive: {fault}")
    print_line(f"Read {human_count(done.files, 'file')} again from the archive. Content hash {done.after}.")
    if not done.before:
        print_line("The old database could not be read, so there is nothing to compare with.")
    elif done.before != done.after:
        print_line(f"It was {done.before} before: what is known has changed.")


@command(
    examples=("afterwit store compact",),
    exits={**_EXITS, ExitCode.PARTLY_DONE: "Some archived files are damaged and were left alone."},
)
@reporting
def compact(here: Here, is_json: bool) -> None:
    """Give unused space back.

    Joins small pieces of the archive and packs the database. Nothing is lost by it.
    """
    done = upkeep.compact(here.world.layout)
    if is_json:
        print_json(done._asdict())
    else:
        for fault in done.faults:
            talk(f"left alone, because it is damaged: {fault}")
        print_line(f"Gained {human_bytes(max(0, done.gained_bytes))}.")
    if done.faults:
        raise click.exceptions.Exit(ExitCode.PARTLY_DONE)


@command(examples=("afterwit store problems", "afterwit store problems --limit 0 --json"), exits=_EXITS)
@click.option(
    "--limit",
    type=COUNT,
    metavar="N",
    default=50,
    show_default=True,
    help="Show at most N; 0 means all.",
)
@reporting
def problems(here: Here, limit: int, is_json: bool) -> None:
    """List what could not be read: file, byte and reason.

    The newest files come first. The rest of each file was read.
    """
    rows = upkeep.problems(here.world.layout, limit)
    if is_json:
        print_json(rows)
        return
    if not rows:
        print_line("Everything could be read.")
    for row in rows:
        print_text(f"{row.agent}: {row.path}{_place(row)}: {row.reason}", rest="  ")
    if limit and len(rows) == limit:
        talk(f"These are the newest {limit}; `--limit 0` shows all.")


def _place(row: upkeep.ReadProblem) -> str:
    return "" if row.offset is None else f", byte {row.offset} ({human_count(row.length or 0, 'byte')} long)"
