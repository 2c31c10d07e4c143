"""Notes where users said again what had been told: a line that has to be repeated was not obeyed.

Of every session that was told something, or came soon after one that was, the prompts are looked at, each behind what
it can be about: what this session was told before it, or what one of the last sessions of its repository was. What a
model found in a session that it read is added from the journal. Made anew, session by session, where something of this
changed; everything it is made of is derived or journalled, so that a rebuilt store has the same rows. It stands between
drafts, which give notes their words, and items, which it raises.
"""

import hashlib
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

import apsw
import msgspec

from afterwit.digest.door import load_digest
from afterwit.harvest.harvester import id_of
from afterwit.harvest.statements import words_stated
from afterwit.knowledge.brief import ENTRIES, lines_ever, pages_of
from afterwit.knowledge.door.list import item_in
from afterwit.knowledge.repetitions import repetition
from afterwit.model.brief import Heard, ToldText
from afterwit.model.digest import Digest
from afterwit.model.knowledge import EXCERPT_LIMIT, Draft, ItemStatus
from afterwit.redaction.hygiene import clean
from afterwit.store.atomic import step
from afterwit.store.database import transaction
from afterwit.store.decisions import (
    ItemEvidence,
    JournalEntry,
    KnowledgeEntry,
    SessionRead,
    gather_decisions,
    in_force,
    will_of,
)
from afterwit.store.rows import repetitions as rows
from afterwit.store.rows.items import items_with_ids, recorded, recorded_about
from afterwit.store.rows.repetitions import HearingSession, RepetitionRow
from afterwit.store.rows.session_list import session_row
from afterwit.store.rows.sightings import drafts_named
from afterwit.store.store import Store

_VERSION = 1  # counts up when the rule finds others
_LAST = 5  # sessions that were told something, before one that asks for it again
_SOON_MS = 5_000  # after a prompt a hook answers it: what it says is not what the prompt repeats
_EARLIER = 0  # a line was told to a session before this one
_BATCH = 64
_SEVERAL = 2  # sessions that said a line again, before a person is asked about it
_DRAFT = msgspec.msgpack.Decoder(Draft)


class RepeatedLine(msgspec.Struct, frozen=True):
    """A line that is told, or a note told by itself, that users had to say again."""

    id: str
    repo: str  # "": everywhere
    text: str
    told: int  # sessions
    again: int  # sessions in which it was said again
    quote: str  # the last time
    at_ms: int

    @property
    def question(self) -> str:
        """What a person is asked about it."""
        return f"{Heard(self.told, self.again).in_words}: make it a check?"


Candidates = dict[str, int]  # by line or note when it was told


def note_repetitions(store: Store) -> None:
    """Looks at the sessions of which something is not as it was."""
    db, sessions = store.db, rows.hearing_sessions(store.db)
    with transaction(db):
        rows.keep_repetitions(db, (session.id for session in sessions))
    if not sessions:
        return
    entries, told = recorded(db), defaultdict[int, Candidates](dict)
    for hearing in rows.heard_rows(db):
        if hearing.is_shown:
            told[hearing.session_id][hearing.item] = hearing.at_ms
    texts, read = _texts(db, entries, {item for items in told.values() for item in items}), _read(entries)
    waiting = []
    for session, candidates in _with_candidates(sessions, told):
        heard = [(name, texts[name], at_ms) for name, at_ms in sorted(candidates.items()) if texts.get(name)]
        named = read.get((session.agent, session.native_id), ())
        content = msgspec.msgpack.encode((_VERSION, heard, named))
        basis = hashlib.blake2b(content, digest_size=12).digest()
        if basis != session.basis:
            waiting.append((session.id, heard, named, basis))
    for start in range(0, len(waiting), _BATCH):
        with transaction(db):
            for session_id, heard, named, basis in waiting[start : start + _BATCH]:
                row = session_row(db, session_id)
                digest = load_digest(db, row) if row is not None else None
                ruled = _by_rule(session_id, digest, heard) if digest is not None else ()
                rows.put_repetitions(db, session_id, basis, (*ruled, *_by_model(session_id, named)))
            step("repetitions are written, not committed")


def told_texts(db: apsw.Connection, session_id: int) -> list[ToldText]:
    """What a session was told, as far as it is told what that says."""
    told = [row for row in rows.heard_rows(db, session_id) if row.is_shown]
    texts = _texts(db, recorded(db), {row.item for row in told}) if told else {}
    return [ToldText(row.item, texts[row.item], row.at_ms) for row in told if texts.get(row.item)]


def drawn_texts(db: apsw.Connection) -> dict[str, dict[str, str]]:
    """By repository all that was ever told there, or held out, as far as it is told what that says."""
    names = {(row.repo, row.item) for row in rows.heard_rows(db)}
    texts = _texts(db, recorded(db), {item for _, item in names}) if names else {}
    by_repo = defaultdict[str, dict[str, str]](dict)
    for repo, item in sorted(names):
        by_repo[repo] |= {item: texts[item]} if texts.get(item) else {}
    return by_repo


def repeated_lines(db: apsw.Connection) -> list[RepeatedLine]:
    """What is in force and had to be said again in several sessions, the most often first."""
    said = {row.item: row for row in rows.repetitions(db)}
    pages = pages_of(in_force(recorded_about(db, (), ENTRIES))).values() if said else ()
    texts = {line.id: (page.repo, line.text) for page in pages for line in page.lines}
    items = (item_in(row) for row in items_with_ids(db, said) if row.status == ItemStatus.ACTIVE)
    texts = {item.id: (item.scope.name, words_stated(item.sentence)) for item in items} | texts
    lines = [
        RepeatedLine(name, *texts[name], *heard, said[name].quote, said[name].at_ms)
        for name, heard in rows.heard(db, texts.keys() & said).items()
        if heard.again >= _SEVERAL
    ]
    return sorted(lines, key=lambda line: (-line.again, -line.told, line.id))


def _with_candidates(
    sessions: Iterable[HearingSession], told: Mapping[int, Candidates]
) -> Iterator[tuple[HearingSession, Candidates]]:
    """Each session with all that it may say again."""
    for repo, here in groupby(sessions, key=lambda session: session.repo):
        last: deque[Candidates] = deque(maxlen=_LAST if repo else 0)
        for session in here:
            own = told.get(session.id, {})
            yield session, {**own, **{name: _EARLIER for items in last for name in items}}
            last.extend([own] if own else [])


def _texts(db: apsw.Connection, entries: Sequence[JournalEntry], wanted: set[str]) -> dict[str, str]:
    """What lines say, and notes as they were found or as people edited them."""
    decided = gather_decisions(entries)
    drafts = {id_of(draft): draft for draft in (*decided.kept.values(), *decided.drafts)}
    drafts |= {row.id: _DRAFT.decode(row.body) for row in drafts_named(db, wanted)}
    texts = {line.id: line.text for line in lines_ever(entries)}
    for name in wanted & drafts.keys():
        changes = will_of(decided.decisions.get(name, ())).changes
        texts[name] = words_stated(changes.sentence or drafts[name].sentence)
    return texts


def _read(entries: Sequence[JournalEntry]) -> dict[tuple[str, str], list[ItemEvidence]]:
    """What models found in the sessions that they read: of each request the last answer counts."""
    answers = {str(entry.body["request"]): entry for entry in in_force(entries) if entry.kind == KnowledgeEntry.READ}
    read: defaultdict[tuple[str, str], list[ItemEvidence]] = defaultdict(list)
    for entry in answers.values():
        if entry.body.get("repeats"):
            answer = msgspec.convert(entry.body, SessionRead)
            read[answer.session.agent, answer.session.native_id] += answer.repeats
    return read


def _by_rule(session_id: int, digest: Digest, told: Iterable[tuple[str, str, int]]) -> Iterator[RepetitionRow]:
    """What the user typed again, in words that agree."""
    for place, said in enumerate(digest.prompts if not digest.is_tracked else ()):
        for name, text, at_ms in told if said.is_person else ():
            is_behind = at_ms == _EARLIER or (place > 0 and at_ms + _SOON_MS < (said.at_ms or 0))
            if is_behind and (quote := repetition(text, said.text)):
                yield RepetitionRow(session_id, name, place, 0, said.at_ms or 0, clean(quote)[:EXCERPT_LIMIT])


def _by_model(session_id: int, named: Iterable[ItemEvidence]) -> Iterator[RepetitionRow]:
    for item, piece in ((again.item, again.evidence) for again in named):
        yield RepetitionRow(session_id, item, piece.at or 0, 1, piece.at_ms, piece.excerpt)
