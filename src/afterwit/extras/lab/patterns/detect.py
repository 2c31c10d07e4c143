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
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import groupby
from typing import Any, NamedTuple

import apsw
import msgspec

from afterwit.config.world import World
from afterwit.extras.lab.patterns.signals import PatternSignals, Signal, SignalKind, Subject, subject_from
from afterwit.harvest.door import SessionRefs
from afterwit.harvest.harvester import quote, quote_repo
from afterwit.model.knowledge import EVERYWHERE, SENTENCE_LIMIT, Scope, ScopeKind, SessionRef
from afterwit.redaction.markers import unkeyed
from afterwit.sessions.filters import Filter, selection_of
from afterwit.store.decisions import gather_decisions
from afterwit.store.rows.items import recorded
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


class PatternWords(NamedTuple):
    """How a kind is said: its names stand in for the numbers. Of a pattern of one repository that is number 0."""

    title: str
    text: str
    trigger: str = ""
    is_of_repo: bool = False
    side: PatternSide = PatternSide.PROBLEM


_WORDS = {
    SignalKind.WORD_UNKNOWN: PatternWords(
        "{0} is called with the {what} {2}, which it does not know.",
        "Do not give {0} the {what} {2}; its help says what it takes.",
        "command:{plain}",
    ),
    SignalKind.NAME_UNKNOWN: PatternWords(
        "{article} {what} named {1} is called, and there is none.",
        "Do the work of {1} with other tools: there is no {what} of that name.",
    ),
    SignalKind.PROGRAM_MISSING: PatternWords(
        "{0} is not installed where sessions call it.",
        "Look for {0} with `command -v` before using it, or call it by its whole path.",
        "command:{plain}",
    ),
    SignalKind.NOT_PERMITTED: PatternWords(
        "{0} is stopped with “operation not permitted”.",
        "Ask for the permission that {0} needs before running it: in a sandbox a second try fails, too.",
        "command:{plain}",
    ),
    SignalKind.COMMIT_REFUSED: PatternWords(
        "In {0}, checks refuse the {plain} that was meant to end the work.",
        "Run the repository's checks before `git {plain}`, not through it.",
        "command:git {plain}",
        is_of_repo=True,
    ),
    SignalKind.LEFT_FAILING: PatternWords(
        "In {0}, sessions end while {1} still fails.",
        "Run {1} once more before ending, and say so plainly if it fails.",
        "command:{plain}",
        is_of_repo=True,
    ),
    SignalKind.COMMAND_TURNED_DOWN: PatternWords(
        "The user does not let {0} run.", "Ask before running {0}, and say what it is for.", "command:{plain}"
    ),
    SignalKind.CHECKED_COMMIT: PatternWords(
        "In {0}, {1} passes after the last change and before the commit.",
        "Run {1} after the last change and before a commit.",
        "command:git commit",
        is_of_repo=True,
        side=PatternSide.SUCCESS,
    ),
    SignalKind.CHECKS_IN_ORDER: PatternWords(
        "In {0}, work is committed after {order}.",
        "Before a commit, run {order}.",
        "command:git commit",
        is_of_repo=True,
        side=PatternSide.SUCCESS,
    ),
}


def put_into_words(subject: Subject) -> PatternWords | None:
    """The pattern in words; None where its names cannot be said."""
    words, names = _WORDS[subject.kind], subject.names
    if not all(map(quote, names)):
        return None
    quoted = [quote(name) for name in names]
    if words.is_of_repo:
        quoted[0] = quote_repo(names[0])
    what = names[0] if subject.kind is SignalKind.NAME_UNKNOWN else names[1] if len(names) > 1 else ""
    values = {
        "plain": names[1] if words.is_of_repo else names[0],
        "what": what,
        "article": "An" if what[:1] in "aeiouM" else "A",
        "order": ", then ".join(quoted[1:]),
    }
    said = words._replace(
        **{name: getattr(words, name).format(*quoted, **values) for name in ("title", "text", "trigger")}
    )
    return said if max(len(said.title), len(said.text)) <= SENTENCE_LIMIT else None


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
        scope=_scope(subject, saying, agents, repos),
        triggers=(saying.trigger,) if saying.trigger else (),
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


def _scope(subject: Subject, saying: PatternWords, agents: Sequence[str], repos: Sequence[str]) -> Scope:
    """Where it holds: what was seen in one repository holds there."""
    if saying.is_of_repo:
        return Scope(ScopeKind.REPO, subject.names[0])
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
