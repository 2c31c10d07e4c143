"""Old against new: how sessions got on while either version lay on disk. Pure.

The unit is the block, because one draw holds for all its sessions: a block counts with the mean surprise of its
sessions, by what was usual before it began. The interval stays valid however often one looks. What is compared is the
share of actions that change files or publish something, less the share that fail: in the ten actions after the first
use, where both versions are versions of one skill, or in the whole session, where the old version is no skill at all.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from afterwit.harvest.skills.effect import WORTHWHILE
from afterwit.measure.statistics import Draw, Estimate, Finding, Trial, block_surprises, estimate_from

ALPHA = 0.05
TUNED_FOR = 60  # blocks


class TrialCase(NamedTuple):
    """One session, and how it got on."""

    at_ms: int
    stratum: str  # repository and agent
    value: float


class DrawnBlock(NamedTuple):
    """A time in which one version lay on disk."""

    is_new: bool
    chance: float
    from_ms: int
    until_ms: int


class TrialEffect(msgspec.Struct, frozen=True, kw_only=True):
    """What a trial shows so far. Effects are shares of actions: 0.1 is one in ten."""

    sessions: int  # that count
    blocks: int  # with any of them
    new_blocks: int
    effect: float | None = None
    low: float | None = None  # None while too few carry it
    high: float | None = None
    finding: str = Finding.NO_EVIDENCE.value
    more_sessions: int | None = None  # until an effect worth having would be seen; None: nobody can say


def compared(cases: Iterable[TrialCase], blocks: Sequence[DrawnBlock], started_ms: int) -> TrialEffect:
    """What cases say of blocks that are over. Those from before the trial show what is usual."""
    ordered = sorted(cases)
    past = [(_trial(case),) for case in ordered if case.at_ms < started_ms]
    times = [case.at_ms for case in ordered]
    within = (ordered[bisect_left(times, block.from_ms) : bisect_left(times, block.until_ms)] for block in blocks)
    drawn = [(block, tuple(map(_trial, cases))) for block, cases in zip(blocks, within, strict=True)]
    held = [(block, trials) for block, trials in drawn if trials]
    surprises = list(block_surprises([*past, *(trials for _, trials in held)]))[len(past) :]
    judged = [(_whole(block, trials), surprise) for (block, trials), surprise in zip(held, surprises, strict=True)]
    return _effect(estimate_from(judged, alpha=ALPHA, sought=WORTHWHILE, tuned_for=TUNED_FOR), held)


def _trial(case: TrialCase) -> Trial:
    return Trial(stratum=case.stratum, value=case.value)


def _whole(block: DrawnBlock, trials: Sequence[Trial]) -> Trial:
    mean = sum(trial.value for trial in trials) / len(trials)
    return Trial(stratum="", value=mean, draws=(Draw(block.is_new, block.chance),))


def _effect(outcome: Estimate, held: Sequence[tuple[DrawnBlock, Sequence[Trial]]]) -> TrialEffect:
    sessions = sum(len(trials) for _, trials in held)
    per_block = sessions / len(held) if held else 1.0
    return TrialEffect(
        sessions=sessions,
        blocks=len(held),
        new_blocks=sum(block.is_new for block, _ in held),
        effect=outcome.effect,
        low=outcome.low,
        high=outcome.high,
        finding=outcome.finding(is_less_better=False).value,
        more_sessions=None if outcome.needed is None else max(1, round(outcome.needed * per_block)),
    )
