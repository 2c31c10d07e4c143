"""Reads sessions of Hermes: rendered from `state.db` (of the home and each profile), snapshots `session_<id>.json`, and
the lines of older builds. What they have in common is counted once: none has an id of a message that the others have,
so a prompt is known by its session, its text and how often this text came before; a call by its id.

Seen in a run of Hermes 0.19 (schema 22); other schemas differ in columns that may be missing. Inactive rows (rewound,
or compacted in place) are what happened and stay; rows that a compaction writes again are passed over. In a delegated
session nobody types. A session with a parent is a delegation or a branch if it says so itself; else it goes on after a
compaction if that is how the parent ended. Older rows say neither: then the parent was still at work, and delegated.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

import msgspec

from afterwit.agents import fields
from afterwit.agents.chat.reader import ChatReader, ChatReading, ChatState, ChatTurn
from afterwit.agents.fields import decoded_text
from afterwit.agents.log_reader import (
    DocumentReading,
    FileReading,
    Place,
    Reader,
    Row,
    RowsReading,
    Shape,
    SourceFile,
    column,
    mark,
    native_id,
    row_of,
)
from afterwit.model.kinds import EventKind, ReaderEvidence, Relation
from afterwit.model.readings import Event, Facts, Reading
from afterwit.model.text import regex
from afterwit.model.times import ms_from_any
from afterwit.sources.databases import PARENT, Database, DatabaseGatherer, DatabaseTable
from afterwit.sources.framing import Record
from afterwit.sources.gathering import Gatherer

_COMPACTED = "compression"
_BRANCHED = "branched"
_UNPRICED = ("unknown", "")
_JSON = "\0json:"
_COLUMNS = (
    *("role", "content", "tool_calls", "tool_call_id", "finish_reason", "reasoning", "reasoning_content"),
    *("timestamp", "usage", "model"),
)


class HermesState(ChatState, kw_only=True):
    prompts: dict[str, int] = msgspec.field(default_factory=dict)  # by the hash of the text: how often it came
    rows: dict[str, int] = msgspec.field(default_factory=dict)  # hashes of rows: a compaction may write them again
    started_ms: int = 0
    is_continued: bool = False  # the session goes on where a compaction split it off
    parent_end: str = ""
    has_usage: bool = False


def message_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """The message that a row or an element of a snapshot stands for."""
    message = {name: row[name] for name in _COLUMNS if row.get(name) is not None}
    content = message.get("content")
    if isinstance(content, str) and content.startswith(_JSON):
        message["content"] = decoded_text(content.removeprefix(_JSON))
    if row.get("observed") in (1, True) or row.get("mirror") is True:
        message["mirror"] = True  # heard in a group chat, not said to the agent
    return message


def readings_of(message: Mapping[str, Any], place: Place, state: HermesState) -> Iterator[Reading]:
    return rekeyed(ChatTurn(state, message, place).read(), state)


def rekeyed(readings: Iterable[Reading], state: HermesState) -> Iterator[Reading]:
    """The same with keys that are equal in all places where Hermes keeps a session."""
    for reading in readings:
        yield _prompt(reading, state) if isinstance(reading, Event) and reading.kind is EventKind.PROMPT else reading


def is_written_again(message: Mapping[str, Any], state: HermesState) -> bool:
    """Whether this row was there before: a compaction in place writes what it keeps again, with the same time."""
    at_ms = ms_from_any(message.get("timestamp"))
    if state.is_continued and at_ms is not None and at_ms < state.started_ms - 1000:
        return True
    names = ("role", "content", "tool_calls", "tool_call_id")
    sign = mark(repr([at_ms, *(message.get(name) for name in names)]))
    if sign in state.rows:
        return True
    state.rows[sign] = 1
    return False


def _prompt(event: Event, state: HermesState) -> Event:
    if state.is_child:
        return msgspec.structs.replace(event, kind=EventKind.NOTICE, key="")
    sign = mark(event.text)
    state.prompts[sign] = times = state.prompts.get(sign, 0) + 1
    return msgspec.structs.replace(event, key=f"prompt:{event.session}:{sign}:{times}")


def facts_of_row(session: str, row: Mapping[str, Any], parent_end: str) -> Facts:
    parent = native_id(row.get("parent_session_id"))
    return Facts(
        session=session,
        at_ms=ms_from_any(row.get("started_at")),
        cwd=fields.text(row, "cwd", "git_repo_root"),
        branch=fields.text(row, "git_branch"),
        title=fields.text(row, "title"),
        parent=parent,
        relation=relation_of(row, parent_end) if parent else None,
        origin=fields.text(row, "source"),
        provider=fields.text(row, "billing_provider"),
    )


def relation_of(row: Mapping[str, Any], parent_end: str) -> Relation:
    config = column(row, "model_config")
    config = config if isinstance(config, dict) else {}
    if row.get("source") == "subagent" or config.get("_delegate_from"):
        return Relation.SUBAGENT
    if config.get("_branched_from") or parent_end == _BRANCHED:
        return Relation.FORK
    return Relation.RESUME if parent_end == _COMPACTED else Relation.SUBAGENT


def spends_of(key: str, row: Mapping[str, Any], session: str) -> Iterator[Reading]:
    """A running total: of a session, or of one model in it."""
    names = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "reasoning_tokens")
    at_ms = ms_from_any(row.get("last_seen")) or ms_from_any(row.get("started_at"))
    estimated = None if fields.text(row, "cost_status") in _UNPRICED else fields.dollars(row, "estimated_cost_usd")
    cost = fields.dollars(row, "actual_cost_usd") or estimated
    return Place(session, 0, 0, at_ms).spent(key, fields.text(row, "model"), fields.usage(row, *names), cost)


_COUNTED = frozenset(("message_count", "tool_call_count", "compression_fallback_streak", "expiry_finalized"))
_DATABASE = Database(
    names=r"state\.db",
    sessions=DatabaseTable("sessions", session="id", order=("id",), without=_COUNTED),
    tables=(DatabaseTable("messages", session="session_id", order=("id",)),),
    before=(
        DatabaseTable(
            "session_model_usage",
            session="session_id",
            order=("model", "task", "billing_provider"),
            changed="last_seen",
        ),
    ),
    parent="parent_session_id",
    parent_columns=("id", "source", "end_reason"),
)
_LINES = regex(r"(?:profiles/[^/]+/)?sessions/[^/]+\.jsonl")


class LinesOfHermes(ChatReading[HermesState]):
    """The reading of the lines of an older build."""

    state_type = HermesState

    def feed(self, record: Record) -> list[Reading]:
        return list(rekeyed(super().feed(record), self._state))


class RowsOfHermes(RowsReading[HermesState]):
    state_type = HermesState

    def take(self, row: Row, place: Place) -> Iterable[Reading] | None:
        state = self._state
        match row.table:
            case "(parent)":
                self.noted(PARENT)
                state.parent_end = fields.plain_id(row.values, "end_reason")
                return ()
            case "session_model_usage":
                self.noted("session_model_usage")
                return self._usage(row.values, place)
            case "sessions":
                self.noted("session")
                return self._read_session(row.values, place)
            case "messages":
                message = message_of(row.values)
                if not is_written_again(message, state):
                    return readings_of(message, place, state)
                self.noted("(written again)")
                return ()
        return None

    def _read_session(self, row: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        state = self._state
        state.session = native_id(row.get("id")) or place.session
        state.model = fields.plain_id(row, "model")
        facts = facts_of_row(state.session, row, state.parent_end)
        state.is_child = facts.relation is Relation.SUBAGENT
        state.is_continued = facts.relation is Relation.RESUME
        state.started_ms = facts.at_ms or 0
        yield facts
        if not state.has_usage:
            yield from spends_of(f"total:{state.session}", row, state.session)

    def _usage(self, row: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        names = ("model", "task", "billing_provider", "billing_mode")
        key = ":".join([place.session, *(fields.text(row, name)[:100] for name in names)])
        for spend in spends_of(f"usage:{key}", row, place.session):
            self._state.has_usage = True
            yield spend


class SnapshotReading(DocumentReading):
    def __init__(self, file: SourceFile) -> None:
        super().__init__(file)
        self._messages = HermesState(known=self._memory.known, unknown=self._memory.unknown)

    def session_of(self, path: PurePosixPath) -> str:
        return native_id(path.stem.removeprefix("session_")) or "unnamed"

    def begin(self, document: Mapping[str, Any]) -> Iterator[Reading]:
        self._session = native_id(document.get("session_id")) or self._session
        self._messages.model = fields.plain_id(document, "model")
        self._messages.is_child = fields.text(document, "platform") == "subagent"
        self._memory.count("snapshot", is_known=True)
        at_ms = ms_from_any(document.get("session_start"))  # local and without a zone; taken as UTC
        yield Facts(session=self._session, at_ms=at_ms, origin=fields.text(document, "platform"))

    def read(self, value: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        return readings_of(message_of(value), place, self._messages)


class HermesReader(Reader):
    agent = "hermes"
    evidence = ReaderEvidence.REAL_CLIENT
    document = SnapshotReading

    def primary(self, path: PurePosixPath) -> PurePosixPath | None:
        is_odd = path.suffix == ".jsonl" and path.parent.name != "state.db" and not _LINES.fullmatch(str(path))
        return None if is_odd else super().primary(path)

    def shape(self, path: PurePosixPath) -> Shape:
        return Shape.DOCUMENT if path.suffix == ".json" else Shape.LINES

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        row = row_of(record)
        if row.table:
            return row.table == "sessions" and {"model_config", "source", "end_reason"} <= row.values.keys()
        is_snapshot = {"session_id", "session_start", "messages"} <= record.keys()
        return is_snapshot or ChatReader().sniffs(record)

    def lines(self, file: SourceFile, saved: bytes | None) -> FileReading:
        return RowsOfHermes(file, saved) if file.path.parent.name == "state.db" else LinesOfHermes(file, saved)


def gatherers() -> tuple[Gatherer, ...]:
    return (DatabaseGatherer(_DATABASE),)
