"""`afterwit patterns list`, `show`, `log`, `diff`: the catalog as people look at it."""

from pathlib import Path

import click

from afterwit.cli.commands import command
from afterwit.cli.terminal.options import Here, many, reporting, timed
from afterwit.cli.terminal.output import print_json, print_line, print_text, talk
from afterwit.cli.terminal.table import Column, print_table
from afterwit.extras.lab.patterns.catalog import EntryStatus
from afterwit.extras.lab.patterns.catalog_file import in_words
from afterwit.extras.lab.patterns.cli.completing import pattern_ids
from afterwit.extras.lab.patterns.cli.shapes import (
    EXITS,
    FOUND,
    entry_shape,
    in_catalog,
    pattern_shape,
    published_line,
    summary_lines,
    summed_up,
    version_shape,
)
from afterwit.extras.lab.patterns.publish import published_of
from afterwit.extras.lab.patterns.show import catalog_of, listed, shown
from afterwit.extras.lab.patterns.show import diff as run_diff
from afterwit.extras.lab.patterns.show import log as run_log

_EMPTY = "The catalog is empty. `afterwit patterns detect` shows what recurs, `review` asks about it."
_ERASED = "(its words went with the sessions that were erased)"
_STATUSES = {status.in_words.replace(" ", "-"): status for status in EntryStatus}
_LISTED = (
    Column("id"),
    Column("version"),
    Column("status"),
    Column("file", gives_way=1),
    Column("published", gives_way=2),
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
@in_catalog
@reporting
def list_(here: Here, statuses: tuple[str, ...], folder: Path | None, is_json: bool) -> None:
    """The catalog: what was decided about patterns, and whether their files are as they were written."""
    entries = listed(here.world, tuple(_STATUSES[status] for status in statuses), folder)
    places = published_of(here.world, catalog_of(here.world)) if entries else {}
    if is_json:
        print_json(
            [
                entry_shape(entry) | {"file": str(path), "file_state": state, "published": places.get(entry.id, [])}
                for entry, path, state in entries
            ]
        )
    elif not entries:
        talk(_EMPTY)
    else:
        rows = [
            (
                entry.id,
                entry.version,
                entry.status.in_words,
                state.in_words,
                summed_up(places.get(entry.id, ())),
                entry.title or _ERASED,
            )
            for entry, _, state in entries
        ]
        print_table(_LISTED, rows)


@command(examples=("afterwit patterns show 3fa9c1",), exits=EXITS)
@click.argument("name", metavar="PATTERN", shell_complete=pattern_ids)
@reporting
@timed
def show(here: Here, name: str, is_json: bool) -> None:
    """One pattern with its evidence and its history. PATTERN is an id or the beginning of one."""
    pattern = shown(here.world, name)
    entry, current = pattern.entry, pattern.current
    decided = entry if entry.version else None
    places = published_of(here.world, catalog_of(here.world), (entry.id,)).get(entry.id, [])
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
    print_text(entry.text, "  ", "  ")
    print_line(f"  {entry.id}, {entry.status.in_words if decided else FOUND} {entry.version}".rstrip())
    print_line(f"  applies to {in_words(entry.scope)}; shown when: {', '.join(entry.triggers) or 'at the start'}")
    for line in summary_lines(current, here.calendar, len(current.evidence)) if current else ():
        print_text(line, "  ", "    ")
    for place in places:
        print_text(published_line(place, here.calendar), "  ", "    ")
    for version in pattern.history:
        print_line(f"  {version.entry.version}  {here.calendar.day(version.at_ms)}  {version.what}")


@command(examples=("afterwit patterns log", "afterwit patterns log 3fa9c1"), exits=EXITS)
@click.argument("name", metavar="[PATTERN]", required=False, default="", shell_complete=pattern_ids)
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
@click.argument("name", metavar="PATTERN", shell_complete=pattern_ids)
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
