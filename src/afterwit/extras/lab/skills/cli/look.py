"""`afterwit skills list`, `show`, `pairs`, `trends`: which skills sessions use, and what follows."""

from collections.abc import Sequence
from typing import Any

import click

from afterwit.cli.commands import ExitCode, command
from afterwit.cli.sessions.filters import EXITS, filtered, nothing_matches
from afterwit.cli.terminal.options import COUNT, Here, reporting
from afterwit.cli.terminal.output import print_json, print_line, print_text, talk
from afterwit.cli.terminal.table import Column, print_table
from afterwit.extras.lab.skills.effect import SkillEffect, WeighedUse
from afterwit.extras.lab.skills.figures import (
    LEAST_TOGETHER,
    UNIT,
    SkillHistory,
    SkillSummary,
    SkillTrend,
    effect_rows,
    effects_by,
    pairs,
    skill_history,
    summaries,
    summary,
    trends,
    use_cells,
)
from afterwit.model.errors import UsageError, did_you_mean
from afterwit.model.times import with_times
from afterwit.sessions.filters import Filter

_DIGITS = 4


def round_figures(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: round(value, _DIGITS) if isinstance(value, float) else value for name, value in fields.items()}


def effect_shape(effect: SkillEffect) -> dict[str, Any]:
    """An effect as programs get it: shares of actions."""
    figures = {"effect": effect.effect if effect.is_known else None, "low": effect.low, "high": effect.high}
    figures["confidence"] = effect.confidence
    return {
        "compared": effect.uses,
        "compared_sessions": effect.sessions,
        **round_figures(figures),
        "finding": effect.finding,
    }


def talk_of_nothing(here: Here, wanted: Filter, history: SkillHistory, missing: str) -> None:
    """Says what there is not, and why."""
    reason = nothing_matches(here, wanted)
    if not reason and not history.sightings:
        missing = "No session was looked at for skills yet. Run `afterwit learn` first."
    talk(f"{missing} {reason}".rstrip())


_LISTED = (
    Column("skill", takes_rest=True),
    Column("uses", is_number=True),
    Column("sessions", is_number=True, gives_way=2),
    Column("edits", is_number=True, gives_way=4),
    Column("failures", is_number=True, gives_way=3),
    Column("used again", is_number=True, gives_way=5),
    Column("effect", is_number=True),
    Column("95% range", gives_way=1),
    Column("finding", is_bad=lambda text: text == "harms"),
    Column("best for", gives_way=6),
)


@command(
    "list",
    examples=(
        "afterwit skills list",
        "afterwit skills list --repo orchard --agent codex",
        "afterwit skills list --since 'last month' --json",
    ),
    exits=EXITS,
)
@reporting
@filtered
def list_skills(here: Here, wanted: Filter, is_json: bool) -> None:
    """List the skills that sessions use, the most used first.

    A use is a call of an agent's skill tool, a read of a SKILL.md that lies below a hidden folder, or a command that a
    person typed. "edits" and "failures" are counted in the ten actions and five minutes that follow, on average;
    "used again" is the share of uses after which the same skill was used once more.

    "effect" compares these actions with moments of sessions that do not use the skill: in the same repository, of the
    same agent, with the same kind of work, equally far into the session, in sessions that were as easy. It is told
    from five such comparisons in three sessions on.
    """
    history = skill_history(here.world, wanted)
    used = summaries(history.uses)
    if is_json:
        print_json([summary_shape(skill) for skill in used])
    elif used:
        print_table(_LISTED, [(skill.name, *skill.cells) for skill in used])
        talk(UNIT)
    else:
        talk_of_nothing(here, wanted, history, "No session uses a skill.")


def summary_shape(skill: SkillSummary) -> Any:
    """A skill as programs get it."""
    shape = {"skill": skill.name, **skill._asdict(), "ended_well_share": skill.ended_well.share}
    del shape["name"], shape["ended_well"]
    return with_times(round_figures({**shape, **effect_shape(skill.effect)}))


_LIMIT = 10
_SHORT_ID = 8
_EFFECTS = (
    Column("where", takes_rest=True),
    Column("compared", is_number=True),
    Column("effect", is_number=True),
    Column("95% range"),
    Column("finding", is_bad=lambda text: text == "harms"),
)
_USES = (
    Column("session"),
    Column("day"),
    Column("step", is_number=True, gives_way=4),
    Column("agent", gives_way=3),
    Column("version", gives_way=5),
    Column("actions", is_number=True, gives_way=2),
    Column("edits", is_number=True),
    Column("failures", is_number=True),
    Column("effect", is_number=True),
    Column("outcome", gives_way=1),
)


@command(
    examples=(
        "afterwit skills show press",
        "afterwit skills show press --repo orchard",
        "afterwit skills show press --json",
    ),
    exits={**EXITS, ExitCode.WRONG_USE: "No session uses a skill of this name."},
)
@click.argument("name", metavar="SKILL")
@click.option(
    "--limit", type=COUNT, default=_LIMIT, show_default=True, metavar="N", help="Show so many uses; 0 means all."
)
@reporting
@filtered
def show(here: Here, wanted: Filter, name: str, limit: int, is_json: bool) -> None:
    """Show what followed the uses of one skill, and for which work it is best.

    The effect of a single use is what its ten actions did against comparable moments: chance alone makes it large or
    small, so read the means.
    """
    uses = skill_history(here.world, wanted).uses
    if name not in uses:
        hint = did_you_mean(name, sorted(uses)) or "`afterwit skills list` shows what there is."
        raise UsageError(f"No session uses a skill {name!r}. {hint}")
    own = uses[name]
    latest = list(reversed(own))[: limit or None]
    if is_json:
        print_json(_skill_shape(summary(name, own), own, latest))
    else:
        _show_skill(here, summary(name, own), own, latest)


def _skill_shape(skill: SkillSummary, uses: Sequence[WeighedUse], latest: Sequence[WeighedUse]) -> Any:
    return {
        **summary_shape(skill),
        "by_task_type": _effect_shapes(effects_by(uses, lambda use: use.task_type)),
        "by_agent": _effect_shapes(effects_by(uses, lambda use: use.session.agent)),
        "latest": [with_times(round_figures(_use_shape(use))) for use in latest],
    }


def _effect_shapes(effects: dict[str, SkillEffect]) -> dict[str, Any]:
    return {name: effect_shape(effect) for name, effect in effects.items()}


def _use_shape(weighed: WeighedUse) -> dict[str, Any]:
    use = weighed.use
    return {
        "session": weighed.session.native_id,
        "at_ms": weighed.session.at_ms + (use.at_s or 0) * 1000,
        "step": use.at,
        "agent": weighed.session.agent,
        "agent_version": weighed.session.version,
        "repo": weighed.session.repo,
        "version": use.version,
        "task_type": weighed.task_type,
        "actions": use.actions,
        "edits": use.edits,
        "failures": use.failures,
        "is_again": use.is_again,
        "outcome": weighed.outcome,
        "reinforcement": weighed.reinforcement,
    }


def _show_skill(here: Here, skill: SkillSummary, uses: Sequence[WeighedUse], latest: Sequence[WeighedUse]) -> None:
    print_text(f"{skill.name}: {skill.places}")
    if skill.versions:
        print_text(f"versions: {', '.join(skill.versions)}")
    if skill.ended_well.of:
        ended = f"{skill.ended_well.hits} of {skill.ended_well.of}"
        print_text(f"sessions that ended well: {ended} whose end can be told; not compared with others")
    print_line("")
    print_table(_EFFECTS, effect_rows(skill, uses))
    print_line("")
    print_table(_USES, [_use_row(here, use) for use in latest])
    talk(UNIT)


def _use_row(here: Here, weighed: WeighedUse) -> tuple[Any, ...]:
    use, session = weighed.use, weighed.session
    day = here.calendar.day(session.at_ms) if session.at_ms else ""
    return session.native_id[:_SHORT_ID], day, use.at, session.agent, use.version, *use_cells(weighed)


_PAIRS = (
    Column("skills", takes_rest=True),
    Column("together", is_number=True),
    Column("by chance", is_number=True),
    Column("effect", is_number=True),
    Column("alone", is_number=True),
    Column("difference, 95% range", gives_way=1),
)


@command(
    "pairs",
    examples=("afterwit skills pairs", "afterwit skills pairs --repo orchard --json"),
    exits=EXITS,
)
@reporting
@filtered
def show_pairs(here: Here, wanted: Filter, is_json: bool) -> None:
    """Show skills that three independent sessions or more use together.

    "by chance" is in how many sessions both would be used if one had nothing to do with the other. "effect" is that of
    their uses in these sessions, "alone" what the same uses would do if they did what they do in sessions with only
    one of the two.
    """
    history = skill_history(here.world, wanted)
    together = pairs(history)
    if is_json:
        print_json([round_figures(pair._asdict()) for pair in together])
    elif together:
        print_table(_PAIRS, [pair.cells for pair in together])
        talk(UNIT)
    else:
        talk_of_nothing(
            here, wanted, history, f"No two skills are used together in {LEAST_TOGETHER} independent sessions."
        )


_TRENDS = (
    Column("skill", takes_rest=True),
    Column("since"),
    Column("before", is_number=True),
    Column("after", is_number=True),
    Column("change", is_number=True),
    Column("95% range", gives_way=1),
    Column("finding", is_bad=lambda text: text == "worse"),
)


@command(
    "trends",
    examples=("afterwit skills trends", "afterwit skills trends --agent codex --json"),
    exits=EXITS,
)
@reporting
@filtered
def show_trends(here: Here, wanted: Filter, is_json: bool) -> None:
    """Show which skills got better or worse: over time, and since another version of the skill or of the agent.

    Over time the later half of the sessions is compared with the earlier one. Of versions the latest is taken with
    enough uses on both sides: five that could be compared, in three sessions.
    """
    history = skill_history(here.world, wanted)
    changes = trends(history.uses)
    if is_json:
        print_json([_trend_shape(trend) for trend in changes])
    elif changes:
        print_table(_TRENDS, [trend.cells for trend in changes])
        talk(UNIT)
    else:
        talk_of_nothing(here, wanted, history, "No skill has enough uses before and after: ten that could be compared.")


def _trend_shape(trend: SkillTrend) -> dict[str, Any]:
    effects = {"before": effect_shape(trend.before), "after": effect_shape(trend.after)}
    return round_figures({**trend._asdict(), **effects, "finding": trend.finding})
