"""Trials of versions, as the journal tells them: what is compared, which version lay on disk when, and how it ended.

A trial goes through *blocks* of time. At the beginning of each, chance says which version lies on disk; that is noted
with its odds before the file is written, and that it lies there is noted afterwards. A session belongs to the version
that lay there when it began; one that began in between, or while a file was being written, belongs to none. Pure.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

import msgspec

from afterwit.extras.lab.skills.evolve.compare import TrialEffect
from afterwit.extras.lab.skills.evolve.proposal import SkillProposal
from afterwit.store.decisions import Recorded, SkillEntry

BLOCK_MS = 6 * 3_600_000
CHANCE = 0.5  # of the new version


class Arm(StrEnum):
    OLD = "old"
    NEW = "new"


class TrialVerdict(StrEnum):
    KEPT = "kept"  # the new version proved better
    ROLLED_BACK = "rolled-back"  # it proved worse
    STOPPED = "stopped"  # by a person
    CHANGED = "changed-by-hand"  # somebody else wrote the file: it is left alone
    WITHDRAWN = "withdrawn"  # what it was made from was deleted


LEFT_WITH: Mapping[TrialVerdict, Arm | None] = {
    TrialVerdict.KEPT: Arm.NEW,
    TrialVerdict.ROLLED_BACK: Arm.OLD,
    TrialVerdict.STOPPED: Arm.OLD,
    TrialVerdict.CHANGED: None,
    TrialVerdict.WITHDRAWN: Arm.OLD,
}


class TrialStart(msgspec.Struct, frozen=True, kw_only=True):
    """What a person agreed to."""

    trial: str
    proposal: SkillProposal
    old_hash: str  # "": there was no file
    new_hash: str
    made: tuple[str, ...] = ()  # folders that have to be made, outermost first


class TrialBlock(NamedTuple):
    """A time in which one version lay on disk."""

    number: int
    arm: Arm
    chance: float  # of the new version
    from_ms: int | None = None  # None: it is not known to lie there yet
    until_ms: int | None = None  # None: it still does


class SkillTrial(NamedTuple):
    start: TrialStart
    machine: str
    started_ms: int
    blocks: tuple[TrialBlock, ...] = ()
    verdict: TrialVerdict | None = None
    ended_ms: int = 0
    effect: TrialEffect | None = None  # that ended it
    why: str = ""
    is_settled: bool = False  # the version that is due is known to lie on disk

    @property
    def id(self) -> str:
        return self.start.trial

    @property
    def proposal(self) -> SkillProposal:
        return self.start.proposal

    @property
    def is_open(self) -> bool:
        return self.verdict is None

    @property
    def due(self) -> Arm | None:
        """The version that has to lie on disk; None: whatever somebody put there."""
        if self.verdict is not None:
            return LEFT_WITH[self.verdict]
        return self.blocks[-1].arm if self.blocks else None

    def text(self, arm: Arm) -> str | None:
        return self.proposal.new if arm is Arm.NEW else self.proposal.old


class RejectedVersion(NamedTuple):
    id: str
    skill: str
    at_ms: int


class Evolution(NamedTuple):
    """All that was decided about versions of skills."""

    trials: tuple[SkillTrial, ...] = ()  # in the order in which they began
    rejected: tuple[RejectedVersion, ...] = ()

    @property
    def decided(self) -> frozenset[str]:
        """Proposals that are not made again."""
        return frozenset((*(trial.id for trial in self.trials), *(version.id for version in self.rejected)))

    @property
    def skills(self) -> frozenset[str]:
        """Whatever was decided about."""
        tried = (trial.proposal.skill for trial in self.trials)
        return frozenset((*tried, *(version.skill for version in self.rejected)))


def evolution_of(entries: Iterable[Recorded]) -> Evolution:
    """What follows from the entries of the journal, in the order in which they count."""
    trials: dict[tuple[str, str], SkillTrial] = {}
    rejected: list[RejectedVersion] = []
    for entry in entries:
        name = (entry.machine, str(entry.body["trial"]))
        if entry.kind == SkillEntry.REJECTED:
            rejected.append(RejectedVersion(name[1], str(entry.body["skill"]), entry.at_ms))
        elif entry.kind == SkillEntry.TRIED:
            start = msgspec.convert(entry.body, TrialStart)
            trials[name] = SkillTrial(start, entry.machine, entry.at_ms)
        elif name in trials:
            trials[name] = _after(trials[name], entry.kind, entry.at_ms, entry.body)
    return Evolution(tuple(trials.values()), tuple(rejected))


def _after(trial: SkillTrial, kind: str, at_ms: int, body: Mapping[str, Any]) -> SkillTrial:
    if kind == SkillEntry.DRAWN:
        block = TrialBlock(int(body["block"]), Arm(body["arm"]), float(body["odds"][Arm.NEW]))
        return trial._replace(blocks=(*_closed(trial, at_ms), block), is_settled=False)
    if kind == SkillEntry.PLACED:
        blocks = trial.blocks
        if trial.is_open and blocks and blocks[-1].from_ms is None:
            blocks = (*blocks[:-1], blocks[-1]._replace(from_ms=at_ms))
        return trial._replace(blocks=blocks, is_settled=True)
    effect = msgspec.convert(body["effect"], TrialEffect) if body.get("effect") else trial.effect
    return trial._replace(
        blocks=_closed(trial, at_ms),
        verdict=TrialVerdict(body["verdict"]),
        ended_ms=at_ms,
        effect=effect,
        why=str(body.get("why", "")),
        is_settled=False,
    )


def _closed(trial: SkillTrial, at_ms: int) -> tuple[TrialBlock, ...]:
    """The blocks so far; the last one ends here."""
    if not trial.blocks or trial.blocks[-1].until_ms is not None:
        return trial.blocks
    return (*trial.blocks[:-1], trial.blocks[-1]._replace(until_ms=at_ms))
