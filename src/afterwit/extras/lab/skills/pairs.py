"""Skills that sessions use together, against what each does alone. Pure.

A pair counts from three independent sessions on. How often both would meet by chance follows from how often each is
used, within the same repository and agent. What uses in such sessions do is compared with what they do in sessions
that use only one of the two; an interval is given where all sides have enough uses. Pairs are looked up session by
session, never all with all.
"""

from collections import Counter, defaultdict
from itertools import combinations
from math import sqrt
from typing import NamedTuple

from afterwit.extras.lab.skills.effect import SkillEffect, effect_of, t95
from afterwit.extras.lab.skills.history import SkillHistory

LEAST_TOGETHER = 3
_MOST_IN_SESSION = 12  # skills of one session that make pairs: the first ones


class SkillPair(NamedTuple):
    names: tuple[str, str]
    sessions: int  # independent ones that use both
    expected_sessions: float  # by chance
    effect: float | None  # of the uses of either in these sessions
    expected_effect: float | None = None  # of the same uses, if they did what they do alone
    change: float | None = None
    low: float | None = None
    high: float | None = None


class _Group(NamedTuple):
    repo: str
    agent: str


def pairs(history: SkillHistory) -> list[SkillPair]:
    """All pairs, those that meet in most sessions first."""
    together: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    sessions: Counter[_Group] = Counter()
    using: defaultdict[str, Counter[_Group]] = defaultdict(Counter)
    for session, seen in history.sightings:
        group = _Group(session.repo, session.agent)
        sessions[group] += 1
        names = tuple(dict.fromkeys(use.name for use in seen.uses))
        for name in names:
            using[name][group] += 1
        for pair in combinations(sorted(names[:_MOST_IN_SESSION]), 2):
            together[pair].add(session.story)
    made = (
        _pair(history, pair, stories, _by_chance(using[pair[0]], using[pair[1]], sessions))
        for pair, stories in together.items()
        if len(stories) >= LEAST_TOGETHER
    )
    return sorted(made, key=lambda pair: (-pair.sessions, pair.names))


def _by_chance(first: Counter[_Group], second: Counter[_Group], sessions: Counter[_Group]) -> float:
    return sum(first[group] * second[group] / sessions[group] for group in first.keys() & second.keys())


def _pair(history: SkillHistory, names: tuple[str, str], stories: set[str], by_chance: float) -> SkillPair:
    both = [use for name in names for use in history.uses[name] if use.session.story in stories]
    alone = [effect_of(use for use in history.uses[name] if use.session.story not in stories) for name in names]
    joint = effect_of(both)
    pair = SkillPair(names, len(stories), by_chance, joint.effect if joint.is_known else None)
    compared = Counter(use.use.name for use in both if use.reinforcement is not None)
    weights = [compared[name] / joint.uses if joint.uses else 0.0 for name in names]
    return _against(pair, joint, alone, weights)


def _against(pair: SkillPair, joint: SkillEffect, alone: list[SkillEffect], weights: list[float]) -> SkillPair:
    """The pair with what its uses would do alone, where all sides have enough uses."""
    sides = [effect for effect, weight in zip(alone, weights, strict=True) if weight]
    if pair.effect is None or not all(side.is_known for side in sides):
        return pair
    expected = sum(weight * (effect.effect or 0.0) for effect, weight in zip(alone, weights, strict=True))
    variance = sum((weight * effect.error) ** 2 for effect, weight in zip(alone, weights, strict=True))
    change = pair.effect - expected
    reach = t95(min(side.sessions for side in (joint, *sides)) - 1) * sqrt(joint.error**2 + variance)
    return pair._replace(expected_effect=expected, change=change, low=change - reach, high=change + reach)
