"""`afterwit measure experiment`: how much is held out."""

import math
from typing import Any

import click

from afterwit.cli.commands import command
from afterwit.cli.terminal.options import Here, reporting
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
        "afterwit measure experiment --sessions 20 --items 10",
        "afterwit measure experiment --sessions 0 --items 0",
    ),
)
@click.option("--sessions", type=_PERCENT, metavar="PERCENT", help="So many sessions get nothing.")
@click.option("--items", type=_PERCENT, metavar="PERCENT", help="So many items does a session not get.")
@reporting
def experiment(here: Here, sessions: float | None, items: float | None, is_json: bool) -> None:
    """Show or choose how much is held out, to compare with.

    Without a group that gets nothing, nobody can say whether the notes help. Who belongs to it is drawn before anything
    is shown, and the same for the whole of a session. 0 and 0 end the experiment: every session gets everything.
    """
    is_set = sessions is not None or items is not None
    now = set_experiment(here.world, _share(sessions), _share(items)) if is_set else experiment_now(here.world)
    if is_json:
        print_json(now)
    else:
        _show(here.calendar, now)


def _share(percent: float | None) -> float | None:
    return None if percent is None else percent / 100


def _show(calendar: Calendar, now: Experiment) -> None:
    since = f", since {calendar.day(now.since_ms)}" if now.since_ms else ""
    print_line(f"{now.session_share:.0%} of sessions get nothing, {now.item_share:.0%} of items are left out{since}.")
    if now.shown or now.held_out:
        print_line(f"So far items were shown {now.shown} times and held out {now.held_out} times.")
    else:
        print_line(
            "Nothing was drawn yet. `afterwit connect` brings the notes to your agents; `afterwit learn` takes in"
        )
        print_line("what they were shown.")
