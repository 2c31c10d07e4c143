"""The reader of Cursor's agent transcripts: JSON lines in newer versions, plain texts in older ones.

Written from documentation. A transcript has no times, no ids, no models, no tokens and no results of calls: what a
person typed, what the agent answered and which tools it called is all there is. A person's words stand between
`<user_query>` tags; what stands around them was injected. Chat databases beside the transcripts are not read here.
"""

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

import msgspec

from afterwit.agents import fields
from afterwit.agents.blocks import Answered, Asked, Other, Said, Thought, blocks_of, ended
from afterwit.agents.cursor_cli.plain import PlainReading
from afterwit.agents.cursor_cli.queries import spoken
from afterwit.agents.memory import Memory
from afterwit.agents.places import Place
from afterwit.agents.protocol import FileReading, Shape, SourceFile
from afterwit.model.kinds import EventKind, ReaderEvidence, Relation
from afterwit.model.readings import Event, Facts, Reading
from afterwit.model.times import ms_from_any
from afterwit.sources.framing import Record

_FOLDER = "agent-transcripts"
_ROLES = frozenset(["user", "assistant", "system", "tool"])
_CONTROL = frozenset(["turn_started", "turn_ended", "checkpoint"])


class CursorTranscriptReader:
    """All that is known about Cursor's agent transcripts."""

    agent = "cursor-cli"
    evidence = ReaderEvidence.DOCUMENTATION

    def primary(self, path: PurePosixPath) -> PurePosixPath | None:
        is_kept = path.parts[0] == "projects" and _FOLDER in path.parts[:-1]
        return path if is_kept and path.suffix in (".jsonl", ".txt") else None

    def shape(self, path: PurePosixPath) -> Shape:
        return Shape.TEXT if path.suffix == ".txt" else Shape.LINES

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        message = record.get("message")
        is_message = isinstance(message, Mapping) and "content" in message and "role" not in message
        return is_message and record.get("role") in ("user", "assistant") and "type" not in record

    def start(self, file: SourceFile, saved: bytes | None = None) -> FileReading:
        if self.shape(file.path) is Shape.TEXT:
            return PlainReading(file.path.stem)
        return TranscriptReading(file.path, Memory() if saved is None else msgspec.msgpack.decode(saved, type=Memory))


class TranscriptReading:
    """The reading of a transcript of JSON lines."""

    def __init__(self, path: PurePosixPath, memory: Memory) -> None:
        self._session = path.stem
        self._parent = path.parents[1].name if path.parent.name == "subagents" else ""
        self._memory = memory
        self.known: Mapping[str, int] = memory.known
        self.unknown: Mapping[str, int] = memory.unknown

    def save(self) -> bytes:
        return msgspec.msgpack.encode(self._memory)

    def feed(self, record: Record) -> list[Reading]:
        value = msgspec.json.decode(record.raw, type=dict[str, Any])
        is_first = not self.known and not self.unknown
        facts = Facts(session=self._session, parent=self._parent, relation=Relation.SUBAGENT)
        readings: list[Reading] = [facts] if is_first and self._parent else []
        return readings + list(self._read(value, record))

    def _read(self, value: Mapping[str, Any], record: Record) -> Iterator[Reading]:
        role, kind = fields.text(value, "role"), fields.text(value, "type")
        is_known = role in _ROLES or (not role and kind in _CONTROL)
        self._memory.count(role or kind, is_known=is_known)
        if role not in _ROLES:
            return
        place = Place.of(self._session, record, ms_from_any(value.get("timestamp")))
        content = fields.mapping(value, "message").get("content", value.get("content"))
        for number, block in enumerate(blocks_of(content)):
            if isinstance(block, Said):
                yield from self._said(role, block.text, place)
            elif isinstance(block, Thought):
                yield place.said(EventKind.THOUGHT, block.text)
            elif isinstance(block, Asked):
                yield place.asked(block.id or place.made_up(number), block.tool, block.arguments)
            elif isinstance(block, Answered):
                yield place.answered(block.id or place.made_up(number), block.text, ended(block.text, block.is_error))
            elif isinstance(block, Other):
                yield place.problem(f"a block of the unknown type {block.type!r}")

    def _said(self, role: str, text: str, place: Place) -> Iterator[Event]:
        if role != "user":
            yield place.said(EventKind.REPLY if role == "assistant" else EventKind.NOTICE, text)
            return
        yield from spoken(text, place, is_delegated=bool(self._parent))
