"""Reads Goose's sessions: rendered from its database, and the JSON lines of versions before 1.10.

Written from Goose's source and a real, empty database. A file of lines begins with a record about the session; then
each line is a message, with the same content as a row of the database. What a session spent is a running total in its
row or first line; it counts as one spend. Compaction writes the messages anew under other row numbers, so only the ids
of messages and calls are keys.
"""

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

import msgspec

from afterwit.agents import fields
from afterwit.agents.goose.content import SILENT, Speaker, readings_of
from afterwit.agents.protocol import Shape, SourceFile
from afterwit.agents.rows import Row, RowsReading, column, native_id, row_of
from afterwit.model.kinds import ReaderEvidence, Relation
from afterwit.model.readings import Facts, Reading, Spend, Usage
from afterwit.model.times import ms_from_any
from afterwit.sources.framing import Record

_PEOPLES = ("", "user", "terminal", "gateway", "acp", "hidden")
_META = frozenset(("working_dir", "description", "message_count"))


class GooseReader:
    """Goose, by the shape of `agents.protocol.Reader`."""

    agent = "goose"
    evidence = ReaderEvidence.DOCUMENTATION

    def primary(self, path: PurePosixPath) -> PurePosixPath | None:
        return path if path.suffix == ".jsonl" and path.parent.name in ("sessions", "sessions.db") else None

    def shape(self, path: PurePosixPath) -> Shape:  # noqa: ARG002 - the protocol's
        return Shape.LINES

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        row = row_of(record)
        if row.table:
            return row.table == "sessions" and {"working_dir", "session_type"} <= row.values.keys()
        content = record.get("content")
        is_message = isinstance(content, list) and "created" in record and "role" in record
        return is_message or len(_META & record.keys()) > 1

    def start(self, file: SourceFile, saved: bytes | None = None) -> "GooseReading":
        return GooseReading(file.path, saved)


class GooseReading(RowsReading):
    """The reading of one session, from rows or from lines."""

    def feed(self, record: Record) -> list[Reading]:
        line = msgspec.json.decode(record.raw, type=dict[str, Any])
        if "table" in line:
            return super().feed(record)
        if isinstance(line.get("role"), str) and isinstance(line.get("content"), list):
            return list(self._message(record, line, line["content"], fields.mapping(line, "metadata")))
        if _META & line.keys():
            return list(self._session(line))
        self.noted(fields.plain_id(line, "type"), is_known=False)
        return []

    def take(self, record: Record, row: Row) -> Iterator[Reading] | None:
        values = row.values
        if row.table == "sessions":
            self.state.session = native_id(values.get("id")) or self.state.session
            return self._session(values)
        if row.table == "messages":
            content, metadata = column(values, "content_json"), column(values, "metadata_json")
            about = metadata if isinstance(metadata, dict) else {}
            return self._message(record, values, content if isinstance(content, list) else [], about)
        return None

    def _session(self, row: Mapping[str, Any]) -> Iterator[Reading]:
        self.noted("session")
        kind = fields.text(row, "session_type")
        parent = native_id(row.get("parent_session_id"))
        self.state.is_child = bool(parent) or kind not in _PEOPLES
        config = column(row, "model_config_json")
        at_ms = ms_from_any(row.get("created_at"))
        name = fields.text(row, "name")
        yield Facts(
            session=self.state.session,
            at_ms=at_ms,
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
        if usage != Usage():
            model = fields.text(config, "model_name") if isinstance(config, dict) else ""
            key = f"total:{self.state.session}"
            yield Spend(session=self.state.session, key=key, model=model, usage=usage, at_ms=at_ms)

    def _message(
        self, record: Record, message: Mapping[str, Any], content: list[Any], about: Mapping[str, Any]
    ) -> Iterator[Reading]:
        role = fields.plain_id(message, "role")[:20]
        self.noted(f"message/{role}")
        at_ms = ms_from_any(message.get("created_timestamp", message.get("created")))
        place = self.place(record, at_ms)
        own = fields.plain_id(message, "message_id") or (fields.plain_id(message, "id") if "created" in message else "")
        is_seen = about.get("userVisible") is not False
        for number, block in enumerate(content):
            key = f"{place.identity(own)}:{number}" if own else ""
            kind = fields.plain_id(block, "type") if isinstance(block, dict) else ""
            speaker = Speaker(role, is_seen, not self.state.is_child, key)
            calls = f"{self.state.session}:"
            found = readings_of(place, block, speaker, calls) if isinstance(block, dict) else None
            self.noted(f"content/{kind}", is_known=found is not None or kind in SILENT)
            if found is not None:
                yield from found
