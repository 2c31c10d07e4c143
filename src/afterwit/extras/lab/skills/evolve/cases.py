"""The sessions that a trial compares, each with how it got on. A door to the store.

A skill that both versions have in common is compared where it was used: what followed its first use in a session. The
head by which agents choose it is the same in both, so whether it is used does not hang on the version. Where the old
version is no skill at all, all sessions of the repository are compared, whole. Sessions of agents that do not read the
file are left out.
"""

from collections.abc import Iterator

import apsw
import msgspec

from afterwit.digest.door.update import load_digest
from afterwit.extras.lab.skills.effect import Skills
from afterwit.extras.lab.skills.evolve.compare import DrawnBlock, TrialCase, TrialEffect, compared
from afterwit.extras.lab.skills.evolve.trial import Arm, SkillTrial
from afterwit.extras.lab.skills.moments import SkillSession, session_value
from afterwit.harvest.door import version_of
from afterwit.store.rows.session_list import Selection, SessionRow, earlier_sessions, selected_sessions
from afterwit.store.rows.sightings import seen_by

_PAST = 100  # sessions of an agent, before the trial, that show what is usual
_SEEN = msgspec.msgpack.Decoder(SkillSession)


def trial_effect(db: apsw.Connection, trial: SkillTrial) -> TrialEffect:
    """What a trial shows by now. The block under way does not count yet."""
    blocks = [
        DrawnBlock(block.arm is Arm.NEW, block.chance, block.from_ms, block.until_ms)
        for block in trial.blocks
        if block.from_ms is not None and block.until_ms is not None
    ]
    cases = _uses(db, trial) if trial.proposal.old is not None else _sessions(db, trial)
    return compared(cases, blocks, trial.started_ms)


def _uses(db: apsw.Connection, trial: SkillTrial) -> Iterator[TrialCase]:
    seen = {row.session_id: row.body for row in seen_by(db, Skills.name, version_of())}
    for row in selected_sessions(db, Selection(agents=frozenset(trial.proposal.agents))):
        uses = _SEEN.decode(seen[row.id]).uses if row.id in seen else ()
        first = next((use for use in uses if use.name == trial.proposal.skill and use.actions), None)
        if first is not None and row.started_ms is not None:
            yield TrialCase(row.started_ms, _stratum(row), first.value)


def _sessions(db: apsw.Connection, trial: SkillTrial) -> Iterator[TrialCase]:
    repo, since_ms = trial.proposal.repo, trial.started_ms
    agents = frozenset(trial.proposal.agents)
    rows = [row for agent in sorted(agents) for row in earlier_sessions(db, repo, agent, since_ms, _PAST)]
    rows += selected_sessions(db, Selection(agents=agents, repos=frozenset((repo,)), since_ms=since_ms))
    for row in rows:
        digest = load_digest(db, row)
        value = session_value(digest) if digest is not None else None
        if value is not None and row.started_ms is not None:
            yield TrialCase(row.started_ms, _stratum(row), value)


def _stratum(row: SessionRow) -> str:
    return f"{row.repo}\0{row.agent}"
