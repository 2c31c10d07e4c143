"""`afterwit pause` and `afterwit resume`: nothing is told for a while, here, to one agent, or anywhere."""

from pathlib import Path
from typing import Any

import click

from afterwit.agents.registry import agents_with
from afterwit.cli.commands import command, flag
from afterwit.cli.terminal.options import Here, reporting
from afterwit.cli.terminal.output import print_json, print_line, talk
from afterwit.engine.curation.pauses import pause_until, resume_all
from afterwit.model.errors import UsageError
from afterwit.model.text import regex
from afterwit.store.pauses import EVERYWHERE, in_words

_LENGTH = regex(r"(\d{1,4})\s*(m|h|d|w)")
_UNITS_MS = {"m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000}


class _Length(click.ParamType[int]):
    """A length of time: 30m, 2h, 1d."""

    name = "length"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        match = _LENGTH.fullmatch(str(value).strip().lower())
        if match is None or not int(match[1]):
            self.fail(f"{value!r} is no length of time. Examples: 30m, 2h, 1d, 1w.", param, ctx)
        return int(match[1]) * _UNITS_MS[match[2]]


@command(
    examples=(
        "afterwit pause",
        "afterwit pause --for 2h",
        "afterwit pause --agent codex",
        "afterwit pause --everywhere",
    )
)
@click.option("--repo", metavar="NAME", help="This repository, instead of that of the present folder.")
@click.option("--agent", metavar="AGENT", help="This agent, wherever it works.")
@flag("--everywhere", "is_everywhere", "All agents, in all repositories.")
@click.option("--for", "length_ms", type=_Length(), metavar="LENGTH", help="For so long: 30m, 2h, 1d.")
@reporting
def pause(
    here: Here, repo: str | None, agent: str | None, is_everywhere: bool, length_ms: int | None, is_json: bool
) -> None:
    """Tell agents nothing for a while: here, one agent, or everywhere.

    Until `afterwit resume`, or for as long as you say; no call of theirs is stopped meanwhile. Hooks keep to it at
    once, also in sessions that are under way. Nothing is noted of such sessions, and none of them counts in the
    comparison; `afterwit learn` reads their logs as ever.
    """
    if sum((bool(repo), bool(agent), is_everywhere)) > 1:
        raise click.UsageError("Say one of --repo, --agent and --everywhere.")
    if agent and agent not in {agent.name for agent in agents_with(here.world.declared)}:
        raise UsageError(f"There is no agent {agent!r}. `afterwit connect status` names them.")
    what = EVERYWHERE if is_everywhere else f"agent:{agent}" if agent else ""
    until_ms = here.world.now_ms + length_ms if length_ms else 0
    paused = pause_until(here.world, Path.cwd(), repo, what, until_ms)
    if is_json:
        print_json(paused)
        return
    _print(here, paused)
    talk("`afterwit resume` ends it.")


@command(examples=("afterwit resume",))
@reporting
def resume(here: Here, is_json: bool) -> None:
    """End all pauses."""
    ended = resume_all(here.world)
    if is_json:
        print_json(ended)
        return
    _print(here, ended, "Resumed")
    if not ended:
        talk("Nothing is paused.")


def _print(here: Here, paused: dict[str, int], verb: str = "Paused") -> None:
    for what, until_ms in paused.items():
        end = f", until {here.calendar.moment(until_ms)}" if until_ms and verb == "Paused" else ""
        print_line(f"{verb}: {in_words(what)}{end}")
