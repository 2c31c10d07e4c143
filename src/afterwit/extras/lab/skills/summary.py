"""One skill in figures: how often it is used, what followed, and what it did against comparable moments. Pure."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from afterwit.extras.lab.skills.effect import SkillEffect, WeighedUse, effect_of
from afterwit.harvest.harvester import grouped_by
from afterwit.model.kinds import Outcome
from afterwit.model.proportions import Proportion


class SkillSummary(NamedTuple):
    name: str
    uses: int
    sessions: int
    agents: tuple[str, ...]
    repos: tuple[str, ...]
    versions: tuple[str, ...]  # of the skill, in the order in which they came
    last_ms: int
    edits_per_use: float
    failures_per_use: float
    again_share: float  # of the uses the skill was used again
    ended_well: Proportion  # sessions that succeeded, among those whose outcome can be told
    effect: SkillEffect
    best_task_type: str  # the kind of work in which it helps most, where it does


def summaries(uses: Mapping[str, Sequence[WeighedUse]]) -> list[SkillSummary]:
    """All skills, the most used first."""
    skills = (summary(name, own) for name, own in uses.items())
    return sorted(skills, key=lambda skill: (-skill.uses, skill.name))


def summary(name: str, uses: Sequence[WeighedUse]) -> SkillSummary:
    count = len(uses)
    outcomes = {use.session.native_id: use.outcome for use in uses}
    told = [outcome for outcome in outcomes.values() if outcome != Outcome.UNKNOWN]
    return SkillSummary(
        name=name,
        uses=count,
        sessions=len(outcomes),
        agents=tuple(sorted({use.session.agent for use in uses})),
        repos=tuple(sorted({use.session.repo for use in uses})),
        versions=tuple(dict.fromkeys(use.use.version for use in uses if use.use.version)),
        last_ms=max(use.session.at_ms for use in uses),
        edits_per_use=sum(use.use.edits for use in uses) / count,
        failures_per_use=sum(use.use.failures for use in uses) / count,
        again_share=sum(use.use.is_again for use in uses) / count,
        ended_well=Proportion(sum(outcome == Outcome.SUCCESS for outcome in told), len(told)),
        effect=effect_of(uses),
        best_task_type=_best(effects_by(uses, lambda use: use.task_type)),
    )


def effects_by(uses: Sequence[WeighedUse], key: Callable[[WeighedUse], str]) -> dict[str, SkillEffect]:
    """The effect among uses that have something in common, by its name."""
    return {name: effect_of(same) for name, same in sorted(grouped_by(uses, key).items())}


def _best(effects: Mapping[str, SkillEffect]) -> str:
    """Where it helps most for sure: by the lower end of the interval."""
    low = {name: effect.low for name, effect in effects.items() if effect.low is not None and effect.low > 0}
    return max(low, key=lambda name: (low[name], name), default="")
