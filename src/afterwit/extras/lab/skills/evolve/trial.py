"""Trials of versions, as the journal tells them: what is compared, which version lay on disk when, and how it ended.

A trial goes through *blocks* of time. At the beginning of each, chance says which version lies on disk; that is noted
with its odds before the file is written, and that it lies there is noted afterwards. A session belongs to the version
that lay there when it began; one that began in between, or while a file was being written, belongs to none.

The unit that is compared is the block, because one draw holds for all its sessions: a block counts with the mean
surprise of its sessions, by what was usual before it began. The interval stays valid however often one looks. A
session's value is the share of actions that change files or publish something, less the share that fail: in the ten
actions after the first use, where both versions are versions of one skill, or in the whole session, where the old
version is no skill at all. Sessions of agents that do not read the file are left out.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

import apsw
import msgspec

from afterwit.digest.door import load_digest
from afterwit.extras.lab.skills.effect import WORTHWHILE, Skills
from afterwit.extras.lab.skills.evolve.verify import SkillProposal
from afterwit.extras.lab.skills.moments import SkillSession, session_value
from afterwit.harvest.door import version_of
from afterwit.measure.statistics import Draw, Finding, Trial, block_surprises, estimate_from
from afterwit.store.decisions import JournalEntry, SkillEntry
from afterwit.store.rows.session_list import Selection, SessionRow, earlier_sessions, select_sessions
from afterwit.store.rows.sightings import sightings_by

ALPHA = 0.05
TUNED_FOR = 60  # blocks


class TrialCase(NamedTuple):
    """One session, and how it got on."""

    at_ms: int
    stratum: str  # repository and agent
    value: float


class Arm(StrEnum):
    OLD = "old"
    NEW = "new"


class TrialBlock(NamedTuple):
    """A time in which one version lay on disk."""

    number: int
    arm: Arm
    chance: float  # of the new version
    from_ms: int | None = None  # None: it is not known to lie there yet
    until_ms: int | None = None  # None: it still does

    @property
    def is_new(self) -> bool:
        return self.arm is Arm.NEW


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


def compare(cases: Iterable[TrialCase], blocks: Iterable[TrialBlock], started_ms: int) -> TrialEffect:
    """What cases say of blocks that are over. Those from before the trial show what is usual."""
    ordered = sorted(cases)
    times = [case.at_ms for case in ordered]
    past = [(_trial(case),) for case in ordered if case.at_ms < started_ms]
    held = []
    for block in blocks:
        if block.from_ms is not None and block.until_ms is not None:
            within = ordered[bisect_left(times, block.from_ms) : bisect_left(times, block.until_ms)]
            held += [(block, tuple(map(_trial, within)))] if within else []
    surprises = list(block_surprises([*past, *(trials for _, trials in held)]))[len(past) :]
    judged = [(_whole(block, trials), surprise) for (block, trials), surprise in zip(held, surprises, strict=True)]
    outcome = estimate_from(judged, alpha=ALPHA, sought=WORTHWHILE, tuned_for=TUNED_FOR)
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


def _trial(case: TrialCase) -> Trial:
    return Trial(stratum=case.stratum, value=case.value)


def _whole(block: TrialBlock, trials: Sequence[Trial]) -> Trial:
    mean = sum(trial.value for trial in trials) / len(trials)
    return Trial(stratum="", value=mean, draws=(Draw(block.is_new, block.chance),))


BLOCK_MS = 6 * 3_600_000
CHANCE = 0.5  # of the new version


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


def evolution_of(entries: Iterable[JournalEntry]) -> Evolution:
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
        return trial._replace(blocks=(*_close_blocks(trial, at_ms), block), is_settled=False)
    if kind == SkillEntry.PLACED:
        blocks = trial.blocks
        if trial.is_open and blocks and blocks[-1].from_ms is None:
            blocks = (*blocks[:-1], blocks[-1]._replace(from_ms=at_ms))
        return trial._replace(blocks=blocks, is_settled=True)
    effect = msgspec.convert(body["effect"], TrialEffect) if body.get("effect") else trial.effect
    return trial._replace(
        blocks=_close_blocks(trial, at_ms),
        verdict=TrialVerdict(body["verdict"]),
        ended_ms=at_ms,
        effect=effect,
        why=str(body.get("why", "")),
        is_settled=False,
    )


def _close_blocks(trial: SkillTrial, at_ms: int) -> tuple[TrialBlock, ...]:
    """The blocks so far; the last one ends here."""
    if not trial.blocks or trial.blocks[-1].until_ms is not None:
        return trial.blocks
    return (*trial.blocks[:-1], trial.blocks[-1]._replace(until_ms=at_ms))


_PAST = 100  # sessions of an agent, before the trial, that show what is usual
_SEEN = msgspec.msgpack.Decoder(SkillSession)


def trial_effect(db: apsw.Connection, trial: SkillTrial) -> TrialEffect:
    """What a trial shows by now. The block under way does not count yet."""
    cases = _uses(db, trial) if trial.proposal.old is not None else _sessions(db, trial)
    return compare(cases, trial.blocks, trial.started_ms)


def _uses(db: apsw.Connection, trial: SkillTrial) -> Iterator[TrialCase]:
    seen = {row.session_id: row.body for row in sightings_by(db, Skills.name, version_of())}
    for row in select_sessions(db, Selection(agents=frozenset(trial.proposal.agents))):
        uses = _SEEN.decode(seen[row.id]).uses if row.id in seen else ()
        first = next((use for use in uses if use.name == trial.proposal.skill and use.actions), None)
        if first is not None and row.started_ms is not None:
            yield TrialCase(row.started_ms, _stratum(row), first.value)


def _sessions(db: apsw.Connection, trial: SkillTrial) -> Iterator[TrialCase]:
    repo, since_ms = trial.proposal.repo, trial.started_ms
    agents = frozenset(trial.proposal.agents)
    rows = [row for agent in sorted(agents) for row in earlier_sessions(db, repo, agent, since_ms, _PAST)]
    rows += select_sessions(db, Selection(agents=agents, repos=frozenset((repo,)), since_ms=since_ms))
    for row in rows:
        digest = load_digest(db, row)
        value = session_value(digest) if digest is not None else None
        if value is not None and row.started_ms is not None:
            yield TrialCase(row.started_ms, _stratum(row), value)


def _stratum(row: SessionRow) -> str:
    return f"{row.repo}\0{row.agent}"
