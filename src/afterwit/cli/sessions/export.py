"""`afterwit sessions export`: sessions as JSON lines for other programs."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import click

from afterwit.cli.commands import Command
from afterwit.cli.sessions.filters import filtered
from afterwit.cli.sessions.names import EXITS
from afterwit.cli.terminal.options import Here, in_place
from afterwit.cli.terminal.output import human_count, talk
from afterwit.model.errors import UsageError
from afterwit.sessions.export import exported
from afterwit.sessions.filters import Filter
from afterwit.sessions.show import source_of
from afterwit.store.atomic import replacing


@click.command(
    cls=Command,
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
    if output is not None and output.exists() and not is_forced:
        raise UsageError(f"{output} is there already. --force replaces it.")
    with source_of(here.world) as source, _sink(output) as sink:
        records = 0
        for line in exported(source, here.world.settings, wanted):
            sink.write(line)
            records += 1
    talk(f"{human_count(records, 'record')} written.")


@contextmanager
def _sink(output: Path | None) -> Iterator[BinaryIO]:
    """Standard output, or a private file that gets its name when it is whole."""
    if output is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with replacing(output, is_durable=False) as file:
        yield file
