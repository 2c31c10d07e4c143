"""Finds patterns: what recurs in all that was learned, or in the sessions that a filter means.

Every session's signals were noted when it was learned, so that nothing is read again here. Signals of one subject
become a pattern in one walk over them: no two are compared. A session counts with its subagents, forks and resumes, and
with the same task given again, as one. A pattern's id is a hash of what it is about: the same on every machine and
whatever sessions come later. Evidence is bounded: the newest of every agent in every repository first.

A pattern is said in sentences of ours with a few plain names in them. Nothing else comes from sessions: no message of a
tool, no masked signature. What the names do not allow to be said is no pattern.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import groupby
from typing import Any, NamedTuple

import apsw
import msgspec

from afterwit.config.world import World
from afterwit.extras.lab.patterns.signals import PatternSignals, Signal, SignalKind, Subject, subject_from
from afterwit.harvest.door import SessionRefs
from afterwit.harvest.harvester import quote, quote_repo
from afterwit.knowledge.door.settle import recorded
from afterwit.model.knowledge import EVERYWHERE, SENTENCE_LIMIT, Scope, ScopeKind, SessionRef
from afterwit.redaction.markers import unkeyed
from afterwit.sessions.filters import Filter, selection_of
from afterwit.store.decisions import gather_decisions
from afterwit.store.rows.session_list import select_sessions
from afterwit.store.rows.sightings import all_sightings
from afterwit.store.store import readonly_database

_DIGITS = 12


class PatternSide(StrEnum):
    PROBLEM = "problem"
    SUCCESS = "success"


class PatternEvidence(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where it was seen: redacted, as the digest has it."""

    hash: str
    agent: str
    session: str
    repo: str = ""
    step: int | None = None
    at_ms: int = 0
    excerpt: str = ""


class Pattern(msgspec.Struct, frozen=True, kw_only=True):
    """What recurs, with all that speaks for it."""

    id: str
    kind: SignalKind
    side: PatternSide
    title: str
    text: str  # what to do about it
    scope: Scope
    triggers: tuple[str, ...]
    frequency: int  # how often it was seen
    sessions: int
    stories: int  # independent sessions
    repos: tuple[str, ...]
    users: int
    agents: tuple[str, ...]
    first_ms: int
    last_ms: int
    failures: int
    mended: int  # of the failures
    actions: int
    tokens: int
    evidence: tuple[PatternEvidence, ...]

    @property
    def is_cross_agent(self) -> bool:
        return len(self.agents) > 1

    @property
    def rank(self) -> tuple[bool, int, int, int, str]:
        """Sorts the most worth sharing first."""
        return not self.is_cross_agent, -self.stories, -self.failures, -self.frequency, self.id


def short_hash(value: Any) -> str:
    return hashlib.sha256(msgspec.json.encode(value)).hexdigest()[:_DIGITS]


def pattern_id(subject: Subject) -> str:
    return short_hash([subject.kind, [unkeyed(name) for name in subject.names]])


_K = SignalKind


class PatternWords(NamedTuple):
    title: str
    text: str
    triggers: tuple[str, ...] = ()
    repo: str = ""  # where it holds, if it holds in one place only
    side: PatternSide = PatternSide.PROBLEM


def put_into_words(subject: Subject) -> PatternWords | None:
    """The pattern in words; None where its names cannot be said."""
    names = subject.names
    words = _SAYINGS[subject.kind](*names) if all(map(quote, names)) else None
    return words if words is not None and max(len(words.title), len(words.text)) <= SENTENCE_LIMIT else None


def _word_unknown(command: str, what: str, word: str) -> PatternWords:
    return PatternWords(
        f"{quote(command)} is called with the {what} {quote(word)}, which it does not know.",
        f"Do not give {quote(command)} the {what} {quote(word)}; its help says what it takes.",
        (f"command:{command}",),
    )


def _name_unknown(what: str, name: str) -> PatternWords:
    return PatternWords(
        f"{_article(what)} named {quote(name)} is called, and there is none.",
        f"Do the work of {quote(name)} with other tools: there is no {what} of that name.",
    )


def _article(what: str) -> str:
    return f"{'An' if what[:1] in 'aeiouM' else 'A'} {what}"


def _program_missing(program: str) -> PatternWords:
    return PatternWords(
        f"{quote(program)} is not installed where sessions call it.",
        f"Look for {quote(program)} with `command -v` before using it, or call it by its whole path.",
        (f"command:{program}",),
    )


def _not_permitted(command: str) -> PatternWords:
    return PatternWords(
        f"{quote(command)} is stopped with “operation not permitted”.",
        f"Ask for the permission that {quote(command)} needs before running it: in a sandbox a second try fails, too.",
        (f"command:{command}",),
    )


def _commit_refused(repo: str, step: str) -> PatternWords:
    return PatternWords(
        f"In {quote_repo(repo)}, checks refuse the {step} that was meant to end the work.",
        f"Run the repository's checks before `git {step}`, not through it.",
        (f"command:git {step}",),
        repo,
    )


def _ends_failing(repo: str, command: str) -> PatternWords:
    return PatternWords(
        f"In {quote_repo(repo)}, sessions end while {quote(command)} still fails.",
        f"Run {quote(command)} once more before ending, and say so plainly if it fails.",
        (f"command:{command}",),
        repo,
    )


def _command_turned_down(command: str) -> PatternWords:
    return PatternWords(
        f"The user does not let {quote(command)} run.",
        f"Ask before running {quote(command)}, and say what it is for.",
        (f"command:{command}",),
    )


def _commit_after_check(repo: str, command: str) -> PatternWords:
    return PatternWords(
        f"In {quote_repo(repo)}, {quote(command)} passes after the last change and before the commit.",
        f"Run {quote(command)} after the last change and before a commit.",
        ("command:git commit",),
        repo,
        PatternSide.SUCCESS,
    )


def _checks_in_order(repo: str, *commands: str) -> PatternWords:
    order = ", then ".join(quote(command) for command in commands)
    return PatternWords(
        f"In {quote_repo(repo)}, work is committed after {order}.",
        f"Before a commit, run {order}.",
        ("command:git commit",),
        repo,
        PatternSide.SUCCESS,
    )


_SAYINGS: dict[SignalKind, Callable[..., PatternWords]] = {
    _K.WORD_UNKNOWN: _word_unknown,
    _K.NAME_UNKNOWN: _name_unknown,
    _K.PROGRAM_MISSING: _program_missing,
    _K.NOT_PERMITTED: _not_permitted,
    _K.COMMIT_REFUSED: _commit_refused,
    _K.LEFT_FAILING: _ends_failing,
    _K.COMMAND_TURNED_DOWN: _command_turned_down,
    _K.CHECKED_COMMIT: _commit_after_check,
    _K.CHECKS_IN_ORDER: _checks_in_order,
}


MOST_EVIDENCE = 8
FEWEST_STORIES = 3


class SignalSeen(NamedTuple):
    """A signal, and in which session."""

    subject: Subject
    session: SessionRef
    signal: Signal


def cluster(signals: Iterable[SignalSeen], fewest_stories: int = FEWEST_STORIES) -> list[Pattern]:
    """All that recurs in so many independent sessions, the most worth sharing first. Signals of one subject follow each
    other."""
    return sorted(_patterns(signals, fewest_stories), key=lambda pattern: pattern.rank)


def _patterns(signals: Iterable[SignalSeen], fewest_stories: int) -> Iterator[Pattern]:
    for subject, group in groupby(signals, lambda seen: seen.subject):
        same = list(group)
        saying = put_into_words(subject) if len({seen.session.story for seen in same}) >= fewest_stories else None
        if saying is not None:
            yield _pattern(subject, saying, same)


def _pattern(subject: Subject, saying: PatternWords, same: Sequence[SignalSeen]) -> Pattern:
    agents = tuple(sorted({seen.session.agent for seen in same}))
    repos = tuple(sorted({seen.session.repo for seen in same if seen.session.repo}))
    moments = [seen.signal.at_ms or seen.session.at_ms for seen in same]
    totals = Counter[str]()
    for seen in same:
        for name in ("times", "failures", "mended", "actions", "tokens"):
            totals[name] += getattr(seen.signal, name)
    return Pattern(
        id=pattern_id(subject),
        kind=subject.kind,
        side=saying.side,
        title=saying.title,
        text=saying.text,
        scope=_scope(saying, agents, repos),
        triggers=saying.triggers,
        frequency=totals["times"],
        sessions=len({(seen.session.agent, seen.session.native_id) for seen in same}),
        stories=len({seen.session.story for seen in same}),
        repos=repos,
        users=len({seen.session.user for seen in same if seen.session.user}),
        agents=agents,
        first_ms=min(moments),
        last_ms=max(moments),
        failures=totals["failures"],
        mended=totals["mended"],
        actions=totals["actions"],
        tokens=totals["tokens"],
        evidence=_evidence(same),
    )


def _scope(saying: PatternWords, agents: Sequence[str], repos: Sequence[str]) -> Scope:
    """Where it holds: what was seen in one repository holds there."""
    if saying.repo:
        return Scope(ScopeKind.REPO, saying.repo)
    if len(repos) == 1:
        return Scope(ScopeKind.REPO, repos[0])
    return Scope(ScopeKind.AGENT, agents[0]) if len(agents) == 1 else EVERYWHERE


def _evidence(same: Sequence[SignalSeen]) -> tuple[PatternEvidence, ...]:
    newest = sorted(map(_piece, same), key=_newest_first)
    first_of_place = {(piece.agent, piece.repo): piece for piece in reversed(newest)}.values()
    leading = sorted(first_of_place, key=_newest_first)
    taken = {id(piece) for piece in leading}
    rest = (piece for piece in newest if id(piece) not in taken)
    return tuple([*leading, *rest][:MOST_EVIDENCE])


def _piece(seen: SignalSeen) -> PatternEvidence:
    session, signal = seen.session, seen.signal
    return PatternEvidence(
        hash=short_hash((session.agent, session.native_id, signal.at, unkeyed(signal.excerpt))),
        agent=session.agent,
        session=session.native_id,
        repo=session.repo,
        step=signal.at,
        at_ms=signal.at_ms or session.at_ms,
        excerpt=signal.excerpt,
    )


def _newest_first(piece: PatternEvidence) -> tuple[int, str, str]:
    return -piece.at_ms, piece.agent, piece.session


_SIGNAL = msgspec.msgpack.Decoder(Signal)
_ANY = Filter()


def detect(world: World, wanted: Filter = _ANY, fewest_stories: int = FEWEST_STORIES) -> list[Pattern]:
    """What recurs, the most worth sharing first: what sessions of several agents show, then by independent sessions."""
    with readonly_database(world.layout) as db:
        chosen = None
        if wanted != _ANY:
            selection = selection_of(db, world.settings, wanted)
            chosen = frozenset(row.id for row in select_sessions(db, selection))
        return cluster(signals_in(db, chosen), fewest_stories)


def signals_in(db: apsw.Connection, chosen: frozenset[int] | None = None) -> Iterator[SignalSeen]:
    """All signals of these sessions, subject by subject; without those of what people had forgotten."""
    refs = SessionRefs(db, "", gather_decisions(recorded(db)).forgotten)
    for matter, rows in groupby(all_sightings(db, PatternSignals.name), lambda row: row.matter):
        subject = subject_from(matter)
        for row in rows if subject is not None else ():
            ref = refs.of(row.session_id) if chosen is None or row.session_id in chosen else None
            if subject is not None and ref is not None:
                yield SignalSeen(subject, ref, _SIGNAL.decode(row.body))
