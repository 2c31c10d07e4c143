"""`afterwit sessions show`: one session as a transcript, as JSON, as its digest, or as the original bytes.

The transcript is drawn in `transcript`. Of a digest each list is bounded unless everything is asked for.
"""

import sys
from collections.abc import Iterator

import click

from afterwit.cli.commands import command, flag
from afterwit.cli.sessions.transcript import Look, draw
from afterwit.cli.terminal.options import Here, reporting, timed
from afterwit.cli.terminal.output import has_colour, page, print_json, print_line, talk, terminal_width
from afterwit.digest.door import as_document, load_digest
from afterwit.model.digest import Digest, Failure
from afterwit.model.errors import UsageError
from afterwit.model.figures import human_count
from afterwit.model.kinds import EventKind, ResolutionKind
from afterwit.recall.tellings import tellings, with_tellings
from afterwit.sessions.cost import spending_of
from afterwit.sessions.export import session_document
from afterwit.sessions.filters import find_session, one_line
from afterwit.sessions.originals import TranscriptSource, files_of, original_bytes, source_of
from afterwit.sessions.restore import refuse_dropped, refuse_partial
from afterwit.sessions.show import WantedMoments, scenes, scenes_from
from afterwit.store.rows.session_list import SessionRow

_MOST = 12
_LONGEST = 160
_SPOKEN = frozenset(EventKind) - {EventKind.THOUGHT, EventKind.NOTICE, EventKind.RESULT}


@command(
    examples=(
        "afterwit sessions show 5ea50001",
        "afterwit sessions show 5ea50001 --at 42",
        "afterwit sessions show 5ea50001 --thoughts --full",
        "afterwit sessions show 5ea50001 --told",
        "afterwit sessions show 5ea50001 --standing",
        "afterwit sessions show 5ea50001 --digest",
        "afterwit sessions show 5ea50001 --json",
    ),
)
@click.argument("session")
@flag("--thoughts", "has_thoughts", "Show what the model thought.")
@flag("--full", "is_full", "Show outputs, arguments and long texts whole.")
@flag("--all", "is_all", "Show notices too: what the agent or a hook told the model.")
@click.option(
    "--at", "number", default="", metavar="MATCH", help="Begin at this match of `sessions search`, by number."
)
@click.option("--no-subagents", is_flag=True, help="Leave the sessions of subagents out.")
@flag(
    "--told",
    "has_told",
    "Mark what the session was told by Afterwit, and what was skipped on purpose, to compare; with --json, only that.",
)
@flag("--standing", "is_standing", "Show what of the lines that it wrote still stands, file by file.")
@flag("--digest", "is_digest", "Show its digest, a short account: how it ended, what failed and what mended it.")
@flag("--raw", "is_raw", "Print the original bytes of its files, secrets and all.")
@reporting
@timed
def show(
    here: Here,
    session: str,
    has_thoughts: bool,
    is_full: bool,
    is_all: bool,
    number: str,
    no_subagents: bool,
    has_told: bool,
    is_standing: bool,
    is_digest: bool,
    is_raw: bool,
    is_json: bool,
) -> None:
    """Show one session as a readable transcript.

    SESSION is its id or the beginning of it. Actions take a line each: ✓ succeeded, ✗ failed, ⊘ denied, ◌ cancelled,
    · not known, ! probably failed. Subagents stand behind a bar, under the call that started them. Times are local.
    On a terminal the text goes through your pager. With --at it begins a little before that match, which is marked and
    shown whole. With --told, ◆ stands before what Afterwit told the session, and ◇ before what was kept from it to
    compare, each where it happened. With --standing, its lines and those of its subagents are looked for in the
    checkout, as `afterwit blame` does. All but --raw is redacted.
    """
    if is_raw and is_json:
        raise click.UsageError("--raw and --json exclude each other.")
    if is_raw and is_digest:
        raise click.UsageError("--raw and --digest exclude each other.")
    if has_told and (is_raw or is_digest):
        raise click.UsageError("--told marks a transcript, so it goes with neither --raw nor --digest.")
    if is_standing and (is_raw or is_digest or has_told or number):
        raise click.UsageError("--standing goes with none of --raw, --digest, --told and --at.")
    if number and (is_raw or is_digest or is_json):
        raise click.UsageError("--at opens a transcript, so it goes with none of --raw, --digest and --json.")
    with source_of(here.world) as source:
        row = find_session(source.store.db, session)
        if is_raw:
            _print_raw(source, row)
        elif is_standing:
            _print_standing(here, source, row, is_json=is_json)
        elif is_digest:
            _print_digest(source, row, is_json=is_json, is_full=is_full)
        elif is_json and has_told:
            told = tellings(source, row)
            print_json({"agent": row.agent, "id": row.native_id, "told": told})
        elif is_json:
            for piece in session_document(source, here.world.settings, row, with_subagents=not no_subagents):
                click.echo(piece, nl=False)
            click.echo()
        else:
            kinds = _kinds(has_thoughts=has_thoughts, is_full=is_full, is_all=is_all)
            wanted = WantedMoments(kinds, has_arguments=is_full or bool(number), number=number)
            told_scenes = scenes(source, row, wanted, with_subagents=not no_subagents)
            if has_told:
                told_scenes = with_tellings(source, row, told_scenes)
            if number:
                told_scenes = scenes_from(told_scenes, number)
            look = Look(here.calendar, terminal_width(), has_colour(), is_full, number)
            page(draw(told_scenes, look, spending_of(source.store.db, here.world.settings, row)))


def _kinds(*, has_thoughts: bool, is_full: bool, is_all: bool) -> frozenset[EventKind]:
    more = {EventKind.THOUGHT: has_thoughts, EventKind.RESULT: is_full, EventKind.NOTICE: is_all}
    return _SPOKEN | {kind for kind, is_wanted in more.items() if is_wanted}


def _print_digest(source: TranscriptSource, row: SessionRow, *, is_json: bool, is_full: bool) -> None:
    digest = load_digest(source.store.db, row)
    if digest is None:
        raise UsageError(f"Session {row.native_id} has no digest yet. `afterwit learn` makes it.")
    if is_json:
        print_json(as_document(digest))
    else:
        page(digest_lines(digest, is_full=is_full))


def _print_standing(here: Here, source: TranscriptSource, row: SessionRow, *, is_json: bool) -> None:
    from afterwit.recall.blame import standing  # reads checkouts, which few who look at a session want

    files = standing(source, here.world, row)
    if files is None:
        raise UsageError(
            f"No git checkout of {row.repo or 'its repository'} can be read here. Name its folder under"
            " `[repositories.checkouts]`, or see `repositories.read`."
        )
    if is_json:
        print_json({"agent": row.agent, "id": row.native_id, "files": [file._asdict() for file in files]})
        return
    for file in files:
        gone = "" if file.is_there else "  (the file is not there)"
        print_line(f"{file.standing:>5,} of {file.written:>5,}  {file.path}{gone}")
    written, stand = sum(file.written for file in files), sum(file.standing for file in files)
    print_line(f"{stand:,} of {human_count(written, 'line')} that it wrote still stand.")


def _print_raw(source: TranscriptSource, row: SessionRow) -> None:
    refuse_partial(row)
    files = files_of(source.store, row)
    refuse_dropped(files)
    for file in files:
        for piece in original_bytes(source.store, file):
            sys.stdout.buffer.write(piece)
    sys.stdout.buffer.flush()
    if len(files) > 1:
        talk(f"These were {len(files)} files, one after the other.")


def digest_lines(digest: Digest, *, is_full: bool) -> Iterator[str]:
    """How it ended, then what counted, list by list."""
    verdict = digest.verdict
    yield one_line(digest.title or digest.task or "(no prompt)", _LONGEST)
    yield f"{digest.agent} {digest.native_id}: {digest.task_type}, {digest.repo or 'no repository'}"
    yield f"outcome     {verdict.outcome}: {'; '.join(verdict.reasons)}"
    lists = {
        "failures": [line for failure in digest.failures for line in _failure(digest, failure)],
        "rules reported": list(dict.fromkeys(f"{rule.id}  {rule.message}" for rule in digest.rules)),
        "files": [f"{file.path}  ({file.reads} read, {file.changes} changed)" for file in digest.files],
        "corrections": [digest.prompts[at].text for at in digest.corrections],
        "denied": [f"{digest.steps[at].tool} {digest.steps[at].target}" for at in digest.denials],
        "stated": [f"{'person' if said.is_person else 'agent'}: {said.text}" for said in digest.stated],
        "published": [f"{publication.kind}: {publication.text}" for publication in digest.publications],
        "summaries": list(digest.summaries),
    }
    for heading, lines in lists.items():
        shown = lines if is_full else lines[:_MOST]
        yield from ("", heading) if lines else ()
        yield from (f"  {one_line(line, _LONGEST)}" for line in shown)
        if len(shown) < len(lines):
            yield f"  … {human_count(len(lines) - len(shown), 'more line')}; --full shows all"


def _failure(digest: Digest, failure: Failure) -> Iterator[str]:
    yield f"{failure.at:>4}  {failure.failure:<13} {failure.signature}"
    if failure.resolution is not ResolutionKind.UNRESOLVED and failure.by is not None:
        yield f"→ {failure.resolution} by {failure.by}: {digest.steps[failure.by].target}"
