"""Reads Goose's sessions: rendered from its database, and the JSON lines of versions before 1.10.

Written from Goose's source and a real, empty database. A file of lines begins with a record about the session; then
each line is a message, with the same content as a row of the database. What a session spent is a running total in its
row or first line; it counts as one spend. Compaction writes the messages anew under other row numbers, so only the ids
of messages and calls are keys.

What the content of a Goose message says: texts, thoughts, requests and responses of tools. Takes decoded JSON and never
raises. Responses of tools ride in messages of the user. A text that people do not see is the summary of a compaction if
the model says it, else a notice.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from afterwit.agents import fields
from afterwit.agents.log_reader import Place, Reader, Row, RowsReading, RowsState, column, native_id, row_of
from afterwit.model.kinds import EventKind, Relation
from afterwit.model.readings import Facts, Reading, Result, Usage
from afterwit.sources.databases import Database, DatabaseGatherer, DatabaseTable
from afterwit.sources.framing import Record
from afterwit.sources.gathering import Gatherer

SILENT = frozenset(("image", "redactedThinking", "toolConfirmationRequest", "actionRequired", "summarizationRequested"))
_DECLINED = "the user has declined to run this tool"  # in the place of the output, where any tool could write it
_CANCELLED = ("interrupted by the user", "tool call was cancelled")
_DATABASE = Database(
    names=r"sessions\.db",
    sessions=DatabaseTable("sessions", session="id", order=("id",), without=frozenset(("updated_at",))),
    tables=(DatabaseTable("messages", session="session_id", order=("id",)),),
    updated="updated_at",
)
_PEOPLES = ("", "user", "terminal", "gateway", "acp", "hidden")
_META = frozenset(("working_dir", "description", "message_count"))


class GooseSpeaker(NamedTuple):
    """Who says it, and who sees it."""

    role: str
    is_seen: bool  # by people
    is_person: bool  # in a session that another agent started nobody types
    key: str  # "" where the message has no id


def readings_of(place: Place, block: Mapping[str, Any], speaker: GooseSpeaker, calls: str) -> Iterator[Reading] | None:
    """What one block says; None if its type is not known. `calls` begins the keys of short call ids."""
    match block.get("type"):
        case "text":
            return _text(place, fields.without_blobs(fields.text(block, "text")), speaker)
        case "thinking":
            return place.told(EventKind.THOUGHT, fields.text(block, "thinking"))
        case "toolRequest" | "frontendToolRequest":
            return _request(place, block, calls)
        case "toolResponse":
            return _response(place, block, calls)
        case "systemNotification":
            return place.told(EventKind.NOTICE, fields.text(block, "msg"))
        case "contextLengthExceeded":
            return place.told(EventKind.MODEL_ERROR, fields.text(block, "msg") or "context length exceeded")
        case "conversationCompacted":
            return place.told(EventKind.COMPACTION, fields.text(block, "msg") or "conversation compacted")
    return None


def _text(place: Place, text: str, speaker: GooseSpeaker) -> Iterator[Reading]:
    if not text:
        return
    if speaker.role == "assistant":
        kind = EventKind.REPLY if speaker.is_seen else EventKind.COMPACTION
    else:
        kind = EventKind.PROMPT if speaker.is_seen and speaker.is_person else EventKind.NOTICE
    key = f"{kind}:{speaker.key}" if speaker.key else ""
    yield place.said(kind, text, key)


def _request(place: Place, block: Mapping[str, Any], calls: str) -> Iterator[Reading]:
    call_id, asked = fields.plain_id(block, "id"), fields.mapping(block, "toolCall")
    value = fields.mapping(asked, "value")
    if not call_id:
        return
    tool = fields.text(value, "name") or "unreadable"
    yield place.call(f"call:{calls}{call_id}", call_id, tool, fields.arguments(value.get("arguments")))
    if asked.get("status") == "error":
        yield place.result(f"result:{calls}{call_id}", call_id, fields.text(asked, "error"), Result(is_error=True))


def _response(place: Place, block: Mapping[str, Any], calls: str) -> Iterator[Reading]:
    call_id, answer = fields.plain_id(block, "id"), fields.mapping(block, "toolResult")
    if not call_id:
        return
    value = answer.get("value")
    about = value if isinstance(value, dict) else {"content": value}
    parts = [fields.text(part, "text") for part in fields.mappings(about, "content")]
    text = fields.without_blobs("\n".join(part for part in parts if part)) or fields.text(answer, "error")
    lower = text[:300].lower()
    is_error = answer.get("status") == "error" or fields.flag(about, "isError", "is_error")
    result = Result(
        is_error=None if lower.startswith(_DECLINED) else bool(is_error),
        exit_code=fields.exit_code(fields.mapping(about, "structuredContent"), "exit_code"),
        is_cancelled=any(words in lower for words in _CANCELLED),
    )
    yield place.result(f"result:{calls}{call_id}", call_id, text, result)


class GooseReading(RowsReading[RowsState]):
    """The reading of one session, from rows or from lines."""

    state_type = RowsState
    times = ("created_timestamp", "created", "created_at")

    def feed(self, record: Record) -> list[Reading]:
        line = msgspec.json.decode(record.raw, type=dict[str, Any])
        if "table" in line:
            return super().feed(record)
        place = Place.of(self._state.session or self._session, record, self.time_of(line))
        if isinstance(line.get("role"), str) and isinstance(line.get("content"), list):
            return list(self._message(line, line["content"], fields.mapping(line, "metadata"), place))
        if _META & line.keys():
            return list(self._read_session(line, place))
        self.noted(fields.plain_id(line, "type"), is_known=False)
        return []

    def take(self, row: Row, place: Place) -> Iterator[Reading] | None:
        values = row.values
        if row.table == "sessions":
            self._state.session = native_id(values.get("id")) or place.session
            return self._read_session(values, place._replace(session=self._state.session))
        if row.table == "messages":
            content, metadata = column(values, "content_json"), column(values, "metadata_json")
            about = metadata if isinstance(metadata, dict) else {}
            return self._message(values, content if isinstance(content, list) else [], about, place)
        return None

    def _read_session(self, row: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        self.noted("session")
        kind = fields.text(row, "session_type")
        parent = native_id(row.get("parent_session_id"))
        self._state.is_child = bool(parent) or kind not in _PEOPLES
        config = column(row, "model_config_json")
        name = fields.text(row, "name")
        yield Facts(
            session=place.session,
            at_ms=place.at_ms,
            cwd=fields.text(row, "working_dir"),
            title=fields.text(row, "description") or ("" if name == "CLI Session" else name),
            is_title_manual=row.get("user_set_name") in (1, True),
            parent=parent,
            relation=Relation.SUBAGENT if parent else None,
            origin=kind,
            provider=fields.text(row, "provider_name"),
        )
        usage = Usage(
            input=fields.tokens(row, "accumulated_input_tokens", "input_tokens"),
            output=fields.tokens(row, "accumulated_output_tokens", "output_tokens"),
        )
        model = fields.text(config, "model_name") if isinstance(config, dict) else ""
        yield from place.spent(f"total:{place.session}", model, usage)

    def _message(
        self, message: Mapping[str, Any], content: list[Any], about: Mapping[str, Any], place: Place
    ) -> Iterator[Reading]:
        role = fields.plain_id(message, "role")[:20]
        self.noted(f"message/{role}")
        own = fields.plain_id(message, "message_id") or (fields.plain_id(message, "id") if "created" in message else "")
        is_seen = about.get("userVisible") is not False
        for number, block in enumerate(content):
            key = f"{place.identity(own)}:{number}" if own else ""
            block = block if isinstance(block, dict) else {}
            kind = fields.plain_id(block, "type")
            speaker = GooseSpeaker(role, is_seen, not self._state.is_child, key)
            readings = readings_of(place, block, speaker, f"{place.session}:")
            self.noted(f"content/{kind}", is_known=readings is not None or kind in SILENT)
            yield from readings or ()


class GooseReader(Reader):
    agent = "goose"
    paths = ("**/sessions.db/*.jsonl", "**/sessions/*.jsonl")
    lines = GooseReading

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        row = row_of(record)
        if row.table:
            return row.table == "sessions" and {"working_dir", "session_type"} <= row.values.keys()
        content = record.get("content")
        is_message = isinstance(content, list) and "created" in record and "role" in record
        return is_message or len(_META & record.keys()) > 1


def gatherers() -> tuple[Gatherer, ...]:
    return (DatabaseGatherer(_DATABASE),)
