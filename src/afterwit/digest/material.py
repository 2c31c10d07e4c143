"""What a digest is made of: the rows of one session, merged over its files and put in order.

Pure values. Positions of actions are counted over the whole session; notes name the action or the moment they belong
to by the same positions.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from afterwit.model.captured import ActionRow, NoteRow, PartFacts
from afterwit.model.kinds import NoteKind, Status


class Identity(NamedTuple):
    """What the session's row says of it."""

    agent: str
    native_id: str
    cwd: str
    root: str
    branch: str
    relation: str
    parent: str
    versions: tuple[str, ...]
    models: tuple[str, ...]
    started_ms: int | None
    ended_ms: int | None
    title: str
    task: str
    is_partial: bool
    tokens: int
    cost_usd: float | None


class SessionPart(NamedTuple):
    facts: PartFacts
    actions: Sequence[ActionRow]
    notes: Sequence[NoteRow]
    results_ms: Mapping[int, int | None] = {}  # by ordinal of the action


class SessionNote(NamedTuple):
    """A note; `at` is the position of the action that it belongs to, or None."""

    kind: NoteKind
    at: int | None
    at_ms: int | None
    text: str


class Material(NamedTuple):
    identity: Identity
    actions: tuple[ActionRow, ...]
    notes: tuple[SessionNote, ...]
    last_kind: str  # of the session's last event
    end: str = ""  # a `RecordedEnd`: what the log says itself of how it ended
    results_ms: tuple[int | None, ...] = ()  # by action: when its result was written, where that was asked for
    next_prompt: str = ""  # the first of the session that followed in the same place
    branch_ms: int | None = None  # when its branch was first said
    is_tracked: bool = False  # a log of it came with a checkout


_OF_ACTIONS = frozenset(
    (NoteKind.FILES, NoteKind.SYMBOLS, NoteKind.RULES, NoteKind.COMMIT, NoteKind.PULL, NoteKind.RUNNING, NoteKind.SAID)
)
_OF_RESULTS = _OF_ACTIONS - {NoteKind.FILES, NoteKind.SYMBOLS}


def gathered(identity: Identity, parts: Sequence[SessionPart]) -> Material:
    """The material of a session whose parts come in order of precedence."""
    placed = sorted(
        ((row.at_ms if row.at_ms is not None else -1, number, row.ordinal), number, row)
        for number, part in enumerate(parts)
        for row in part.actions
    )
    position = {(number, row.ordinal): at for at, (_, number, row) in enumerate(placed)}
    notes = [_note(number, note, position) for number, part in enumerate(parts) for note in part.notes]
    last = max(parts, key=lambda part: part.facts.ended_ms or 0).facts if parts else PartFacts(native_id="")
    return Material(
        identity,
        tuple(row for _, _, row in placed),
        tuple(sorted(notes, key=_when)),
        last.last_kind,
        last.end,
        tuple(parts[number].results_ms.get(row.ordinal) for _, number, row in placed),
        is_tracked=any(part.facts.is_tracked for part in parts),
        branch_ms=min(filter(None, (part.facts.branch_at_ms for part in parts if part.facts.branch)), default=None),
    )


def _note(number: int, note: NoteRow, position: dict[tuple[int, int], int]) -> SessionNote:
    at = position.get((number, note.place)) if note.kind in _OF_ACTIONS else None
    return SessionNote(note.kind, at, note.at_ms, note.text)


def _when(note: SessionNote) -> tuple[int, int, str]:
    return note.at_ms or 0, -1 if note.at is None else note.at, note.kind


def cut(material: Material, before_ms: int) -> Material:
    """The same session as it was known at a moment: what came later is gone, what was running has no result yet. Of a
    session in which an action has no time, no action is known. A session that had ended and one that goes on later are
    cut alike, so that nothing tells them apart."""
    is_timed = all(row.at_ms is not None for row in material.actions)
    count = sum((row.at_ms or 0) < before_ms for row in material.actions) if is_timed else 0
    ended = [at_ms is not None and at_ms < before_ms for at_ms in material.results_ms[:count]]
    actions = tuple(
        row if has_ended else _open(row) for row, has_ended in zip(material.actions[:count], ended, strict=True)
    )
    notes = tuple(note for note in material.notes if _is_known_by(note, ended, before_ms))
    identity, results_ms = _identity_by(material, actions, before_ms), material.results_ms[:count]
    return Material(identity, actions, notes, "", "", results_ms, is_tracked=material.is_tracked)


def _open(row: ActionRow) -> ActionRow:
    return msgspec.structs.replace(
        row, status=Status.UNKNOWN, lean=None, exit_code=None, error="", duration_ms=None, result_offset=None
    )


def _is_known_by(note: SessionNote, ended: Sequence[bool], before_ms: int) -> bool:
    if note.kind in _OF_RESULTS:
        return note.at is not None and note.at < len(ended) and ended[note.at]
    if note.kind in (NoteKind.ENDING, NoteKind.REPORT):
        return False
    is_placed = note.kind not in _OF_ACTIONS or (note.at is not None and note.at < len(ended))
    return is_placed and note.at_ms is not None and note.at_ms < before_ms


def _identity_by(material: Material, actions: Sequence[ActionRow], before_ms: int) -> Identity:
    """Who and in which repository stays as it is known now; what has no time of its own (title, versions) and what the
    session spent is left out."""
    identity = material.identity
    prompts = [note.at_ms for note in material.notes if note.kind is NoteKind.PROMPT]
    asked = min((at for at in prompts if at is not None), default=None) if prompts else identity.started_ms
    return identity._replace(
        ended_ms=max((row.at_ms or 0 for row in actions), default=identity.started_ms),
        title="",
        branch=identity.branch if material.branch_ms is not None and material.branch_ms < before_ms else "",
        task=identity.task if asked is not None and asked < before_ms else "",
        versions=(),
        models=(),
        tokens=0,
        cost_usd=None,
    )
