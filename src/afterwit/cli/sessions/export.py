"""`afterwit sessions export`: sessions as JSON lines for other programs."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import click

from afterwit.cli.commands import command
from afterwit.cli.sessions.filters import EXITS, filtered
from afterwit.cli.terminal.amounts import human_count
from afterwit.cli.terminal.options import Here, in_place
from afterwit.cli.terminal.output import talk
from afterwit.cli.terminal.written import refuse_existing, whole_file
from afterwit.sessions.export import export as run
from afterwit.sessions.filters import Filter
from afterwit.sessions.originals import source_of


@command(
    examples=(
        "afterwit sessions export --repo orchard --output orchard.jsonl",
        'afterwit sessions export --since 7d | jq -c \'select(.type == "action" and .status == "failed")\'',
    ),
    exits=EXITS,
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write to this file instead of standard output. It must not exist yet.",
)
@click.option("--force", "is_forced", is_flag=True, help="Replace FILE if it is there.")
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
