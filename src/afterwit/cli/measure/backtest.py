"""`afterwit measure backtest`: what would have been said in past sessions, and what it would have been worth.

With `--explain`, a walk through one replayed session: what was said when, and what then happened.
"""

from collections.abc import Iterator
from pathlib import Path

import click

from afterwit.cli.commands import command
from afterwit.cli.sessions.filters import EXITS, filtered
from afterwit.cli.terminal.options import Here, many, reporting
from afterwit.cli.terminal.output import print_json, print_line, print_text, talk
from afterwit.cli.terminal.progress import bar
from afterwit.cli.terminal.table import Column, print_table
from afterwit.measure import backtest as running
from afterwit.measure.backtest_notes import NotesFile
from afterwit.measure.player import NoteMoment, PlayerNote
from afterwit.measure.replay import Played
from afterwit.measure.scores import PlayerReport, Score, changed_files, searches_before
from afterwit.model.kinds import Status
from afterwit.sessions.filters import Filter

_WIDTH = 100
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


@command(
    examples=(
        "afterwit measure backtest",
        "afterwit measure backtest --player places --repo my-app --since 90d",
        "afterwit measure backtest --explain 3f2a",
        "afterwit measure backtest --player places --notes notes.jsonl --json",
    ),
    exits=EXITS,
)
@many("--player", "players", "NAME", f"One of {', '.join(running.PLAYERS)}; default: all.")
@click.option(
    "--notes",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write every note there, as JSON lines; `{player}` in the name stands for each of several players.",
)
@click.option(
    "--explain", default="", metavar="SESSION", help="Walk through one session: what was said, what happened."
)
@reporting
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
        result = running.backtest(here.world, chosen, wanted, progress, notebook)
    if is_json:
        print_json(result)
    else:
        _show(result)


def _show(result: running.Backtest) -> None:
    print_text(result.sentence)
    if not result.sessions:
        return
    print_line("")
    print_table(_COLUMNS, [_row(report) for report in result.reports])
    for comparison in result.comparisons:
        low, high = comparison.interval
        talk(
            f"{running.PRODUCT} against {comparison.other}: recall@5 {comparison.recall_difference:+.2f}"
            f" ({low:+.2f} to {high:+.2f}) in {comparison.sessions} sessions"
            f"{'' if comparison.is_clear else ', not clearly better'}."
        )
    whole = result.reports[0].whole
    talk(
        f"{result.sessions:,} sessions, {result.actions:,} actions; {whole.searches:,} searches before a known file,"
        f" {whole.repeats:,} failures known from before, {whole.rules:,} rules met again."
    )


def _row(report: PlayerReport) -> tuple[str, ...]:
    score, low, high = report.whole, *report.interval
    return (
        report.player,
        f"{score.saved_per_1000:.1f}",
        f"{low:.1f} to {high:.1f}",
        *(_share(value) for value in _shares(score)),
        f"{score.notes_per_100_actions:.2f}",
        f"{score.tokens_per_session:.0f}",
    )


def _shares(score: Score) -> tuple[float | None, ...]:
    pools = (score.recall_at_5, score.precision_at_5, score.searches_spared, score.covered, score.right)
    return (*pools, score.rules_reminded, score.false_alarms)


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def walk_lines(played: Played) -> Iterator[str]:
    """The lines to print."""
    digest = played.digest
    yield f"{digest.agent} {digest.native_id} in {digest.repo or 'no repository'}"
    yield f"task: {_one_line(digest.task)}"
    for player, notes in played.notes.items():
        yield ""
        yield f"{player}: {_counted(notes)}"
        yield from _said(played, notes)


def _said(played: Played, notes: list[PlayerNote]) -> Iterator[str]:
    changed = changed_files(played.digest)
    for note in notes:
        if note.moment in (NoteMoment.START, NoteMoment.PROMPT):
            yield f"  at the {note.moment}: {_one_line(note.text)}"
            yield from (f"    {'changed  ' if path in changed else '–        '}{path}" for path in note.files)
    missed = [path for path in changed if all(path not in note.files for note in notes)]
    yield from (f"    missed   {path} (after {searches_before(played.digest, path)} searches)" for path in missed[:10])
    by_call: dict[str, list[PlayerNote]] = {}
    for note in notes:
        if note.action is not None:
            by_call.setdefault(note.action, []).append(note)
    for at, (call, step) in enumerate(zip(played.calls, played.digest.steps, strict=True)):
        spoken = by_call.get(call, [])
        if not spoken and step.status is not Status.FAILED:
            continue
        yield f"  {at:>4} {step.status:<9} {_one_line(step.target)}"
        if step.error:
            yield f"       it said: {_one_line(step.error)}"
        yield from (f"       {said.moment}: {_one_line(said.text)}" for said in spoken)


def _counted(notes: list[PlayerNote]) -> str:
    return "said nothing" if not notes else f"{len(notes)} note{'s' if len(notes) > 1 else ''}"


def _one_line(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _WIDTH else f"{flat[: _WIDTH - 1]}…"
