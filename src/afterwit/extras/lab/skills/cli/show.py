"""`afterwit skills show`: one skill, what followed its uses, and for which work it is best."""

from collections.abc import Sequence
from typing import Any

import click

from afterwit.cli.commands import ExitCode, command
from afterwit.cli.sessions.filters import EXITS, filtered
from afterwit.cli.terminal.options import COUNT, Here, reporting
from afterwit.cli.terminal.output import print_json, print_line, print_text, talk
from afterwit.cli.terminal.table import Column, print_table
from afterwit.extras.lab.skills.cli.list import summary_shape
from afterwit.extras.lab.skills.cli.words import effect_shape, rounded
from afterwit.extras.lab.skills.effect import SkillEffect, WeighedUse
from afterwit.extras.lab.skills.history import skill_history
from afterwit.extras.lab.skills.summary import SkillSummary, effects_by, summary
from afterwit.extras.lab.skills.words import UNIT, between, finding, known_effect, of_ten
from afterwit.model.errors import UsageError
from afterwit.model.text.amounts import human_count
from afterwit.model.text.nearest import did_you_mean
from afterwit.model.times import with_times
from afterwit.repos.remotes import last_part
from afterwit.sessions.filters import Filter

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
        print_json(_shape(summary(name, own), own, latest))
    else:
        _show(here, summary(name, own), own, latest)


def _shape(skill: SkillSummary, uses: Sequence[WeighedUse], latest: Sequence[WeighedUse]) -> Any:
    return {
        **summary_shape(skill),
        "by_task_type": _effect_shapes(effects_by(uses, lambda use: use.task_type)),
        "by_agent": _effect_shapes(effects_by(uses, lambda use: use.session.agent)),
        "latest": [with_times(_use_shape(use)) for use in latest],
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
        "reinforcement": rounded(weighed.reinforcement),
    }


def _show(here: Here, skill: SkillSummary, uses: Sequence[WeighedUse], latest: Sequence[WeighedUse]) -> None:
    where = ", ".join(last_part(repo) or "no repository" for repo in skill.repos)
    print_text(f"{skill.name}: {human_count(skill.uses, 'use')} in {human_count(skill.sessions, 'session')} of {where}")
    if skill.versions:
        print_text(f"versions: {', '.join(skill.versions)}")
    if skill.ended_well.of:
        ended = f"{skill.ended_well.hits} of {skill.ended_well.of}"
        print_text(f"sessions that ended well: {ended} whose end can be told; not compared with others")
    print_line("")
    effects = {
        "everywhere": skill.effect,
        **_named("agent", effects_by(uses, lambda use: use.session.agent)),
        **_named("work", effects_by(uses, lambda use: use.task_type)),
    }
    rows = [
        (name, effect.uses, known_effect(effect), between(effect.low, effect.high), finding(effect))
        for name, effect in effects.items()
    ]
    print_table(_EFFECTS, rows)
    print_line("")
    print_table(_USES, [_row(here, use) for use in latest])
    talk(UNIT)


def _named(what: str, effects: dict[str, SkillEffect]) -> dict[str, SkillEffect]:
    return {f"{what}: {name}": effect for name, effect in effects.items()}


def _row(here: Here, weighed: WeighedUse) -> tuple[Any, ...]:
    use, session = weighed.use, weighed.session
    day = here.calendar.day(session.at_ms) if session.at_ms else ""
    figures = (use.actions, use.edits, use.failures, of_ten(weighed.reinforcement), weighed.outcome)
    return session.native_id[:_SHORT_ID], day, use.at, session.agent, use.version, *figures
