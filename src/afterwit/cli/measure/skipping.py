"""`afterwit measure skipping`: how much is skipped on purpose, to compare, and what it was."""

import math
from typing import Any

import click

from afterwit.cli.commands import command
from afterwit.cli.terminal.options import Here, Option, reporting, timed
from afterwit.cli.terminal.output import print_json, print_line, print_text
from afterwit.config.calendar import Calendar
from afterwit.measure.experiment import Skipped, Skipping, set_skipping, skipped_lately, skipping_now
from afterwit.recall.told import said_at


class _Percent(click.FloatRange):
    """A share that can be drawn. `nan` lies in every range, and no draw is possible with it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = float(super().convert(value, param, ctx))
        if math.isnan(number):
            self.fail("'nan' is no number.", param, ctx)
        return number


_PERCENT = _Percent(min=0, max=90)


@command(
    examples=(
        "afterwit measure skipping",
        "afterwit measure skipping --sessions 20 --notes 10",
        "afterwit measure skipping --sessions 0 --notes 0",
        "afterwit measure skipping --list",
    ),
)
@click.option("--sessions", type=_PERCENT, metavar="PERCENT", help="This share of sessions is told nothing.")
@click.option(
    "--notes",
    cls=Option,
    earlier=("--items",),
    type=_PERCENT,
    metavar="PERCENT",
    help="Every other session goes without this share of the notes.",
)
@click.option("--list", "is_list", is_flag=True, help="Show what was skipped lately, and where.")
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True, help="So many, with --list.")
@reporting
@timed
def skipping(here: Here, sessions: float | None, notes: float | None, is_list: bool, limit: int, is_json: bool) -> None:
    """Show or choose how much is skipped on purpose, to compare.

    Without sessions that are told nothing, nobody can say whether the notes help. Chance picks them before anything is
    said, for the whole of a session with its resumes and subagents; a session that is under way keeps what it drew. 0
    and 0 end it: every session is told everything. `--list` shows afterwards what was kept back.
    """
    is_set = sessions is not None or notes is not None
    if is_list and is_set:
        raise click.UsageError("--list shows what was skipped; leave out --sessions and --notes.")
    if is_list:
        _list(here.calendar, skipped_lately(here.world, limit), is_json=is_json)
        return
    now = set_skipping(here.world, _share(sessions), _share(notes)) if is_set else skipping_now(here.world)
    if is_json:
        print_json(now)
    else:
        _show(here.calendar, now)


def _share(percent: float | None) -> float | None:
    return None if percent is None else percent / 100


def _list(calendar: Calendar, skipped: list[Skipped], *, is_json: bool) -> None:
    if is_json:
        print_json(skipped)
        return
    if not skipped:
        print_line("Nothing was skipped yet.")
    for kept in skipped:
        what = "the whole session is told nothing" if kept.is_whole_session else "one or more notes"
        place = f" in {kept.repo.rpartition('/')[2]}" if kept.repo else ""
        session = f"{kept.agent} session {kept.session}"
        print_line(f"{calendar.moment(kept.at_ms)}{place}, {said_at(kept.moment, kept.act)}, {session}: {what}")
        for line in kept.text.splitlines():
            print_text(line, first="    ", rest="    ")


def _show(calendar: Calendar, now: Skipping) -> None:
    since = f", since {calendar.day(now.since_ms)}" if now.since_ms else ""
    if now.arms:
        print_line(f"An experiment is under way: sessions are split between {', '.join(now.arms)}.")
        print_line("`afterwit measure experiment stop` ends it. What follows holds then.")
    if not now.session_share and not now.item_share:
        print_line(f"Nothing is skipped{since}: every session is told everything.")
        return
    sessions = f"{now.session_share:.0%} of sessions are told nothing"
    print_line(f"{sessions}, and {now.item_share:.0%} of the notes are skipped in the others{since}.")
    if now.shown or now.held_out:
        print_line(
            f"So far notes were told {now.shown} times and skipped on purpose, to compare, {now.held_out} times."
        )
    else:
        print_line(
            "Nothing was told yet. `afterwit connect` brings the notes to your agents; `afterwit learn` takes in"
        )
        print_line("what they were told.")
