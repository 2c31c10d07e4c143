"""Drafts of skills, by rule: from a procedure a first version, from what history says of the old text the next one.

A procedure is what sessions go through by hand: checks that each passed between the last change and a commit. A check
counts once three independent sessions ran it, of several for one purpose the commonest; two or more that three
independent sessions ran together are a procedure, in the order in which they mostly come.

Sentences are fixed; commands in them are quoted, and each passed the gate. The head of a skill (its name and its
description) stays from version to version: by it agents choose the skill, so either version is used equally often.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import apsw
import msgspec

from afterwit.extras.lab.patterns.signals import PatternSignals, Signal, SignalKind, subject_from
from afterwit.extras.lab.skills.effect import WeighedUse
from afterwit.extras.lab.skills.evolve.verify import (
    MOST_EVIDENCE,
    CommandHistory,
    NamedLine,
    ProposalEvidence,
    commands_in,
    purpose_in,
)
from afterwit.harvest.commands.power import is_tellable
from afterwit.harvest.door import SessionRefs
from afterwit.harvest.harvester import group_by, quote
from afterwit.model.knowledge import SessionRef
from afterwit.redaction.shown import Shown, command, figure, joined, name, ours
from afterwit.repos.remotes import last_part
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


def checks_in(db: apsw.Connection, refs: SessionRefs) -> Iterator[CheckSeen]:
    """All checks that passed before a commit, of all repositories."""
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
        for same in group_by(checks, lambda check: check.session.story).values()
        if len({check.command for check in same} & frequent) >= _FEWEST_CHECKS
        for check in same
        if check.command in frequent
    ]
    commands = _in_order(together)
    procedure = Procedure(commands, tuple(together))
    return procedure if len(commands) >= _FEWEST_CHECKS and procedure.stories >= FEWEST_STORIES else Procedure()


def _frequent(checks: Sequence[CheckSeen]) -> frozenset[str]:
    """The checks that enough independent sessions ran: for each purpose the commonest."""
    stories = Counter(line for line, _ in {(check.command, check.session.story) for check in checks})
    best: dict[object, str] = {}
    for line, count in sorted(stories.items(), key=lambda counted: (-counted[1], counted[0])):
        if count >= FEWEST_STORIES:
            best.setdefault(purpose_in(line) or line, line)
    return frozenset(list(best.values())[:_MOST_CHECKS])


def _in_order(together: Sequence[CheckSeen]) -> tuple[str, ...]:
    """The checks in the order in which sessions mostly run them: by their mean place."""
    places: defaultdict[str, list[float]] = defaultdict(list)
    for same in group_by(together, lambda check: check.place).values():
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
    sessions = group_by(sorted(seen, key=lambda check: check.signal.at or 0), lambda check: check.place).values()
    pieces = (
        _piece(
            same[0].session,
            same[0].signal.at_ms or same[0].session.at_ms,
            same[0].signal.at,
            " → ".join((*(check.command for check in same), "git commit")),
        )
        for same in sorted(sessions, key=lambda same: (-same[0].session.at_ms, same[0].place))[:MOST_EVIDENCE]
    )
    return tuple(pieces)


def evidence_of_uses(uses: Iterable[WeighedUse]) -> tuple[ProposalEvidence, ...]:
    """The newest uses of a skill, with what followed."""
    newest = sorted(uses, key=lambda use: (-use.session.at_ms, use.session.native_id))[:MOST_EVIDENCE]
    return tuple(
        _piece(
            session,
            session.at_ms,
            use.at,
            f"{use.name}: {use.edits} edits and {use.failures} failures in what followed",
        )
        for session, use in ((weighed.session, weighed.use) for weighed in newest)
    )


def _piece(session: SessionRef, at_ms: int, step: int | None, excerpt: str) -> ProposalEvidence:
    return ProposalEvidence(
        agent=session.agent, session=session.native_id, repo=session.repo, at_ms=at_ms, step=step, excerpt=excerpt
    )


_HEADING = "## Checks that passed here, in this order"
_INTRO = "Run them from the root of the repository, and go on once each has passed:"


class FirstVersion(NamedTuple):
    """What a new skill says."""

    about: str  # in plain words, for its name
    description: Shown
    body: Shown


class NextVersion(NamedTuple):
    """Another text for a skill, and what is other in it."""

    content: str  # of the user's own file: a person looks at it before it is written
    changes: tuple[str, ...]
    refusals: tuple[str, ...] = ()  # what nothing could be done about


def first_version(repo: str, commands: Sequence[str]) -> FirstVersion | None:
    """A skill that says which checks to run before a commit, in which order; None where it cannot be said."""
    shown = [command(line) for line in commands]
    place = name(last_part(repo))
    if not place or not all(shown):
        return None
    description = joined(
        (
            ours("Which checks to run before a commit in the repository "),
            place,
            ours(", in the order in which they passed in earlier sessions. Use it before committing there."),
        )
    )
    body = joined(
        (
            joined((ours("# Before a commit in "), place)),
            ours("Run these from the root of the repository, in this order, and go on once each has passed:"),
            _number_lines(shown),
            ours("Then commit. If one fails, mend that before going on; do not skip it."),
        ),
        "\n\n",
    )
    return FirstVersion(f"{place} commit checks", description, body)


def next_version(text: str, history: CommandHistory, steps: Sequence[str]) -> NextVersion:
    """The text with commands that no longer run replaced or left out, and with the steps that sessions took after it by
    hand, if it does not name them."""
    lines: list[str | None] = list(text.split("\n"))
    changes: list[str] = []
    refusals: list[str] = []
    for named in commands_in(text):
        if history.record(named.text).is_dead:
            _mend(lines, named, history, changes, refusals)
    kept = "\n".join(line for line in lines if line is not None)
    missing = [step for step in steps if step not in kept]
    if missing and steps:
        kept = f"{kept.rstrip()}\n\n{_section(steps)}\n"
        changes.append(f"names {', '.join(map(quote, missing))}, which sessions ran by hand after it and which passed")
    return NextVersion(kept, tuple(changes), tuple(refusals))


def _mend(
    lines: list[str | None], named: NamedLine, history: CommandHistory, changes: list[str], refusals: list[str]
) -> None:
    line, purpose = lines[named.at], purpose_in(named.text)
    better = history.best_for(purpose) if purpose else ""
    if line is None:
        return
    if better and better != named.text and is_tellable(better):
        lines[named.at] = line.replace(named.text, better)
        changes.append(f"{quote(better)} instead of {quote(named.text)}, which no longer runs")
    elif named.is_alone:
        lines[named.at] = None
        changes.append(f"without {quote(named.text)}, which no longer runs")
    else:
        refusals.append(f"{quote(named.text)} no longer runs, and nothing is known that does the same.")


def _section(steps: Sequence[str]) -> Shown:
    return joined((ours(_HEADING), ours(_INTRO), _number_lines([command(step) for step in steps])), "\n\n")


def _number_lines(shown: Sequence[Shown]) -> Shown:
    return joined((joined((figure(at), ours(". "), line)) for at, line in enumerate(shown, start=1)), "\n")
