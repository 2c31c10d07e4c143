"""Reads sessions of Hermes: rendered from `state.db`, snapshots `session_<id>.json`, and the lines of older builds.

Seen in a run of Hermes 0.19 (schema 22); earlier and later schemas differ in columns that may be missing here, or are
not used. All three tell a session under the same id, and what they have in common is counted once. Inactive rows
(rewound, or compacted in place) are what happened and stay events; rows that a compaction writes again are passed over.
In a delegated session nobody types.

Where Hermes keeps its sessions: `state.db` in its home and in the folder of each profile. The row of a session's parent
is told too: only it says whether the session goes on where a compaction split it off.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

import msgspec

from afterwit.agents import fields
from afterwit.agents.chat.reader import HERMES_PATHS, ChatReader, ChatReading
from afterwit.agents.hermes.turns import (
    HermesState,
    facts_of_row,
    facts_of_snapshot,
    is_written_again,
    message_of,
    readings_of,
    rekeyed,
    spend_of,
)
from afterwit.agents.protocol import FileReading, Shape, SourceFile
from afterwit.agents.rows import native_id, row_in, row_of
from afterwit.model.kinds import ReaderEvidence, Relation
from afterwit.model.readings import Reading
from afterwit.sources.databases import PARENT, Database, DatabaseGatherer, DatabaseTable
from afterwit.sources.documents import items
from afterwit.sources.framing import Record
from afterwit.sources.gathering import Gatherer, session_in

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


class RowsOfHermes:
    def __init__(self, path: PurePosixPath, saved: bytes | None) -> None:
        self._state = msgspec.msgpack.decode(saved, type=HermesState) if saved else HermesState()
        self._state.session = self._state.session or native_id(session_in(path)) or "unnamed"
        self.known: Mapping[str, int] = self._state.known
        self.unknown: Mapping[str, int] = self._state.unknown

    def save(self) -> bytes:
        return msgspec.msgpack.encode(self._state)

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
