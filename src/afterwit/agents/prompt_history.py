"""Prompt histories: the file in which an agent keeps what was typed, for its arrow keys, across all sessions.

It holds prompts and nothing else, but it stays when the agent deletes its transcripts. A reader of it yields partial
sessions: prompts, their times, and the folder where that is stated. Which of them count is settled elsewhere: a
session's own transcript, wherever it is known, goes before the history. Slash commands and shell lines are typed, but
not to the model, so they are notices. Agents differ in their field names only; `Fields` has those.

A line without a session belongs to an unnamed one: what was typed that day (UTC) in that folder. `HistoryBesideReader`
puts a history beside the transcripts of its agent.
"""

import datetime as dt
import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from afterwit.agents.log_reader import (
    FileReading,
    LinesReading,
    Place,
    Reader,
    ReadingMemory,
    SourceFile,
)
from afterwit.agents.log_reader import mark as digest
from afterwit.model.kinds import EventKind
from afterwit.model.readings import Facts, Reading
from afterwit.model.text import regex
from afterwit.model.times import ms_from_any

HISTORY = PurePosixPath("history.jsonl")
UNNAMED = "history/"  # begins the native id of a session that the history gives no id
_COMMAND = regex(r"/[A-Za-z][\w:.-]*(?:\s|$)|!")
_PASTED = regex(r"\[Pasted text #(\d{1,9})[^\]\n]{0,40}\]")
_PROMPT, _OTHER = "prompt", "(no prompt)"
_PASTED_CHARS = 10_000


class Fields(NamedTuple):
    """What an agent calls the fields of a line."""

    text: str
    session: str
    time: str
    folder: str = ""
    pasted: str = ""


class HistoryReading(LinesReading[ReadingMemory]):
    """The reading of one history. Nothing but counts goes from one append to the next."""

    state_type = ReadingMemory

    def __init__(self, fields: Fields, file: SourceFile, saved: bytes | None) -> None:
        super().__init__(file, saved)
        self._fields = fields

    def time_of(self, value: Mapping[str, Any]) -> int | None:
        return ms_from_any(value.get(self._fields.time))

    def read(self, value: Mapping[str, Any], place: Place) -> list[Reading]:
        fields = self._fields
        is_prompt = fields.text in value
        self._state.count(_PROMPT if is_prompt else _OTHER, is_known=is_prompt)
        text = value.get(fields.text)
        if not isinstance(text, str):
            return [place.problem(f"{_PROMPT}: cannot use {fields.text}")] if is_prompt else []
        folder = _text(value.get(fields.folder))
        session = _text(value.get(fields.session)) or _unnamed(folder, place.at_ms)
        kind = EventKind.NOTICE if _COMMAND.match(text) else EventKind.PROMPT
        pasted = _PASTED.sub(lambda mark: _paste(value.get(fields.pasted), mark), text)
        said = place._replace(session=session).said(kind, pasted, f"history:{session}:{place.at_ms}:{digest(text)}")
        return [Facts(session=session, at_ms=place.at_ms, cwd=folder, is_partial=True), said]


class HistoryBesideReader(Reader):
    """The reader of an agent's transcripts, and of the history of prompts beside them. That is known by its name alone:
    in a folder given by hand one is a history too, and no transcript has that name."""

    history: Fields

    def is_history(self, record: Mapping[str, Any]) -> bool:
        """Whether this is a line of such a history."""
        history = self.history
        has_time = ms_from_any(record.get(history.time)) is not None
        is_placed = isinstance(record.get(history.folder or history.session), str)
        return isinstance(record.get(history.text), str) and has_time and is_placed

    def start(self, file: SourceFile, saved: bytes | None = None) -> FileReading:
        if file.path.name == HISTORY.name:
            return HistoryReading(self.history, file, saved)
        return super().start(file, saved)


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
