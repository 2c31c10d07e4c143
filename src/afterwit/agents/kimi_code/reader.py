"""Reads the sessions of Kimi Code: one wire for each agent, and a `state.json` that says where it ran.

    sessions/<workspace>/<session>/agents/main/wire.jsonl     the session
    sessions/<workspace>/<session>/agents/<id>/wire.jsonl     a subagent's, `<session>/<id>` here
    sessions/<workspace>/<session>/state.json                 folder and title

This module knows lines and files; what a record means is in `meaning`.
"""

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

import msgspec

from afterwit.agents import fields
from afterwit.agents.kimi_code.meaning import LOOP, MEANINGS, SILENT, KimiCodeLine, KimiCodeState
from afterwit.agents.places import Place
from afterwit.agents.protocol import SourceFile
from afterwit.agents.reading import LinesReader, LinesReading, resumed
from afterwit.model.kinds import ReaderEvidence, Relation
from afterwit.model.readings import Facts, Reading
from afterwit.model.times import ms_from_any
from afterwit.sources.framing import Record

_MAIN = "main"
_LOOP = "context.append_loop_event"


class KimiCodeReader(LinesReader):
    """All that is known about the logs of Kimi Code."""

    agent = "kimi-code"
    evidence = ReaderEvidence.REAL_CLIENT

    def primary(self, path: PurePosixPath) -> PurePosixPath | None:
        match path.parts:
            case ("sessions", _, _, "agents", _, "wire.jsonl"):
                return path
            case ("sessions", _, _, "state.json"):
                return path.parent / "agents" / _MAIN / "wire.jsonl"
        return None

    def shared(self, path: PurePosixPath) -> tuple[PurePosixPath, ...]:
        """The state is the companion of the main wire; subagents want it too."""
        is_subagents = self.primary(path) == path and path.parent.name != _MAIN
        return (_state_file(path),) if is_subagents else ()

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        if record.get("type") == "metadata":
            return "protocol_version" in record and "created_at" in record
        return record.get("type") in ("context.append_message", _LOOP)

    def start(self, file: SourceFile, saved: bytes | None = None) -> "KimiCodeReading":
        return KimiCodeReading(file, resumed(KimiCodeState, saved))


class KimiCodeReading(LinesReading[KimiCodeState]):
    """The reading of one agent's wire."""

    def __init__(self, file: SourceFile, state: KimiCodeState) -> None:
        self._file = file
        super().__init__(state)
        folder = file.path.parent
        root = folder.parent.parent
        self._parent = "" if folder.name == _MAIN else root.name
        self._session = f"{root.name}/{folder.name}" if self._parent else root.name or file.path.stem

    def feed(self, record: Record) -> list[Reading]:
        value = msgspec.json.decode(record.raw, type=dict[str, Any])
        is_first = self._is_at_start
        name, event = fields.plain_id(value, "type"), fields.mapping(value, "event")
        meaning = MEANINGS.get(name)
        is_known = meaning is not None or name in SILENT
        if name == _LOOP:
            kind = fields.plain_id(event, "type")
            name, is_known = f"{_LOOP}/{kind}", kind in LOOP
        self._state.count(name, is_known=is_known)
        at_ms = ms_from_any(value.get("time")) or ms_from_any(value.get("created_at"))
        place = Place.of(self._session, record, at_ms)
        readings: list[Reading] = [self._facts(place)] if is_first else []
        if meaning is not None:
            readings += meaning(self._state, KimiCodeLine(value, place, bool(self._parent)))
        return readings

    def _facts(self, place: Place) -> Facts:
        state = fields.decoded_file(self._file.companion(_state_file(self._file.path)))
        agent = fields.mapping(fields.mapping(state, "agents"), self._file.path.parent.name)
        return Facts(
            session=self._session,
            at_ms=place.at_ms,
            cwd=fields.text(state, "cwd", "workDir"),
            title="" if self._parent else fields.text(state, "title"),
            is_title_manual=not self._parent and state.get("isCustomTitle") is True,
            parent=self._parent,
            relation=Relation.SUBAGENT if self._parent else None,
            origin=fields.text(fields.mapping(agent, "labels"), "profileName") if self._parent else "",
        )


def _state_file(wire: PurePosixPath) -> PurePosixPath:
    return wire.parent.parent.parent / "state.json"
