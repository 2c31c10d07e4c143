"""Reads the sessions of Qwen Code, and of the builds before, which wrote Gemini's documents.

    projects/<slug>/chats/<session>.jsonl                        a session
    projects/<slug>/subagents/<session>/agent-<id>.jsonl         a subagent's, `<session>/agent-<id>` here
    projects/<slug>/subagents/<session>/agent-<id>.meta.json     what it is, and the call that started it
    tmp/<hash>/chats/session-*.json                              older builds

This module knows lines and files; what a record means is in `records`.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any

import msgspec

from afterwit.agents import fields
from afterwit.agents.gemini.reader import GeminiReader
from afterwit.agents.memory import ReadingMemory
from afterwit.agents.places import Place
from afterwit.agents.protocol import FileReading, Shape, SourceFile
from afterwit.agents.qwen.records import SILENT_SYSTEM, SPOKEN_SYSTEM, QwenLine, assistant, system, tool_result, user
from afterwit.agents.reading import LinesReading, resumed
from afterwit.model.kinds import ReaderEvidence, Relation
from afterwit.model.readings import Facts, Reading
from afterwit.model.times import ms_from_any
from afterwit.sources.framing import Record

_SESSION = re.compile(r"projects/[^/]+/chats/[^/]+\.jsonl")
_AGENT = re.compile(r"projects/[^/]+/subagents/[^/]+/agent-[^/]+\.jsonl")
_META = ".meta.json"
_OLD = re.compile(r"tmp/[^/]+/chats/[^/]+\.json")
_MEANINGS: dict[str, Callable[[QwenLine], Iterable[Reading]]] = {
    "user": user,
    "assistant": assistant,
    "tool_result": tool_result,
    "system": system,
}
_OLDER = GeminiReader()


class QwenReader:
    """All that is known about the logs of Qwen Code."""

    agent = "qwen"
    evidence = ReaderEvidence.REAL_CLIENT

    def primary(self, path: PurePosixPath) -> PurePosixPath | None:
        name = str(path)
        if name.endswith(_META):
            path = path.with_name(f"{path.name.removesuffix(_META)}.jsonl")
            return path if _AGENT.fullmatch(str(path)) else None
        return path if _SESSION.fullmatch(name) or _AGENT.fullmatch(name) or _OLD.fullmatch(name) else None

    def shape(self, path: PurePosixPath) -> Shape:
        return _OLDER.shape(path)

    def shared(self, path: PurePosixPath) -> tuple[PurePosixPath, ...]:
        return _OLDER.shared(path)

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        """An old document cannot be told from Gemini's; in a folder given by hand, Gemini's reader gets it."""
        if not {"uuid", "parentUuid", "sessionId", "type"} <= record.keys():
            return _OLDER.sniffs(record)
        message = record.get("message")
        is_theirs = isinstance(message, dict) and isinstance(message.get("parts"), list)
        return is_theirs or (record.get("type") == "system" and "systemPayload" in record)

    def start(self, file: SourceFile, saved: bytes | None = None) -> FileReading:
        if self.shape(file.path) is Shape.DOCUMENT:
            return _OLDER.start(file, saved)
        return QwenReading(file, resumed(ReadingMemory, saved))


class QwenReading(LinesReading[ReadingMemory]):
    """The reading of one transcript."""

    def __init__(self, file: SourceFile, memory: ReadingMemory) -> None:
        path = file.path
        self._file = file
        self._is_agents = _AGENT.fullmatch(str(path)) is not None
        self._session = f"{path.parent.name}/{path.stem}" if self._is_agents else path.stem
        self._parent = path.parent.name if self._is_agents else ""
        super().__init__(memory)

    def feed(self, record: Record) -> list[Reading]:
        value = msgspec.json.decode(record.raw, type=dict[str, Any])
        kind, subtype = fields.plain_id(value, "type"), fields.plain_id(value, "subtype")
        name = f"system/{subtype}" if kind == "system" else kind
        is_known = kind in _MEANINGS and (kind != "system" or subtype in SPOKEN_SYSTEM | SILENT_SYSTEM)
        self._state.count(name, is_known=is_known)
        if not is_known:
            return []
        place = Place.of(self._session, record, ms_from_any(value.get("timestamp")))
        is_child = self._is_agents or value.get("isSidechain") is True
        line = QwenLine(value, place, fields.plain_id(value, "uuid"), subtype, is_child)
        return [*self._facts(value, place), *_MEANINGS[kind](line)]

    def _facts(self, value: Mapping[str, Any], place: Place) -> Iterable[Reading]:
        """What the envelope says about the session, when it changes."""
        forked = fields.plain_id(fields.mapping(value, "forkedFrom"), "sessionId")
        cwd, branch = fields.text(value, "cwd"), fields.text(value, "gitBranch")
        version, agent = fields.text(value, "version"), fields.text(value, "agentName")
        if not any((forked, cwd, branch, version, agent)):
            return
        if not self._state.is_new("facts", cwd, branch, version, forked):
            return
        parent = self._parent or forked
        meta = fields.decoded_file(self._file.companion(self._file.path.with_suffix(_META))) if self._parent else {}
        relation = Relation.SUBAGENT if self._parent else Relation.FORK if forked else None
        yield Facts(
            session=self._session,
            at_ms=place.at_ms,
            cwd=cwd,
            branch=branch,
            version=version,
            parent=parent,
            relation=relation,
            parent_call=fields.plain_id(meta, "toolUseId"),
            origin=agent or fields.text(meta, "agentType") if self._parent else "",
        )
