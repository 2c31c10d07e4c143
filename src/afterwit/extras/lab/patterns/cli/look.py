"""`afterwit patterns detect`, `list`, `show`, `log`, `diff`: patterns as people look at them."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import click
import msgspec

from afterwit.cli.commands import ExitCode, command
from afterwit.cli.sessions.filters import filtered, nothing_matches
from afterwit.cli.terminal.options import Here, many, reporting, timed
from afterwit.cli.terminal.output import print_json, print_line, print_text, talk
from afterwit.cli.terminal.table import Column, print_table
from afterwit.config.calendar import Calendar
from afterwit.extras.lab.patterns.catalog import CatalogEntry, EntryStatus, EntryVersion, name_scope
from afterwit.extras.lab.patterns.curate import catalog_of, list_entries, show_pattern
from afterwit.extras.lab.patterns.curate import diff as run_diff
from afterwit.extras.lab.patterns.curate import log as run_log
from afterwit.extras.lab.patterns.detect import FEWEST_STORIES, Pattern, detect
from afterwit.extras.lab.patterns.publish import PublishedState, ShownPublication, find_published
from afterwit.model.figures import human_count, human_tokens
from afterwit.model.times import iso_from_ms
from afterwit.sessions.filters import Filter, one_line

EXITS = {
    ExitCode.FAILED: "There is no store yet, or it cannot be used.",
    ExitCode.WRONG_USE: "No such pattern. Nothing is decided.",
}
UNDO = "`afterwit patterns undo` takes it back."
FOUND = "found"  # the status of what nobody has decided about
_LONGEST_EXCERPT = 140
Command = Callable[..., Any]


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
    shape = msgspec.structs.asdict(pattern)
    moments = {"first_seen": iso_from_ms(shape.pop("first_ms")), "last_seen": iso_from_ms(shape.pop("last_ms"))}
    return {
        **shape,
        **moments,
        "scope": str(pattern.scope),
        "is_cross_agent": pattern.is_cross_agent,
        "evidence": [msgspec.structs.asdict(piece) for piece in pattern.evidence],
        "status": entry.status if entry else FOUND,
        "version": entry.version if entry else "",
    }


def entry_shape(entry: CatalogEntry) -> dict[str, Any]:
    shape = msgspec.structs.asdict(entry)
    return shape | {"evidence": [msgspec.structs.asdict(piece) for piece in entry.evidence]}


def publication_line(publication: ShownPublication, calendar: Calendar) -> str:
    """Where a pattern is published, in one line."""
    whose = f" for {', '.join(publication.agents)}" if publication.agents else ""
    where = publication.path or publication.name
    state = publication.state.in_words
    day = calendar.day(publication.at_ms)
    return f"published as {publication.form}{whose}: {where} ({publication.version}, {day}{state and f'; {state}'})"


def sum_up(places: Sequence[ShownPublication]) -> str:
    """All places of a pattern in a few words."""
    forms = ", ".join(sorted({str(place.form) for place in places}))
    states = dict.fromkeys(place.state.in_words for place in places if place.state.in_words)
    return "; ".join(filter(None, (forms, *states)))


def still_published(own: str, places: Sequence[ShownPublication]) -> Iterator[str]:
    """What a person should know after a decision about a pattern that is published."""
    if any(place.state is PublishedState.WITHDRAWN for place in places):
        yield f"{own} is still published ({sum_up(places)}). `afterwit patterns unpublish {own}` takes it back."
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
        mended = f", {pattern.mended} of them mended" if pattern.mended else ""
        tokens = f"; about {human_tokens(pattern.tokens)} tokens" if pattern.tokens else ""
        yield f"cost: {human_count(pattern.failures, 'failure')}{mended}{tokens}"
    for piece in pattern.evidence[:shown_evidence]:
        yield f"{calendar.day(piece.at_ms)}  {piece.agent}: {one_line(piece.excerpt, _LONGEST_EXCERPT)}"


_DETECTED = (
    Column("id"),
    Column("sessions", is_number=True),
    Column("failures", is_number=True, gives_way=2),
    Column("agents", gives_way=1),
    Column("decided", gives_way=3),
    Column("pattern", takes_rest=True),
)


@command(
    "detect",
    examples=(
        "afterwit patterns detect",
        "afterwit patterns detect --repo orchard --since 4w",
        "afterwit patterns detect --min-frequency 5 --json",
    ),
    exits=EXITS,
)
@with_minimum
@reporting
@filtered
def detect_patterns(here: Here, wanted: Filter, minimum: int, is_json: bool) -> None:
    """Find what recurs in your sessions: problems and successes, with what they cost.

    What sessions of several agents show comes first, then what most independent sessions show. An id stays the same
    when sessions are added. `afterwit patterns review` asks about what nobody has decided yet.
    """
    patterns, decided = detect(here.world, wanted, minimum), catalog_of(here.world).entries
    if is_json:
        print_json([pattern_shape(pattern, decided.get(pattern.id)) for pattern in patterns])
        return
    if not patterns:
        talk(nothing_matches(here, wanted) or f"Nothing recurs in {minimum} independent sessions.")
        return
    rows = []
    for pattern in patterns:
        entry = decided.get(pattern.id)
        said = f"{entry.status} {entry.version}" if entry else ""
        rows.append((pattern.id, pattern.stories, pattern.failures, ", ".join(pattern.agents), said, pattern.title))
    print_table(_DETECTED, rows)
    waiting = sum(pattern.id not in decided for pattern in patterns)
    if waiting:
        talk(f"{waiting} not decided yet. `afterwit patterns review` asks what to do, `show` shows one.")


_EMPTY = "The catalog is empty. `afterwit patterns detect` shows what recurs, `review` asks about it."
_ERASED = "(its words went with the sessions that were erased)"
_STATUSES = {status.in_words.replace(" ", "-"): status for status in EntryStatus}
_LISTED = (
    Column("id"),
    Column("version"),
    Column("status"),
    Column("published", gives_way=1),
    Column("pattern", takes_rest=True),
)
_LOGGED = (
    Column("day"),
    Column("id"),
    Column("version"),
    Column("undone", gives_way=1),
    Column("decision", takes_rest=True),
)


@command("list", examples=("afterwit patterns list", "afterwit patterns list --status approved --json"), exits=EXITS)
@many("--status", "statuses", "STATUS", f"Only these ({', '.join(_STATUSES)}); repeat for more.", _STATUSES)
@reporting
def list_(here: Here, statuses: tuple[str, ...], is_json: bool) -> None:
    """The catalog: what was decided about patterns, and where they are published."""
    entries = list_entries(here.world, tuple(_STATUSES[status] for status in statuses))
    places = find_published(here.world, catalog_of(here.world)) if entries else {}
    if is_json:
        print_json([entry_shape(entry) | {"published": places.get(entry.id, [])} for entry in entries])
    elif not entries:
        talk(_EMPTY)
    else:
        rows = [
            (
                entry.id,
                entry.version,
                entry.status.in_words,
                sum_up(places.get(entry.id, ())),
                entry.title or _ERASED,
            )
            for entry in entries
        ]
        print_table(_LISTED, rows)


@command(examples=("afterwit patterns show 3fa9c1",), exits=EXITS)
@click.argument("name", metavar="PATTERN")
@reporting
@timed
def show(here: Here, name: str, is_json: bool) -> None:
    """One pattern with its evidence and its history. PATTERN is an id or the beginning of one."""
    pattern = show_pattern(here.world, name)
    entry, current = pattern.entry, pattern.current
    decided = entry if entry.version else None
    places = find_published(here.world, catalog_of(here.world), (entry.id,)).get(entry.id, [])
    if is_json:
        print_json(
            {
                "decided": entry_shape(entry) if decided else None,
                "found": pattern_shape(current, decided) if current else None,
                "history": [version_shape(version) for version in pattern.history],
                "published": places,
            }
        )
        return
    print_text(entry.title or _ERASED)
    if entry.text != entry.title:
        print_text(entry.text, "  ", "  ")
    print_line(f"  {entry.id}, {entry.status.in_words if decided else FOUND} {entry.version}".rstrip())
    print_line(f"  applies to {name_scope(entry.scope)}; shown when: {', '.join(entry.triggers) or 'at the start'}")
    for line in summary_lines(current, here.calendar, len(current.evidence)) if current else ():
        print_text(line, "  ", "    ")
    for place in places:
        print_text(publication_line(place, here.calendar), "  ", "    ")
    for version in pattern.history:
        print_line(f"  {version.entry.version}  {here.calendar.day(version.at_ms)}  {version.what}")


@command(examples=("afterwit patterns log", "afterwit patterns log 3fa9c1"), exits=EXITS)
@click.argument("name", metavar="[PATTERN]", required=False, default="")
@reporting
@timed
def log(here: Here, name: str, is_json: bool) -> None:
    """What was decided about one pattern, or all, the latest first; also what was undone."""
    versions = run_log(here.world, name)
    if is_json:
        print_json([version_shape(version) for version in versions])
        return
    if not versions:
        talk(_EMPTY)
        return
    day = here.calendar.day
    rows = [
        (day(made.at_ms), made.entry.id, made.entry.version, "undone" if made.is_undone else "", made.what)
        for made in versions
    ]
    print_table(_LOGGED, rows)


@command(examples=("afterwit patterns diff 3fa9c1", "afterwit patterns diff 3fa9c1 1.0.0 1.1.0"), exits=EXITS)
@click.argument("name", metavar="PATTERN")
@click.argument("old", metavar="[FROM]", required=False, default="")
@click.argument("new", metavar="[TO]", required=False, default="")
@reporting
def diff(here: Here, name: str, old: str, new: str, is_json: bool) -> None:
    """How two versions of a pattern differ; without versions, the last two that stand."""
    lines = run_diff(here.world, name, old, new)
    if is_json:
        print_json({"lines": lines})
        return
    for line in lines:
        print_line(line)
    if not lines:
        talk("They say the same.")
