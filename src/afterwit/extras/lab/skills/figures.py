"""Skills in figures: how often each is used and what followed (`summaries`), which are used together (`pairs`), and
which got better or worse (`trends`).

Every use is compared with moments of the other chosen sessions. What was seen of a session is stored with the harvest,
so no digest is opened here; sessions that were captured and not yet learned from are missing until the next `learn`.

A pair counts from three independent sessions on. How often both would meet by chance follows from how often each is
used, within the same repository and agent. What uses in such sessions do is compared with what they do in sessions that
use only one of the two. For a trend over time, sessions are halved; of versions the latest is taken on both sides of
which there are enough uses: five that could be compared, in three sessions.
"""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from math import sqrt
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from afterwit.config.world import World
from afterwit.extras.lab.skills.effect import SkillEffect, Skills, SkillSighting, WeighedUse, effect_of, t95, weighed
from afterwit.extras.lab.skills.moments import SkillSession
from afterwit.harvest.door.run import version_of
from afterwit.harvest.harvester import grouped_by
from afterwit.model.figures import Proportion
from afterwit.model.kinds import Outcome
from afterwit.model.knowledge import SessionRef, Sighting
from afterwit.sessions.filters import Filter, selection_of
from afterwit.store.rows.extras import PublishedForm, PublishedVersion, pattern_entries, versions_published
from afterwit.store.rows.session_list import SessionRow, select_sessions
from afterwit.store.rows.sightings import sightings_by
from afterwit.store.store import readonly_database

_SEEN = msgspec.msgpack.Decoder(SkillSession)
_REF = msgspec.msgpack.Decoder(SessionRef)


class SkillHistory(NamedTuple):
    """Sessions in order of time, and the uses in them by skill."""

    sightings: Sequence[SkillSighting]
    uses: Mapping[str, Sequence[WeighedUse]]


def skill_history(world: World, wanted: Filter) -> SkillHistory:
    """What the sessions that the filter means show."""
    with readonly_database(world.layout) as db:
        seen = {row.session_id: row for row in sightings_by(db, Skills.name, version_of())}
        sightings = [
            Sighting(_ref_of(row, seen[row.id].ref), _SEEN.decode(seen[row.id].body))
            for row in select_sessions(db, selection_of(db, world.settings, wanted))
            if row.id in seen
        ]
        published = versions_published(pattern_entries(db), PublishedForm.SKILL)
    return SkillHistory(sightings, _versioned(weighed(sightings), published))


def _versioned(
    uses: Mapping[str, Sequence[WeighedUse]], published: Sequence[PublishedVersion]
) -> dict[str, Sequence[WeighedUse]]:
    """The same, where a use of a skill that we published has the version that was there when its session began."""
    versions: dict[str, list[PublishedVersion]] = {}
    for version in sorted(published, key=lambda version: version.at_ms):
        versions.setdefault(version.name, []).append(version)
    return {name: [_with_version(use, versions.get(name, ())) for use in own] for name, own in uses.items()}


def _with_version(use: WeighedUse, versions: Sequence[PublishedVersion]) -> WeighedUse:
    at = bisect_right(versions, use.session.at_ms, key=lambda version: version.at_ms)
    return use._replace(use=replace(use.use, version=versions[at - 1].version)) if at else use


def _ref_of(row: SessionRow, kept: bytes) -> SessionRef:
    """How evidence names the session; where it has to be named anew, by its row."""
    if kept:
        return _REF.decode(kept)
    versions = msgspec.json.decode(row.versions or "[]", type=list[str])
    return SessionRef(
        agent=row.agent,
        native_id=row.native_id,
        story=row.parent or row.native_id,
        repo=row.repo,
        version=versions[-1] if versions else "",
        at_ms=row.started_ms or 0,
    )


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


UNIT = (
    "Effects are actions of ten that went better (+) or worse (-) than at comparable moments without the skill, with an"
    " interval of 95 %. Nobody drew by chance when a skill is used: take them as hints."
)
_TEN = 10
_FINDINGS = {"too-few": "too few"}


def of_ten(share: float | None) -> str:
    """A share of actions, as how many of ten."""
    return f"{round(share * _TEN, 1) + 0.0:+.1f}" if share is not None else "–"  # without a zero that is negative


def between(low: float | None, high: float | None) -> str:
    return f"{of_ten(low)} to {of_ten(high)}" if low is not None and high is not None else ""


def known_effect(effect: SkillEffect) -> str:
    """An effect as how many of ten actions; "" where too few uses could be compared."""
    return of_ten(effect.effect) if effect.is_known else ""


def finding(effect: SkillEffect) -> str:
    return _FINDINGS.get(effect.finding, effect.finding)
