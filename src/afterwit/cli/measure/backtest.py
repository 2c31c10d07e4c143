"""`afterwit measure backtest`: what would have been said in past sessions, and what it would have been worth."""

from pathlib import Path

import click

from afterwit.cli.commands import Command
from afterwit.cli.measure.walk import walk_lines
from afterwit.cli.sessions.filters import filtered
from afterwit.cli.sessions.names import EXITS
from afterwit.cli.terminal.listing import Column, print_listing
from afterwit.cli.terminal.options import Here, as_json, in_place
from afterwit.cli.terminal.output import print_json, print_line, print_text, talk
from afterwit.cli.terminal.progress import bar
from afterwit.measure import backtest as running
from afterwit.measure.backtest_notes import NotesFile
from afterwit.measure.scores import PlayerReport, Score
from afterwit.sessions.filters import Filter

_COLUMNS = (
    Column("player"),
    Column("saved/1000", is_number=True),
    Column("interval", gives_way=1),
    Column("recall@5", is_number=True),
    Column("precision@5", is_number=True, gives_way=4),
    Column("spared", is_number=True, gives_way=2),
    Column("covered", is_number=True, gives_way=3),
    Column("right", is_number=True, gives_way=3),
    Column("rules", is_number=True, gives_way=5),
    Column("false alarms", is_number=True, gives_way=6),
    Column("notes/100", is_number=True, gives_way=7),
    Column("tokens", is_number=True, gives_way=8),
)


@click.command(
    cls=Command,
    examples=(
        "afterwit measure backtest",
        "afterwit measure backtest --player places --repo my-app --since 90d",
        "afterwit measure backtest --explain 3f2a",
        "afterwit measure backtest --player places --notes notes.jsonl --json",
    ),
    exits=EXITS,
)
@click.option(
    "--player", "players", multiple=True, metavar="NAME", help=f"One of {', '.join(running.PLAYERS)}; default: all."
)
@click.option(
    "--notes",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write every note there, as JSON lines; `{player}` in the name stands for each of several players.",
)
@click.option(
    "--explain", default="", metavar="SESSION", help="Walk through one session: what was said, what happened."
)
@as_json
@in_place
@filtered
def backtest(
    here: Here, wanted: Filter, players: tuple[str, ...], notes: Path | None, explain: str, is_json: bool
) -> None:
    """Replay your own history and say what Afterwit would have told the agents.

    Sessions are played in order. For each, only what stood in the logs before it began is known. Filters choose which
    sessions are played and scored; the others are still learned from. Simple players are shown beside the product. A
    replay shows what would have been said, not what would have been done.

    Columns: actions saved in 1,000 with their interval; of files that were changed again, how many were among the five
    named (recall@5), how many named ones were right (precision@5), and which share of the searches was spared; of
    failures known from before, which share got an answer (covered), and the right one (right); of rules met again,
    which share was said in time; how much was said in vain, and at what cost. A narrow terminal shows fewer columns.
    """
    chosen = running.players_named(players or ((running.PRODUCT,) if explain else ()))
    if explain and (is_json or notes):
        raise click.UsageError("--explain prints a walk to read; leave out --json and --notes.")
    if explain:
        with bar("replaying", "sessions") as progress:
            lines = walk_lines(running.explained(here.world, chosen, explain, progress))
        for line in lines:
            print_line(line)
        return
    names = [player.name for player in chosen]
    notebook = NotesFile(notes, names, running.own_files(here.world)) if notes else None
    with bar("replaying", "sessions") as progress:
        found = running.backtest(here.world, chosen, wanted, progress, notebook)
    if is_json:
        print_json(found)
    else:
        _show(found)


def _show(found: running.Backtest) -> None:
    print_text(found.sentence)
    if not found.sessions:
        return
    print_line("")
    print_listing(_COLUMNS, [_row(report) for report in found.reports])
    for comparison in found.comparisons:
        low, high = comparison.interval
        talk(
            f"{running.PRODUCT} against {comparison.other}: recall@5 {comparison.recall_difference:+.2f}"
            f" ({low:+.2f} to {high:+.2f}) in {comparison.sessions} sessions"
            f"{'' if comparison.is_clear else ', not clearly better'}."
        )
    whole = found.reports[0].whole
    talk(
        f"{found.sessions:,} sessions, {found.actions:,} actions; {whole.searches:,} searches before a known file,"
        f" {whole.repeats:,} failures known from before, {whole.rules:,} rules met again."
    )


def _row(report: PlayerReport) -> tuple[str, ...]:
    one, low, high = report.whole, *report.interval
    return (
        report.player,
        f"{one.saved_per_1000:.1f}",
        f"{low:.1f} to {high:.1f}",
        *(_share(value) for value in _shares(one)),
        f"{one.notes_per_100_actions:.2f}",
        f"{one.tokens_per_session:.0f}",
    )


def _shares(one: Score) -> tuple[float | None, ...]:
    pools = (one.recall_at_5, one.precision_at_5, one.searches_spared, one.covered, one.right)
    return (*pools, one.rules_reminded, one.false_alarms)


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
