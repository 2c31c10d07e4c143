"""Sessions as plain records with a stable shape: what `export` writes and `show --json` prints.

Texts are redacted. Within a session records come in the order in which things happened; an action follows the event of
its call. The shape is documented in docs/reference/export.md: keys are added, never renamed or removed.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from afterwit.model.captured import ActionRow
from afterwit.model.settings import Settings
from afterwit.model.times import with_times
from afterwit.redaction.markers import unkeyed
from afterwit.repos.identity import domain_of
from afterwit.sessions.filters import Filter, selection_of
from afterwit.sessions.list import Session
from afterwit.sessions.originals import TranscriptSource
from afterwit.sessions.show import CopiedEvents, GoneTexts, SessionMoment, WantedMoments, moments, safe_row
from afterwit.store.rows.session_list import SessionRow, select_sessions, subagents_of

_FORMAT = 2
_SESSION = (
    *("repo", "domain", "branch", "cwd", "user", "versions", "models", "origin", "relation", "parent", "parent_call"),
    *("started_ms", "ended_ms", "title", "task", "outcome", "task_type", "is_partial", "prompts", "replies", "events"),
    *("actions", "failures", "denials", "interrupts", "compactions", "model_errors"),
)
_TOKENS = ("input", "cache_read", "cache_write", "output", "reasoning")
_EVENT = ("kind", "at_ms", "text", "call_id", "tool", "arguments")
_ACTION = ("call_id", "tool", "kind", "target", "status", "lean", "exit_code", "error", "at_ms", "duration_ms")
Record = dict[str, Any]


def export(source: TranscriptSource, settings: Settings, wanted: Filter) -> Iterator[bytes]:
    """One line of JSON per record, sessions from the oldest on. Placeholders come without the suffix that only this
    machine can make."""
    selection = selection_of(source.store.db, settings, wanted)
    for session in list(select_sessions(source.store.db, selection)):
        yield _line(_session_record(source, session, settings))
        yield from map(_line, _records(source, session))


def session_document(
    source: TranscriptSource, settings: Settings, session: SessionRow, *, with_subagents: bool = True
) -> Iterator[str]:
    """One JSON object for a session, in pieces: its own record, those of what happened, and its subagents likewise."""
    return _document(source, settings, session, {session.id}, with_subagents=with_subagents)


def _session_record(source: TranscriptSource, row: SessionRow, settings: Settings) -> Record:
    safe = safe_row(source, row)
    fields = Session(safe, domain=domain_of(row.repo, settings.domains)).view(_SESSION)
    names = {"type": "session", "format": _FORMAT, "agent": row.agent, "session": row.native_id}
    tokens = {name: getattr(row, f"tokens_{name}") for name in _TOKENS}
    return {**names, **fields, "title": safe.title, "tokens": tokens}


def _records(source: TranscriptSource, session: SessionRow) -> Iterator[Record]:
    """What happened in a session. A gap says that something is left out: copies of events, or texts that are gone from
    the archive."""
    whose = {"agent": session.agent, "session": session.native_id}
    number = 0  # of an event, counted from 0 within the session
    for moment in moments(source, session, WantedMoments()):
        match moment:
            case CopiedEvents(events):
                yield {"type": "gap", **whose, "why": "copied", "count": events, "detail": ""}
            case GoneTexts(reason):
                yield {"type": "gap", **whose, "why": "gone", "count": None, "detail": reason}
            case SessionMoment():
                yield {"type": "event", **whose, "number": number, **_fields(moment, _EVENT)}
                if moment.action is not None:
                    yield {"type": "action", **whose, "event": number, **_fields(moment.action, _ACTION)}
                number += 1


def _fields(value: SessionMoment | ActionRow, names: Iterable[str]) -> Record:
    return {name: getattr(value, name) for name in names}


def _document(
    source: TranscriptSource, settings: Settings, session: SessionRow, told: set[int], *, with_subagents: bool
) -> Iterator[str]:
    yield f'{{"session": {_text(_session_record(source, session, settings))},\n"records": ['
    for place, record in enumerate(_records(source, session)):
        yield f"{',' if place else ''}\n{_text(record)}"
    yield '\n],\n"subagents": ['
    subagents = subagents_of(source.store.db, session.agent, session.native_id) if with_subagents else []
    children = [child for child in subagents if child.id not in told]
    told.update(child.id for child in children)
    for place, child in enumerate(children):
        yield ",\n" if place else "\n"
        yield from _document(source, settings, child, told, with_subagents=True)
    yield "]}"


def _line(record: Record) -> bytes:
    return unkeyed(_text(record)).encode() + b"\n"


def _text(record: Record) -> str:
    return msgspec.json.encode(with_times(msgspec.to_builtins(record))).decode()
