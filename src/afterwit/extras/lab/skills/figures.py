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
from afterwit.extras.lab.skills.effect import (
    SkillEffect,
    Skills,
    SkillSighting,
    WeighedUse,
    change_between,
    effect_of,
    halves,
    t95,
    weighed,
)
from afterwit.extras.lab.skills.moments import SkillSession
from afterwit.harvest.door import version_of
from afterwit.harvest.harvester import group_by
from afterwit.model.figures import Proportion, human_count
from afterwit.model.kinds import Outcome
from afterwit.model.knowledge import SessionRef, Sighting
from afterwit.repos.remotes import last_part
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
    return SkillHistory(sightings, {name: _with_versions(own, published) for name, own in weighed(sightings).items()})


def _with_versions(uses: Sequence[WeighedUse], published: Sequence[PublishedVersion]) -> list[WeighedUse]:
    """The same; uses of a skill that we published have the version that was there when their session began."""
    versions = sorted((version for version in published if version.name == uses[0].use.name), key=_moment)
    places = [bisect_right(versions, use.session.at_ms, key=_moment) for use in uses]
    return [
        use._replace(use=replace(use.use, version=versions[at - 1].version)) if at else use
        for use, at in zip(uses, places, strict=True)
    ]


def _moment(version: PublishedVersion) -> int:
    return version.at_ms


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
    skills: tuple[str, str]
    sessions: int  # independent ones that use both
    expected_sessions: float  # by chance
    effect: float | None  # of the uses of either in these sessions
    expected_effect: float | None = None  # of the same uses, if they did what they do alone
    difference: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def cells(self) -> tuple[object, ...]:
        effects = (of_ten(self.effect), of_ten(self.expected_effect), between(self.low, self.high))
        return " + ".join(self.skills), self.sessions, f"{self.expected_sessions:.1f}", *effects


_Group = tuple[str, str]  # repository and agent


def pairs(history: SkillHistory) -> list[SkillPair]:
    """All pairs, those that meet in most sessions first."""
    together: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    sessions: Counter[_Group] = Counter()
    using: defaultdict[str, Counter[_Group]] = defaultdict(Counter)
    for session, seen in history.sightings:
        group = (session.repo, session.agent)
        sessions[group] += 1
        used = tuple(dict.fromkeys(use.name for use in seen.uses))
        for name in used:
            using[name][group] += 1
        for pair in combinations(sorted(used[:_MOST_IN_SESSION]), 2):
            together[pair].add(session.story)
    made = []
    for names, stories in together.items():
        if len(stories) >= LEAST_TOGETHER:
            first, second = using[names[0]], using[names[1]]
            chance = sum(first[group] * second[group] / sessions[group] for group in first.keys() & second.keys())
            made.append(_pair(history, names, stories, chance))
    return sorted(made, key=lambda pair: (-pair.sessions, pair.skills))


def _pair(history: SkillHistory, names: tuple[str, str], stories: set[str], by_chance: float) -> SkillPair:
    """The pair with what its uses would do alone, where all sides have enough uses."""
    both = [use for name in names for use in history.uses[name] if use.session.story in stories]
    joint = effect_of(both)
    pair = SkillPair(names, len(stories), by_chance, joint.effect if joint.is_known else None)
    compared = Counter(use.use.name for use in both if use.reinforcement is not None)
    alone = {
        name: effect_of(use for use in history.uses[name] if use.session.story not in stories)
        for name in names
        if compared[name]
    }
    if pair.effect is None or not all(side.is_known for side in alone.values()):
        return pair
    weights = {name: compared[name] / joint.uses for name in alone}
    expected = sum(weights[name] * (side.effect or 0.0) for name, side in alone.items())
    variance = sum((weights[name] * side.error) ** 2 for name, side in alone.items())
    difference = pair.effect - expected
    reach = t95(min(side.sessions for side in (joint, *alone.values())) - 1) * sqrt(joint.error**2 + variance)
    low, high = difference - reach, difference + reach
    return pair._replace(expected_effect=expected, difference=difference, low=low, high=high)


_MOST_VERSIONS = 20  # that are tried, from the latest on


class SkillTrend(NamedTuple):
    skill: str
    since: str  # `later half`, or the version: `codex 0.130.0`, `version 2.1.0`
    before: SkillEffect
    after: SkillEffect
    change: float
    low: float
    high: float

    @property
    def finding(self) -> str:
        return "better" if self.low > 0 else "worse" if self.high < 0 else "unclear"

    @property
    def cells(self) -> tuple[object, ...]:
        effects = (of_ten(self.before.effect), of_ten(self.after.effect), of_ten(self.change))
        return self.skill, self.since, *effects, between(self.low, self.high), self.finding


class _Cut(NamedTuple):
    since: str
    before: list[WeighedUse]
    after: list[WeighedUse]


def trends(uses: Mapping[str, Sequence[WeighedUse]]) -> list[SkillTrend]:
    """What can be said of all skills, those that got worse first."""
    changes = [trend for name, own in uses.items() for trend in _trends(name, own)]
    return sorted(changes, key=lambda trend: (trend.high, trend.skill, trend.since))


def _trends(name: str, uses: Sequence[WeighedUse]) -> Iterator[SkillTrend]:
    compared = [use for use in uses if use.reinforcement is not None]
    yield from _first(name, [_Cut("later half", *halves(uses))])
    yield from _first(name, _versions(compared, lambda use: use.use.version and f"version {use.use.version}"))
    for agent in sorted({use.session.agent for use in compared}):
        own = [use for use in compared if use.session.agent == agent]
        yield from _first(
            name, _versions(own, lambda use: use.session.version and f"{use.session.agent} {use.session.version}")
        )


def _first(name: str, cuts: Iterable[_Cut]) -> Iterator[SkillTrend]:
    """Of the first cut that leaves enough on both sides."""
    for since, before, after in cuts:
        earlier, later = effect_of(before), effect_of(after)
        if not earlier.is_known or not later.is_known:
            continue
        yield SkillTrend(name, since, earlier, later, *change_between(earlier, later))
        return


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

    @property
    def cells(self) -> tuple[object, ...]:
        """Without its name."""
        means = (f"{self.edits_per_use:.1f}", f"{self.failures_per_use:.1f}", f"{self.again_share:.0%}")
        effect = effect_cells(self.effect) if self.effect.is_known else ("", "", self.followed)
        return self.uses, self.sessions, *means, *effect, self.best_task_type

    @property
    def followed(self) -> str:
        """What came after uses that are too few for a verdict, in plain counts."""
        edits, failures = round(self.edits_per_use * self.uses), round(self.failures_per_use * self.uses)
        return f"{human_count(edits, 'edit')}, {human_count(failures, 'failure')} followed"

    @property
    def places(self) -> str:
        where = ", ".join(last_part(repo) or "no repository" for repo in self.repos)
        return f"{human_count(self.uses, 'use')} in {human_count(self.sessions, 'session')} of {where}"


def summaries(uses: Mapping[str, Sequence[WeighedUse]]) -> list[SkillSummary]:
    """All skills, the most used first."""
    skills = (summary(name, own) for name, own in uses.items())
    return sorted(skills, key=lambda skill: (-skill.uses, skill.name))


def summary(name: str, uses: Sequence[WeighedUse]) -> SkillSummary:
    count = len(uses)
    outcomes = {use.session.native_id: use.outcome for use in uses}
    told = [outcome for outcome in outcomes.values() if outcome != Outcome.UNKNOWN]
    by_task = effects_by(uses, lambda use: use.task_type)
    low = {task: effect.low for task, effect in by_task.items() if effect.low is not None and effect.low > 0}
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
        best_task_type=max(low, key=lambda task: (low[task], task), default=""),
    )


def effects_by(uses: Sequence[WeighedUse], key: Callable[[WeighedUse], str]) -> dict[str, SkillEffect]:
    """The effect among uses that have something in common, by its name."""
    return {name: effect_of(same) for name, same in sorted(group_by(uses, key).items())}


def effect_rows(skill: SkillSummary, uses: Sequence[WeighedUse]) -> list[tuple[object, ...]]:
    """Where a skill helps: everywhere, by agent, by kind of work."""
    effects = {"everywhere": skill.effect}
    effects |= {f"agent: {name}": effect for name, effect in effects_by(uses, lambda use: use.session.agent).items()}
    effects |= {f"work: {name}": effect for name, effect in effects_by(uses, lambda use: use.task_type).items()}
    return [(where, effect.uses, *effect_cells(effect)) for where, effect in effects.items()]


def use_cells(use: WeighedUse) -> tuple[object, ...]:
    """What followed one use."""
    return use.use.actions, use.use.edits, use.use.failures, of_ten(use.reinforcement), use.outcome


UNIT = (
    "Effects are actions of ten that went better (+) or worse (-) than at comparable moments without the skill, with an"
    " interval of 95 %. Nobody drew by chance when a skill is used: take them as hints."
)


def of_ten(share: float | None) -> str:
    """A share of actions, as how many of ten."""
    return f"{round(share * 10, 1) + 0.0:+.1f}" if share is not None else "–"  # without a zero that is negative


def between(low: float | None, high: float | None) -> str:
    return f"{of_ten(low)} to {of_ten(high)}" if low is not None and high is not None else ""


def effect_cells(effect: SkillEffect) -> tuple[str, str, str]:
    """An effect, its range and the finding; where too few uses could be compared, only that."""
    mean = of_ten(effect.effect) if effect.is_known else ""
    return mean, between(effect.low, effect.high), effect.finding.replace("-", " ")
