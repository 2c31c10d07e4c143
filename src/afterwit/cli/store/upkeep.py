"""`afterwit store stat`, `verify`, `rebuild`, `compact`, `problems`, `evict` and `dropped`: what the store holds, if it
is sound, and what the storage budget has cost.
"""

import click
import msgspec

from afterwit.cli.commands import ExitCode, command, flag
from afterwit.cli.terminal.options import COUNT, ByteSize, Here, agreed, reporting, timed
from afterwit.cli.terminal.output import is_confirmed, print_json, print_line, print_text, talk
from afterwit.cli.terminal.progress import bar
from afterwit.cli.terminal.table import Column, print_table
from afterwit.config.calendar import Calendar
from afterwit.engine.archive import upkeep
from afterwit.engine.archive.evict import evict as run
from afterwit.engine.archive.rebuild import Rebuilt
from afterwit.engine.archive.rebuild import rebuild as run_rebuild
from afterwit.engine.archive.upkeep import DroppedOriginal
from afterwit.engine.archive.upkeep import dropped as list_dropped
from afterwit.engine.archive.upkeep import verify as verified
from afterwit.model.figures import human_bytes, human_count
from afterwit.model.learn_run import Eviction


@command(examples=("afterwit store stat", "afterwit store stat --json"))
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


@command(examples=("afterwit store verify",))
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


@command(examples=("afterwit store rebuild",))
@flag("--accept-journal", "accepts_journal", "Go on without the decisions that the journal has lost.")
@flag("--accept-archive", "accepts_archive", "Go on without the archived files that are gone or damaged.")
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


@command(examples=("afterwit store compact",))
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


@command(examples=("afterwit store problems", "afterwit store problems --limit 0 --json"))
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


_WHY = {"age": "older than the limit", "soft-cap": "above the soft cap", "hard-cap": "above the hard cap"}
_SHOWN = 20
_DROPPED = (
    *(Column("dropped"), Column("agent"), Column("bytes", is_number=True)),
    Column("data_loss", gives_way=1, is_bad=lambda text: text == "data_loss"),
    *(Column("path", takes_rest=True, least=30), Column("sha256", gives_way=2)),
)


@command(
    examples=("afterwit store evict --dry-run", "afterwit store evict --soft-cap 1GB --yes"),
    exits={
        ExitCode.FAILED: "data_loss: something went without having been analysed, or what never goes is above the hard"
        " cap. Also: the answer was no, nobody answered, or there is no store yet.",
    },
)
@flag("--dry-run", "is_dry_run", "Show what would go, and drop nothing.")
@click.option(
    "--soft-cap",
    "soft_cap_bytes",
    type=ByteSize(),
    metavar="SIZE",
    help="Use this soft cap instead of the configured one; 0 drops all that is analysed and not pinned.",
)
@agreed
@reporting
def evict(here: Here, is_dry_run: bool, soft_cap_bytes: int | None, is_agreed: bool, is_json: bool) -> None:
    """Drop original logs from the archive until it is within its budget.

    What was learned of a session stays: its prompts, actions, costs and digest. Sessions that are analysed go first,
    those worth least per byte before others; pinned ones never. `learn` does the same at its end, by the caps in
    [retention] of config.toml. What is dropped cannot be restored.
    """

    def agree(planned: Eviction) -> bool:
        if not is_json:
            _show_plan(planned)
        count = human_count(len(planned.dropped), "original")
        return is_confirmed(f"Drop {count}? They cannot be restored.", is_agreed=is_agreed, verb="drop")

    done = run(here.world, agree, soft_cap_bytes=soft_cap_bytes, is_dry_run=is_dry_run)
    if done is None:
        talk("Nothing was dropped.")
        raise click.exceptions.Exit(ExitCode.FAILED)
    if is_json:
        print_json(_shape(done))
    else:
        if is_dry_run:
            _show_plan(done)
        show(done)
    if done.has_failed:
        raise click.exceptions.Exit(ExitCode.FAILED)


@command(examples=("afterwit store dropped", "afterwit store dropped --json"))
@reporting
@timed
def dropped(here: Here, is_json: bool) -> None:
    """List the originals that were dropped to stay within the storage budget.

    The latest come first. The hash tells whether a copy from elsewhere is the same file; a narrow terminal leaves it
    out, --json has it.
    """
    files = list_dropped(here.world.layout)
    if is_json:
        print_json(files)
        return
    if not files:
        print_line("No original was dropped.")
        return
    print_table(_DROPPED, [_row(here.calendar, file) for file in files])


def _row(calendar: Calendar, file: DroppedOriginal) -> tuple[str, ...]:
    mark = "data_loss" if file.is_data_loss else ""
    return calendar.moment(file.dropped_ms), file.agent, human_bytes(file.bytes), mark, file.path, file.sha256


def _show_plan(planned: Eviction) -> None:
    """What goes, pass by pass."""
    for file in planned.dropped[:_SHOWN]:
        mark = "data_loss  " if file.is_data_loss else ""
        print_line(f"{_WHY[file.reason]:<20}  {human_bytes(file.freed_bytes):>8}  {mark}{file.agent}: {file.path}")
    if len(planned.dropped) > _SHOWN:
        print_line(f"… and {human_count(len(planned.dropped) - _SHOWN)} more; --json lists all")


def show(done: Eviction) -> None:
    """The report of an eviction, for people; the last lines of `learn` too."""
    verb = "would be dropped" if done.is_dry_run else "dropped"
    for sweep in done.passes:
        files, sessions = human_count(sweep.files, "original"), human_count(sweep.sessions, "session")
        print_line(f"{_WHY[sweep.reason]}: {files} ({sessions}) {verb}, {human_bytes(sweep.freed_bytes)}.")
    used, cap = human_bytes(done.after_bytes), human_bytes(done.soft_cap_bytes)
    freed = f"; {human_bytes(done.freed_bytes)} {'would be ' if done.is_dry_run else ''}freed" if done.dropped else ""
    print_line(f"Originals take {used} of {cap} (hard cap {human_bytes(done.hard_cap_bytes)}){freed}.")
    for fault in done.faults:
        talk(f"left alone, because it is damaged: {fault}")
    if done.data_loss:
        names = ", ".join(done.data_loss[:_SHOWN]) + (", …" if len(done.data_loss) > _SHOWN else "")
        talk(f"data_loss: {verb} without having been analysed: {names}. Raise raw_hard_cap_bytes in config.toml.")
    if done.is_over_hard_cap:
        kept = human_bytes(done.kept_bytes)
        talk(f"What never goes (pinned sessions, histories) takes {kept}, and the archive stays above the hard cap.")
    if done.is_over_distilled_cap:
        size, most = human_bytes(done.distilled_bytes), human_bytes(done.distilled_cap_bytes)
        talk(f"What was learned takes {size}, more than {most} (distilled_cap_bytes). Nothing of it is dropped.")


def _shape(done: Eviction) -> dict[str, object]:
    """The stable shape, with what follows from the figures."""
    return msgspec.structs.asdict(done) | {"is_over_distilled_cap": done.is_over_distilled_cap}
