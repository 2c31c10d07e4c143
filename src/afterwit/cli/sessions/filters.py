"""What commands about sessions share: the options that choose sessions, and what is said without any."""

import functools
from collections.abc import Callable
from typing import Any

import click

from afterwit.cli.commands import ExitCode
from afterwit.cli.terminal.options import Here, added, many, refuse_unknown, since_ms, timed, until_ms
from afterwit.model.figures import human_count
from afterwit.model.kinds import Outcome, TaskType
from afterwit.sessions.filters import Filter, no_match

EMPTY = "No session yet. Run `afterwit learn` first."
EXITS = {ExitCode.FAILED: "There is no store yet, or it cannot be used."}
_OPTIONS = (
    many("--agent", "agents", "AGENT", "Only this agent; repeat for more."),
    many(
        *("--repo", "repos", "NAME"),
        "Only this repository: its name, the last part of it, or a pattern; repeat for more.",
    ),
    many(
        *("--domain", "domains", "NAME"),
        "Only this group of repositories, as `[domains]` in config.toml names it; repeat for more.",
    ),
    click.option("--since", metavar="TIME", help="From then on: 12h, 3d, 2w, yesterday, 'last week', 2026-03, a day."),
    click.option(
        "--until", metavar="TIME", help="Up to then, written the same way; a day, week or month counts whole."
    ),
    click.option("--branch", default="", metavar="NAME", help="Only this branch, or a pattern such as 'fix/*'."),
    click.option("--text", default="", metavar="TEXT", help="Only where the title or first prompt contains this."),
    many("--outcome", "outcomes", "OUTCOME", "Only sessions that ended like this; repeat for more.", Outcome),
    many("--task-type", "task_types", "TYPE", "Only this kind of work; repeat for more.", TaskType),
    click.option("--parent", default="", metavar="SESSION", help="Only subagents and forks of this session."),
    click.option("--top", "--no-subagents", "is_top", is_flag=True, help="Without the sessions of subagents."),
)
_NAMES = set(Filter._fields) - {"since_ms", "until_ms"}


def filtered(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options and `--utc`, and passes what they mean as `wanted`. Goes below `in_place`, which brings the
    time."""

    @functools.wraps(command)
    def wrapped(*args: Any, here: Here, since: str | None, until: str | None, **options: Any) -> Any:
        names = {name: options.pop(name) for name in _NAMES}
        refuse_unknown(names["agents"], here.world.declared, "--agent")
        begin_ms, end_ms = since_ms(since, here.calendar), until_ms(until, here.calendar)
        if begin_ms is not None and end_ms is not None and begin_ms >= end_ms:
            raise click.UsageError(f"--since {since} is not before --until {until}: no time is left between them.")
        wanted = Filter(**names, since_ms=begin_ms, until_ms=end_ms)
        return command(*args, here=here, wanted=wanted, **options)

    return added(_OPTIONS, timed(wrapped))


def nothing_matches(here: Here, wanted: Filter) -> str:
    """What is said where the filter means no session; "" where it means some."""
    stored = no_match(here.world, wanted)
    if stored is None or not stored.sessions:
        return "" if stored is None else EMPTY
    latest = f", the latest on {here.calendar.day(stored.latest_ms)}" if stored.latest_ms is not None else ""
    return f"No sessions match. Without the filters there are {human_count(stored.sessions, 'session')}{latest}."
