"""`afterwit sessions search`: full text over what was said and done."""

import os
import shutil
import sys

import click

from afterwit.cli.commands import command
from afterwit.cli.sessions.filters import filtered
from afterwit.cli.terminal.amounts import COUNT, human_count, minute
from afterwit.cli.terminal.options import Here, reporting
from afterwit.cli.terminal.output import print_json, print_line, talk
from afterwit.sessions.filters import Filter
from afterwit.sessions.search import SearchAnswer, SearchHit
from afterwit.sessions.search import search as run
from afterwit.store.rows.texts import KINDS
from afterwit.text.words import marked

_PIPE_WIDTH = 300
_LINES = 2


@command(
    examples=(
        "afterwit sessions search migration lock",
        "afterwit sessions search '\"no such table\"' --kind error",
        "afterwit sessions search 'prun*' --repo orchard --since 30d",
    ),
)
@click.argument("query", nargs=-1, required=True)
@click.option("--kind", type=click.Choice(KINDS), default=None, help="Only this kind of text.")
@click.option("--limit", type=COUNT, default=10, show_default=True, help="Most hits; 0 means all.")
@reporting
@filtered
def search(here: Here, wanted: Filter, query: tuple[str, ...], kind: str | None, limit: int, is_json: bool) -> None:
    """Search prompts, replies, commands, errors and outputs of all sessions.

    All words must occur; "a phrase" in its order; `wor*` finds words that begin so; `-word` excludes. The best hits
    come first. Texts are read from the archive and redacted; a session whose archive is gone is still found, without
    its text.
    """
    is_terminal = sys.stdout.isatty()
    width = _LINES * (shutil.get_terminal_size().columns - 4) if is_terminal else _PIPE_WIDTH
    answer = run(here.world, " ".join(query), wanted, kind or "", limit, width)
    if is_json:
        print_json(answer)
    else:
        _show(answer)


def _show(answer: SearchAnswer) -> None:
    if not answer.hits:
        talk("Nothing found. Fewer words find more, and `wor*` finds words that begin so.")
        return
    for hit in answer.hits:
        print_line(_heading(hit))
        print_line("  " + _piece(hit, answer.words))
    shown = len(answer.hits)
    more = f", the best {shown} of them shown" if shown < answer.total else ""
    talk(f"{human_count(answer.total, 'place')}{more}.")


def _heading(hit: SearchHit) -> str:
    day = minute(hit.at_ms) or "no date"
    return f"{day}  {hit.agent}  {hit.repo.rpartition('/')[2] or '–'}  {hit.session}  {hit.kind}"


def _piece(hit: SearchHit, words: list[str]) -> str:
    if hit.snippet is None:
        return "(the text is not in the archive any more)"
    has_colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    return marked(hit.snippet, words, "\x1b[1m", "\x1b[0m") if has_colour else hit.snippet
