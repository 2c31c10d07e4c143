"""`afterwit measure experiment`: how much is skipped on purpose, to compare."""

import math
from typing import Any

import click

from afterwit.cli.commands import command
from afterwit.cli.terminal.options import Here, Option, reporting
from afterwit.cli.terminal.output import print_json, print_line
from afterwit.config.calendar import Calendar
from afterwit.measure.experiment import Experiment, experiment_now, set_experiment


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
        "afterwit measure experiment",
        "afterwit measure experiment --sessions 20 --notes 10",
        "afterwit measure experiment --sessions 0 --notes 0",
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
@reporting
def experiment(here: Here, sessions: float | None, notes: float | None, is_json: bool) -> None:
    """Show or choose how much is skipped on purpose, to compare.

    Without sessions that are told nothing, nobody can say whether the notes help. Chance picks them before anything is
    said, for the whole of a session. 0 and 0 end the experiment: every session is told everything.
    """
    is_set = sessions is not None or notes is not None
    now = set_experiment(here.world, _share(sessions), _share(notes)) if is_set else experiment_now(here.world)
    if is_json:
        print_json(now)
    else:
        _show(here.calendar, now)


def _share(percent: float | None) -> float | None:
    return None if percent is None else percent / 100


def _show(calendar: Calendar, now: Experiment) -> None:
    since = f", since {calendar.day(now.since_ms)}" if now.since_ms else ""
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
