"""`afterwit measure effect` and `report`: whether it helps, from sessions that were told something and those that
were not, and a page of figures.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from afterwit.cli.commands import command
from afterwit.cli.terminal.options import Here, reporting, since_ms, timed
from afterwit.cli.terminal.output import print_json, print_line, print_text, talk
from afterwit.cli.terminal.progress import bar
from afterwit.cli.terminal.table import Column, print_table
from afterwit.config.calendar import Calendar
from afterwit.knowledge.door.list import sentences
from afterwit.measure import report as running
from afterwit.measure.cases import cases_of
from afterwit.measure.collect import EXPLAINED, collect
from afterwit.measure.effect import (
    EffectReport,
    ExplainedCase,
    FigureEffect,
    GroupEffect,
    Grouping,
    effect_of,
    explained,
    explained_group,
)
from afterwit.measure.outcomes import ABOUT, MAIN, Figure
from afterwit.measure.words import amount, change_cell, finding_words, retirement, verdict
from afterwit.model.errors import did_you_mean
from afterwit.model.figures import human_count
from afterwit.recall.tellings import said_at

_COLUMNS = (
    Column("first draw"),
    Column("session"),
    Column("agent", gives_way=1),
    Column("repository", gives_way=2),
    Column("side"),
    Column("chance", is_number=True, gives_way=3),
    Column("value", is_number=True),
    Column("usual", is_number=True, gives_way=3),
    Column("score", is_number=True),
)


def _show_explained(
    calendar: Calendar,
    rows: Sequence[ExplainedCase],
    words: str,
    *,
    is_log: bool = False,
) -> None:
    if not rows:
        print_text(f"{words}: no session counts yet.")
        return
    print_text(f"{words}: {human_count(len(rows), 'row')}. The effect is the mean of the scores.")
    if is_log:
        print_text("`usual` and `score` are logarithms of one more: this figure differs by factors.")
    print_table(_COLUMNS, [_row(calendar, row) for row in rows])


def _row(calendar: Calendar, row: ExplainedCase) -> list[str]:
    side = "told" if row.is_told else "not told"
    figures = (amount(row.value), *("" if value is None else f"{value:.2f}" for value in (row.usual, row.score)))
    return [calendar.moment(row.at_ms), row.session, row.agent, row.repo, side, f"{row.chance:.2f}", *figures]


_MOST_LINES = 6  # of those that users asked for again
_BY = ("moment", "finder", "note", "pattern")
_FIGURES = (
    Column("figure", takes_rest=True),
    Column("told", is_number=True),
    Column("not told", is_number=True),
    Column("change", gives_way=1),
    Column("finding", gives_way=2),
)
_GROUPS = (
    Column("telling", takes_rest=True),
    Column("drawn", is_number=True),
    Column("lost in 100", is_number=True),
    Column("interval", gives_way=1),
    Column("finding", gives_way=2),
)


@command(
    examples=(
        "afterwit measure effect",
        "afterwit measure effect --by note",
        "afterwit measure effect --explain failures",
        "afterwit measure effect --json",
    ),
)
@click.option(
    "--by",
    type=click.Choice(_BY),
    help="What comes of single notes, of those of one moment, of those that one part of the program found, or of each"
    " version of a published pattern.",
)
@click.option(
    "--explain",
    metavar="NAME",
    help="The sessions behind a figure, each with what it adds. Also of a moment, finder, note or pattern.",
)
@reporting
@timed
def effect(here: Here, by: str | None, explain: str | None, is_json: bool) -> None:
    """Does it help? Compares sessions that were told something with sessions that were told nothing.

    Chance decides which is which, before anything is said: `afterwit measure skipping`. Every session counts on the
    side that was drawn, with its resumes and subagents. One figure decides: of the first 30 actions, how many in 100
    are lost, because they are in vain or search before the first edit. The intervals stay valid however often one
    looks, and the figures below the first share an error rate of 5%. A change compares each session with what was usual
    in its repository, so it may differ from that of the two means.

    `--by` shows what comes of single notes, seen in sessions that were told others. Those that do harm are named with
    the command that takes them out.
    """
    if by and explain:
        raise click.UsageError("Give either --by or --explain.")
    if explain:
        _explain(here, explain, is_json=is_json)
        return
    report = effect_of(cases_of(here.world))
    if is_json:
        print_json(_groups(report, by) if by else report)
    elif by:
        _show_groups(here, report, by)
    else:
        _show(here.calendar, report)


def _show(calendar: Calendar, report: EffectReport) -> None:
    print_text(verdict(report))
    if not report.sessions or report.since_ms is None:
        print_text(
            "`afterwit connect status` shows which agents are connected; `afterwit measure skipping` shows how much is"
            " skipped, to compare."
        )
        return
    told, not_told = human_count(report.told, "session"), human_count(report.not_told, "session")
    print_text(f"Since {calendar.day(report.since_ms)}: {told} told, {not_told} told nothing, on purpose.")
    print_line("")
    print_table(_FIGURES, [_figure_row(effect) for effect in (report.main, *report.figures)])
    print_line("")
    for line in _remarks(report):
        print_text(line)


def _figure_row(effect: FigureEffect) -> list[str]:
    means = ["" if mean is None else amount(mean) for mean in (effect.told, effect.not_told)]
    return [effect.words, *means, change_cell(effect), finding_words(effect.finding)]


def _remarks(report: EffectReport) -> Iterator[str]:
    detectable, base = report.main.estimate.detectable, report.main.not_told
    if detectable is not None and base:
        yield f"The smallest change that would show by now, four times of five: {detectable / base:.0%}."
    if report.lost:
        yield f"Of {human_count(report.lost, 'session')} more no log was read; they are not in the figures."
    for line in report.asked_again[:_MOST_LINES]:
        yield f"Asked for what is told{f' (“{line.text}”)' if line.id else ''}: {line.in_words}"
    yield from map(retirement, report.harmful)
    yield f"`--explain NAME` shows the sessions behind a figure: {', '.join(Figure)}."


def _groups(report: EffectReport, by: str) -> list[GroupEffect]:
    finders = [*report.origins, *report.harvesters]
    return {"moment": report.moments, "finder": finders, "note": report.items, "pattern": report.patterns}[by]


def _show_groups(here: Here, report: EffectReport, by: str) -> None:
    groups = _groups(report, by)
    judged = [group for group in groups if group.estimate.low is not None]
    if judged:
        said = sentences(here.world, [group.name for group in judged]) if by == "note" else {}
        print_table(_GROUPS, [_group_row(group, _name(group.name, by, said)) for group in judged])
    if left := [_name(group.name, by, {}) for group in groups if group not in judged]:
        names = "" if by == "note" else f" ({', '.join(left)})"
        print_text(f"Of {human_count(len(left), by)}{names} nothing can be said yet: told or skipped too seldom.")
    if not groups:
        what = "note of a published pattern" if by == "pattern" else "note"
        print_line(f"No {what} was told, or skipped, in a session that was told something.")
    for line in map(retirement, report.harmful if by == "note" else ()):
        print_text(line)


def _name(name: str, by: str, said: Mapping[str, str]) -> str:
    if by == "moment":
        return said_at(name, name)
    return f"{name} {said.get(name, '')}".strip()


def _group_row(group: GroupEffect, name: str) -> list[str]:
    effect = group.estimate
    interval = "" if effect.low is None or effect.high is None else f"{effect.low:+.1f} to {effect.high:+.1f}"
    return [name, f"{group.draws:,}", f"{effect.effect or 0:+.1f}", interval, finding_words(group.finding)]


def _explain(here: Here, name: str, *, is_json: bool) -> None:
    figure = Figure(name) if name in set(Figure) else MAIN
    words = ABOUT[figure].words if name in set(Figure) else f"{ABOUT[MAIN].words}, by telling {name}"
    rows = _rows_behind(here, name)
    if is_json:
        print_json(rows)
    else:
        _show_explained(here.calendar, rows, words, is_log=ABOUT[figure].is_log)


def _rows_behind(here: Here, name: str) -> list[ExplainedCase]:
    cases = cases_of(here.world)
    if name in set(Figure):
        return explained(cases, Figure(name))
    draws = [draw for case in cases.drawn for draw in case.items]
    for grouping in Grouping:
        if any(grouping.name_of(draw) == name for draw in draws):
            return explained_group(cases, grouping, name)
    hint = did_you_mean(name, [figure.value for figure in Figure], lambda near: f"`--explain {near}`")
    figures = f"Figures are {', '.join(figure.value for figure in Figure)}."
    raise click.UsageError(f"There is no figure {name!r}, and no note of that name was drawn. {hint or figures}")


_HEADINGS = {
    "at_ms": "when",
    "item": "note",
    "harvester": "found by",
    "told_at": "told",
    "moment": "its moment",
    "wrong": "wrong because",
    "task_type": "kind",
    "first_try": "first check passed",
    "is_skipped": "skipped",
    "hook_ms": "hook ms",
    "came_true": "confirmed",
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
    """Write a page of figures: what was told, what it cost, whether errors come back.

    `dashboard.md` is the page, `metrics.json` has the figures for programs, and `history.jsonl` keeps a line for each
    day. `measure.daily_report` in the configuration lets the first `afterwit learn` of a day write them.

    No figure here says by itself that memory helps: weeks differ in what is worked on. That is told by sessions that
    were skipped on purpose, to compare.
    """
    from_ms = since_ms(since, here.calendar) or 0
    with bar("counting", "sessions") as progress:
        if explain is not None:
            rows = collect(here.world, from_ms, progress).rows[explain]
        else:
            written = running.report(here.world, folder, from_ms, progress)
    if explain is not None:
        _explain_figures(explain, rows, here.calendar, is_json=is_json)
    elif is_json:
        print_json(running.plain(written.figures))
    else:
        for line in written.lines:
            print_text(line)
        print_line("")
        print_text(f"The whole report: {written.page}")


def _explain_figures(name: str, rows: Sequence[Any], calendar: Calendar, *, is_json: bool) -> None:
    if is_json:
        print_json(running.plain(rows))
        return
    if not rows:
        talk(f"Nothing was counted for {name} yet.")
        return
    fields: tuple[str, ...] = rows[0]._fields
    columns = [
        Column("when" if field == "at_ms" else field.replace("_", " "), is_number=isinstance(value, float))
        for field, value in zip(fields, rows[0], strict=True)
    ]
    print_table(columns, [[_cell(row, field, calendar) for field in fields] for row in rows])


def _cell(row: Any, field: str, calendar: Calendar) -> object:
    value = getattr(row, field)
    if field == "at_ms":
        return calendar.day(value) if value else "not known"
    return f"{value:.2f}" if isinstance(value, float) else value
