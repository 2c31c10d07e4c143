"""Reads the sessions of kimi-cli: contexts, which hold what the model sees, and wires, which hold all that happened.

A revert, a clear or a compaction rotates the context, so that one session has several; its wire goes on. All of them
are read as parts of one session, and what they share is counted once (see `speech`). What a revert dropped happened and
stays, in the rotated file and in the wire. Contexts have no times, no tokens of responses and no error flags; the
summary of a compaction stands only there. The session's folder is known by its hash in `kimi.json`.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

import msgspec

from afterwit.agents import fields
from afterwit.agents.kimi import layout
from afterwit.agents.kimi.outcomes import outcome_of_context, texts_of
from afterwit.agents.kimi.speech import called, prompted, replied
from afterwit.agents.kimi.wire import SILENT, WIRE, Wire
from afterwit.agents.memory import Memory
from afterwit.agents.places import Place
from afterwit.agents.protocol import Shape, SourceFile
from afterwit.model.kinds import EventKind, ReaderEvidence, Relation
from afterwit.model.readings import Facts, Reading
from afterwit.model.times import ms_from_any
from afterwit.sources.framing import Record

_ROLES = frozenset({"user", "assistant", "tool", "system", "_system_prompt", "_checkpoint", "_usage"})
_NOTICE_CHARS = 8_000


class KimiReader:
    """All that is known about the logs of kimi-cli."""

    agent = "kimi"
    evidence = ReaderEvidence.REAL_DATA

    def primary(self, path: PurePosixPath) -> PurePosixPath | None:
        return layout.primary(path)

    def shape(self, path: PurePosixPath) -> Shape:  # noqa: ARG002 - the protocol's
        return Shape.LINES

    def shared(self, path: PurePosixPath) -> tuple[PurePosixPath, ...]:
        return (layout.FOLDERS,) if self.primary(path) == path else ()

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        if record.get("type") == "metadata":
            return "protocol_version" in record and "created_at" not in record
        return record.get("role") in ("_checkpoint", "_system_prompt", "_usage")

    def start(self, file: SourceFile, saved: bytes | None = None) -> "KimiReading":
        return KimiReading(file, msgspec.msgpack.decode(saved, type=Memory) if saved else Memory())


class KimiReading:
    """The reading of one file, wire or context."""

    def __init__(self, file: SourceFile, memory: Memory) -> None:
        self._file = file
        self._memory = memory
        self._owner = layout.owner_of(file.path) or layout.owner_by_name(file.path)
        self._wire = Wire(memory)
        self.known: Mapping[str, int] = memory.known
        self.unknown: Mapping[str, int] = memory.unknown

    def save(self) -> bytes:
        return msgspec.msgpack.encode(self._memory)

    def feed(self, record: Record) -> list[Reading]:
        value = msgspec.json.decode(record.raw, type=dict[str, Any])
        is_first = not self.known and not self.unknown
        place = Place.of(self._owner.session, record, ms_from_any(value.get("timestamp")))
        readings = [self._facts(place)] if is_first else []
        return [*readings, *self._read(value, place)]

    def _read(self, value: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        role, message = fields.plain_id(value, "role"), fields.mapping(value, "message")
        name = fields.plain_id(message, "type") or fields.plain_id(value, "type")
        if role and not message:
            self._memory.count(role, is_known=role in _ROLES)
            yield from self._said(role, value, place)
        else:
            is_known = name in WIRE or name in SILENT if message else name == "metadata"
            self._memory.count(name, is_known=is_known)
            if message:
                yield from self._wire.read(name, message, place, is_child=bool(self._owner.parent))

    def _said(self, role: str, message: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        says: dict[str, Callable[[Mapping[str, Any], Place], Iterator[Reading]]] = {
            "user": self._user,
            "assistant": self._assistant,
            "tool": _tool,
            "system": _system,
            "_system_prompt": _system,
        }
        if role in says:
            yield from says[role](message, place)

    def _user(self, message: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        return prompted(message.get("content"), place, self._memory, is_child=bool(self._owner.parent))

    def _assistant(self, message: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        content = message.get("content")
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else fields.mappings(message, "content")
        for part in parts:
            yield from replied(part, place)
        for call in fields.mappings(message, "tool_calls"):
            yield from called(call, place, self._memory)

    def _facts(self, place: Place) -> Facts:
        owner, path = self._owner, self._file.path
        state = fields.decoded_file(self._file.companion(path.with_name("state.json")) if path.stem == "wire" else None)
        folder = layout.folder_of(owner.folder, self._file.companion(layout.FOLDERS)) if owner.folder else ""
        return Facts(
            session=owner.session,
            at_ms=place.at_ms,
            cwd=fields.text(state, "worktree_path") or folder,
            title=fields.text(state, "custom_title"),
            is_title_manual=fields.flag(state, "title_generated") is False,
            parent=owner.parent,
            relation=Relation.SUBAGENT if owner.parent else None,
        )


def _tool(message: Mapping[str, Any], place: Place) -> Iterator[Reading]:
    call = fields.plain_id(message, "tool_call_id")
    if not call:
        yield place.problem("a result that names no call")
        return
    text, result = outcome_of_context(message.get("content"))
    yield place.result("", call, text, result)


def _system(message: Mapping[str, Any], place: Place) -> Iterator[Reading]:
    text = "\n".join(texts_of(message.get("content")))
    if text:
        yield place.said(EventKind.NOTICE, text[:_NOTICE_CHARS])
