"""What a comparison brings: figures with their intervals, groups of items, alarms, and the rows behind them."""

from enum import StrEnum

import msgspec

from afterwit.measure.live.outcomes import Figure
from afterwit.measure.statistics.estimate import Estimate, Finding


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
