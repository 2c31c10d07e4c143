"""What led to the lines that a session wrote: what its agent said before the edit, and what was decided or rejected.

The last words come from the archive, the rest from the session's digest and from the notes that rest on it. All of it
is foreign text, redacted here; who shows it to an agent has the gate before it.
"""

from typing import NamedTuple

from afterwit.digest.door import load_digest
from afterwit.knowledge.door.list import item_in
from afterwit.model.kinds import EventKind
from afterwit.sessions.edits import FileEdit
from afterwit.sessions.originals import TranscriptSource
from afterwit.sessions.show import moment_number
from afterwit.sessions.windows import outline, window
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


def moment_of(source: TranscriptSource, edit: FileEdit) -> str:
    """The number of an edit's call in its session, by which it is found again."""
    parts = [part.id for part in parts_of_session(source.store.db, edit.session.id)]
    return moment_number(parts.index(edit.part_id), edit.ordinal)


def last_words(source: TranscriptSource, edit: FileEdit) -> str:
    """What the agent said last before an edit; "" where that is not known."""
    plan = outline(source, edit.session)
    place = plan.place_of(moment_of(source, edit)) or 0
    before = next((at for at in range(place, -1, -1) if plan.moments[at].kind is EventKind.REPLY), None)
    return "" if before is None else window(source, edit.session, plan, [before], _MOST_CHARS)[0].said.text or ""


def story_of(source: TranscriptSource, session: SessionRow) -> SessionStory:
    digest = load_digest(source.store.db, session)
    decided = [said.text for said in digest.stated] if digest else []
    denied = [digest.steps[at] for at in digest.denials] if digest else []
    rejected = [digest.prompts[at].text for at in digest.corrections] if digest else []
    rejected += [f"{step.tool} {step.target}" for step in denied]
    items = map(item_in, items_in(source.store.db, (f"repo:{session.repo}", "global"), _STATUSES))
    name = (session.agent, session.native_id)
    notes = [
        item.sentence
        for item in items
        if name in {(seen.session.agent, seen.session.native_id) for seen in item.evidence}
    ]
    safe = source.redactor.text
    return SessionStory(*(tuple(dict.fromkeys(map(safe, texts))) for texts in (decided, rejected, notes)))
