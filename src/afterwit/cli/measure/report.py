"""`afterwit measure report`: a page of figures with charts, and the rows behind each figure."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from afterwit.cli.commands import command
from afterwit.cli.terminal.options import Here, reporting, since_ms
from afterwit.cli.terminal.output import print_json, print_line, print_text, talk
from afterwit.cli.terminal.progress import bar
from afterwit.cli.terminal.table import Column, print_table
from afterwit.config.calendar import Calendar
from afterwit.measure import report as running
from afterwit.measure.collect import EXPLAINED, collect

_HEADINGS = {
    "at_ms": "when",
    "item": "note",
    "harvester": "found by",
    "told_at": "told",
    "moment": "its moment",
    "wrong": "wrong because",
    "came_in": "sessions with it",
    "task_type": "kind",
    "first_try": "first check passed",
    "is_skipped": "skipped",
    "hook_ms": "hook ms",
    "cache_share": "from cache",
    "came_true": "confirmed",
    "hook_faults": "hooks failed",
}
_ANSWERS = {True: "yes", False: "no", None: "–"}


@command(
    examples=(
        "afterwit measure report",
        "afterwit measure report --since 90d",
        "afterwit measure report --out ~/afterwit-report",
        "afterwit measure report --explain recurrence",
    ),
)
@click.option(
    "--out",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Write it there. Default: `metrics` in the folder of the store.",
)
@click.option("--since", metavar="TIME", help="Only what happened since then: 30d, 'last month', 2026-03, a day.")
@click.option(
    "--explain",
    type=click.Choice(list(EXPLAINED)),
    metavar="NAME",
    help=f"Write nothing; print what one figure was counted from. One of {', '.join(EXPLAINED)}.",
)
@reporting
def report(here: Here, folder: Path | None, since: str | None, explain: str | None, is_json: bool) -> None:
    """Write a page of figures, with charts: what was told, what it cost, whether errors come back.

    `dashboard.md` is the page, `metrics.json` has the figures for programs, and `history.jsonl` keeps a line for each
    day. `measure.daily_report` in the configuration lets the first `afterwit learn` of a day write them.

    No figure here says by itself that memory helps: weeks differ in what is worked on. That is told by sessions that
    were skipped on purpose, to compare.
    """
    from_ms = since_ms(since, here.calendar) or 0
    with bar("counting", "sessions") as progress:
        if explain is not None:
            rows = collect(here.world, from_ms, progress).rows.of(explain)
        else:
            written = running.report(here.world, folder, from_ms, progress)
    if explain is not None:
        _explain(explain, rows, here.calendar, is_json=is_json)
    elif is_json:
        print_json(running.plain(written.measured.figures))
    else:
        for line in written.lines:
            print_text(line)
        print_line("")
        print_text(f"The whole report: {written.page}")


def _explain(name: str, rows: Sequence[tuple[Any, ...]], calendar: Calendar, *, is_json: bool) -> None:
    if is_json:
        print_json(running.plain(rows))
    elif not rows:
        talk(f"Nothing was counted for {name} yet.")
    else:
        fields: tuple[str, ...] = getattr(rows[0], "_fields", ())
        columns = [
            Column(_HEADINGS.get(field, field.replace("_", " ")), is_number=_is_number(field, value))
            for field, value in zip(fields, rows[0], strict=True)
        ]
        print_table(columns, [_cells(row, fields, calendar) for row in rows], is_folded=True)


def _is_number(field: str, value: Any) -> bool:
    return field != "at_ms" and isinstance(value, int | float) and not isinstance(value, bool)


def _cells(row: tuple[Any, ...], fields: Sequence[str], calendar: Calendar) -> list[str]:
    return [_cell(value, field, calendar) for field, value in zip(fields, row, strict=True)]


def _cell(value: Any, field: str, calendar: Calendar) -> str:
    if field == "at_ms":
        return calendar.day(value) if value else "not known"
    if value is None or isinstance(value, bool):
        return _ANSWERS[value]
    return f"{value:.2f}" if isinstance(value, float) else str(value)
