"""What the cases say: whether telling helps, as a whole, by figure, by moment, by harvester and by item.

One figure decides; the others share an error rate of their own. Sessions are compared with sessions that were told
nothing. Items, with what stands behind them, are compared inside sessions that were told something: there each fitting
item was left out by chance, so what comes of one is seen apart from the rest. A figure is believed only while the two
sides can be compared: where draws came out in a way that is next to impossible, or logs of one side are missing,
nothing is concluded.

An error rate that is divided among many is divided by how many there may ever be, so that it stays what it is however
many come.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

import apsw
import msgspec

from afterwit.measure.asked_again import LineAsked, asked_again
from afterwit.measure.cases import Case, Cases, ItemDraw, cases_in
from afterwit.measure.outcomes import ABOUT, MAIN, Figure, compared, shown
from afterwit.measure.statistics import (
    Draw,
    Estimate,
    Finding,
    Trial,
    are_unlikely,
    estimate_from,
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


class Alarm(StrEnum):
    DRAWS = "draws"
    LOGS = "logs"


class EffectBrief(msgspec.Struct, frozen=True, kw_only=True):
    """What the verdict is made of."""

    finding: Finding
    alarms: list[Alarm]
    sessions: int  # that were drawn, and went into the comparison
    effect: float | None
    change: float | None
    low: float | None
    high: float | None
    needed: int | None
    chance: float | None  # of being told, at the last draw
    is_going_on: bool  # whether more sessions will count
    harmful: list[str]  # items in use that should be retired


class EffectReport(EffectBrief, frozen=True, kw_only=True):
    """All that was compared."""

    told: int
    not_told: int
    lost: int  # of which no log was read
    since_ms: int | None
    main: FigureEffect
    figures: list[FigureEffect]
    asked_again: list[LineAsked]  # all of it, then line by line
    moments: list[GroupEffect]
    origins: list[GroupEffect]  # found by a model that read sessions, and by counting
    harvesters: list[GroupEffect]
    items: list[GroupEffect]
    patterns: list[GroupEffect]  # published ones, by id and version


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


class Grouping(StrEnum):
    """What items are judged together by."""

    ITEM = "item"
    MOMENT = "moment"
    HARVESTER = "harvester"
    ORIGIN = "origin"
    PATTERN = "pattern"  # that was published, by its version

    def name_of(self, draw: ItemDraw) -> str:
        """The group that a draw belongs to; "": none."""
        if self is Grouping.ORIGIN:
            return MODEL if draw.harvester == READ else COUNTED if draw.harvester else ""
        return str(getattr(draw, self.value))


_MOST = {  # groups that there may ever be
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
        self._drawn = [case for case in cases.drawn if self._is_compared(case)]

    def report(self) -> EffectReport:
        alarms = list(self._alarms())
        others = [figure for figure in Figure if figure is not MAIN]
        main = self.figure(MAIN, ALPHA, is_sound=not alarms)
        groups = {grouping: self._groups(grouping, is_sound=not alarms) for grouping in Grouping}
        harmful = [item.name for item in groups[Grouping.ITEM] if item.finding is Finding.HARMS]
        return EffectReport(
            finding=main.finding,
            alarms=alarms,
            sessions=len(self._drawn),
            effect=main.estimate.effect,
            change=main.change,
            low=main.low,
            high=main.high,
            needed=main.estimate.needed,
            chance=self._drawn[-1].odds[self._arm] if self._drawn else None,
            is_going_on=self._cases.is_going_on,
            harmful=[name for name in harmful if name in self._cases.in_use],
            told=sum(case.arm == self._arm for case in self._drawn),
            not_told=sum(case.arm == self._reference for case in self._drawn),
            lost=sum(map(self._is_compared, self._cases.lost)),
            since_ms=min((case.at_ms for case in self._drawn), default=None),
            main=main,
            figures=[self.figure(figure, ALPHA / len(others), is_sound=not alarms) for figure in others],
            asked_again=asked_again(self._cases),
            moments=groups[Grouping.MOMENT],
            origins=groups[Grouping.ORIGIN],
            harvesters=groups[Grouping.HARVESTER],
            items=groups[Grouping.ITEM],
            patterns=groups[Grouping.PATTERN],
        )

    def contrasted(self, alpha: float) -> ArmEffect:
        alarms = list(self._alarms())
        return ArmEffect(main=self.figure(MAIN, alpha, is_sound=not alarms), alarms=alarms)

    def figure(self, figure: Figure, alpha: float, *, is_sound: bool) -> FigureEffect:
        trials = [(judged.trial, judged.surprise) for judged in self._judge(figure)]
        outcome = estimate_from(trials, alpha=alpha, sought=_seek(figure, [trial for trial, _ in trials]))
        base = None if outcome.mean_held_out is None else shown(figure, outcome.mean_held_out)
        return FigureEffect(
            figure=figure,
            words=ABOUT[figure].words,
            finding=_finding(figure, outcome, is_sound=is_sound),
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

    def _is_compared(self, case: Case) -> bool:
        return case.arm in (self._arm, self._reference) and {self._arm, self._reference} <= case.odds.keys()

    def _judge(self, figure: Figure) -> list[_Judged]:
        valued = [case for case in [*self._cases.past, *self._cases.drawn] if figure in case.figures]
        trials = [
            Trial(stratum=case.stratum, value=compared(figure, case.figures[figure]), draws=self._draws(case))
            for case in valued
        ]
        return [_Judged(*judged) for judged in zip(valued, trials, surprises(trials), strict=True)]

    def _draws(self, case: Case) -> tuple[Draw, ...]:
        """Which of the two arms, with the chance among these; a case of another arm shows what is usual."""
        arm, other = (case.odds.get(name, 0.0) for name in (self._arm, self._reference))
        is_drawn = case.arm in (self._arm, self._reference) and arm + other > 0
        return (Draw(case.arm == self._arm, arm / (arm + other)),) if is_drawn else ()

    def _groups(self, grouping: Grouping, *, is_sound: bool) -> list[GroupEffect]:
        """The effect of each group of items, in the order in which the groups came up."""
        groups: defaultdict[str, list[tuple[Trial, float | None]]] = defaultdict(list)
        judged = self._judge(MAIN)
        for case, trial, surprise in judged:
            for name, draws in _draws_by_group(case, grouping).items():
                groups[name].append((msgspec.structs.replace(trial, draws=draws), surprise))
        sought = _seek(MAIN, [case.trial for case in judged])
        alpha = ALPHA / max(_MOST[grouping], len(groups))
        effects = []
        for name, trials in groups.items():
            outcome = estimate_from(trials, alpha=alpha, sought=sought)
            count = sum(len(trial.draws) for trial, _ in trials)
            finding = _finding(MAIN, outcome, is_sound=is_sound)
            effects.append(GroupEffect(name=name, draws=count, finding=finding, estimate=outcome))
        return effects

    def _alarms(self) -> Iterator[Alarm]:
        items = (Draw(draw.is_told, draw.chance) for case in self._cases.drawn for draw in case.items)
        if self._are_unlikely([*self._drawn, *self._cases.lost]) or are_unlikely(items):
            yield Alarm.DRAWS
        elif self._are_unlikely(self._drawn):
            yield Alarm.LOGS

    def _are_unlikely(self, cases: Iterable[Case]) -> bool:
        ordered = sorted(filter(self._is_compared, cases), key=lambda case: (case.at_ms, case.session))
        return are_unlikely(draw for case in ordered for draw in self._draws(case))


def _with_cold_held_out(cases: Cases) -> Cases:
    drawn, lost = (list(map(_hold_out_if_cold, some)) for some in (cases.drawn, cases.lost))
    return msgspec.structs.replace(cases, drawn=drawn, lost=lost)


def _hold_out_if_cold(case: Case) -> Case:
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
            score=None if surprise is None else surprise * draw.weight,
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


def _finding(figure: Figure, outcome: Estimate, *, is_sound: bool) -> Finding:
    return outcome.finding(is_less_better=ABOUT[figure].is_less_better) if is_sound else Finding.NO_EVIDENCE


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
        report = effect_of(cases_in(db))
        brief = EffectBrief(**{name: getattr(report, name) for name in EffectBrief.__struct_fields__})
        now = KeptEffect(version=_VERSION, at_ms=now_ms, effect=brief)
        put_mark(db, _EFFECT, msgspec.json.encode(now).decode())
