"""`afterwit store evict` and `dropped`: the storage budget of the archive, and what it has cost."""

import sys

import click
import msgspec

from afterwit.archive.dropped import dropped as dropped_list
from afterwit.archive.evict import evict as run
from afterwit.cli.commands import Command, ExitCode
from afterwit.cli.terminal.amounts import minute
from afterwit.cli.terminal.options import Here, as_json, in_place
from afterwit.cli.terminal.output import human_bytes, human_count, print_json, print_line, print_table, talk
from afterwit.cli.terminal.sizes import ByteSize
from afterwit.model.learn_run import Eviction

_WHY = {"age": "older than the limit", "soft-cap": "above the soft cap", "hard-cap": "above the hard cap"}
_SHOWN = 20


@click.command(
    cls=Command,
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
@click.option("--yes", "is_agreed", is_flag=True, help="Do not ask.")
@as_json
@in_place
def evict(here: Here, is_dry_run: bool, soft_cap_bytes: int | None, is_agreed: bool, is_json: bool) -> None:
    """Drop original logs from the archive until it is within its budget.

    What was learned of a session stays: its prompts, actions, costs and digest. Sessions that are analysed go first,
    those worth least per byte before others; pinned ones never. `learn` does the same at its end, by the caps in
    [retention] of config.toml. What is dropped cannot be restored.
    """

    def agree(planned: Eviction) -> bool:
        if not is_json:
            show_plan(planned)
        count = human_count(len(planned.dropped), "original")
        return is_agreed or _is_confirmed(f"Drop {count}? They cannot be restored.")

    done = run(here.world, agree, soft_cap_bytes=soft_cap_bytes, is_dry_run=is_dry_run)
    if done is None:
        talk("Nothing was dropped.")
        raise click.exceptions.Exit(ExitCode.FAILED)
    if is_json:
        print_json(as_shape(done))
    else:
        if is_dry_run:
            show_plan(done)
        show(done)
    if done.has_failed:
        raise click.exceptions.Exit(ExitCode.FAILED)


@click.command(
    cls=Command,
    examples=("afterwit store dropped", "afterwit store dropped --json"),
    exits={ExitCode.FAILED: "There is no store yet, or it cannot be used."},
)
@as_json
@in_place
def dropped(here: Here, is_json: bool) -> None:
    """List the originals that were dropped to stay within the storage budget.

    The latest come first. The hash tells whether a copy from elsewhere is the same file.
    """
    found = dropped_list(here.world.layout)
    if is_json:
        print_json(found)
        return
    if not found:
        print_line("No original was dropped.")
        return
    columns = ("dropped", "agent", "bytes", "sha256", "path", "data_loss")
    rows = [
        (
            minute(one.dropped_ms),
            one.agent,
            human_bytes(one.bytes),
            one.sha256,
            one.path,
            "data_loss" if one.is_data_loss else "",
        )
        for one in found
    ]
    print_table(columns, rows, numbers=frozenset({"bytes"}), optional=frozenset({"data_loss"}))


def _is_confirmed(question: str) -> bool:
    """The answer; no where nobody can give one, as in a job or with an empty standard input."""
    try:
        return click.confirm(question, err=True)
    except click.Abort:
        if sys.stdin.isatty():
            raise
        talk("\nNobody answered. Use --yes to drop without being asked.")
        return False


def show_plan(planned: Eviction) -> None:
    """What goes, pass by pass."""
    for one in planned.dropped[:_SHOWN]:
        mark = "data_loss  " if one.is_data_loss else ""
        print_line(f"{_WHY[one.reason]:<20}  {human_bytes(one.freed_bytes):>8}  {mark}{one.agent}: {one.path}")
    if len(planned.dropped) > _SHOWN:
        print_line(f"… and {human_count(len(planned.dropped) - _SHOWN)} more; --json lists all")


def show(done: Eviction) -> None:
    """The report of an eviction, for people; the last lines of `learn` too."""
    verb = "would be dropped" if done.is_dry_run else "dropped"
    for one in done.passes:
        files, sessions = human_count(one.files, "original"), human_count(one.sessions, "session")
        print_line(f"{_WHY[one.reason]}: {files} ({sessions}) {verb}, {human_bytes(one.freed_bytes)}.")
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


def as_shape(done: Eviction) -> dict[str, object]:
    """The stable shape, with what follows from the figures."""
    return msgspec.structs.asdict(done) | {"is_over_distilled_cap": done.is_over_distilled_cap}
