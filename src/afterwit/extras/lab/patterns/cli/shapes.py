"""What commands about patterns share: options, how patterns are printed for programs, and in a few lines for people."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from afterwit.cli.commands import ExitCode
from afterwit.config.calendar import Calendar
from afterwit.extras.lab.patterns.catalog import CatalogEntry, EntryVersion
from afterwit.extras.lab.patterns.clusters import FEWEST_STORIES
from afterwit.extras.lab.patterns.pattern import Pattern
from afterwit.extras.lab.patterns.publish import PublishedState, ShownPublication
from afterwit.model.text.amounts import human_count, human_tokens
from afterwit.model.times import iso_from_ms
from afterwit.sessions.filters import one_line

EXITS = {
    ExitCode.FAILED: "There is no store yet, or it cannot be used.",
    ExitCode.WRONG_USE: "No such pattern, or its file was changed by hand. Nothing is decided.",
    ExitCode.PARTLY_DONE: "It is decided and recorded, but a file could not be written.",
}
UNDO = "`afterwit patterns undo` takes it back."
FOUND = "found"  # the status of what nobody has decided about
_LONGEST_EXCERPT = 140
Command = Callable[..., Any]


def in_catalog(command: Command) -> Command:
    """Adds `--catalog`, passed as `folder`."""
    return click.option(
        "--catalog",
        "folder",
        type=click.Path(path_type=Path, file_okay=False),
        metavar="FOLDER",
        help="The folder of the catalog. Default: `patterns.catalog` in config.toml, else `patterns` in the store.",
    )(command)


def with_minimum(command: Command) -> Command:
    """Adds `--min-frequency`, passed as `minimum`."""
    return click.option(
        "--min-frequency",
        "minimum",
        type=click.IntRange(min=1),
        metavar="N",
        default=FEWEST_STORIES,
        help=f"Only what at least so many independent sessions show. Default: {FEWEST_STORIES}.",
    )(command)


def pattern_shape(pattern: Pattern, entry: CatalogEntry | None) -> dict[str, Any]:
    return {
        "id": pattern.id,
        "kind": pattern.kind,
        "side": pattern.side,
        "title": pattern.title,
        "text": pattern.text,
        "scope": str(pattern.scope),
        "triggers": pattern.triggers,
        "is_cross_agent": pattern.is_cross_agent,
        "frequency": pattern.frequency,
        "sessions": pattern.sessions,
        "stories": pattern.stories,
        "repos": pattern.repos,
        "users": pattern.users,
        "agents": pattern.agents,
        "first_seen": iso_from_ms(pattern.first_ms),
        "last_seen": iso_from_ms(pattern.last_ms),
        "failures": pattern.failures,
        "mended": pattern.mended,
        "actions": pattern.actions,
        "tokens": pattern.tokens,
        "evidence": [msgspec.structs.asdict(piece) | {"hash": piece.hash} for piece in pattern.evidence],
        "status": entry.status if entry else FOUND,
        "version": entry.version if entry else "",
    }


def entry_shape(entry: CatalogEntry) -> dict[str, Any]:
    shape = msgspec.structs.asdict(entry)
    return shape | {"evidence": [msgspec.structs.asdict(piece) for piece in entry.evidence]}


def published_line(publication: ShownPublication, calendar: Calendar) -> str:
    """Where a pattern is published, in one line."""
    whose = f" for {', '.join(publication.agents)}" if publication.agents else ""
    where = publication.path or publication.name
    state = publication.state.in_words
    day = calendar.day(publication.at_ms)
    return f"published as {publication.form}{whose}: {where} ({publication.version}, {day}{state and f'; {state}'})"


def summed_up(places: Sequence[ShownPublication]) -> str:
    """All places of a pattern in a few words."""
    forms = ", ".join(sorted({str(place.form) for place in places}))
    states = dict.fromkeys(place.state.in_words for place in places if place.state.in_words)
    return "; ".join(filter(None, (forms, *states)))


def still_published(own: str, places: Sequence[ShownPublication]) -> Iterator[str]:
    """What a person should know after a decision about a pattern that is published."""
    if any(place.state is PublishedState.WITHDRAWN for place in places):
        yield f"{own} is still published ({summed_up(places)}). `afterwit patterns unpublish {own}` takes it back."
    elif any(place.state is PublishedState.OUTDATED for place in places):
        yield f"An earlier version of {own} is published. `afterwit patterns publish {own}` brings it up to date."


def version_shape(version: EntryVersion) -> dict[str, Any]:
    return {
        "id": version.entry.id,
        "version": version.entry.version,
        "status": version.entry.status,
        "decision": version.decision,
        "what": version.what,
        "at_ms": version.at_ms,
        "is_undone": version.is_undone,
    }


def summary_lines(pattern: Pattern, calendar: Calendar, shown_evidence: int) -> Iterator[str]:
    """What stands behind a pattern, and some of its evidence."""
    across = "across agents: " if pattern.is_cross_agent else ""
    repos = ", ".join(repo.rpartition("/")[2] for repo in pattern.repos) or "no repository"
    yield (
        f"{human_count(pattern.stories, 'independent session')}, seen {human_count(pattern.frequency, 'time')};"
        f" {across}{', '.join(pattern.agents)}; {repos};"
        f" {calendar.day(pattern.first_ms)} to {calendar.day(pattern.last_ms)}"
    )
    if pattern.failures or pattern.tokens:
        mended = f", {pattern.mended} of them mended" if pattern.failures else ""
        tokens = f"; about {human_tokens(pattern.tokens)} tokens" if pattern.tokens else ""
        yield f"cost: {human_count(pattern.failures, 'failure')}{mended}{tokens}"
    for piece in pattern.evidence[:shown_evidence]:
        yield f"{calendar.day(piece.at_ms)}  {piece.agent}: {one_line(piece.excerpt, _LONGEST_EXCERPT)}"
