"""Prompt histories: the file in which an agent keeps what was typed, for its arrow keys, across all sessions.

It holds prompts and nothing else, but it stays when the agent deletes its transcripts. A reader of it yields partial
sessions: prompts, their times, and the folder where that is stated. Which of them count is settled elsewhere: a
session's own transcript, wherever it is known, goes before the history. Slash commands and shell lines are typed, but
not to the model, so they are notices. Agents differ in their field names only; `Fields` has those.

A line without a session belongs to an unnamed one: what was typed that day (UTC) in that folder. `JoinedReader` puts
a history beside the transcripts of its agent.
"""

import datetime as dt
import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import msgspec

from afterwit.agents.log_reader import FileReading, Place, Reader, Shape, SourceFile
from afterwit.agents.log_reader import mark as digest
from afterwit.model.kinds import EventKind, ReaderEvidence
from afterwit.model.readings import Facts, Problem, Reading
from afterwit.model.times import ms_from_any
from afterwit.sources.framing import Record

HISTORY = PurePosixPath("history.jsonl")
UNNAMED = "history/"  # begins the native id of a session that the history gives no id
_COMMAND = re.compile(r"/[A-Za-z][\w:.-]*(?:\s|$)|!")
_PASTED = re.compile(r"\[Pasted text #(\d{1,9})[^\]\n]{0,40}\]")
_PROMPT, _OTHER = "prompt", "(no prompt)"
_PASTED_CHARS = 10_000


class Fields(NamedTuple):
    """What an agent calls the fields of a line."""

    text: str
    session: str
    time: str
    folder: str = ""
    pasted: str = ""


class HistoryState(msgspec.Struct):
    known: dict[str, int] = {}
    unknown: dict[str, int] = {}


class HistoryReader:
    evidence = ReaderEvidence.DOCUMENTATION

    def __init__(self, agent: str, fields: Fields) -> None:
        self.agent = agent
        self._fields = fields

    def primary(self, path: PurePosixPath) -> PurePosixPath | None:
        return path if path.name == HISTORY.name and path == HISTORY else None

    def shape(self, path: PurePosixPath) -> Shape:  # noqa: ARG002 - the protocol's
        return Shape.LINES

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        fields = self._fields
        has_time = ms_from_any(record.get(fields.time)) is not None
        is_placed = isinstance(record.get(fields.folder or fields.session), str)
        return isinstance(record.get(fields.text), str) and has_time and is_placed

    def start(self, file: SourceFile, saved: bytes | None = None) -> "HistoryReading":  # noqa: ARG002 - the protocol's
        return HistoryReading(self._fields, msgspec.json.decode(saved, type=HistoryState) if saved else HistoryState())


class HistoryReading:
    """The reading of one history. Nothing but counts goes from one append to the next."""

    known: Mapping[str, int]
    unknown: Mapping[str, int]

    def __init__(self, fields: Fields, state: HistoryState) -> None:
        self._fields = fields
        self._state = state
        self.known = state.known
        self.unknown = state.unknown

    def save(self) -> bytes:
        return msgspec.json.encode(self._state)

    def feed(self, record: Record) -> list[Reading]:
        line = msgspec.json.decode(record.raw, type=dict[str, Any])
        fields, state = self._fields, self._state
        if fields.text not in line:
            state.unknown[_OTHER] = state.unknown.get(_OTHER, 0) + 1
            return []
        state.known[_PROMPT] = state.known.get(_PROMPT, 0) + 1
        text = line[fields.text]
        if not isinstance(text, str):
            reason = f"{_PROMPT}: cannot use {fields.text}"
            return [Problem(offset=record.offset, length=record.length, reason=reason)]
        folder = _text(line.get(fields.folder))
        at_ms = ms_from_any(line.get(fields.time))
        session = _text(line.get(fields.session)) or _unnamed(folder, at_ms)
        return [
            Facts(session=session, at_ms=at_ms, cwd=folder, is_partial=True),
            Place.of(session, record, at_ms).said(
                EventKind.NOTICE if _COMMAND.match(text) else EventKind.PROMPT,
                _PASTED.sub(lambda mark: _paste(line.get(fields.pasted), mark), text),
                f"history:{session}:{at_ms}:{digest(text)}",
            ),
        ]


class JoinedReader:
    """An agent's transcripts, and its prompt history beside them, as one reader."""

    def __init__(self, transcripts: Reader, history: HistoryReader) -> None:
        self.agent = transcripts.agent
        self.evidence = transcripts.evidence
        self._transcripts = transcripts
        self._history = history

    def primary(self, path: PurePosixPath) -> PurePosixPath | None:
        return self._history.primary(path) or self._transcripts.primary(path)

    def shape(self, path: PurePosixPath) -> Shape:
        return Shape.LINES if path.name == HISTORY.name else self._transcripts.shape(path)

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        return self._transcripts.sniffs(record) or self._history.sniffs(record)

    def start(self, file: SourceFile, saved: bytes | None = None) -> FileReading:
        """By name alone: a history that lies in a folder given by hand is one too, and no transcript has that name."""
        reader: Reader = self._history if file.path.name == HISTORY.name else self._transcripts
        return reader.start(file, saved)


def _unnamed(folder: str, at_ms: int | None) -> str:
    """The session of lines that name none. A digest, because the folder's name may hold anything."""
    day = "undated" if at_ms is None else dt.datetime.fromtimestamp(at_ms // 1000, dt.UTC).date().isoformat()
    return f"{UNNAMED}{day}/{digest(folder)}"


def _paste(contents: Any, mark: re.Match[str]) -> str:
    """What was pasted, where the line itself holds it; long pastes are kept elsewhere, for a while."""
    paste = contents.get(mark[1]) if isinstance(contents, dict) else None
    content = paste.get("content") if isinstance(paste, dict) else None
    return content[:_PASTED_CHARS] if isinstance(content, str) else mark[0]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
