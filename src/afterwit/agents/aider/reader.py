"""The reader of Aider: one Markdown file per project, to which every launch of the program is added.

Written from documentation and runs of version 0.86.2. A launch is a session; it has no id, so the folder of the file
and the time of the launch stand for it. That time is local and counts as UTC; nothing else has one. A line that begins
with `/` is an order to the program and no prompt, except those that pass their words on to the model.
"""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Any

from afterwit.agents.aider.pieces import Mode, launched_at, mode_of, pieces_of
from afterwit.agents.aider.program import events_in, model_in, spent_in, version_in
from afterwit.agents.memory import Memory
from afterwit.agents.places import Place
from afterwit.agents.protocol import Shape, SourceFile
from afterwit.model.kinds import EventKind, ReaderEvidence
from afterwit.model.readings import Facts, Reading, Spend
from afterwit.model.times import ms_from_any
from afterwit.sources.framing import Record

_FILE = ".aider.chat.history.md"
_TO_THE_MODEL = ("/ask ", "/code ", "/architect ", "/context ")


class AiderReader:
    """All that is known about the chat history of Aider."""

    agent = "aider"
    evidence = ReaderEvidence.REAL_CLIENT

    def primary(self, path: PurePosixPath) -> PurePosixPath | None:
        return path if path.name == _FILE else None

    def shape(self, path: PurePosixPath) -> Shape:  # noqa: ARG002 - the protocol's
        return Shape.TEXT

    def sniffs(self, record: Mapping[str, Any]) -> bool:  # noqa: ARG002 - a text has no records
        return False

    def start(self, file: SourceFile, saved: bytes | None = None) -> "AiderReading":  # noqa: ARG002
        folder = file.path.parent
        return AiderReading(str(folder) if folder.parts else "aider")


class AiderReading:
    """The reading of one history."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._session = f"{folder}@0"
        self._launches: dict[str, int] = {}
        self._model = ""
        self._number = 0  # of what the program said and did in this session
        self._memory = Memory()
        self.known: Mapping[str, int] = self._memory.known
        self.unknown: Mapping[str, int] = self._memory.unknown

    def save(self) -> bytes:
        return b""

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
            yield from self._typed("\n".join(_unmarked(text, "####")).strip(), place)
        elif mode is Mode.PROGRAM:
            yield from self._program(_unmarked(text, ">"), place)
        elif text.strip():
            yield place.said(EventKind.REPLY, text.strip())

    def _launch(self, time: str) -> Facts:
        times = self._launches[time] = self._launches.get(time, 0) + 1
        self._session = f"{self._folder}@{time.replace(' ', 'T')}" + (f"#{times}" if times > 1 else "")
        self._number = 0
        return Facts(session=self._session, at_ms=ms_from_any(time))

    def _typed(self, text: str, place: Place) -> Iterator[Reading]:
        is_order = text.startswith("/") and not text.startswith(_TO_THE_MODEL)
        if text:
            yield place.said(EventKind.NOTICE if is_order else EventKind.PROMPT, text)

    def _program(self, lines: list[str], place: Place) -> Iterator[Reading]:
        yield place.said(EventKind.NOTICE, "\n".join(lines))
        for before, line in pairwise(["", *lines]):
            self._number += 1
            if version := version_in(line):
                yield Facts(session=self._session, version=version)
            self._model = model_in(line) or self._model
            if spent := spent_in(line):
                key = f"{self._session}:{self._number}"
                yield Spend(
                    session=self._session, key=key, model=self._model, usage=spent.usage, cost_usd=spent.cost_usd
                )
            yield from events_in(line, before, f"line-{self._number}", place)


def _unmarked(text: str, mark: str) -> list[str]:
    """The lines of a piece without their marks and the blanks at their ends."""
    return [line.strip().removeprefix(mark).strip() for line in text.strip().splitlines()]
