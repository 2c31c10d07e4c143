"""What the cases say: whether telling helps, as a whole, by figure, by moment, by harvester and by item.

One figure decides; the others share an error rate of their own. Sessions are compared with sessions that were told
nothing. Items, with what stands behind them, are compared inside sessions that were told something: there each fitting
item was left out by chance, so what comes of one is seen apart from the rest. A figure is believed only while the two
sides can be compared: where draws came out in a way that is next to impossible, logs of one side are missing or hide
failures, or the same judgement finds effects where there are none, nothing is concluded.

An error rate that is divided among many is divided by how many there may ever be, so that it stays what it is however
many come.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple, TypeVar

import apsw
import msgspec

from afterwit.measure.cases import Case, Cases, ItemDraw, LostCase, cases_in
from afterwit.measure.outcomes import ABOUT, MAIN, AboutFigure, Figure, compared, shown
from afterwit.measure.statistics import (
    ArmTrial,
    Draw,
    Estimate,
    Finding,
    Trial,
    check_draws,
    contrast,
    estimate,
    estimate_from,
    self_test,
    surprises,
)
from afterwit.model.knowledge import READ
from afterwit.recall.holdout import COLD, HELD, TOLD
from afterwit.store.marks import mark, put_mark
from afterwit.store.rows.hooks import has_draws


class FigureEffect(msgspec.Struct, frozen=True, kw_only=True):
    """The effect on one figure. The estimate is in the unit of comparison, which for amounts is a logarithm."""

    figure: Figure
    words: str
    finding: Finding
    told: float | None  # as people read it
    not_told: float | None
    change: float | None  # of those told, as a share of those not told, each compared with what was usual before
    low: float | None
    high: float | None
    estimate: Estimate


class GroupEffect(msgspec.Struct, frozen=True, kw_only=True):
    """The effect of telling one item, or those of one group, on the figure that decides."""

    name: str
    draws: int
    finding: Finding
    estimate: Estimate


class SelfTest(msgspec.Struct, frozen=True, kw_only=True):
    """How often the same judgement found an effect in the user's own sessions, drawn into arms that mean nothing."""

    sessions: int
    rounds: int
    verdicts: int
    is_passed: bool


class Alarm(StrEnum):
    DRAWS = "draws"
    LOGS = "logs"
    STATUSES = "statuses"
    SELF_TEST = "self-test"


class EffectBrief(msgspec.Struct, frozen=True, kw_only=True):
    """What the verdict is made of."""

    finding: Finding
    alarms: list[Alarm]
    sessions: int
    unweighed: int
    effect: float | None
    change: float | None
    low: float | None
    high: float | None
    needed: int | None
    chance: float | None
    is_going_on: bool  # whether more sessions will count
    harmful: list[str]  # items


class EffectReport(msgspec.Struct, frozen=True, kw_only=True):
    sessions: int  # that were drawn, and went into the comparison
    told: int
    not_told: int
    lost: int  # of which no log was read
    crossed: int  # of which a part was drawn into another arm
    unweighed: int
    since_ms: int | None
    finding: Finding
    main: FigureEffect
    figures: list[FigureEffect]
    moments: list[GroupEffect]
    origins: list[GroupEffect]
    harvesters: list[GroupEffect]
    items: list[GroupEffect]
    patterns: list[GroupEffect]  # published ones, by id and version
    harmful: list[str]  # items in use that should be retired
    alarms: list[Alarm]
    self_test: SelfTest | None
    chance: float | None  # of being told, at the last draw
    is_going_on: bool

    @property
    def brief(self) -> EffectBrief:
        return EffectBrief(
            finding=self.finding,
            alarms=self.alarms,
            sessions=self.sessions,
            unweighed=self.unweighed,
            effect=self.main.estimate.effect,
            change=self.main.change,
            low=self.main.low,
            high=self.main.high,
            needed=self.main.estimate.needed,
            chance=self.chance,
            is_going_on=self.is_going_on,
            harmful=self.harmful,
        )


class ArmEffect(msgspec.Struct, frozen=True, kw_only=True):
    """The figure that decides, in one arm of an experiment against another."""

    main: FigureEffect
    alarms: list[Alarm]


class ExplainedCase(msgspec.Struct, frozen=True, kw_only=True):
    """What one draw in one session adds to a figure."""

    session: str
    agent: str
    repo: str
    at_ms: int
    is_told: bool
    chance: float  # of what was drawn
    value: float
    usual: float | None  # of its repository and agent before it, in the unit of comparison
    score: float | None


ALPHA = 0.05
SOUGHT = 0.1  # the change, as a share, that is worth waiting for
MODEL, COUNTED = "a model", "counting"  # who found an item: one that read sessions, or all others
_ROUNDS = 200
_LATEST = 2_000  # sessions that the self-test is made with
_ALARM_ALPHA = 0.005  # of one agent and kind
_USUAL_CHANCE = 0.9
C = TypeVar("C", Case, LostCase)


class Grouping(StrEnum):
    """What items are judged together by, with how many groups there may ever be."""

    ITEM = "item"
    MOMENT = "moment"
    HARVESTER = "harvester"
    ORIGIN = "origin"
    PATTERN = "pattern"  # that was published, by its version

    @property
    def most(self) -> int:
        return _MOST[self]

    def name_of(self, draw: ItemDraw) -> str:
        """The group that a draw belongs to; "": none."""
        if self is Grouping.ORIGIN:
            return MODEL if draw.harvester == READ else COUNTED if draw.harvester else ""
        return str(getattr(draw, self.value))


_MOST = {
    Grouping.ITEM: 1_000,
    Grouping.MOMENT: 10,
    Grouping.HARVESTER: 50,
    Grouping.ORIGIN: 2,
    Grouping.PATTERN: 200,
}


def effect_of(cases: Cases) -> EffectReport:
    """All comparisons of sessions that were told with those that were not. An arm of an experiment that is told nothing
    is no other than being held out."""
    return _Comparison(_with_cold_held_out(cases), TOLD, HELD).report()


def arms_compared(cases: Cases, arm: str, reference: str, contrasts: int) -> ArmEffect:
    """One arm against another, of so many such contrasts."""
    return _Comparison(cases, arm, reference).contrasted(ALPHA / contrasts)


def explained(cases: Cases, figure: Figure) -> list[ExplainedCase]:
    """The sessions behind a figure, in the order in which they count."""
    return _Comparison(_with_cold_held_out(cases), TOLD, HELD).explained(figure)


def explained_arms(cases: Cases, arm: str, reference: str) -> list[ExplainedCase]:
    """The sessions behind the contrast of two arms."""
    return _Comparison(cases, arm, reference).explained(MAIN)


def explained_group(cases: Cases, grouping: Grouping, name: str) -> list[ExplainedCase]:
    """The draws behind the effect of a group of items."""
    return _Comparison(_with_cold_held_out(cases), TOLD, HELD).explained_group(grouping, name)


class _Judged(NamedTuple):
    """A case with its value in the unit of comparison."""

    case: Case
    trial: Trial
    surprise: float | None


class _Comparison:
    def __init__(self, cases: Cases, arm: str, reference: str) -> None:
        self._cases = cases
        self._arm, self._reference = arm, reference
        self._all: Sequence[Case] = [*cases.past, *cases.drawn]
        self._drawn = [case for case in cases.drawn if self._is_compared(case)]

    def report(self) -> EffectReport:
        test = self._self_test()
        alarms = [*self._alarms(), *([] if test is None or test.is_passed else [Alarm.SELF_TEST])]
        is_sound = not alarms
        others = [figure for figure in Figure if figure is not MAIN]
        main = self.figure(MAIN, ALPHA, is_sound=is_sound)
        groups = {grouping: self._groups(grouping, is_sound=is_sound) for grouping in Grouping}
        harmful = [item.name for item in groups[Grouping.ITEM] if item.finding is Finding.HARMS]
        return EffectReport(
            sessions=len(self._drawn),
            told=sum(case.arm == self._arm for case in self._drawn),
            not_told=sum(case.arm == self._reference for case in self._drawn),
            lost=sum(map(self._is_compared, self._cases.lost)),
            crossed=sum(case.is_crossed for case in self._drawn),
            unweighed=self._cases.unweighed,
            since_ms=min((case.at_ms for case in self._drawn), default=None),
            finding=main.finding,
            main=main,
            figures=[self.figure(figure, ALPHA / len(others), is_sound=is_sound) for figure in others],
            moments=groups[Grouping.MOMENT],
            origins=groups[Grouping.ORIGIN],
            harvesters=groups[Grouping.HARVESTER],
            items=groups[Grouping.ITEM],
            patterns=groups[Grouping.PATTERN],
            harmful=[name for name in harmful if name in self._cases.in_use],
            alarms=alarms,
            self_test=test,
            chance=self._drawn[-1].odds[self._arm] if self._drawn else None,
            is_going_on=self._cases.is_going_on,
        )

    def contrasted(self, alpha: float) -> ArmEffect:
        alarms = list(self._alarms())
        return ArmEffect(main=self.figure(MAIN, alpha, is_sound=not alarms), alarms=alarms)

    def figure(self, figure: Figure, alpha: float, *, is_sound: bool) -> FigureEffect:
        trials = [judged.trial for judged in self._judge(figure)]
        outcome = estimate(trials, alpha=alpha, sought=_seek(figure, trials))
        about = ABOUT[figure]
        base = None if outcome.mean_held_out is None else shown(figure, outcome.mean_held_out)
        return FigureEffect(
            figure=figure,
            words=about.words,
            finding=_finding(about, outcome, is_sound=is_sound),
            told=None if outcome.mean_told is None else shown(figure, outcome.mean_told),
            not_told=base,
            change=_change(figure, outcome.effect, base),
            low=_change(figure, outcome.low, base),
            high=_change(figure, outcome.high, base),
            estimate=outcome,
        )

    def explained(self, figure: Figure) -> list[ExplainedCase]:
        return [row for judged in self._judge(figure) for row in _explain_case(judged, figure)]

    def explained_group(self, grouping: Grouping, name: str) -> list[ExplainedCase]:
        rows = []
        for judged in self._judge(MAIN):
            draws = _draws_by_group(judged.case, grouping).get(name, ())
            own = judged._replace(trial=msgspec.structs.replace(judged.trial, draws=draws))
            rows += _explain_case(own, MAIN)
        return rows

    def _is_compared(self, case: Case | LostCase) -> bool:
        return case.arm in (self._arm, self._reference) and {self._arm, self._reference} <= case.odds.keys()

    def _judge(self, figure: Figure) -> list[_Judged]:
        valued = [case for case in self._all if figure in case.figures]
        trials = list(self._trials(valued, lambda case: compared(figure, case.figures[figure])))
        return [_Judged(*judged) for judged in zip(valued, trials, surprises(trials), strict=True)]

    def _trials(self, cases: Iterable[Case], value: Callable[[Case], float]) -> Iterator[Trial]:
        arms = (ArmTrial(stratum=case.stratum, value=value(case), arm=case.arm, chances=case.odds) for case in cases)
        return contrast(arms, self._arm, self._reference)

    def _groups(self, grouping: Grouping, *, is_sound: bool) -> list[GroupEffect]:
        """The effect of each group of items, in the order in which the groups came up."""
        groups: defaultdict[str, list[tuple[Trial, float | None]]] = defaultdict(list)
        judged = self._judge(MAIN)
        for case, trial, surprise in judged:
            for name, draws in _draws_by_group(case, grouping).items():
                groups[name].append((msgspec.structs.replace(trial, draws=draws), surprise))
        sought = _seek(MAIN, [case.trial for case in judged])
        alpha = ALPHA / max(grouping.most, len(groups))
        return [_group(name, trials, alpha, sought, is_sound=is_sound) for name, trials in groups.items()]

    def _alarms(self) -> Iterator[Alarm]:
        items = (Draw(draw.is_told, draw.chance) for case in self._cases.drawn for draw in case.items)
        everybody = self._draws([*self._drawn, *self._cases.lost])
        if check_draws(everybody).is_alarming or check_draws(items).is_alarming:
            yield Alarm.DRAWS
        elif check_draws(self._draws(self._drawn)).is_alarming:
            yield Alarm.LOGS
        if any(self._is_told_otherwise(agent) for agent in {case.agent for case in self._drawn}):
            yield Alarm.STATUSES

    def _draws(self, cases: Iterable[Case | LostCase]) -> Iterator[Draw]:
        for case in sorted(filter(self._is_compared, cases), key=lambda case: (case.at_ms, case.session)):
            of_both = case.odds[self._arm] + case.odds[self._reference]
            yield Draw(case.arm == self._arm, case.odds[self._arm] / of_both)

    def _is_told_otherwise(self, agent: str) -> bool:
        """Whether the logs of an agent tell failures in another way where a session was told something."""
        own = [case for case in self._drawn if case.agent == agent]
        unknown = self._trials((case for case in own if case.unknown is not None), lambda case: case.unknown or 0.0)
        hidden = self._trials((case for case in own if case.hidden is not None), lambda case: case.hidden or 0.0)
        return any(
            estimate(trials, alpha=_ALARM_ALPHA).finding(is_less_better=True) is not Finding.NO_EVIDENCE
            for trials in (unknown, hidden)
        )

    def _self_test(self) -> SelfTest | None:
        trials = [judged.trial for judged in self._judge(MAIN)][-_LATEST:]
        if not trials:
            return None
        chance = next((draw.chance for trial in reversed(trials) for draw in trial.draws), _USUAL_CHANCE)
        verdicts = self_test(trials, chance=chance, rounds=_ROUNDS, alpha=ALPHA)
        is_passed = verdicts.interval[0] <= ALPHA
        return SelfTest(sessions=len(trials), rounds=verdicts.of, verdicts=verdicts.hits, is_passed=is_passed)


def _with_cold_held_out(cases: Cases) -> Cases:
    return msgspec.structs.replace(
        cases,
        drawn=[_hold_out_if_cold(case) for case in cases.drawn],
        lost=[_hold_out_if_cold(case) for case in cases.lost],
    )


def _hold_out_if_cold(case: C) -> C:
    if COLD not in case.odds:
        return case
    odds = {HELD if arm == COLD else arm: chance for arm, chance in case.odds.items()}
    return msgspec.structs.replace(case, arm=HELD if case.arm == COLD else case.arm, odds=odds)


def _explain_case(judged: _Judged, figure: Figure) -> list[ExplainedCase]:
    """What a case adds, draw by draw. One that could come out in one way only adds nothing."""
    case, trial, surprise = judged
    return [
        ExplainedCase(
            session=case.session,
            agent=case.agent,
            repo=case.repo,
            at_ms=case.at_ms,
            is_told=draw.is_told,
            chance=draw.chance if draw.is_told else 1 - draw.chance,
            value=case.figures[figure],
            usual=None if surprise is None else trial.value - surprise,
            score=None
            if surprise is None
            else surprise * (1 / draw.chance if draw.is_told else -1 / (1 - draw.chance)),
        )
        for draw in trial.draws
        if 0 < draw.chance < 1
    ]


def _draws_by_group(case: Case, grouping: Grouping) -> dict[str, tuple[Draw, ...]]:
    draws: defaultdict[str, list[Draw]] = defaultdict(list)
    for draw in case.items:
        if name := grouping.name_of(draw):
            draws[name].append(Draw(draw.is_told, draw.chance))
    return {name: tuple(drawn) for name, drawn in draws.items()}


def _group(
    name: str,
    trials: Sequence[tuple[Trial, float | None]],
    alpha: float,
    sought: float | None,
    *,
    is_sound: bool,
) -> GroupEffect:
    outcome = estimate_from(trials, alpha=alpha, sought=sought)
    draws = sum(len(trial.draws) for trial, _ in trials)
    finding = outcome.finding(is_less_better=ABOUT[MAIN].is_less_better) if is_sound else Finding.NO_EVIDENCE
    return GroupEffect(name=name, draws=draws, finding=finding, estimate=outcome)


def _finding(about: AboutFigure, outcome: Estimate, *, is_sound: bool) -> Finding:
    if not about.is_judged:
        return Finding.NOT_JUDGED
    return outcome.finding(is_less_better=about.is_less_better) if is_sound else Finding.NO_EVIDENCE


def _seek(figure: Figure, trials: Sequence[Trial]) -> float | None:
    """The effect that is worth waiting for, in the unit of comparison."""
    if ABOUT[figure].is_log:
        return math.log1p(SOUGHT)
    mean = sum(trial.value for trial in trials) / len(trials) if trials else 0.0
    return SOUGHT * mean or None


def _change(figure: Figure, effect: float | None, base: float | None) -> float | None:
    """An effect as a share of what it would have been without; of a logarithm of one more than the amount, back to the
    amount."""
    if effect is None or not base:
        return None
    return ((1 + base) * math.exp(effect) - 1) / base - 1 if ABOUT[figure].is_log else effect / base


_EFFECT = "effect"
_VERSION = 1  # of the figures and how they are compared
_DAY_MS = 86_400_000


class KeptEffect(msgspec.Struct, frozen=True, kw_only=True):
    version: int
    at_ms: int
    effect: EffectBrief


def kept_effect(db: apsw.Connection) -> KeptEffect | None:
    """None where nothing was compared yet, or another version did."""
    try:
        kept = msgspec.json.decode(mark(db, _EFFECT) or "null", type=KeptEffect | None)
    except msgspec.DecodeError:
        return None
    return kept if kept is not None and kept.version == _VERSION else None


def keep_effect(db: apsw.Connection, now_ms: int) -> None:
    """Compares, where something was drawn and nothing was compared today."""
    if not has_draws(db):
        return
    kept = kept_effect(db)
    if kept is None or kept.at_ms // _DAY_MS != now_ms // _DAY_MS:
        now = KeptEffect(version=_VERSION, at_ms=now_ms, effect=effect_of(cases_in(db)).brief)
        put_mark(db, _EFFECT, msgspec.json.encode(now).decode())
