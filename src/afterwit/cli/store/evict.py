"""`afterwit store evict` and `dropped`: the storage budget of the archive, and what it has cost."""

import click
import msgspec

from afterwit.cli.commands import ExitCode, command
from afterwit.cli.terminal.amounts import ByteSize, human_bytes, human_count
from afterwit.cli.terminal.options import Here, agreed, reporting, timed
from afterwit.cli.terminal.output import is_confirmed, print_json, print_line, talk
from afterwit.cli.terminal.table import Column, print_table
from afterwit.config.calendar import Calendar
from afterwit.engine.archive.evict import evict as run
from afterwit.engine.archive.upkeep import DroppedOriginal
from afterwit.engine.archive.upkeep import dropped as list_dropped
from afterwit.model.learn_run import Eviction

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
@click.option("--dry-run", "is_dry_run", is_flag=True, help="Show what would go, and drop nothing.")
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


@command(
    examples=("afterwit store dropped", "afterwit store dropped --json"),
    exits={ExitCode.FAILED: "There is no store yet, or it cannot be used."},
)
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
