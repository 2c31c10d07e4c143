"""Reads the sessions of kimi-cli: contexts, which hold what the model sees, and wires, which hold all that happened.

A revert, a clear or a compaction rotates the context, so that one session has several; its wire goes on. All of them
are read as parts of one session, and what they share is counted once (`outcomes`). What a revert dropped happened and
stays, in the rotated file and in the wire. Contexts have no times, no tokens of responses and no error flags; the
summary of a compaction stands only there. The session's folder is known by its hash in `kimi.json`.

Where kimi-cli keeps its files, and which session each belongs to.

    sessions/<md5 of the folder>/<session>/wire.jsonl                 all that happened, with times
    sessions/<md5 …>/<session>/state.json                             title, and the worktree if it ran in one
    sessions/<md5 …>/<session>/context.jsonl                          what the model sees
    sessions/<md5 …>/<session>/context_<n>.jsonl                      the same before a compaction, a revert, a clear
    sessions/<md5 …>/<session>/subagents/<id>/{wire,context}.jsonl    a subagent's, `<session>/<id>` here
    sessions/<md5 …>/<session>.jsonl, <session>_<n>.jsonl             contexts of 2025
    sessions/<md5 …>/<session>_<tool>_<n>.jsonl                       of a subagent then, `<session>/<tool>_<n>` here

Which folder a hash stands for is listed in `kimi.json`.
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import msgspec

from afterwit.agents import fields
from afterwit.agents.kimi.wire import SILENT, WIRE, Wire, called, outcome_of_context, prompted, replied, texts_of
from afterwit.agents.places import Place
from afterwit.agents.protocol import SourceFile
from afterwit.agents.reading import LinesReader, LinesReading, ReadingMemory, resumed
from afterwit.model.kinds import EventKind, ReaderEvidence, Relation
from afterwit.model.readings import Facts, Reading
from afterwit.model.times import ms_from_any
from afterwit.sources.framing import Record

_FILE = re.compile(
    r"sessions/(?P<folder>[^/]+)/(?P<session>[^/]+)/(?:subagents/(?P<agent>[^/]+)/)?(?:wire|context(?:_\d+)?)\.jsonl"
)
_OLD = re.compile(r"sessions/(?P<folder>[^/]+)/(?P<stem>[^/]+)\.jsonl")
_STEM = re.compile(r"(?P<session>.+?)(?:_(?P<agent>[A-Za-z]\w*_\d+)|_\d+)?")
_STATE = re.compile(r"sessions/[^/]+/[^/]+/state\.json")
FOLDERS = PurePosixPath("kimi.json")
_ROLES = frozenset({"user", "assistant", "tool", "system", "_system_prompt", "_checkpoint", "_usage"})
_NOTICE_CHARS = 8_000


class Owner(NamedTuple):
    """The session that a file is about, its parent if it is a subagent's, and the hash of the folder it ran in."""

    session: str
    parent: str
    folder: str


def owner_of(path: PurePosixPath) -> Owner | None:
    """The owner of a transcript; None if the path is of no known form."""
    match = _FILE.fullmatch(str(path))
    if match:
        return _owner(match["session"], match["agent"], match["folder"])
    old = _OLD.fullmatch(str(path))
    return _named(old["stem"], old["folder"]) if old else None


def primary(path: PurePosixPath) -> PurePosixPath | None:
    """The transcript that this file is or belongs to."""
    if _STATE.fullmatch(str(path)):
        return path.with_name("wire.jsonl")
    return path if owner_of(path) else None


def owner_by_name(path: PurePosixPath) -> Owner:
    """The owner of a file that lies anywhere."""
    if path.stem == "wire" or path.stem.startswith("context"):
        is_agents = path.parent.parent.name == "subagents"
        session = path.parent.parent.parent.name if is_agents else path.parent.name
        return _owner(session or path.stem, path.parent.name if is_agents else None, "")
    return _named(path.stem, "")


def folder_of(wanted: str, raw: bytes | None) -> str:
    """The folder with this hash among those that `kimi.json` lists."""
    for folder in fields.mappings(fields.decoded_file(raw), "work_dirs"):
        path = fields.text(folder, "path")
        if path and hashlib.md5(path.encode(), usedforsecurity=False).hexdigest() == wanted:
            return path
    return ""


def _named(stem: str, folder: str) -> Owner:
    match = _STEM.fullmatch(stem)
    return _owner(match["session"], match["agent"], folder) if match else Owner(stem, "", folder)


def _owner(session: str, agent: str | None, folder: str) -> Owner:
    return Owner(f"{session}/{agent}", session, folder) if agent else Owner(session, "", folder)


class KimiReader(LinesReader):
    agent = "kimi"
    evidence = ReaderEvidence.REAL_DATA

    def primary(self, path: PurePosixPath) -> PurePosixPath | None:
        return primary(path)

    def shared(self, path: PurePosixPath) -> tuple[PurePosixPath, ...]:
        return (FOLDERS,) if self.primary(path) == path else ()

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        if record.get("type") == "metadata":
            return "protocol_version" in record and "created_at" not in record
        return record.get("role") in ("_checkpoint", "_system_prompt", "_usage")

    def start(self, file: SourceFile, saved: bytes | None = None) -> "KimiReading":
        return KimiReading(file, resumed(ReadingMemory, saved))


class KimiReading(LinesReading[ReadingMemory]):
    """The reading of one file, wire or context."""

    def __init__(self, file: SourceFile, memory: ReadingMemory) -> None:
        self._file = file
        super().__init__(memory)
        self._owner = owner_of(file.path) or owner_by_name(file.path)
        self._wire = Wire(memory)

    def feed(self, record: Record) -> list[Reading]:
        value = msgspec.json.decode(record.raw, type=dict[str, Any])
        is_first = self._is_at_start
        place = Place.of(self._owner.session, record, ms_from_any(value.get("timestamp")))
        readings = [self._facts(place)] if is_first else []
        return [*readings, *self._read(value, place)]

    def _read(self, value: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        role, message = fields.plain_id(value, "role"), fields.mapping(value, "message")
        name = fields.plain_id(message, "type") or fields.plain_id(value, "type")
        if role and not message:
            self._state.count(role, is_known=role in _ROLES)
            yield from self._said(role, value, place)
        else:
            is_known = name in WIRE or name in SILENT if message else name == "metadata"
            self._state.count(name, is_known=is_known)
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
        return prompted(message.get("content"), place, self._state, is_child=bool(self._owner.parent))

    def _assistant(self, message: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        content = message.get("content")
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else fields.mappings(message, "content")
        for part in parts:
            yield from replied(part, place)
        for call in fields.mappings(message, "tool_calls"):
            yield from called(call, place, self._state)

    def _facts(self, place: Place) -> Facts:
        owner, path = self._owner, self._file.path
        state = fields.decoded_file(self._file.companion(path.with_name("state.json")) if path.stem == "wire" else None)
        folder = folder_of(owner.folder, self._file.companion(FOLDERS)) if owner.folder else ""
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
