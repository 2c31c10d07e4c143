"""What commands about sessions share: the options that choose sessions, and what is said without any."""

import functools
import re
from collections.abc import Callable
from typing import Any

import click

from afterwit.cli.commands import ExitCode
from afterwit.cli.terminal.amounts import moment_ms
from afterwit.cli.terminal.options import AgentName, added, many, refuse_unknown
from afterwit.model.kinds import Outcome, TaskType
from afterwit.sessions.filters import Filter

EMPTY = "No session yet. Run `afterwit learn` first."
EXITS = {ExitCode.FAILED: "There is no store yet, or it cannot be used."}
_DAY = re.compile(r"\d{4}-?\d{2}-?\d{2}")
_DAY_MS = 86_400_000
_NAMES = ("agents", "repos", "domains", "branch", "text", "outcomes", "task_types", "parent")
_OPTIONS = (
    many("--agent", "agents", "AGENT", "Only this agent; repeat for more.", AgentName()),
    many(
        *("--repo", "repos", "NAME"),
        "Only this repository: its name, the last part of it, or a pattern; repeat for more.",
    ),
    many("--domain", "domains", "NAME", "Only this domain; repeat for more."),
    click.option("--since", metavar="DATE", help="From this day (2026-05-01, in UTC) or this many days ago (30d) on."),
    click.option("--until", metavar="DATE", help="Up to and with this day, or up to this many days ago."),
    click.option("--branch", default="", metavar="NAME", help="Only this branch, or a pattern such as 'fix/*'."),
    click.option("--text", default="", metavar="TEXT", help="Only where the title or first prompt contains this."),
    many("--outcome", "outcomes", "OUTCOME", "Only sessions that ended so; repeat for more.", Outcome),
    many("--task-type", "task_types", "TYPE", "Only this kind of work; repeat for more.", TaskType),
    click.option("--parent", default="", metavar="SESSION", help="Only subagents and forks of this session."),
    click.option("--top", "--no-subagents", "is_top", is_flag=True, help="Without the sessions of subagents."),
)


def filtered(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options, and passes what they mean as `wanted`. Goes below `in_place`, which brings the time."""

    @functools.wraps(command)
    def wrapped(*args: Any, here: Any, since: str | None, until: str | None, **options: Any) -> Any:
        names = {name: options.pop(name) for name in _NAMES}
        refuse_unknown(names["agents"], here.world.declared, "--agent")
        wanted = Filter(
            **names,
            is_top=options.pop("is_top"),
            since_ms=moment_ms(since, here.world.now_ms, "--since"),
            until_ms=_end_ms(until, here.world.now_ms),
        )
        return command(*args, here=here, wanted=wanted, **options)

    return added(_OPTIONS, wrapped)


def _end_ms(until: str | None, now_ms: int) -> int | None:
    """A day counts whole: its end is the beginning of the next."""
    end = moment_ms(until, now_ms, "--until")
    return end + _DAY_MS if end is not None and until is not None and _DAY.fullmatch(until) else end
