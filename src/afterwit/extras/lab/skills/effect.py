"""Whether a skill helps: the value of what follows its uses, against comparable moments of sessions that do not use it.

Comparable are moments of the same repository, agent, task type and phase, in sessions that were as easy: moments of
easier sessions have better values, and how much better is a slope that is found from ordinary moments. That a level is
counted from few actions makes a slope too flat; this is set right by what chance explains of the levels. The difference
of one use is its *reinforcement*; their mean is the effect: 0.1 is one action in ten. The interval of 95 % counts
sessions, not uses, because uses in one session are alike.

Nobody drew the uses by chance. What neither the phase nor the rest of the session shows (that a skill is called when
the hard part is over) is in the effect too; what lifts a whole session cannot be told from an easy session and is not.

All sessions are summed once by stratum; for each skill its own sessions are taken out again. So the work is in
proportion to sessions and uses.

The harvester sees every session, and writes a sentence only where the interval of the effect leaves out zero and the
effect is more likely than not worth speaking of. It says that this is approximate. Sessions in which the skill did the
opposite speak against it, and what wears off is no note any more.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import erf, sqrt
from typing import NamedTuple

from afterwit.extras.lab.skills.moments import SCALE, PhaseMoments, SkillSession, SkillUse, skill_session
from afterwit.harvest.harvester import Grouped, evidence_of, group_by, quote, quote_repo, sentence
from afterwit.model.digest import Digest
from afterwit.model.knowledge import Category, Channel, Draft, Evidence, Scope, ScopeKind, SessionRef, Sighting

LEAST_USES = 5
LEAST_SESSIONS = 3
WORTHWHILE = 0.05  # half an action in ten
_LEAST_OTHERS = 3  # sessions that a moment is compared with
_USUAL = 0.1  # the standard deviation of effects before anything is known: most do little
_FARTHEST = 2.0  # standard deviations: sessions that are much easier than all others have none to compare with
_LEAST_SPREAD = 0.05  # standard deviation of levels and values: sessions that are all alike are so by chance
_STEEPEST = 2.0  # slope; steeper ones come of too few sessions
_TINY = 1e-6
_T95 = (
    *(12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228),
    *(2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086),
    *(2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042),
)

SkillSighting = Sighting[SkillSession]
LEAST_CONFIDENCE = 0.5
_TEN = 10


class Stratum(NamedTuple):
    """What moments must have in common to be compared."""

    repo: str
    agent: str
    task_type: str
    phase: int


class _Sums(NamedTuple):
    """Ordinary moments, levels as x and values as y: each session counts once."""

    sessions: int = 0
    x: float = 0.0
    y: float = 0.0
    xx: float = 0.0
    xy: float = 0.0
    yy: float = 0.0
    noise: float = 0.0

    def plus(self, moments: PhaseMoments, sign: int = 1) -> "_Sums":
        x, y = moments.level / SCALE, moments.value / SCALE
        new = (x, y, x * x, x * y, y * y, moments.noise / SCALE)
        return _Sums(self.sessions + sign, *(old + sign * value for old, value in zip(self[1:], new, strict=True)))

    @property
    def together(self) -> float:
        """How levels and values go together: the sum of products around the means."""
        return self.xy - self.x * self.y / self.sessions

    @property
    def apart(self) -> float:
        """How far levels lie apart beyond chance: the sum of squares around the mean."""
        return self.levels - self.noise * (1 - 1 / self.sessions)

    @property
    def levels(self) -> float:
        """The sum of squares of levels around their mean."""
        return self.xx - self.x * self.x / self.sessions

    def distance(self, level: float) -> float:
        """How far a level lies from the mean, in roots of their sum of squares. Levels that are all alike by chance
        count as if they lay a little apart."""
        return (level - self.x / self.sessions) / sqrt(max(self.levels, self.sessions * _LEAST_SPREAD**2))

    def expected(self, level: float, slope: float) -> float:
        """The value of an ordinary moment in a session of this level."""
        return self.y / self.sessions + slope * (level - self.x / self.sessions)

    def spread(self, slope: float) -> float:
        """The variance around what is expected."""
        values = self.yy - self.y * self.y / self.sessions
        squares = values - 2 * slope * self.together + slope * slope * self.levels
        return max(squares / (self.sessions - 1), _LEAST_SPREAD**2)


class WeighedUse(NamedTuple):
    """A use with what it did more, or less, than comparable moments."""

    session: SessionRef
    task_type: str
    outcome: str
    use: SkillUse
    reinforcement: float | None = None  # None: nothing comparable
    stratum: Stratum | None = None
    spread: float = 0.0  # the variance of what it was compared with
    distance: float = 0.0  # of its session's level from those of the others
    others: int = 0  # sessions that it was compared with


class SkillEffect(NamedTuple):
    """The mean reinforcement of uses. The interval is there from five compared uses in three sessions on."""

    uses: int  # that could be compared
    sessions: int
    effect: float | None = None
    low: float | None = None
    high: float | None = None
    error: float = 0.0  # the standard error

    @property
    def is_known(self) -> bool:
        return self.low is not None

    @property
    def confidence(self) -> float:
        """The chance that it does at least half an action in ten, in the direction of the effect; by a normal
        distribution that expects little before anything is seen."""
        if self.effect is None or self.low is None:
            return 0.0
        weight = 1 / (1 + (self.error / _USUAL) ** 2)
        mean, deviation = weight * abs(self.effect), self.error * sqrt(weight)
        return 0.5 * (1 + erf((mean - WORTHWHILE) / (deviation * sqrt(2))))

    @property
    def finding(self) -> str:
        """In a word: `helps`, `harms`, `unclear`, or `too-few`."""
        if self.low is None or self.high is None:
            return "too-few"
        return "helps" if self.low > 0 else "harms" if self.high < 0 else "unclear"


def weighed(sightings: Iterable[SkillSighting]) -> dict[str, list[WeighedUse]]:
    """All uses by skill, in order of time, each compared with sessions that do not use that skill."""
    ordered = sorted(sightings, key=lambda sighting: (sighting.session.at_ms, sighting.session.native_id))
    totals: defaultdict[Stratum, _Sums] = defaultdict(_Sums)
    using: defaultdict[str, list[SkillSighting]] = defaultdict(list)
    for sighting in ordered:
        for stratum, moments in _ordinary(sighting):
            totals[stratum] = totals[stratum].plus(moments)
        for name in dict.fromkeys(use.name for use in sighting.seen.uses):
            using[name].append(sighting)
    slopes = _slopes(totals)
    return {name: _weighed(name, own, totals, slopes) for name, own in sorted(using.items())}


def _ordinary(sighting: SkillSighting) -> Iterator[tuple[Stratum, PhaseMoments]]:
    session, seen = sighting
    for moments in seen.phases:
        yield Stratum(session.repo, session.agent, seen.task_type, moments.phase), moments


def _slopes(totals: Mapping[Stratum, _Sums]) -> dict[int, float]:
    """For each phase, how much better a moment is where the rest of its session is better."""
    together: defaultdict[int, float] = defaultdict(float)
    apart: defaultdict[int, float] = defaultdict(float)
    for stratum, sums in totals.items():
        together[stratum.phase] += sums.together
        apart[stratum.phase] += sums.apart
    return {phase: min(_STEEPEST, max(0.0, together[phase] / apart[phase])) for phase in apart if apart[phase] > _TINY}


def _weighed(
    name: str, own: Sequence[SkillSighting], totals: Mapping[Stratum, _Sums], slopes: Mapping[int, float]
) -> list[WeighedUse]:
    others: dict[Stratum, _Sums] = {}
    for sighting in own:
        for stratum, moments in _ordinary(sighting):
            others[stratum] = others.get(stratum, totals[stratum]).plus(moments, -1)
    return [
        _compared(WeighedUse(session, seen.task_type, seen.outcome, use), others, totals, slopes)
        for session, seen in own
        for use in seen.uses
        if use.name == name
    ]


def _compared(
    use: WeighedUse, others: Mapping[Stratum, _Sums], totals: Mapping[Stratum, _Sums], slopes: Mapping[int, float]
) -> WeighedUse:
    stratum = Stratum(use.session.repo, use.session.agent, use.task_type, use.use.phase)
    sums = others.get(stratum) or totals.get(stratum)
    if sums is None or sums.sessions < _LEAST_OTHERS or use.use.level is None:
        return use
    level, slope = use.use.level / SCALE, slopes.get(stratum.phase, 0.0)
    distance = sums.distance(level)
    if abs(distance) * sqrt(sums.sessions) > _FARTHEST:
        return use
    return use._replace(
        reinforcement=use.use.value - sums.expected(level, slope),
        stratum=stratum,
        spread=sums.spread(slope),
        distance=distance,
        others=sums.sessions,
    )


def effect_of(uses: Iterable[WeighedUse]) -> SkillEffect:
    """The mean of what uses did more than comparable moments."""
    clusters: defaultdict[str, list[float]] = defaultdict(list)
    strata: defaultdict[Stratum, list[WeighedUse]] = defaultdict(list)
    for weighed_use in uses:
        if weighed_use.reinforcement is not None and weighed_use.stratum is not None:
            clusters[weighed_use.session.story].append(weighed_use.reinforcement)
            strata[weighed_use.stratum].append(weighed_use)
    count, groups = sum(map(len, clusters.values())), len(clusters)
    if not count:
        return SkillEffect(0, 0)
    mean = sum(map(sum, clusters.values())) / count
    if count < LEAST_USES or groups < LEAST_SESSIONS:
        return SkillEffect(count, groups, mean)
    error = sqrt(max(_scatter(clusters, mean, count), _expected(strata, count, groups)) + _others(strata, count))
    reach = t95(groups - 1) * error
    return SkillEffect(count, groups, mean, mean - reach, mean + reach, error)


def _scatter(clusters: Mapping[str, Sequence[float]], mean: float, count: int) -> float:
    """The variance of the mean by what is seen, session by session."""
    groups = len(clusters)
    squares = sum((sum(values) - len(values) * mean) ** 2 for values in clusters.values())
    return squares * groups / (groups - 1) / count**2


def _expected(strata: Mapping[Stratum, Sequence[WeighedUse]], count: int, groups: int) -> float:
    """The same if uses scattered as other sessions do: few uses can be alike by chance."""
    return sum(uses[0].spread * len(uses) for uses in strata.values()) / count / groups


def _others(strata: Mapping[Stratum, Sequence[WeighedUse]], count: int) -> float:
    """How uncertain it is what uses are compared with: the means, and the slopes the more, the farther they reach."""
    variance = 0.0
    for uses in strata.values():
        distance = sum(use.distance for use in uses) / len(uses)
        variance += (len(uses) / count) ** 2 * uses[0].spread * (1 / uses[0].others + distance**2)
    return variance


def halves(uses: Iterable[WeighedUse]) -> tuple[list[WeighedUse], list[WeighedUse]]:
    """The uses that could be compared, of the earlier and of the later half of the sessions that have some."""
    compared = [use for use in uses if use.reinforcement is not None]
    sessions = list(dict.fromkeys(use.session.story for use in compared))
    earlier = set(sessions[: len(sessions) // 2])
    by_half = group_by(compared, lambda use: use.session.story in earlier)
    return by_half.get(True, []), by_half.get(False, [])


def change_between(earlier: SkillEffect, later: SkillEffect) -> tuple[float, float, float]:
    """By how much an effect changed, with the bounds; of two that are known."""
    change = (later.effect or 0.0) - (earlier.effect or 0.0)
    reach = t95(min(earlier.sessions, later.sessions) - 1) * sqrt(earlier.error**2 + later.error**2)
    return change, change - reach, change + reach


def has_turned(uses: Iterable[WeighedUse]) -> bool:
    """Whether what the uses did at first has surely become less."""
    earlier, later = map(effect_of, halves(uses))
    _, low, high = change_between(earlier, later) if earlier.is_known and later.is_known else (0.0, 0.0, 0.0)
    mean = earlier.effect or 0.0
    return high < 0 < mean or low > 0 > mean


def t95(freedom: int) -> float:
    """Student's quantile for an interval of 95 %."""
    return _T95[freedom - 1] if freedom <= len(_T95) else 1.96 + 2.5 / freedom


class Skills:
    name = "skills"
    version = 2
    minimum_stories = LEAST_SESSIONS
    seen = SkillSession

    def see(self, digest: Digest) -> Iterable[Grouped[SkillSession]]:
        session = skill_session(digest)
        return [Grouped(f"{digest.agent}\n{digest.repo}", session)] if session else []

    def conclude(self, group: str, sightings: Sequence[Sighting[SkillSession]]) -> Iterable[Draft]:
        agent, _, repo = group.partition("\n")
        scope = Scope(ScopeKind.REPO, repo) if repo else Scope(ScopeKind.AGENT, agent)
        for name, uses in weighed(sightings).items():
            effect = effect_of(uses)
            text = "" if has_turned(uses) else _sentence(name, agent, repo, effect)
            if text:
                yield Draft(
                    harvester=self.name,
                    key=(agent, name),
                    scope=scope,
                    category=Category.PATTERN,
                    sentence=text,
                    channel=Channel.OUTCOME,
                    evidence=tuple(_evidence(uses, effect)),
                    agents=(agent,),
                )


def is_worth_telling(effect: SkillEffect) -> bool:
    return effect.finding in ("helps", "harms") and effect.confidence > LEAST_CONFIDENCE


def _sentence(name: str, agent: str, repo: str, effect: SkillEffect) -> str:
    if effect.effect is None or not is_worth_telling(effect):
        return ""
    where = f"in {quote_repo(repo)}" if repo else "outside of repositories"
    way = "better" if effect.effect > 0 else "worse"
    return sentence(
        f"After the skill {quote(name)}, {agent} got on {way} {where} than at comparable moments without it: by about"
        f" {abs(effect.effect) * _TEN:.1f} of ten actions, in {effect.uses} uses (approximate: no trial by chance)."
    )


def _evidence(uses: Sequence[WeighedUse], effect: SkillEffect) -> Iterator[Evidence]:
    """One piece for each session, by what its uses did on average."""
    compared = [use for use in uses if use.reinforcement is not None]
    for same in group_by(compared, lambda use: use.session.native_id).values():
        mean = sum(use.reinforcement or 0.0 for use in same) / len(same)
        seen = SkillSession(
            at=same[0].use.at,
            excerpt=f"{same[0].use.name}: {mean * _TEN:+.1f} of ten actions against comparable moments",
            task_type=same[0].task_type,
            outcome=same[0].outcome,
        )
        is_against = mean * (effect.effect or 0.0) <= 0
        yield evidence_of(Sighting(same[0].session, seen), Channel.OUTCOME, is_against=is_against)
