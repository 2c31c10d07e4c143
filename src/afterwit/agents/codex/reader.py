"""The reader of OpenAI Codex: rollouts of all generations, as far as they are lines of JSON.

A session is a thread. Every event of a file carries the file's own thread, also the history that a fork copied from its
parent; copies have the keys of their originals (see `lineage`), so that they can be counted once. This module knows the
lines and the files; what a record means is in `meaning`.

Read too: bare items without envelope (2025, no timestamps), and `{session, items}` of the first TypeScript client if it
comes as one line. That client wrote it over many lines into `.json` files, which are not claimed here. Compressed
rollouts are decompressed by the caller.

Codex's `history.jsonl`: the prompts of all sessions, as `{session_id, ts, text}` with seconds, without a folder. Codex
deletes no rollout by itself, but people do. `[history] persistence = "none"` in its settings turns the file off.
"""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

import msgspec

from afterwit.agents.codex.lineage import CodexState
from afterwit.agents.codex.meaning import MEANINGS, CodexPlace, problem
from afterwit.agents.codex.records import (
    BARE_ITEMS,
    SILENT,
    CodexLine,
    Payload,
    coerce_line,
    coerced,
    decode_line,
    decode_object,
)
from afterwit.agents.prompt_history import Fields, HistoryReader, JoinedReader
from afterwit.agents.protocol import SourceFile
from afterwit.agents.reading import LinesReader
from afterwit.model.kinds import ReaderEvidence
from afterwit.model.readings import Reading
from afterwit.model.times import ms_from_any
from afterwit.sources.framing import Record

_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_FILE = re.compile(r"rollout-.*\.jsonl(?:\.zst)?")
_THREAD = re.compile(rf"rollout-.*?({_UUID})(?:_{_UUID})?\.")
_ENVELOPES = frozenset(("session_meta", "response_item", "event_msg", "turn_context", "compacted"))
_TYPED = frozenset(("response_item", "event_msg"))
_NO_TYPE = "(no type)"
_NO_PAYLOAD = Payload()
_BOM_BYTES = 3


class CodexReader(LinesReader):
    agent = "codex"
    evidence = ReaderEvidence.REAL_DATA

    def primary(self, path: PurePosixPath) -> PurePosixPath | None:
        is_kept = path.parts[:1] in (("sessions",), ("archived_sessions",))
        return path if is_kept and _FILE.fullmatch(path.name) else None

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        if isinstance(record.get("payload"), Mapping):
            return any(record.get("type") == name for name in _ENVELOPES)
        return _is_bare_meta(record) or {"session", "items"} <= record.keys()

    def start(self, file: SourceFile, saved: bytes | None = None) -> "CodexReading":
        state = CodexState() if saved is None else msgspec.json.decode(saved, type=CodexState)
        return CodexReading(file.path.name, state)


class CodexReading:
    """The reading of one rollout, resumable at any record."""

    def __init__(self, name: str, state: CodexState) -> None:
        self._name = name
        self._state = state
        self.known: Mapping[str, int] = state.known
        self.unknown: Mapping[str, int] = state.unknown

    def save(self) -> bytes:
        return msgspec.json.encode(self._state)

    def feed(self, record: Record) -> list[Reading]:
        unusable: tuple[str, ...] = ()
        try:
            line = decode_line(record.raw)
        except msgspec.ValidationError:
            line, unusable = coerce_line(record.raw)
        if line.payload is None:
            return self._feed_bare(record, decode_object(record.raw))
        return self._take(record, line, unusable)

    def _feed_bare(self, record: Record, value: dict[str, Any]) -> list[Reading]:
        """A record of a generation without envelope, put into the envelope that it would have today."""
        if isinstance(value.get("items"), list) and isinstance(value.get("session"), dict):
            readings = self._take_bare(record, "session_meta", value["session"])
            for item in value["items"]:
                if isinstance(item, dict):
                    readings += self._take_bare(record, "response_item", item)
            return readings
        if value.get("record_type") == "state":
            return self._take(record, CodexLine("state", payload=_NO_PAYLOAD), ())
        if isinstance(value.get("type"), str) and value["type"] in BARE_ITEMS:
            return self._take_bare(record, "response_item", value)
        if _is_bare_meta(value):
            return self._take_bare(record, "session_meta", value)
        return self._feed_odd(record, value.get("type"))

    def _feed_odd(self, record: Record, kind: Any) -> list[Reading]:
        """A record of no known layout; a problem if its type promises one."""
        name = kind if isinstance(kind, str) and kind else _NO_TYPE
        self._state.count_other(name, is_known=name in _ENVELOPES or name in SILENT)
        place = CodexPlace(record.offset, record.length, None)
        return [problem(place, f"{name}: payload is not usable")] if name in _ENVELOPES else []

    def _take_bare(self, record: Record, kind: str, value: dict[str, Any]) -> list[Reading]:
        payload, unusable = coerced(Payload, value)
        timestamp = value.get("timestamp")
        line = CodexLine(kind, timestamp if isinstance(timestamp, str | int | float) else None, None, payload)
        return self._take(record, line, tuple(unusable))

    def _take(self, record: Record, line: CodexLine, unusable: tuple[str, ...]) -> list[Reading]:
        state, payload = self._state, line.payload or _NO_PAYLOAD
        state.number += 1
        if not state.lineage.own:
            state.lineage.begin(self._own_id(line, record.offset))
        elif state.lineage.is_copy:
            state.lineage.step(line.ordinal, ms_from_any(line.timestamp))
        name = f"{line.type}/{payload.type or _NO_TYPE}" if line.type in _TYPED else line.type or _NO_TYPE
        handler = MEANINGS.get(name)
        if handler is None:
            state.count_other(name, is_known=name in SILENT)
            return []
        state.known[name] = state.known.get(name, 0) + 1
        place = CodexPlace(record.offset, record.length, line.timestamp)
        if not unusable:
            return handler(state, payload, place)
        problems = [problem(place, f"{name}: {field} is not usable") for field in unusable]
        return [*problems, *handler(state, payload, place)]

    def _own_id(self, line: CodexLine, offset: int) -> str:
        """The thread of this file. A first session_meta that is not at the beginning may be a copied one."""
        named = _THREAD.match(self._name)
        is_first = offset <= _BOM_BYTES or named is None
        if line.type == "session_meta" and line.payload and line.payload.id and is_first:
            return line.payload.id
        return named[1] if named else PurePosixPath(self._name).name.removesuffix(".zst").removesuffix(".jsonl")


def _is_bare_meta(value: Mapping[str, Any]) -> bool:
    return isinstance(value.get("id"), str) and "timestamp" in value and "type" not in value


def history_reader() -> HistoryReader:
    return HistoryReader(CodexReader.agent, Fields(text="text", session="session_id", time="ts"))


def reader() -> JoinedReader:
    """Rollouts and history of Codex."""
    return JoinedReader(CodexReader(), history_reader())
