"""Aider: one Markdown file per project, to which every launch of the program is added. A launch is a session; it has no
id, so the folder of the file and the time of the launch (local, taken as UTC) stand for it; nothing else has a time.

    # aider chat started at 2026-05-01 10:00:00
    #### a line that a person typed
    > a line of the program: its version and model, rounded figures ("9.6k"), edits, commands (whose end is not told)
    everything else is the model's; inside of its code fences, which only a launch ends, the marks above are content

A line that begins with `/` is an order to the program and no prompt, except those that pass their words on to the
model. What was sent includes what came from the cache. Written from documentation and runs of version 0.86.2.
"""

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from afterwit.agents.log_reader import DocumentReading, Place, Reader, Shape, SourceFile
from afterwit.model.kinds import EventKind, ReaderEvidence
from afterwit.model.readings import Event, Facts, Reading, Result, Usage
from afterwit.model.text import regex
from afterwit.model.times import ms_from_any
from afterwit.sources.framing import Record

_LAUNCH = regex(rb"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*$")
_FENCE = regex(rb"(`{3,}|~{3,})")
_VERSION = regex(r"Aider v(\S{1,40})")
_MODEL = regex(r"(?:Main model|Model): (\S{1,120})")
_COUNT = r"(\d[\d.,]{0,12}[kKmM]?)"
_TOKENS = regex(
    rf"Tokens: {_COUNT} sent(?:, {_COUNT} cache write)?(?:, {_COUNT} cache hit)?, {_COUNT} received\."
    r"(?: Cost: \$(\d[\d.]{0,12}) message)?"
)
_APPLIED = regex(r"Applied edit to (.{1,1000})")
_UNMATCHED = regex(r".{0,20}SearchReplaceNoExactMatch: .{0,200}? lines in (.{1,1000})")
_RUNNING = regex(r"Running (.{1,4000})")
_FAILED = regex(r".{0,40}\blitellm\.\w*(?:Error|Timeout|Exceeded)\b|Model \S+ has hit a token limit")
_UNITS = {"k": 1_000, "m": 1_000_000}
_TO_THE_MODEL = ("/ask ", "/code ", "/architect ", "/context ")


class Mode(StrEnum):
    LAUNCH = "launch"
    USER = "user"
    PROGRAM = "program"
    MODEL = "model"


class Piece(NamedTuple):
    mode: Mode
    begin: int
    end: int


def pieces_of(raw: bytes) -> Iterator[Piece]:
    """The pieces that say something, in order. Blank lines end what a person or the program said."""
    mode, begin, fence, at = Mode.MODEL, 0, b"", 0
    while at < len(raw):
        newline = raw.find(b"\n", at)
        end = len(raw) if newline < 0 else newline + 1
        line = raw[at:end].strip()
        line_mode = mode_of(line)
        if fence and line_mode is not Mode.LAUNCH:
            fence = b"" if line == fence else fence
        else:
            fence = _open(line) if line_mode is Mode.MODEL else b""
            is_over = line_mode is not mode or line_mode is Mode.LAUNCH
            if is_over and not (mode is Mode.MODEL and not line):
                if raw[begin:at].strip():
                    yield Piece(mode, begin, at)
                mode, begin = line_mode, at
        at = end
    if raw[begin:].strip():
        yield Piece(mode, begin, len(raw))


def mode_of(line: bytes) -> Mode:
    """Who speaks in a line that stands outside of code fences."""
    if line.startswith(b"#### ") or line == b"####":
        return Mode.USER
    if line.startswith(b"> ") or line == b">":
        return Mode.PROGRAM
    return Mode.LAUNCH if _LAUNCH.match(line) else Mode.MODEL


def launched_at(line: bytes) -> str:
    """The local time of a launch, as the line has it; "" where it is none."""
    match = _LAUNCH.match(line.strip())
    return match[1].decode("ascii") if match else ""


def _open(line: bytes) -> bytes:
    match = _FENCE.match(line)
    return match[1] if match else b""


def spent_in(match: "re.Match[str]") -> tuple[Usage, float | None]:
    sent, written, read, received = (_count(match[number]) for number in range(1, 5))
    usage = Usage(input=max(sent - written - read, 0), cache_read=read, cache_write=written, output=received)
    return usage, _number(match[5]) if match[5] else None


def events_in(line: str, call_id: str, place: Place) -> Iterator[Event]:
    """What happened by this line."""
    applied = _APPLIED.match(line)
    if match := applied or _UNMATCHED.match(line):
        yield place.asked(call_id, "edit", {"path": match[1]})
        yield place.answered(call_id, line, Result(is_error=applied is None))
    elif match := _RUNNING.match(line):
        yield place.asked(call_id, "run", {"command": match[1]})
    elif line.startswith("^C"):
        yield place.said(EventKind.INTERRUPT)
    elif _FAILED.match(line):
        yield place.said(EventKind.MODEL_ERROR, line)


def _count(text: str | None) -> int:
    if not text:
        return 0
    unit = _UNITS.get(text[-1].lower())
    return round(_number(text[:-1] if unit else text) * (unit or 1))


def _number(text: str) -> float:
    try:
        return float(text.replace(",", "").rstrip("."))
    except ValueError:
        return 0.0


class AiderReading(DocumentReading):
    def __init__(self, file: SourceFile, saved: bytes | None = None) -> None:  # noqa: ARG002 - never resumed
        super().__init__(file)
        self._folder, self._session = self._session, f"{self._session}@0"
        self._launches: dict[str, int] = {}
        self._model = ""
        self._number = 0  # of what the program said and did in this session

    def session_of(self, path: PurePosixPath) -> str:
        return str(path.parent) if path.parent.parts else "aider"

    def feed(self, record: Record) -> Iterator[Reading]:
        for _, begin, end in pieces_of(record.raw):
            yield from self.piece(Record(record.offset + begin, end - begin, record.raw[begin:end]))

    def piece(self, record: Record) -> Iterator[Reading]:
        first = record.raw.lstrip().partition(b"\n")[0].strip()
        mode = mode_of(first)
        self._memory.count(mode, is_known=True)
        place = Place.of(self._session, record)
        text = record.raw.decode("utf-8", "replace")
        if mode is Mode.LAUNCH:
            yield self._launch(launched_at(first))
        elif mode is Mode.USER:
            prompt = "\n".join(_strip_marks(text, "####")).strip()
            is_order = prompt.startswith("/") and not prompt.startswith(_TO_THE_MODEL)
            yield from place.told(EventKind.NOTICE if is_order else EventKind.PROMPT, prompt)
        elif mode is Mode.PROGRAM:
            yield from self._program(_strip_marks(text, ">"), place)
        else:
            yield from place.told(EventKind.REPLY, text.strip())

    def _launch(self, time: str) -> Facts:
        times = self._launches[time] = self._launches.get(time, 0) + 1
        self._session = f"{self._folder}@{time.replace(' ', 'T')}" + (f"#{times}" if times > 1 else "")
        self._number = 0
        return Facts(session=self._session, at_ms=ms_from_any(time))

    def _program(self, lines: list[str], place: Place) -> Iterator[Reading]:
        yield place.said(EventKind.NOTICE, "\n".join(lines))
        for line in lines:
            self._number += 1
            if version := _VERSION.match(line):
                yield Facts(session=self._session, version=version[1])
            if model := _MODEL.match(line):
                self._model = model[1]
            if spent := _TOKENS.match(line):
                yield from place.spent(f"{self._session}:{self._number}", self._model, *spent_in(spent))
            yield from events_in(line, f"line-{self._number}", place)


class AiderReader(Reader):
    agent = "aider"
    evidence = ReaderEvidence.REAL_CLIENT
    lines = AiderReading

    def shape(self, path: PurePosixPath) -> Shape:  # noqa: ARG002 - the protocol's
        return Shape.TEXT

    def sniffs(self, record: Mapping[str, Any]) -> bool:  # noqa: ARG002 - a text has no records
        return False


def _strip_marks(text: str, mark: str) -> list[str]:
    """The lines of a piece without their marks and the blanks at their ends."""
    return [line.strip().removeprefix(mark).strip() for line in text.strip().splitlines()]
