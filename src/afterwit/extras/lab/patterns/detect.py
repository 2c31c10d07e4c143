"""Finds patterns: what recurs in all that was learned, or in the sessions that a filter means.

Every session's signals were noted when it was learned, so that nothing is read again here. Signals of one subject
become a pattern in one walk over them: no two are compared. A session counts with its subagents, forks and resumes, and
with the same task given again, as one. A pattern's id is a hash of what it is about: the same on every machine and
whatever sessions come later. Evidence is bounded: the newest of every agent in every repository first.

A pattern is a view: what a note says is told in its words, with the failures that it is about; what no note says, in
sentences of ours with a few plain names in them, and at most one short message that a commit was refused with. Files,
rules and commands of one repository that are of one kind are one pattern. What cannot be said so is no pattern.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import groupby
from typing import Any, NamedTuple

import apsw
import msgspec
from msgspec.structs import replace

from afterwit.config.world import World
from afterwit.extras.lab.patterns.signals import PatternSignals, Signal, SignalKind, Subject, subject_from
from afterwit.harvest.door import SessionRefs
from afterwit.harvest.environment import Environment
from afterwit.harvest.harvester import commonest, quote, quote_repo, rank_counts, story_counts
from afterwit.knowledge.door.list import all_items
from afterwit.model.kinds import ResolutionKind
from afterwit.model.knowledge import (
    EVERYWHERE,
    SENTENCE_LIMIT,
    Category,
    Evidence,
    Item,
    ItemStatus,
    Scope,
    ScopeKind,
    SessionRef,
)
from afterwit.redaction.markers import unkeyed
from afterwit.sessions.filters import Filter, selection_of
from afterwit.store.decisions import gather_decisions
from afterwit.store.rows.items import recorded
from afterwit.store.rows.session_list import select_sessions, session_row
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
    def rank(self) -> tuple[bool, bool, int, int, str]:
        """Sorts the most worth sharing first."""
        is_success = self.side is PatternSide.SUCCESS
        return not self.is_cross_agent, is_success, -self.stories, -self.failures, self.id


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
    SignalKind.NOT_PERMITTED: PatternWords(
        "{0} is stopped with “operation not permitted”.",
        "Ask for the permission that {0} needs before running it: in a sandbox a second try fails, too.",
        "command:{plain}",
    ),
    SignalKind.COMMIT_REFUSED: PatternWords(
        "In {0}, `git {plain}` is refused for {all}.",
        "Run the repository's checks for {all} before `git {plain}`, not through it.",
        "command:git {plain}",
        is_of_repo=True,
    ),
    SignalKind.COMMIT_FAILS: PatternWords(
        "In {0}, `git {plain}` fails with {2}.",
        "When `git {plain}` fails with {2}: {cured}.",
        "command:git {plain}",
        is_of_repo=True,
    ),
    SignalKind.EDITS_MISSED: PatternWords(
        "In {0}, edits fail because what they replace is not there, most in {all}.",
        "Read the place again right before an edit of {all}.",
        "path:{last}",
        is_of_repo=True,
    ),
    SignalKind.READ_WHOLE: PatternWords(
        "In {0}, {all} is too long to be read at once.",
        "Search in {all} and read the part that is needed.",
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
        "In {0}, work is committed after {all} passed.",
        "After the last change and before a commit, run {all}.",
        "command:git commit",
        is_of_repo=True,
        side=PatternSide.SUCCESS,
    ),
}


_JOINED = (SignalKind.COMMIT_REFUSED, SignalKind.EDITS_MISSED, SignalKind.READ_WHOLE, SignalKind.CHECKED_COMMIT)
"""Kinds of which a repository is one pattern, however many files, rules or commands it names."""
_MOST_NAMED = 4
_CURED = {
    ResolutionKind.EDITED: "edit what it names, then do the same again",
    ResolutionKind.RETRIED: "the same worked when it was tried again",
    ResolutionKind.PREPARED: "do first what it asks for, then the same again",
    ResolutionKind.CHANGED: "it worked when called in another way",
    ResolutionKind.UNRESOLVED: "sessions did not get past it; ask the user",
}


def row_of(subject: Subject) -> Subject:
    """What one pattern is about: that of kinds that are joined, without what it names last."""
    return Subject(subject.kind, subject.names[:-1]) if subject.kind in _JOINED else subject


def put_into_words(subject: Subject, named: Sequence[str] = (), how: str = "") -> PatternWords | None:
    """The pattern in words, with what it joins and what cured it; None where its names cannot be said."""
    words, names = _WORDS[subject.kind], subject.names
    if not all(map(quote, (*names, *named))):
        return None
    quoted = [quote(name) for name in names]
    if words.is_of_repo:
        quoted[0] = quote_repo(names[0])
    what = names[0] if subject.kind is SignalKind.NAME_UNKNOWN else names[1] if len(names) > 1 else ""
    values = {
        "plain": names[1] if words.is_of_repo and len(names) > 1 else names[0],
        "what": what,
        "article": "An" if what[:1] in "aeiouM" else "A",
        "all": ", ".join(map(quote, named)),
        "last": next(iter(named), ""),
        "cured": _CURED.get(ResolutionKind(how or ResolutionKind.UNRESOLVED), "it was reached in another way"),
    }
    said = words._replace(
        **{name: getattr(words, name).format(*quoted, **values) for name in ("title", "text", "trigger")}
    )
    return said if max(len(said.title), len(said.text)) <= SENTENCE_LIMIT else None


MOST_EVIDENCE = 8
FEWEST_STORIES = 2


class SignalSeen(NamedTuple):
    """A signal, and in which session."""

    subject: Subject
    session: SessionRef
    signal: Signal


def cluster(
    signals: Iterable[SignalSeen], fewest_stories: int = FEWEST_STORIES, notes: Iterable[Item] = ()
) -> list[Pattern]:
    """All that recurs in so many independent sessions, the most worth sharing first. Signals of one row follow each
    other. What a note rests on is told once, in the words of the note."""
    noted = {item.id: [_seen_by(item, piece) for piece in item.evidence if not piece.is_against] for item in notes}
    of_place = {_place(seen): own for own, pieces in noted.items() for seen in pieces}
    patterns = []
    for row, group in groupby(signals, lambda seen: row_of(seen.subject)):
        same = list(group)
        told = Counter(own for seen in same if (own := of_place.get(_place(seen), "")))
        if told and 2 * told.total() >= len(same):
            noted[told.most_common(1)[0][0]] += same
        else:
            patterns.append(_row(row, same, fewest_stories))
    for item in notes:
        same = list({_place(seen): seen for seen in noted[item.id]}.values())  # with its figures, where it has some
        if stories_of(same) >= fewest_stories:
            patterns.append(_pattern(Subject(SignalKind.NOTE, (item.id,)), _words_of(item), same))
    return sorted(filter(None, patterns), key=lambda pattern: pattern.rank)


def stories_of(same: Iterable[SignalSeen]) -> int:
    return len({seen.session.story for seen in same})


def _place(seen: SignalSeen) -> tuple[str, str, int | None]:
    """Agent, session and step."""
    return seen.session.agent, seen.session.native_id, seen.signal.at


def _seen_by(item: Item, piece: Evidence) -> SignalSeen:
    signal = Signal(at=piece.at, at_ms=piece.at_ms, excerpt=piece.excerpt, failures=1)
    return SignalSeen(Subject(SignalKind.NOTE, (item.id,)), piece.session, signal)


def _words_of(item: Item) -> PatternWords:
    """A note as a pattern: its sentence says what to do."""
    command = next((" ".join((when.program, *when.words)) for when in item.triggers if when.program), "")
    return PatternWords(item.sentence, item.sentence, command and f"command:{command}")


def _row(row: Subject, same: list[SignalSeen], fewest_stories: int) -> Pattern | None:
    """The pattern of a row. What it joins is named as far as enough sessions show it, in the order of their number."""
    named: list[str] = []
    if row.kind in _JOINED:
        stories = story_counts((seen.subject.names[-1], seen.session.story) for seen in same)
        enough = min(FEWEST_STORIES, max(stories.values()))
        named = [name for name in rank_counts(stories) if stories[name] >= enough][:_MOST_NAMED]
        if stories[named[0]] < fewest_stories:
            return None
        same = [seen for seen in same if seen.subject.names[-1] in named]
    how = commonest(Counter(seen.signal.how for seen in same if seen.signal.how))
    saying = put_into_words(row, named, how) if stories_of(same) >= fewest_stories else None
    return _pattern(row, saying, same) if saying else None


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


_MISHAPS = (Category.PITFALL, Category.TOOL_QUIRK)
_STANDING = (ItemStatus.ACTIVE, ItemStatus.CANDIDATE)
PUBLISHED = "patterns"  # the harvester of notes that were published
_SIGNAL = msgspec.msgpack.Decoder(Signal)
_ANY = Filter()


def detect(world: World, wanted: Filter = _ANY, fewest_stories: int = FEWEST_STORIES) -> list[Pattern]:
    """What recurs, the most worth sharing first: what sessions of several agents show, then by independent sessions."""
    with readonly_database(world.layout) as db:
        chosen = None
        if wanted != _ANY:
            selection = selection_of(db, world.settings, wanted)
            chosen = frozenset(row.id for row in select_sessions(db, selection))
        return patterns_in(db, fewest_stories, chosen)


def patterns_in(db: apsw.Connection, fewest_stories: int, chosen: frozenset[int] | None = None) -> list[Pattern]:
    """What these sessions show, and what notes say of them."""
    return cluster(signals_in(db, chosen), fewest_stories, list(_notes_in(db, chosen)))


def _notes_in(db: apsw.Connection, chosen: frozenset[int] | None) -> Iterator[Item]:
    """Notes about what goes wrong and what is done instead, with what these sessions show of them."""
    refs = None if chosen is None else {(row.agent, row.native_id) for own in chosen if (row := session_row(db, own))}
    for item in all_items(db):
        is_mishap = item.category in _MISHAPS or item.harvester == Environment.name
        if is_mishap and item.status in _STANDING and item.harvester != PUBLISHED:
            sessions = ((piece, piece.session) for piece in item.evidence)
            pieces = (piece for piece, ref in sessions if refs is None or (ref.agent, ref.native_id) in refs)
            yield replace(item, evidence=tuple(pieces))


def signals_in(db: apsw.Connection, chosen: frozenset[int] | None = None) -> Iterator[SignalSeen]:
    """All signals of these sessions, subject by subject; without those of what people had forgotten."""
    refs = SessionRefs(db, "", gather_decisions(recorded(db)).forgotten)
    for matter, rows in groupby(all_sightings(db, PatternSignals.name), lambda row: row.matter):
        subject = subject_from(matter)
        for row in rows if subject is not None else ():
            ref = refs.of(row.session_id) if chosen is None or row.session_id in chosen else None
            if subject is not None and ref is not None:
                yield SignalSeen(subject, ref, _SIGNAL.decode(row.body))
