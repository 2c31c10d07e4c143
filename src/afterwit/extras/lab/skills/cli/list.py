"""`afterwit skills list`: the skills that sessions use, what follows their uses, and whether they help."""

from collections.abc import Sequence
from typing import Any

from afterwit.cli.commands import command
from afterwit.cli.sessions.filters import EXITS, filtered
from afterwit.cli.terminal.options import Here, reporting
from afterwit.cli.terminal.output import print_json, talk
from afterwit.cli.terminal.table import Column, print_table
from afterwit.extras.lab.skills.cli.words import effect_shape, rounded, talk_of_nothing
from afterwit.extras.lab.skills.history import skill_history
from afterwit.extras.lab.skills.summary import SkillSummary, summaries
from afterwit.extras.lab.skills.words import UNIT, between, finding, known_effect
from afterwit.model.times import with_times
from afterwit.sessions.filters import Filter

_COLUMNS = (
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
        _show(used)
    else:
        talk_of_nothing(here, wanted, history, "No session uses a skill.")


def summary_shape(skill: SkillSummary) -> Any:
    """A skill as programs get it."""
    shape = {
        "skill": skill.name,
        "uses": skill.uses,
        "sessions": skill.sessions,
        "agents": list(skill.agents),
        "repos": list(skill.repos),
        "versions": list(skill.versions),
        "last_ms": skill.last_ms,
        "edits_per_use": rounded(skill.edits_per_use),
        "failures_per_use": rounded(skill.failures_per_use),
        "again_share": rounded(skill.again_share),
        "ended_well_share": rounded(skill.ended_well.share),
        "best_task_type": skill.best_task_type,
        **effect_shape(skill.effect),
    }
    return with_times(shape)


def _show(used: Sequence[SkillSummary]) -> None:
    rows = [
        (
            skill.name,
            skill.uses,
            skill.sessions,
            f"{skill.edits_per_use:.1f}",
            f"{skill.failures_per_use:.1f}",
            f"{skill.again_share:.0%}",
            known_effect(skill.effect),
            between(skill.effect.low, skill.effect.high),
            finding(skill.effect),
            skill.best_task_type,
        )
        for skill in used
    ]
    print_table(_COLUMNS, rows)
    talk(UNIT)
