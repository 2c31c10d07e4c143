"""`afterwit sessions show`: one session as a transcript, as JSON, as its digest, or as the original bytes.

The transcript is drawn in `transcript`. Of a digest each list is bounded unless everything is asked for.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence

import click

from afterwit.cli.commands import command
from afterwit.cli.sessions.filters import EXITS
from afterwit.cli.sessions.transcript import Look, draw
from afterwit.cli.terminal.options import Here, reporting, timed
from afterwit.cli.terminal.output import cut, has_colour, page, print_json, talk, terminal_width
from afterwit.digest.door import as_document, load_digest
from afterwit.model.digest import Digest, Failure, Touched
from afterwit.model.errors import UsageError
from afterwit.model.figures import human_count, human_dollars, human_span, human_tokens
from afterwit.model.kinds import EventKind, ResolutionKind
from afterwit.recall.told import tellings, with_tellings
from afterwit.sessions.cost import spending_of
from afterwit.sessions.export import session_document
from afterwit.sessions.filters import find_session, one_line
from afterwit.sessions.originals import TranscriptSource, files_of, original_bytes, source_of
from afterwit.sessions.restore import refuse_dropped, refuse_partial
from afterwit.sessions.show import WantedMoments, scenes, scenes_from
from afterwit.store.rows.session_list import SessionRow

_MOST = 12
_LONGEST = 160
_SYMBOLS = 6
_SPOKEN = frozenset(EventKind) - {EventKind.THOUGHT, EventKind.NOTICE, EventKind.RESULT}


@command(
    examples=(
        "afterwit sessions show 5ea50001",
        "afterwit sessions show 5ea50001 --at 42",
        "afterwit sessions show 5ea50001 --thoughts --full",
        "afterwit sessions show 5ea50001 --told",
        "afterwit sessions show 5ea50001 --digest",
        "afterwit sessions show 5ea50001 --json",
    ),
    exits=EXITS,
)
@click.argument("session")
@click.option("--thoughts", "has_thoughts", is_flag=True, help="Show what the model thought.")
@click.option("--full", "is_full", is_flag=True, help="Show outputs, arguments and long texts whole.")
@click.option("--all", "is_all", is_flag=True, help="Show notices too: what the agent or a hook told the model.")
@click.option(
    "--at", "number", default="", metavar="MATCH", help="Begin at this match of `sessions search`, by number."
)
@click.option("--no-subagents", is_flag=True, help="Leave the sessions of subagents out.")
@click.option(
    "--told",
    "has_told",
    is_flag=True,
    help="Mark what the session was told by Afterwit, and what was skipped on purpose, to compare; with --json, only"
    " that.",
)
@click.option(
    "--digest",
    "is_digest",
    is_flag=True,
    help="Show its digest, a short account: how it ended, what failed and what mended it.",
)
@click.option("--raw", "is_raw", is_flag=True, help="Print the original bytes of its files, secrets and all.")
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
    is_digest: bool,
    is_raw: bool,
    is_json: bool,
) -> None:
    """Show one session as a readable transcript.

    SESSION is its id or the beginning of it. Actions take a line each: ✓ succeeded, ✗ failed, ⊘ denied, ◌ cancelled,
    · not known, ! probably failed. Subagents stand behind a bar, under the call that started them. Times are local.
    On a terminal the text goes through your pager. With --at it begins a little before that match, which is marked and
    shown whole. With --told, ◆ stands before what Afterwit told the session, and ◇ before what was kept from it to
    compare, each where it happened. All but --raw is redacted.
    """
    if is_raw and is_json:
        raise click.UsageError("--raw and --json exclude each other.")
    if is_raw and is_digest:
        raise click.UsageError("--raw and --digest exclude each other.")
    if has_told and (is_raw or is_digest):
        raise click.UsageError("--told marks a transcript, so it goes with neither --raw nor --digest.")
    if number and (is_raw or is_digest or is_json):
        raise click.UsageError("--at opens a transcript, so it goes with none of --raw, --digest and --json.")
    with source_of(here.world) as source:
        row = find_session(source.store.db, session)
        if is_raw:
            _print_raw(source, row)
        elif is_digest:
            _print_digest(here, source, row, is_json=is_json, is_full=is_full)
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
            look = _look(here, is_full=is_full)._replace(number=number)
            page(draw(told_scenes, look, spending_of(source.store.db, here.world.settings, row)))


def _kinds(*, has_thoughts: bool, is_full: bool, is_all: bool) -> frozenset[EventKind]:
    more = {EventKind.THOUGHT: has_thoughts, EventKind.RESULT: is_full, EventKind.NOTICE: is_all}
    return _SPOKEN | {kind for kind, is_wanted in more.items() if is_wanted}


def _look(here: Here, *, is_full: bool) -> Look:
    return Look(here.calendar, terminal_width(), has_colour(), is_full)


def _print_digest(here: Here, source: TranscriptSource, row: SessionRow, *, is_json: bool, is_full: bool) -> None:
    digest = load_digest(source.store.db, row)
    if digest is None:
        raise UsageError(f"Session {row.native_id} has no digest yet. `afterwit learn` makes it.")
    if is_json:
        print_json(as_document(digest))
    else:
        page(digest_lines(digest, _look(here, is_full=is_full)))


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


def digest_lines(digest: Digest, look: Look) -> Iterator[str]:
    """The digest, heading first."""
    yield one_line(digest.title or digest.task or "(no prompt)", _LONGEST)
    yield f"{digest.agent} {digest.native_id}"
    yield ""
    for name, value in _facts(digest):
        if value:
            yield _fit(f"{name:<12}{value}", look)
    for heading, lines in _lists(digest):
        if lines:
            yield ""
            yield heading
            yield from _bound(lines, look)


def _facts(digest: Digest) -> Iterator[tuple[str, str]]:
    verdict, measures = digest.verdict, digest.measures
    confidence = f" ({verdict.confidence:.2f})" if verdict.confidence else ""
    yield "outcome", f"{verdict.outcome}{confidence}: {'; '.join(verdict.reasons)}"
    yield "task type", digest.task_type
    yield "repository", digest.repo
    yield "actions", ", ".join(f"{count} {kind}" for kind, count in digest.kinds.items())
    yield "errors", f"{measures.errors}{_share(measures.early_error_rate)}"
    yield "took", human_span(measures.duration_ms)
    yield "first pass", human_span(measures.first_success_ms)
    yield "tokens", human_tokens(measures.tokens) if measures.tokens else ""
    yield "cost", human_dollars(measures.cost_usd) if measures.cost_usd else ""
    yield "skills", ", ".join(digest.skills)


def _share(rate: float | None) -> str:
    return f" ({rate:.0%} of the first actions, 30 at most)" if rate else ""


def _lists(digest: Digest) -> Iterator[tuple[str, list[str]]]:
    yield "failures", [line for failure in digest.failures for line in _failure(digest, failure)]
    yield "rules reported", list(dict.fromkeys(f"{rule.id}  {rule.message}" for rule in digest.rules))
    yield "files", [_file(touched) for touched in digest.files]
    yield "corrections", [digest.prompts[at].text for at in digest.corrections]
    yield "denied", [f"{digest.steps[at].tool} {digest.steps[at].target}" for at in digest.denials]
    yield "stated", [f"{'person' if said.is_person else 'agent'}: {said.text}" for said in digest.stated]
    yield "published", [f"{publication.kind}: {publication.text}" for publication in digest.publications]
    yield "summaries", list(digest.summaries)


def _failure(digest: Digest, failure: Failure) -> list[str]:
    lines = [f"{failure.at:>4}  {failure.failure:<13} {failure.signature}"]
    if failure.resolution is not ResolutionKind.UNRESOLVED and failure.by is not None:
        lines.append(
            f"      → {failure.resolution} by {failure.by}: {one_line(digest.steps[failure.by].target, _LONGEST)}"
        )
    return lines


def _file(touched: Touched) -> str:
    counts = [f"{number} {name}" for number, name in ((touched.reads, "read"), (touched.changes, "changed")) if number]
    symbols = f"  {' '.join(touched.symbols[:_SYMBOLS])}" if touched.symbols else ""
    return f"{touched.path}  ({', '.join(counts)}){symbols}"


def _bound(lines: Sequence[str], look: Look) -> Iterable[str]:
    shown = lines if look.is_full else lines[:_MOST]
    for line in shown:
        yield _fit(f"  {line if line.startswith(' ') else one_line(line, _LONGEST)}", look)
    if len(shown) < len(lines):
        yield f"  … {human_count(len(lines) - len(shown), 'more line')}; --full shows all"


def _fit(line: str, look: Look) -> str:
    flat = line.replace("\n", " ")
    return cut(flat, look.width) if look.width else flat
