"""Sessions as plain records with a stable shape: what `export` writes and `show --json` prints.

Texts are redacted. Within a session records come in the order in which things happened; an action follows the event of
its call. The shape is documented in docs/reference/export.md: keys are added, never renamed or removed.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from afterwit.guard.placeholders import unkeyed
from afterwit.model.captured import ActionRow
from afterwit.model.settings import Settings
from afterwit.repos.identity import domain_of
from afterwit.sessions.filters import Filter, selection_of
from afterwit.sessions.show import Copies, Gone, Moment, Source, Wanted, moments, safe_row
from afterwit.store.rows.session_list import SessionRow, selected_sessions, subagents_of

FORMAT = 1


class Tokens(msgspec.Struct, frozen=True):
    input: int
    cache_read: int
    cache_write: int
    output: int
    reasoning: int


class SessionRecord(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="session"):
    format: int = FORMAT
    agent: str
    session: str
    repo: str
    domain: str
    branch: str
    cwd: str
    user: str
    versions: list[str]
    models: list[str]
    origin: str
    relation: str
    parent: str
    parent_call: str
    started_ms: int | None
    ended_ms: int | None
    title: str
    task: str
    outcome: str
    task_type: str
    is_partial: bool
    prompts: int
    replies: int
    events: int
    actions: int
    failures: int
    denials: int
    interrupts: int
    compactions: int
    model_errors: int
    tokens: Tokens


class EventRecord(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="event"):
    agent: str
    session: str
    number: int  # counts from 0 within the session
    kind: str
    at_ms: int | None
    text: str | None  # None: the archive does not hold it any more
    call_id: str
    tool: str
    arguments: dict[str, Any] | None


class ActionRecord(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="action"):
    agent: str
    session: str
    event: int  # the number of its call
    call_id: str
    tool: str
    kind: str
    target: str
    status: str
    lean: str | None
    exit_code: int | None
    error: str
    at_ms: int | None
    duration_ms: int | None


class GapRecord(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="gap"):
    """Something is left out here: copies of events, or texts that are gone from the archive."""

    agent: str
    session: str
    why: str  # copied, gone
    count: int | None
    detail: str


Record = SessionRecord | EventRecord | ActionRecord | GapRecord


def exported(source: Source, settings: Settings, wanted: Filter) -> Iterator[bytes]:
    """One line of JSON per record, sessions from the oldest on. Placeholders come without the suffix that only this
    machine can make."""
    selection = selection_of(source.store.db, settings, wanted)
    for session in list(selected_sessions(source.store.db, selection)):
        yield _line(session_record(source, session, settings))
        for record in session_records(source, session):
            yield _line(record)


def session_document(
    source: Source, settings: Settings, session: SessionRow, *, with_subagents: bool = True
) -> Iterator[str]:
    """One JSON object for a session, in pieces: its own record, those of what happened, and its subagents likewise."""
    return _document(source, settings, session, {session.id}, with_subagents=with_subagents)


def session_record(source: Source, session: SessionRow, settings: Settings) -> SessionRecord:
    tokens = Tokens(
        session.tokens_input,
        session.tokens_cache_read,
        session.tokens_cache_write,
        session.tokens_output,
        session.tokens_reasoning,
    )
    values = msgspec.structs.asdict(safe_row(source, session)) | {
        "session": session.native_id,
        "domain": domain_of(session.repo, settings.domains),
        "versions": msgspec.json.decode(session.versions or "[]"),
        "models": msgspec.json.decode(session.models or "[]"),
        "is_partial": bool(session.is_partial),
        "tokens": tokens,
    }
    names = set(SessionRecord.__struct_fields__) - {"format"}
    return SessionRecord(**{name: values[name] for name in names})


def session_records(source: Source, session: SessionRow) -> Iterator[EventRecord | ActionRecord | GapRecord]:
    """What happened in a session."""
    agent, name, number = session.agent, session.native_id, 0
    for moment in moments(source, session, Wanted()):
        match moment:
            case Copies(events):
                yield GapRecord(agent=agent, session=name, why="copied", count=events, detail="")
            case Gone(reason):
                yield GapRecord(agent=agent, session=name, why="gone", count=None, detail=reason)
            case Moment():
                yield _event(agent, name, number, moment)
                if moment.action is not None:
                    yield _action(agent, name, number, moment.action)
                number += 1


def _document(
    source: Source, settings: Settings, session: SessionRow, seen: set[int], *, with_subagents: bool
) -> Iterator[str]:
    yield f'{{"session": {_text(session_record(source, session, settings))},\n"records": ['
    for place, record in enumerate(session_records(source, session)):
        yield f"{',' if place else ''}\n{_text(record)}"
    yield '\n],\n"subagents": ['
    found = subagents_of(source.store.db, session.agent, session.native_id) if with_subagents else []
    children = [child for child in found if child.id not in seen]
    seen.update(child.id for child in children)
    for place, child in enumerate(children):
        yield ",\n" if place else "\n"
        yield from _document(source, settings, child, seen, with_subagents=True)
    yield "]}"


def _event(agent: str, session: str, number: int, moment: Moment) -> EventRecord:
    return EventRecord(
        agent=agent,
        session=session,
        number=number,
        kind=moment.kind,
        at_ms=moment.at_ms,
        text=moment.text,
        call_id=moment.call_id,
        tool=moment.tool,
        arguments=moment.arguments,
    )


def _action(agent: str, session: str, event: int, action: ActionRow) -> ActionRecord:
    names = set(ActionRecord.__struct_fields__) & set(ActionRow.__struct_fields__)
    return ActionRecord(agent=agent, session=session, event=event, **{name: getattr(action, name) for name in names})


def _line(record: Record) -> bytes:
    return unkeyed(_text(record)).encode() + b"\n"


def _text(record: Record) -> str:
    return msgspec.json.encode(record).decode()
