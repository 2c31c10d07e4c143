"""Reads sessions of Hermes: rendered from `state.db`, snapshots `session_<id>.json`, and the lines of older builds.

Seen in a run of Hermes 0.19 (schema 22); earlier and later schemas differ in columns that may be missing here, or are
not used. All three tell a session under the same id, and what they have in common is counted once. Inactive rows
(rewound, or compacted in place) are what happened and stay events; rows that a compaction writes again are passed over.
In a delegated session nobody types.

Where Hermes keeps its sessions: `state.db` in its home and in the folder of each profile. The row of a session's parent
is told too: only it says whether the session goes on where a compaction split it off.

A session can be told by the database, by a snapshot of its messages and by the lines of older builds. None of them has
an id of a message that the others have too. So a prompt is known by its session, its text and how often this text came
before; a call by its id. What a message means is what it means in any chat log; failures are inferred from the text of
results. State: hashes and counters.

Both a compaction that
splits a session and a delegation name a parent. It is a delegation if the session says so itself, a branch likewise;
else it goes on after a compaction if that is how the parent ended. Older rows say neither: then the parent was still at
work, and has delegated.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

import msgspec

from afterwit.agents import fields
from afterwit.agents.chat.reader import HERMES_PATHS, ChatReader, ChatReading, ChatState, ChatTurn
from afterwit.agents.fields import decoded_text
from afterwit.agents.log_reader import (
    FileReading,
    LinesReading,
    Shape,
    SourceFile,
    column,
    mark,
    native_id,
    resumed,
    row_in,
    row_of,
)
from afterwit.model.kinds import EventKind, ReaderEvidence, Relation
from afterwit.model.readings import Event, Facts, Reading, Spend, Usage
from afterwit.model.times import ms_from_any
from afterwit.sources.databases import PARENT, Database, DatabaseGatherer, DatabaseTable
from afterwit.sources.documents import items
from afterwit.sources.framing import Record
from afterwit.sources.gathering import Gatherer, session_in

_COMPACTED = "compression"
_BRANCHED = "branched"
_UNPRICED = ("unknown", "")
_DEAREST_USD = 1e6
_JSON = "\0json:"
_COLUMNS = (
    *("role", "content", "tool_calls", "tool_call_id", "finish_reason", "reasoning", "reasoning_content"),
    *("timestamp", "usage", "model"),
)


class HermesState(ChatState, kw_only=True):
    prompts: dict[str, int] = msgspec.field(default_factory=dict)  # by the hash of the text: how often it came
    rows: dict[str, int] = msgspec.field(default_factory=dict)  # hashes of rows: a compaction may write them again
    session: str = ""
    is_child: bool = False
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


def readings_of(record: Record, message: Mapping[str, Any], state: HermesState) -> Iterator[Reading]:
    at_ms = ms_from_any(message.get("timestamp"))
    turn = ChatTurn(state.session, state, record, message, at_ms)
    return rekeyed(turn.read(is_first=False), state)


def rekeyed(readings: Iterable[Reading], state: HermesState) -> Iterator[Reading]:
    """The same with keys that are equal in all places where Hermes keeps a session."""
    for reading in readings:
        if not isinstance(reading, Event):
            yield reading
        elif reading.kind is EventKind.PROMPT:
            yield _prompt(reading, state)
        else:
            yield reading


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


def facts_of_snapshot(session: str, head: Mapping[str, Any]) -> Facts:
    """The times are local and without a zone; they are taken as UTC."""
    return Facts(
        session=session,
        at_ms=ms_from_any(head.get("session_start")),
        origin=fields.text(head, "platform"),
    )


def spend_of(session: str, key: str, row: Mapping[str, Any]) -> Spend | None:
    """A running total: of a session, or of one model in it."""
    names = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "reasoning_tokens")
    usage = fields.usage(row, *names)
    if usage == Usage():
        return None
    at_ms = ms_from_any(row.get("last_seen")) or ms_from_any(row.get("started_at"))
    model = fields.text(row, "model")
    return Spend(session=session, key=key, model=model, usage=usage, at_ms=at_ms, cost_usd=_cost(row))


def _cost(row: Mapping[str, Any]) -> float | None:
    actual, estimated = fields.number(row, "actual_cost_usd"), fields.number(row, "estimated_cost_usd")
    cost = actual or (None if fields.text(row, "cost_status") in _UNPRICED else estimated)
    return float(cost) if cost is not None and 0 <= cost < _DEAREST_USD else None


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
_SNAPSHOT = re.compile(r"(?:.*/)?sessions/session_[^/]+\.json")
_MOST_UNKNOWN = 50


class HermesReader:
    agent = "hermes"
    evidence = ReaderEvidence.REAL_CLIENT

    def primary(self, path: PurePosixPath) -> PurePosixPath | None:
        is_rendered = path.suffix == ".jsonl" and path.parent.name == "state.db"
        is_own = is_rendered or HERMES_PATHS.fullmatch(str(path)) or _SNAPSHOT.fullmatch(str(path))
        return path if is_own else None

    def shape(self, path: PurePosixPath) -> Shape:
        return Shape.DOCUMENT if path.suffix == ".json" else Shape.LINES

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        row = row_of(record)
        if row.table:
            return row.table == "sessions" and {"model_config", "source", "end_reason"} <= row.values.keys()
        is_snapshot = {"session_id", "session_start", "messages"} <= record.keys()
        return is_snapshot or ChatReader().sniffs(record)

    def start(self, file: SourceFile, saved: bytes | None = None) -> FileReading:
        if self.shape(file.path) is Shape.DOCUMENT:
            return SnapshotReading(file.path)
        if file.path.parent.name == "state.db":
            return RowsOfHermes(file.path, saved)
        return LinesOfHermes(file.path, saved)


class LinesOfHermes(ChatReading):
    """The reading of the lines of an older build."""

    state_type = HermesState

    def feed(self, record: Record) -> list[Reading]:
        assert isinstance(self._state, HermesState)
        return list(rekeyed(super().feed(record), self._state))


class RowsOfHermes(LinesReading[HermesState]):
    def __init__(self, path: PurePosixPath, saved: bytes | None) -> None:
        super().__init__(resumed(HermesState, saved))
        self._state.session = self._state.session or native_id(session_in(path)) or "unnamed"

    def feed(self, record: Record) -> list[Reading]:
        row, state = row_in(record.raw), self._state
        match row.table:
            case "(parent)":
                self._count(PARENT)
                state.parent_end = fields.plain_id(row.values, "end_reason")
                return []
            case "session_model_usage":
                self._count("session_model_usage")
                return self._usage(row.values)
            case "sessions":
                self._count("session")
                return self._session(row.values)
            case "messages":
                return list(self._message(record, row.values))
        name = fields.plain_id({"name": row.table}, "name") or "(no table)"
        is_room = name in state.unknown or len(state.unknown) < _MOST_UNKNOWN
        state.unknown[name if is_room else "(more)"] = state.unknown.get(name if is_room else "(more)", 0) + 1
        return []

    def _session(self, row: Mapping[str, Any]) -> list[Reading]:
        state = self._state
        state.session = native_id(row.get("id")) or state.session
        state.model = fields.plain_id(row, "model")
        facts = facts_of_row(state.session, row, state.parent_end)
        state.is_child = facts.relation is Relation.SUBAGENT
        state.is_continued = facts.relation is Relation.RESUME
        state.started_ms = facts.at_ms or 0
        spend = None if state.has_usage else spend_of(state.session, f"total:{state.session}", row)
        return [facts] if spend is None else [facts, spend]

    def _usage(self, row: Mapping[str, Any]) -> list[Reading]:
        names = ("model", "task", "billing_provider", "billing_mode")
        key = ":".join([self._state.session, *(fields.text(row, name)[:100] for name in names)])
        spend = spend_of(self._state.session, f"usage:{key}", row)
        self._state.has_usage = self._state.has_usage or spend is not None
        return [] if spend is None else [spend]

    def _message(self, record: Record, row: Mapping[str, Any]) -> Iterator[Reading]:
        message = message_of(row)
        if is_written_again(message, self._state):
            self._count("(written again)")
            return
        yield from readings_of(record, message, self._state)

    def _count(self, name: str) -> None:
        self._state.known[name] = self._state.known.get(name, 0) + 1


class SnapshotReading:
    def __init__(self, path: PurePosixPath) -> None:
        self._state = HermesState(session=native_id(path.stem.removeprefix("session_")) or "unnamed")
        self.known: Mapping[str, int] = self._state.known
        self.unknown: Mapping[str, int] = self._state.unknown

    def save(self) -> bytes:
        return b""

    def feed(self, record: Record) -> Iterator[Reading]:
        head = msgspec.json.decode(record.raw, type=dict[str, Any])
        state = self._state
        state.session = native_id(head.get("session_id")) or state.session
        state.model = fields.plain_id(head, "model")
        state.is_child = fields.text(head, "platform") == "subagent"
        state.known["snapshot"] = 1
        yield facts_of_snapshot(state.session, head)
        for message in items(record, "messages"):
            yield from self.piece(message)

    def piece(self, record: Record) -> Iterator[Reading]:
        message = msgspec.json.decode(record.raw)
        if isinstance(message, dict):
            yield from readings_of(record, message_of(message), self._state)
        else:
            self._state.unknown["(no message)"] = self._state.unknown.get("(no message)", 0) + 1


def gatherers() -> tuple[Gatherer, ...]:
    return (DatabaseGatherer(_DATABASE),)
