"""Procedures that sessions go through by hand: the checks that pass, each known to have, before they commit.

A check counts in a repository once three independent sessions passed it between their last change and a commit; of
several for one purpose the one that most of them ran. Two or more such checks that three independent sessions ran
together are a procedure, in the order in which they mostly come. The signals were noted when sessions were learned.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import apsw
import msgspec

from afterwit.extras.lab.patterns.signals import PatternSignals, Signal, SignalKind, subject_from
from afterwit.extras.lab.skills.effect import WeighedUse
from afterwit.extras.lab.skills.evolve.command_history import purpose_in
from afterwit.extras.lab.skills.evolve.proposal import MOST_EVIDENCE, ProposalEvidence
from afterwit.harvest.door import SessionRefs
from afterwit.harvest.harvester import grouped_by
from afterwit.model.knowledge import SessionRef
from afterwit.store.rows.sightings import all_sightings

FEWEST_STORIES = 3
_FEWEST_CHECKS = 2
_MOST_CHECKS = 5
_SIGNAL = msgspec.msgpack.Decoder(Signal)
_CHECKED = f"{SignalKind.CHECKED_COMMIT}\n"


class CheckSeen(NamedTuple):
    """That one session ran a check, and it passed before a commit."""

    repo: str
    command: str
    session: SessionRef
    signal: Signal

    @property
    def place(self) -> tuple[str, str]:
        return self.session.agent, self.session.native_id


class Procedure(NamedTuple):
    """Checks in their order, and the independent sessions that ran several of them."""

    commands: tuple[str, ...] = ()
    seen: tuple[CheckSeen, ...] = ()

    @property
    def stories(self) -> int:
        return len({check.session.story for check in self.seen})


def checks_in(db: apsw.Connection, refs: SessionRefs) -> list[CheckSeen]:
    """All checks that passed before a commit, of all repositories."""
    return list(_checks(db, refs))


def _checks(db: apsw.Connection, refs: SessionRefs) -> Iterator[CheckSeen]:
    for row in all_sightings(db, PatternSignals.name):
        subject = subject_from(row.matter) if row.matter.startswith(_CHECKED) else None
        ref = refs.of(row.session_id) if subject is not None else None
        if subject is not None and ref is not None:
            yield CheckSeen(subject.names[0], subject.names[1], ref, _SIGNAL.decode(row.body))


def procedure_of(checks: Iterable[CheckSeen]) -> Procedure:
    """What sessions of one repository do before they commit; empty where they have no procedure."""
    checks = list(checks)
    frequent = _frequent(checks)
    together = [
        check
        for same in grouped_by(checks, lambda check: check.session.story).values()
        if len({check.command for check in same} & frequent) >= _FEWEST_CHECKS
        for check in same
        if check.command in frequent
    ]
    commands = _in_order(together)
    procedure = Procedure(commands, tuple(together))
    return procedure if len(commands) >= _FEWEST_CHECKS and procedure.stories >= FEWEST_STORIES else Procedure()


def _frequent(checks: Sequence[CheckSeen]) -> frozenset[str]:
    """The checks that enough independent sessions ran: for each purpose the commonest."""
    stories = Counter(command for command, _ in {(check.command, check.session.story) for check in checks})
    best: dict[object, str] = {}
    for command, count in sorted(stories.items(), key=lambda counted: (-counted[1], counted[0])):
        if count >= FEWEST_STORIES:
            best.setdefault(purpose_in(command) or command, command)
    return frozenset(list(best.values())[:_MOST_CHECKS])


def _in_order(together: Sequence[CheckSeen]) -> tuple[str, ...]:
    """The checks in the order in which sessions mostly run them: by their mean place."""
    places: defaultdict[str, list[float]] = defaultdict(list)
    for same in grouped_by(together, lambda check: check.place).values():
        ordered = sorted(same, key=lambda check: (check.signal.at or 0, check.command))
        for at, check in enumerate(ordered):
            places[check.command].append(at / max(1, len(ordered) - 1))
    return tuple(sorted(places, key=lambda command: (sum(places[command]) / len(places[command]), command)))


def checks_after(checks: Iterable[CheckSeen], uses: Sequence[WeighedUse]) -> Iterator[CheckSeen]:
    """Those of them that sessions ran after they had used a skill."""
    first = {(use.session.agent, use.session.native_id): use.use.at for use in reversed(uses)}
    for check in checks:
        used = first.get(check.place)
        if used is not None and check.signal.at is not None and check.signal.at > used:
            yield check


def evidence_of(seen: Iterable[CheckSeen]) -> tuple[ProposalEvidence, ...]:
    """The newest sessions, each with what it ran."""
    sessions = grouped_by(seen, lambda check: check.place).values()
    newest = sorted(sessions, key=lambda same: (-same[0].session.at_ms, same[0].place))[:MOST_EVIDENCE]
    return tuple(_piece(sorted(same, key=lambda check: check.signal.at or 0)) for same in newest)


def _piece(same: Sequence[CheckSeen]) -> ProposalEvidence:
    session = same[0].session
    return ProposalEvidence(
        agent=session.agent,
        session=session.native_id,
        repo=session.repo,
        at_ms=same[0].signal.at_ms or session.at_ms,
        step=same[0].signal.at,
        excerpt=" → ".join((*(check.command for check in same), "git commit")),
    )


def evidence_of_uses(uses: Iterable[WeighedUse]) -> tuple[ProposalEvidence, ...]:
    """The newest uses of a skill, with what followed."""
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
