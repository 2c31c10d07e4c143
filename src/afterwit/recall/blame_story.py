"""What led to the lines that a session wrote: what its agent said before the edit, and what was decided or rejected.

The last words come from the archive, the rest from the session's digest and from the notes that rest on it. All of it
is foreign text, redacted here; who shows it to an agent has the gate before it.
"""

from contextlib import closing
from typing import NamedTuple

from afterwit.digest.door import load_digest
from afterwit.knowledge.door.list import item_in
from afterwit.model.digest import Digest
from afterwit.model.kinds import EventKind
from afterwit.redaction.hygiene import clean
from afterwit.sessions.edits import FileEdit
from afterwit.sessions.originals import EventPlace, EventTexts, TranscriptSource
from afterwit.sessions.show import moment_number
from afterwit.store.rows.changes import reply_before
from afterwit.store.rows.files import file_by_id
from afterwit.store.rows.items import items_in
from afterwit.store.rows.parts import parts_of_session
from afterwit.store.rows.session_list import SessionRow

_STATUSES = ("active", "candidate")
_MOST_CHARS = 4_000


class SessionStory(NamedTuple):
    """What a session settled."""

    decided: tuple[str, ...]  # sentences of the person or the agent that state a rule or a decision
    rejected: tuple[str, ...]  # what the person put right, or did not allow
    notes: tuple[str, ...]  # that rest on it


def last_words(source: TranscriptSource, edit: FileEdit) -> str:
    """What the agent said last before an edit; "" where that is not known."""
    place = reply_before(source.store.db, edit.part_id, edit.call.ordinal)
    part = next((part for part in parts_of_session(source.store.db, edit.session.id) if part.id == edit.part_id), None)
    if place is None or part is None:
        return ""
    file = file_by_id(source.store.db, part.file_id)
    with closing(EventTexts(source.store.db, source.store.archive, source.declared)) as texts:
        replies = texts.events(file, EventPlace(place.offset, EventKind.REPLY), place.length)
    return source.redactor.text(clean(replies[-1].text[:_MOST_CHARS])) if replies else ""


def moment_of(source: TranscriptSource, edit: FileEdit) -> str:
    """The number of an edit's call in its session, by which it is found again."""
    parts = [part.id for part in parts_of_session(source.store.db, edit.session.id)]
    return moment_number(parts.index(edit.part_id), edit.call.ordinal)


def story_of(source: TranscriptSource, session: SessionRow) -> SessionStory:
    digest = load_digest(source.store.db, session)
    safe = source.redactor.text
    decided = dict.fromkeys(safe(said.text) for said in digest.stated) if digest else ()
    rejected = dict.fromkeys(map(safe, _rejected(digest))) if digest else ()
    return SessionStory(tuple(decided), tuple(rejected), tuple(_notes(source, session)))


def _rejected(digest: Digest) -> list[str]:
    denied = (digest.steps[at] for at in digest.denials)
    return [*(digest.prompts[at].text for at in digest.corrections), *(f"{step.tool} {step.target}" for step in denied)]


def _notes(source: TranscriptSource, session: SessionRow) -> list[str]:
    items = map(item_in, items_in(source.store.db, (f"repo:{session.repo}", "global"), _STATUSES))
    name = (session.agent, session.native_id)
    return [
        source.redactor.text(item.sentence)
        for item in items
        if any((evidence.session.agent, evidence.session.native_id) == name for evidence in item.evidence)
    ]
