"""`afterwit measure backtest`: what would have been said in past sessions, and what it would have been worth.

First the moments in which it would have helped most, then one line of figures, with `--table` the figures of all
strategies. With `--explain`, a walk through one replayed session: what was said when, and what then happened.
"""

import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from afterwit.cli.commands import command, flag
from afterwit.cli.sessions.filters import filtered
from afterwit.cli.terminal.options import Here, many, reporting
from afterwit.cli.terminal.output import print_json, print_line, print_text, talk
from afterwit.cli.terminal.progress import bar
from afterwit.cli.terminal.table import Column, print_table
from afterwit.config.calendar import Calendar
from afterwit.config.world import World
from afterwit.engine.replay import PLAYERS, past_of, players_named
from afterwit.measure import backtest as running
from afterwit.measure.backtest import NotesFile, keep_backtest
from afterwit.measure.replay import NoteMoment, Played, PlayerNote
from afterwit.measure.scores import HelpfulMoment, PlayerReport, Score, changed_files, searches_before
from afterwit.model.figures import human_count, human_span
from afterwit.model.kinds import Status
from afterwit.sessions.filters import Filter

_WIDTH = 100
_SHORT = 120
_SAID = 240
_COLUMNS = (
    Column("strategy"),
    Column("saved/1000", is_number=True),
    Column("interval", gives_way=1),
    Column("recall@5", is_number=True),
    Column("precision@5", is_number=True, gives_way=4),
    Column("spared", is_number=True, gives_way=2),
    Column("answered", is_number=True, gives_way=3),
    Column("correctly", is_number=True, gives_way=3),
    Column("rules", is_number=True, gives_way=5),
    Column("false alarms", is_number=True, gives_way=6),
    Column("notes/100", is_number=True, gives_way=7),
    Column("tokens", is_number=True, gives_way=8),
)


@command(
    examples=(
        "afterwit measure backtest",
        "afterwit measure backtest --repo my-app --since 90d",
        "afterwit measure backtest --table",
        "afterwit measure backtest --explain 3f2a",
        "afterwit measure backtest --strategy places --notes notes.jsonl --json",
    ),
)
@many(
    "--strategy",
    "strategies",
    "NAME",
    f"One of {', '.join(PLAYERS)}; its figures are shown. Default: afterwit, for --table and --json all.",
)
@flag("--table", "is_table", "Show all figures, beside those of simple strategies. Takes longer.")
@click.option(
    "--notes",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write every note there, as JSON lines; `{strategy}` in the name stands for each of several.",
)
@click.option(
    "--without-reading", is_flag=True, help="Leave out the notes that a model read, to compare (see `afterwit read`)."
)
@click.option(
    "--explain", default="", metavar="SESSION", help="Walk through one session: what was said, what happened."
)
@reporting
@filtered
def backtest(
    here: Here,
    wanted: Filter,
    strategies: tuple[str, ...],
    is_table: bool,
    notes: Path | None,
    without_reading: bool,
    explain: str,
    is_json: bool,
) -> None:
    """Replay your own history and show where Afterwit would have helped.

    Shows the three moments in which it would have helped most: what happened, what would have been said, and what that
    would have spared. Then one line of figures.

    Sessions are replayed in order, through the same stages as in `afterwit learn` and the same hooks as in a live
    session. For each, only what stood in the logs before it began is used, and of a checkout on
    this machine only the commits and files of that time; what a model read in a session counts as known from the end of
    that session, and what people decided from then on. Filters choose which sessions are replayed and measured; the
    others are still learned from. A replay shows what would have been said, not what would have been done. The figures
    of the last replay are kept, and `afterwit web` draws them.

    Columns of `--table`: actions saved in 1,000, with their interval. Of files that were changed again: how many were
    among the five named (recall@5), how many of the named ones were changed (precision@5), and which share of the
    searches was spared. Of failures met before: which share was answered, and which share of the answers that can be
    checked was correct. Of checks that failed again: which share was said in time. Then how much was said in vain, and
    at what cost. A narrow terminal shows fewer columns.
    """
    if explain and (is_json or notes or is_table):
        raise click.UsageError("--explain prints a walk to read; leave out --json, --table and --notes.")
    names = strategies or (() if is_table or is_json else (running.PRODUCT,))
    with past_of(here.world, with_reading=not without_reading) as past:
        chosen = players_named(names, past)
        if explain:
            with bar("replaying", "sessions") as progress:
                lines = walk_lines(running.explained(here.world, chosen, explain, progress))
            for line in lines:
                print_line(line)
            return
        written = NotesFile(notes, [player.name for player in chosen], running.own_files(here.world)) if notes else None
        with bar("replaying", "sessions") as progress:
            result = running.backtest(here.world, chosen, wanted, progress, written)
    if is_json:
        print_json(result)
    else:
        _show(result, here.calendar, is_table=is_table or bool(strategies))
    _keep(here.world, result)


def _keep(world: World, result: running.Backtest) -> None:
    """For the page, which shows the last one; that it cannot be kept is no reason to fail."""
    try:
        keep_backtest(world, result, shlex.join(["afterwit", *sys.argv[1:]]))
    except OSError as error:
        talk(f"The result could not be kept in {world.layout.metrics}: {error.strerror or error}.")


def _show(result: running.Backtest, calendar: Calendar, *, is_table: bool) -> None:
    product = next((report for report in result.reports if report.player == running.PRODUCT), None)
    if not result.sessions:
        print_text(result.sentence)
        return
    if product is not None:
        if result.moments:
            show_moments(result.moments, calendar)
        else:
            _show_no_moments(product.whole)
        print_text(_figures(product))
        print_line("")
    if is_table:
        _show_table(result)
    talk("A replay shows what would have been said, not whether the agent would have acted on it.")
    if not is_table:
        talk("`--table` compares with simple strategies, `--explain SESSION` walks through one session.")


def show_moments(moments: Sequence[HelpfulMoment], calendar: Calendar) -> None:
    """What happened, what would have been told, what that spares."""
    print_line("Here it would have helped most:" if len(moments) > 1 else "Here it would have helped:")
    for number, moment in enumerate(moments, start=1):
        print_line("")
        where = moment.repo or "no repository"
        print_line(f"{number}. {calendar.day(moment.at_ms)}  {where}  {moment.agent}  (session {moment.session[:13]})")
        print_text(_what_happened(moment), "   happened  ", " " * 13)
        print_text(_short(moment.said, _SAID), "   told      ", " " * 13)
        print_text(_savings(moment), "   spared    ", " " * 13)
    print_line("")


def _show_no_moments(score: Score) -> None:
    print_text("No note that was known in time would have spared an action in these sessions.")
    if score.repeats:
        print_text(
            f"{human_count(score.repeats, 'failure')} in them had been met before, {_percent(score.covered)} were"
            " answered; no answer is known to have spared anything."
        )
    else:
        print_text("No failure in them had been met in an earlier session.")
    print_text(
        "Afterwit learns from what comes up again. Let it read on (`afterwit connect schedule`), or let a model read"
        " (`afterwit read --plan`)."
    )
    print_line("")


def _what_happened(moment: HelpfulMoment) -> str:
    if moment.prompt:
        return f"asked: {_short(moment.prompt)}"
    error = next((line.strip() for line in moment.error.splitlines() if line.strip()), "")
    return f"`{_short(moment.command)}` failed" + (f": {_short(error)}" if error else "")


def _savings(moment: HelpfulMoment) -> str:
    if moment.prompt:
        return f"{human_count(moment.spared_actions, 'search', 'searches')} until `{moment.until}`"
    span = f" ({human_span(moment.spared_seconds * 1000)})" if moment.spared_seconds else ""
    return f"{human_count(moment.spared_actions, 'action')}{span} until `{_short(moment.until)}`"


def _figures(report: PlayerReport) -> str:
    score, (low, high) = report.whole, report.interval
    said = f"In all: {human_count(score.sessions, 'session')}, {human_count(score.actions, 'action')}."
    if score.repeats:
        said += f" Failures met before: {score.repeats:,}, answered {_percent(score.covered)}"
        said += f", answered correctly {_percent(score.right)} of those that can be checked." if score.right else "."
    if score.searches:
        said += f" Searches for files changed before: {score.searches:,}, spared {_percent(score.searches_spared)}."
    if not score.saved_per_1000 and low == high:
        return said
    return (
        f"{said} About {score.saved_per_1000:.0f} of 1,000 actions might have been spared"
        f" (95 % interval {low:.0f} to {high:.0f})."
    )


def _percent(share: float | None) -> str:
    return f"{100 * (share or 0):.0f} %"


def _show_table(result: running.Backtest) -> None:
    print_text(result.sentence)
    print_line("")
    print_table(_COLUMNS, [_row(report) for report in result.reports])
    whole = result.reports[0].whole
    talk(
        f"{result.sessions:,} sessions, {result.actions:,} actions; {whole.searches:,} searches before a known file,"
        f" {whole.repeats:,} failures met before, {human_count(whole.rules, 'check')} that failed again."
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
        yield f"{player}: {_count(notes)}"
        yield from _words(played, notes)


def _words(played: Played, notes: list[PlayerNote]) -> Iterator[str]:
    changed = changed_files(played.digest)
    for note in notes:
        if note.moment in (NoteMoment.START, NoteMoment.PROMPT) and not note.occasion:
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
        yield from (f"       {said.occasion or said.moment}: {_one_line(said.text)}" for said in spoken)


def _count(notes: list[PlayerNote]) -> str:
    return "said nothing" if not notes else f"{len(notes)} note{'s' if len(notes) > 1 else ''}"


def _one_line(text: str) -> str:
    return _short(text, _WIDTH)


def _short(text: str, most: int = _SHORT) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= most else f"{flat[: most - 1]}…"
