"""What commands about sessions share: the options that choose sessions, and what is said without any."""

import functools
import math
from collections.abc import Callable, Mapping
from typing import Any

import click

from afterwit.cli.commands import ExitCode
from afterwit.cli.terminal.completion import repo_names, session_ids
from afterwit.cli.terminal.options import AgentName, Here, added, many, refuse_unknown, since_ms, timed, until_ms
from afterwit.model.figures import human_count
from afterwit.model.kinds import Outcome, TaskType
from afterwit.sessions.filters import Filter, NoMatch, no_match, view_named

EMPTY = "No session yet. Run `afterwit learn` first."
EXITS = {ExitCode.FAILED: "There is no store yet, or it cannot be used."}
_NAMES = ("agents", "repos", "domains", "branch", "text", "outcomes", "task_types", "parent")
_FLAGS = {
    "agents": "--agent",
    "repos": "--repo",
    "domains": "--domain",
    "since_ms": "--since",
    "until_ms": "--until",
    "branch": "--branch",
    "text": "--text",
    "outcomes": "--outcome",
    "task_types": "--task-type",
    "parent": "--parent",
    "is_top": "--top",
}
_DAY_MS = 86_400_000
_MANY_DAYS = 14  # from here on spans are told in weeks
_OPTIONS = (
    many("--agent", "agents", "AGENT", "Only this agent; repeat for more.", AgentName()),
    many(
        *("--repo", "repos", "NAME"),
        "Only this repository: its name, the last part of it, or a pattern; repeat for more.",
        completing=repo_names,
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
    click.option(
        "--parent",
        default="",
        metavar="SESSION",
        help="Only subagents and forks of this session.",
        shell_complete=session_ids,
    ),
    click.option("--top", "--no-subagents", "is_top", is_flag=True, help="Without the sessions of subagents."),
    click.option(
        "--view",
        default="",
        metavar="NAME",
        help="The filters of a view that was saved in `afterwit web`; other options go before its own.",
    ),
)
_VIEWED = {"agents": "agent", "repos": "repo", "outcomes": "outcome", "task_types": "task_type"}


def filtered(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options and `--utc`, and passes what they mean as `wanted`. Goes below `in_place`, which brings the
    time."""

    @functools.wraps(command)
    def wrapped(*args: Any, here: Here, since: str | None, until: str | None, view: str, **options: Any) -> Any:
        names = {name: options.pop(name) for name in _NAMES}
        if view:
            saved = view_named(here.world.layout, view).fields
            names |= _from_view(saved, names)
            since, until = since or _only(saved, "since"), until or _only(saved, "until")
            options["is_top"] = options["is_top"] or bool(_only(saved, "top"))
        refuse_unknown(names["agents"], here.world.declared, "--agent")
        begin_ms, end_ms = since_ms(since, here.calendar), until_ms(until, here.calendar)
        if begin_ms is not None and end_ms is not None and begin_ms >= end_ms:
            raise click.UsageError(f"--since {since} is not before --until {until}: no time is left between them.")
        wanted = Filter(**names, is_top=options.pop("is_top"), since_ms=begin_ms, until_ms=end_ms)
        return command(*args, here=here, wanted=wanted, **options)

    return added(_OPTIONS, timed(wrapped))


def _from_view(saved: Mapping[str, tuple[str, ...]], names: Mapping[str, Any]) -> dict[str, Any]:
    """What a view says where the options say nothing."""
    several = {name: saved.get(field, ()) for name, field in _VIEWED.items()}
    single = {name: _only(saved, name) or "" for name in ("branch", "text")}
    return {name: value for name, value in {**several, **single}.items() if value and not names[name]}


def _only(saved: Mapping[str, tuple[str, ...]], field: str) -> str | None:
    return saved[field][0] if saved.get(field) else None


def nothing_matches(here: Here, wanted: Filter) -> str:
    """What is said where the filter means no session: which part of it is the reason, and what to try."""
    reason = no_match(here.world, wanted)
    if reason is None or not reason.sessions:
        return EMPTY if reason is not None else ""
    return f"No sessions match. {_explain(here, wanted, reason)}"


def _explain(here: Here, wanted: Filter, reason: NoMatch) -> str:
    whose = _whose(wanted, has_times_alone="since_ms" in reason.without or "until_ms" in reason.without)
    if reason.without == ("since_ms",) and reason.latest_ms is not None:
        hint = f"try `--since {_span_back(here.world.now_ms - reason.latest_ms)}`"
        return f"The latest session{whose} was on {here.calendar.day(reason.latest_ms)}; {hint}."
    if reason.without == ("until_ms",) and reason.earliest_ms is not None:
        hint = f"try `--until {here.calendar.date(reason.earliest_ms).isoformat()}`"
        return f"The earliest session{whose} was on {here.calendar.day(reason.earliest_ms)}; {hint}."
    latest = f"The latest session{whose} was on {here.calendar.day(reason.latest_ms)}."
    if not reason.without:
        return f"No single filter is the reason. {latest if reason.latest_ms is not None else ''}".rstrip()
    if len(reason.without) > 1:
        return f"None was in that time. {latest}"
    return f"Without `{_as_typed(wanted, reason.without[0])}` there {_would_be(reason.sessions)}."


def _would_be(count: int) -> str:
    return f"would be {human_count(count, 'session')}"


def _whose(wanted: Filter, *, has_times_alone: bool) -> str:
    """Of which sessions the latest is told: those of the repository, or those that fit all but the times."""
    others = [name for name in Filter._fields if getattr(wanted, name) != Filter._field_defaults[name]]
    rest = [name for name in others if name not in ("since_ms", "until_ms")]
    if not has_times_alone or not rest:
        return ""
    if rest in (["repos"], ["agents"]) and len(names := getattr(wanted, rest[0])) == 1:
        return f" of `{names[0]}`"
    return " that fits the rest"


def _as_typed(wanted: Filter, name: str) -> str:
    value = getattr(wanted, name)
    if value is True:
        return _FLAGS[name]
    values = value if isinstance(value, tuple) else (value,)
    return " ".join(f"{_FLAGS[name]} {text}" for text in values)


def _span_back(age_ms: int) -> str:
    """A span that reaches back far enough."""
    days = math.floor(age_ms / _DAY_MS) + 1
    return f"{days}d" if days < _MANY_DAYS else f"{math.ceil(days / 7)}w"
