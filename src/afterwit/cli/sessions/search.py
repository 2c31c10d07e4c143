"""`afterwit sessions search`: full text over what was said and done, session by session."""

from collections.abc import Iterator
from typing import Any

import click

from afterwit.cli.commands import command
from afterwit.cli.sessions.filters import filtered, nothing_matches
from afterwit.cli.terminal.options import COUNT, Here, reporting
from afterwit.cli.terminal.output import has_colour, print_json, talk, terminal_width, wrap
from afterwit.model.figures import human_count
from afterwit.model.kinds import EventKind
from afterwit.model.text import mark_words
from afterwit.redaction.hygiene import clean
from afterwit.repos.remotes import short_names
from afterwit.sessions.filters import Filter, one_line
from afterwit.sessions.search import SearchedSession, SearchHit, SessionsAnswer
from afterwit.sessions.search import search as run
from afterwit.store.rows.texts import KINDS, TextTotals

_TITLE = 150  # characters of a title
_SNIPPET = 160  # characters of an excerpt
_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"
_SAID = {EventKind.CALL: "command", EventKind.RESULT: "output", EventKind.COMPACTION: "summary"}


@command(
    examples=(
        "afterwit sessions search migration lock",
        "afterwit sessions search '\"no such table\"' --kind error",
        "afterwit sessions search 'prun*' --repo orchard --since 2w",
    ),
)
@click.argument("query", nargs=-1, required=True, metavar="WORDS...")
@click.option("--kind", type=click.Choice(KINDS), default=None, help="Only this kind of text.")
@click.option("--limit", type=COUNT, default=10, show_default=True, help="At most so many sessions; 0 means all.")
@click.option(
    "--matches",
    "most",
    type=COUNT,
    default=3,
    show_default=True,
    help="At most so many matches of each session; 0 means all.",
)
@reporting
@filtered
def search(
    here: Here, wanted: Filter, query: tuple[str, ...], kind: str | None, limit: int, most: int, is_json: bool
) -> None:
    """Search prompts, replies, commands, errors and outputs of all sessions.

    All words must occur; "a phrase" in its order; `wor*` finds words that begin so; `-word` excludes. Each session
    comes with its best matches: what was said before commands, and these before outputs. The number before a match
    opens the session there: `afterwit sessions show ID --at NUMBER`. Of words with more than 2,000 matches the newest
    sessions are shown instead of the best; `--limit 0` ranks and shows all. Texts are read from the archive and
    redacted; a session whose archive is gone is still found, without its text.
    """
    answer = run(here.world, " ".join(query), wanted, kind or "", limit, _SNIPPET, most_matches=most)
    if is_json:
        print_json(_as_json(answer))
    elif answer.sessions:
        _show(here, answer)
    else:
        talk(_nothing(here, wanted))


def _nothing(here: Here, wanted: Filter) -> str:
    reason = nothing_matches(here, wanted) if wanted != Filter() else ""
    return reason or "No matches. Fewer words find more, fewer filters too, and `wor*` finds words that begin so."


def _totals(totals: TextTotals) -> str:
    least = "at least " if totals.is_least else ""
    matches, sessions = human_count(totals.matches, "match", "matches"), human_count(totals.sessions, "session")
    return f"{least}{matches} in {least}{sessions}"


def _show(here: Here, answer: SessionsAnswer) -> None:
    repos = short_names({searched.session.row.repo for searched in answer.sessions})
    for place, searched in enumerate(answer.sessions):
        if place:
            click.echo()
        for line in _lines(here, searched, repos[searched.session.row.repo], answer.words):
            click.echo(line)
    first, counted = answer.sessions[0], _totals(answer.totals)
    talk(f"{counted[0].upper()}{counted[1:]}{_part_shown(answer)}.")
    talk(f"`afterwit sessions show {first.session.id} --at {first.hits[0].number}` opens the first.")


def _part_shown(answer: SessionsAnswer) -> str:
    """Which of them are shown, where that are not all in the usual order."""
    shown = human_count(len(answer.sessions), "session")
    if answer.is_newest:
        return f"; the newest {shown} shown, newest first. Too much matches to rank it: more words, or --limit 0"
    return f"; the best {shown} shown, --limit 0 shows all" if len(answer.sessions) < answer.totals.sessions else ""


def _lines(here: Here, searched: SearchedSession, repo: str, words: list[str]) -> Iterator[str]:
    """The title, whose it is, and the matches."""
    row, width = searched.session.row, terminal_width()
    for line in wrap(clean(one_line(searched.session.title, _TITLE) or "(no title)"), width):
        yield f"{_BOLD}{line}{_PLAIN}" if has_colour() else line
    started = here.calendar.moment(row.started_ms) or "no date"
    facts = (repo, row.agent, started, searched.session.id)
    yield from wrap(clean(" · ".join(filter(None, facts))), width)
    for hit in searched.hits:
        yield from _hit_lines(hit, words, width)
    if searched.found > len(searched.hits):
        more = searched.found - len(searched.hits)
        yield f"  … {human_count(more)} more in this session; --matches 0 shows all"


def _hit_lines(hit: SearchHit, words: list[str], width: int | None) -> Iterator[str]:
    label = f"  {hit.number:>5} {_SAID.get(EventKind(hit.kind), hit.kind):<7} "
    indent = " " * len(label)
    room = None if width is None else width - len(label)
    text = "(the text is not in the archive any more)" if hit.snippet is None else clean(hit.snippet)
    if not has_colour() and hit.snippet is not None:
        text = mark_words(text, words, "«", "»")
    for number, line in enumerate(wrap(text, room)):
        shown = mark_words(line, words, _BOLD, _PLAIN) if has_colour() and hit.snippet is not None else line
        yield f"{indent if number else label}{shown}"


def _as_json(answer: SessionsAnswer) -> dict[str, Any]:
    return {
        "query": answer.query,
        "words": answer.words,
        "found": answer.totals.sessions,
        "matches": answer.totals.matches,
        "is_least": answer.totals.is_least,
        "is_newest": answer.is_newest,
        "sessions": [_session_shape(searched) for searched in answer.sessions],
    }


def _session_shape(searched: SearchedSession) -> dict[str, Any]:
    names = ("id", "native_id", "agent", "repo", "title", "started_ms")
    hits = [
        {name: getattr(hit, name) for name in ("number", "kind", "at_ms", "offset", "snippet")} for hit in searched.hits
    ]
    return {**searched.session.view(names), "found": searched.found, "matches": hits}
