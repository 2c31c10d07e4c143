"""`afterwit measure experiment` and `skipping`: sessions split between ways of telling, and how much is skipped to
compare.
"""

import math
from itertools import chain
from typing import Any

import click

from afterwit.cli.commands import CliGroup, command
from afterwit.cli.terminal.options import Here, in_place, many, reporting, timed
from afterwit.cli.terminal.output import print_json, print_line, print_text
from afterwit.cli.terminal.table import Column, print_table
from afterwit.config.calendar import Calendar
from afterwit.config.extras import functions
from afterwit.measure.effect import ArmEffect
from afterwit.measure.experiment import (
    ArmExperiment,
    Skipping,
    experiment_now,
    set_skipping,
    skipping_now,
    start_experiment,
    stop_experiment,
)
from afterwit.measure.words import alarm_words, change_words, with_needed
from afterwit.model.figures import human_count
from afterwit.recall.holdout import ACTIONS, BLOCK, CHOICES, COLD, TEMPLATE, TOLD

_ARMS = {
    COLD: "nothing is told",
    BLOCK: "at the start and with prompts only",
    ACTIONS: "around actions only",
    TOLD: "everything is told",
    TEMPLATE: "the same, and a worked example",
}
_COLUMNS = (
    Column("arm"),
    Column("what is told", gives_way=1),
    Column("sessions", is_number=True),
    Column("lost in 100", is_number=True),
    Column("against the first", takes_rest=True),
)


@click.group(cls=CliGroup)
def experiment() -> None:
    """Split sessions between ways of telling, and compare them."""


@experiment.command(
    examples=(
        "afterwit measure experiment start --arm cold --arm told",
        "afterwit measure experiment start --arm cold --arm block --arm actions",
        "afterwit measure experiment start --arm told --arm template",
    )
)
@many("--arm", "arms", "ARM", f"An arm: {', '.join(f'{name} ({what})' for name, what in _ARMS.items())}.", CHOICES)
@in_place
def start(here: Here, arms: tuple[str, ...]) -> None:
    """Begin an experiment: every new session falls into one of the arms, with equal chances.

    The first arm is what the others are compared with. Sessions that are under way stay as they are. While the
    experiment lasts, no other sessions are skipped; of the notes, as many as `measure skipping` says. In the arm
    `template`, sessions are told at their start how an earlier session in the same repository did its task: for each
    repository one template is chosen, that helped before or was used least.
    """
    chosen = [choose(here.world) for choose in functions("worked_examples")] if TEMPLATE in arms else []
    start_experiment(here.world, arms, list(chain.from_iterable(chosen)))
    names = list(dict.fromkeys(arms))
    print_line(f"Every new session falls into one of {len(names)} arms: {', '.join(names)}.")
    print_line("`afterwit measure experiment show` compares them; `afterwit measure experiment stop` ends it.")


@experiment.command(examples=("afterwit measure experiment stop",))
@in_place
def stop(here: Here) -> None:
    """End the experiment. What it showed stays, and `measure skipping` holds again."""
    stop_experiment(here.world)
    print_line("The experiment is over. `afterwit measure experiment show` says what it showed.")


@experiment.command(
    examples=("afterwit measure experiment show",),
)
@reporting
@timed
def show(here: Here, is_json: bool) -> None:
    """How the arms of the experiment do that was started last.

    The figure that decides is the share of lost actions among the first 30: those in vain, and searches before the
    first edit. The intervals stay valid however often one looks, and all arms together share an error rate of 5%.
    """
    now = experiment_now(here.world)
    if is_json:
        print_json(now)
    else:
        _show(here.calendar, now)


def _show(calendar: Calendar, now: ArmExperiment) -> None:
    if not now.arms:
        print_text("No experiment yet. `afterwit measure experiment start --arm cold --arm told` begins one.")
        return
    until = f" until {calendar.moment(now.stopped_ms)}" if now.stopped_ms else ", under way"
    sessions = human_count(sum(arm.sessions for arm in now.arms), "session")
    print_line(f"Since {calendar.moment(now.started_ms)}{until}: {sessions}.")
    effects = [arm.against_first.main for arm in now.arms if arm.against_first is not None]
    first = next((effect.not_told for effect in effects if effect.not_told is not None), None)
    rows = []
    for arm in now.arms:
        mean = first if arm.against_first is None else arm.against_first.main.told
        said = "" if arm.against_first is None else _against_words(arm.against_first)
        rows.append([arm.arm, _ARMS.get(arm.arm, ""), arm.sessions, "" if mean is None else f"{mean:.1f}", said])
    print_table(_COLUMNS, rows)


def _against_words(effect: ArmEffect) -> str:
    if effect.alarms:
        return f"nobody can tell: {alarm_words(effect.alarms)}"
    return f"{change_words(effect.main)}: {with_needed(effect.main.finding, effect.main.estimate)}"


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
    ),
)
@click.option("--sessions", type=_PERCENT, metavar="PERCENT", help="This share of sessions is told nothing.")
@click.option(
    "--notes",
    type=_PERCENT,
    metavar="PERCENT",
    help="Every other session goes without this share of the notes.",
)
@reporting
@timed
def skipping(here: Here, sessions: float | None, notes: float | None, is_json: bool) -> None:
    """Show or choose how much is skipped on purpose, to compare.

    Without sessions that are told nothing, nobody can say whether the notes help. Chance picks them before anything is
    said, for the whole of a session with its resumes and subagents; a session that is under way keeps what it drew. 0
    and 0 end it: every session is told everything.
    """
    is_set = sessions is not None or notes is not None
    now = set_skipping(here.world, _share(sessions), _share(notes)) if is_set else skipping_now(here.world)
    if is_json:
        print_json(now)
    else:
        _show_skipping(here.calendar, now)


def _share(percent: float | None) -> float | None:
    return None if percent is None else percent / 100


def _show_skipping(calendar: Calendar, now: Skipping) -> None:
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
