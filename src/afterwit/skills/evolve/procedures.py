"""Procedures that sessions go through by hand, as signals tell them, and the sessions that stand behind a proposal.

A procedure is a row of checks that all passed, each known to have, between the last change and a commit. A door to the
store for the signals, which were noted when sessions were learned; the rest is pure.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import apsw
import msgspec

from afterwit.harvest.run import SessionRefs
from afterwit.harvest.signals.pattern_signals import PatternSignals
from afterwit.harvest.signals.signal import Signal, SignalKind, subject_from
from afterwit.harvest.skills.effect import WeighedUse
from afterwit.model.knowledge import SessionRef
from afterwit.skills.evolve.proposal import MOST_EVIDENCE, ProposalEvidence
from afterwit.store.rows.sightings import all_sightings

FEWEST_STORIES = 3
_SIGNAL = msgspec.msgpack.Decoder(Signal)
_ORDERS = f"{SignalKind.CHECKS_IN_ORDER}\n"


class Procedure(NamedTuple):
    repo: str
    commands: tuple[str, ...]


class ProcedureSeen(NamedTuple):
    """That one session took these steps, in this order, and they passed."""

    session: SessionRef
    signal: Signal


Procedures = Mapping[Procedure, Sequence[ProcedureSeen]]


def procedures_in(db: apsw.Connection, refs: SessionRefs) -> Procedures:
    """All of them, with the sessions that went through each."""
    found: defaultdict[Procedure, list[ProcedureSeen]] = defaultdict(list)
    for row in all_sightings(db, PatternSignals.name):
        subject = subject_from(row.matter) if row.matter.startswith(_ORDERS) else None
        ref = refs.of(row.session_id) if subject is not None else None
        if subject is not None and ref is not None:
            procedure = Procedure(subject.names[0], subject.names[1:])
            found[procedure].append(ProcedureSeen(ref, _SIGNAL.decode(row.body)))
    return found


def stories_of(seen: Iterable[ProcedureSeen]) -> int:
    """How many independent sessions these are."""
    return len({piece.session.story for piece in seen})


def best_by_repo(procedures: Procedures) -> list[Procedure]:
    """For each repository the procedure that most independent sessions went through, where enough did."""
    best: dict[str, tuple[int, Procedure]] = {}
    for procedure, seen in sorted(procedures.items()):
        stories = stories_of(seen)
        if stories >= FEWEST_STORIES:
            best[procedure.repo] = max(best.get(procedure.repo, (0, procedure)), (stories, procedure))
    return [procedure for _, procedure in best.values()]


def steps_after(
    repo: str, uses: Sequence[WeighedUse], procedures: Procedures
) -> tuple[tuple[str, ...], list[ProcedureSeen]]:
    """The checks that sessions ran by hand after they had used the skill: the order that most of them took."""
    first = {(use.session.agent, use.session.native_id): use.use.at for use in reversed(uses)}
    best: tuple[tuple[str, ...], list[ProcedureSeen]] = ((), [])
    for procedure, seen in sorted(procedures.items()):
        after = [piece for piece in seen if _is_after(piece, first)] if procedure.repo == repo else []
        if stories_of(after) >= max(FEWEST_STORIES, stories_of(best[1]) + 1):
            best = (procedure.commands, after)
    return best


def _is_after(piece: ProcedureSeen, first: Mapping[tuple[str, str], int]) -> bool:
    used = first.get((piece.session.agent, piece.session.native_id))
    return used is not None and piece.signal.at is not None and piece.signal.at > used


def evidence_of(seen: Iterable[ProcedureSeen]) -> tuple[ProposalEvidence, ...]:
    newest = sorted(seen, key=lambda piece: (-piece.session.at_ms, piece.session.native_id))[:MOST_EVIDENCE]
    return tuple(
        ProposalEvidence(
            agent=piece.session.agent,
            session=piece.session.native_id,
            repo=piece.session.repo,
            at_ms=piece.signal.at_ms or piece.session.at_ms,
            step=piece.signal.at,
            excerpt=piece.signal.excerpt,
        )
        for piece in newest
    )


def evidence_of_uses(uses: Iterable[WeighedUse]) -> tuple[ProposalEvidence, ...]:
    newest = sorted(uses, key=lambda use: (-use.session.at_ms, use.session.native_id))[:MOST_EVIDENCE]
    return tuple(
        ProposalEvidence(
            agent=use.session.agent,
            session=use.session.native_id,
            repo=use.session.repo,
            at_ms=use.session.at_ms,
            step=use.use.at,
            excerpt=f"{use.use.name}: {use.use.edits} edits and {use.use.failures} failures in what followed",
        )
        for use in newest
    )
