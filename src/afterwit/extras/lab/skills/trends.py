"""Whether a skill got better or worse: over time, and since another version of it or of the agent. Pure.

Uses before and after are compared by what each did against comparable moments. Over time, sessions are halved. Of
versions the latest is taken on both sides of which there are enough uses; what came after it counts with it. Nothing is
said of a skill that has less than five compared uses in three sessions on either side.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import sqrt
from typing import NamedTuple

from afterwit.extras.lab.skills.effect import SkillEffect, WeighedUse, effect_of, t95

_MOST_VERSIONS = 20  # that are tried, from the latest on


class SkillTrend(NamedTuple):
    name: str
    since: str  # `later half`, or the version: `codex 0.130.0`, `version 2.1.0`
    before: SkillEffect
    after: SkillEffect
    change: float
    low: float
    high: float

    @property
    def finding(self) -> str:
        return "better" if self.low > 0 else "worse" if self.high < 0 else "unclear"


class _Cut(NamedTuple):
    since: str
    before: list[WeighedUse]
    after: list[WeighedUse]


def trends(uses: Mapping[str, Sequence[WeighedUse]]) -> list[SkillTrend]:
    """What can be said of all skills, those that got worse first."""
    changes = [trend for name, own in uses.items() for trend in _trends(name, own)]
    return sorted(changes, key=lambda trend: (trend.high, trend.name, trend.since))


def _trends(name: str, uses: Sequence[WeighedUse]) -> Iterator[SkillTrend]:
    compared = [use for use in uses if use.reinforcement is not None]
    yield from _first(name, [_halved(compared)])
    yield from _first(name, _versions(compared, _skill_version))
    for agent in sorted({use.session.agent for use in compared}):
        own = [use for use in compared if use.session.agent == agent]
        yield from _first(name, _versions(own, _agent_version))


def _skill_version(use: WeighedUse) -> str:
    return f"version {use.use.version}" if use.use.version else ""


def _agent_version(use: WeighedUse) -> str:
    return f"{use.session.agent} {use.session.version}" if use.session.version else ""


def _first(name: str, cuts: Iterable[_Cut]) -> Iterator[SkillTrend]:
    """Of the first cut that leaves enough on both sides."""
    for since, before, after in cuts:
        earlier, later = effect_of(before), effect_of(after)
        if not earlier.is_known or not later.is_known:
            continue
        change = (later.effect or 0.0) - (earlier.effect or 0.0)
        freedom = min(earlier.sessions, later.sessions) - 1
        reach = t95(freedom) * sqrt(earlier.error**2 + later.error**2)
        yield SkillTrend(name, since, earlier, later, change, change - reach, change + reach)
        return


def _halved(uses: Sequence[WeighedUse]) -> _Cut:
    """Cut between two sessions, at about half of them."""
    sessions = list(dict.fromkeys(use.session.story for use in uses))
    earlier = set(sessions[: len(sessions) // 2])
    before = [use for use in uses if use.session.story in earlier]
    return _Cut("later half", before, [use for use in uses if use.session.story not in earlier])


def _versions(uses: Sequence[WeighedUse], version_of: Callable[[WeighedUse], str]) -> Iterator[_Cut]:
    """Cuts at versions, the latest first. Uses whose version is not known are left out."""
    versioned = [use for use in uses if version_of(use)]
    places = {version: at for at, version in enumerate(dict.fromkeys(map(version_of, versioned)))}
    for version, first in list(places.items())[:0:-1][:_MOST_VERSIONS]:
        before = [use for use in versioned if places[version_of(use)] < first]
        yield _Cut(version, before, [use for use in versioned if places[version_of(use)] >= first])
