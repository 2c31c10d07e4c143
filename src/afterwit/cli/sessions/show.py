"""`afterwit sessions show`: one session, readable."""

import os
import shutil
import sys

import click

from afterwit.cli.commands import Command
from afterwit.cli.sessions.digest import digest_lines
from afterwit.cli.sessions.names import EXITS
from afterwit.cli.sessions.transcript import Look, drawn
from afterwit.cli.terminal.options import Here, as_json, in_place
from afterwit.cli.terminal.output import print_json, talk
from afterwit.cli.terminal.pager import page
from afterwit.digest.update import as_document, load_digest
from afterwit.model.errors import UsageError
from afterwit.model.kinds import EventKind
from afterwit.sessions.cost import spending_of
from afterwit.sessions.export import session_document
from afterwit.sessions.family import scenes
from afterwit.sessions.filters import find_session
from afterwit.sessions.originals import files_of, original_bytes
from afterwit.sessions.restore import refuse_dropped, refuse_partial
from afterwit.sessions.show import Source, Wanted, source_of
from afterwit.store.rows.session_list import SessionRow

_SPOKEN = frozenset(EventKind) - {EventKind.THOUGHT, EventKind.NOTICE, EventKind.RESULT}


@click.command(
    cls=Command,
    examples=(
        "afterwit sessions show 5ea50001",
        "afterwit sessions show 5ea50001 --thoughts --full",
        "afterwit sessions show 5ea50001 --digest",
        "afterwit sessions show 5ea50001 --json",
    ),
    exits=EXITS,
)
@click.argument("session")
@click.option("--thoughts", "has_thoughts", is_flag=True, help="Show what the model thought.")
@click.option("--full", "is_full", is_flag=True, help="Show outputs, arguments and long texts whole.")
@click.option("--all", "is_all", is_flag=True, help="Show notices too: what the agent or a hook told the model.")
@click.option("--no-subagents", is_flag=True, help="Leave the sessions of subagents out.")
@click.option("--digest", "is_digest", is_flag=True, help="Show its digest: outcome, failures and what mended them.")
@click.option("--raw", "is_raw", is_flag=True, help="Print the original bytes of its files, secrets and all.")
@as_json
@in_place
def show(
    here: Here,
    session: str,
    has_thoughts: bool,
    is_full: bool,
    is_all: bool,
    no_subagents: bool,
    is_digest: bool,
    is_raw: bool,
    is_json: bool,
) -> None:
    """Show one session as a readable transcript.

    SESSION is its id or the beginning of it. Actions take a line each: ✓ succeeded, ✗ failed, ⊘ denied, ◌ cancelled,
    · not known, ! probably failed. Subagents stand behind a bar, under the call that started them. Times are in UTC.
    On a terminal the text goes through your pager. All but --raw is redacted.
    """
    if is_raw and is_json:
        raise click.UsageError("--raw and --json exclude each other.")
    if is_raw and is_digest:
        raise click.UsageError("--raw and --digest exclude each other.")
    with source_of(here.world) as source:
        row = find_session(source.store.db, session)
        if is_raw:
            _print_raw(source, row)
        elif is_digest:
            _print_digest(source, row, is_json=is_json, is_full=is_full)
        elif is_json:
            for piece in session_document(source, here.world.settings, row, with_subagents=not no_subagents):
                click.echo(piece, nl=False)
            click.echo()
        else:
            wanted = Wanted(_kinds(has_thoughts=has_thoughts, is_full=is_full, is_all=is_all), has_arguments=is_full)
            told = scenes(source, row, wanted, with_subagents=not no_subagents)
            page(drawn(told, _look(is_full=is_full), spending_of(source.store.db, here.world.settings, row)))


def _kinds(*, has_thoughts: bool, is_full: bool, is_all: bool) -> frozenset[EventKind]:
    more = {EventKind.THOUGHT: has_thoughts, EventKind.RESULT: is_full, EventKind.NOTICE: is_all}
    return _SPOKEN | {kind for kind, is_wanted in more.items() if is_wanted}


def _look(*, is_full: bool) -> Look:
    if not sys.stdout.isatty():
        return Look(is_full=is_full)
    return Look(shutil.get_terminal_size().columns, not os.environ.get("NO_COLOR"), is_full)


def _print_digest(source: Source, row: SessionRow, *, is_json: bool, is_full: bool) -> None:
    digest = load_digest(source.store.db, row)
    if digest is None:
        raise UsageError(f"Session {row.native_id} has no digest yet. `afterwit learn` makes it.")
    if is_json:
        print_json(as_document(digest))
    else:
        page(digest_lines(digest, _look(is_full=is_full)))


def _print_raw(source: Source, row: SessionRow) -> None:
    refuse_partial(row)
    files = files_of(source.store, row)
    refuse_dropped(files)
    for file in files:
        for piece in original_bytes(source.store, file):
            sys.stdout.buffer.write(piece)
    sys.stdout.buffer.flush()
    if len(files) > 1:
        talk(f"These were {len(files)} files, one after the other.")
