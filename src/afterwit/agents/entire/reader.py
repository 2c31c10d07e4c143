"""Reads the transcripts that Entire keeps for other agents, each by its own agent's reader.

The name of a transcript, `<agent>@<session>.jsonl`, says whose it is; everything else is left to that agent's reader,
down to the state. Records that the native agent's own log holds too have the same keys, so they are counted once. A
transcript that nobody recognises is read as records of an unknown type, so that `doctor` tells of it.

Whose transcript some bytes are is told by their content: the readers of all agents are asked. A document is offered
whole, lines one by one. Plain chats come last, because other logs look like them. The transcripts lie in git
repositories, as checkpoints.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote

import msgspec

from afterwit.agents.log_reader import FileReading, Reader, Shape, SourceFile
from afterwit.agents.registry import AGENTS, reader_for
from afterwit.model.kinds import ReaderEvidence
from afterwit.model.readings import Reading
from afterwit.sources.checkpoints import RENDERED, CheckpointGatherer, Native
from afterwit.sources.framing import Record
from afterwit.sources.gathering import Gatherer

OWN = "entire"
_ENDINGS = {Shape.LINES: ".jsonl", Shape.DOCUMENT: ".json"}
_SNIFF_LINES = 50
UNRECOGNISED = "unrecognised"


class EntireReader:
    agent = OWN
    evidence = ReaderEvidence.DOCUMENTATION

    def primary(self, path: PurePosixPath) -> PurePosixPath | None:
        return path if RENDERED.fullmatch(str(path)) else None

    def shape(self, path: PurePosixPath) -> Shape:
        reader = _native(path)
        return reader.shape(_own_path(path)) if reader else Shape.LINES

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        """Whether any agent knows it. In a folder of logs that agent is asked before, so it gets what is its own."""
        return any(reader.sniffs(record) for _, reader in inner_readers())

    def start(self, file: SourceFile, saved: bytes | None = None) -> FileReading:
        reader = _native(file.path)
        if reader is None:
            return _Unrecognised(saved)
        return reader.start(SourceFile(_own_path(file.path), _nothing), saved)


class _Unrecognised:
    """Counts records and reads none."""

    def __init__(self, saved: bytes | None) -> None:
        self.known: Mapping[str, int] = {}
        self.unknown: Mapping[str, int] = {}
        if saved is not None:
            self.unknown = msgspec.msgpack.decode(saved, type=dict[str, int])

    def feed(self, record: Record) -> list[Reading]:
        msgspec.json.decode(record.raw, type=dict[str, Any])
        self.unknown = {UNRECOGNISED: self.unknown.get(UNRECOGNISED, 0) + 1}
        return []

    def save(self) -> bytes:
        return msgspec.msgpack.encode(self.unknown)


def _native(path: PurePosixPath) -> Reader | None:
    match = RENDERED.fullmatch(str(path))
    return next((reader for name, reader in inner_readers() if match and name == match["agent"]), None)


def _own_path(path: PurePosixPath) -> PurePosixPath:
    """A path that names the session to readers which look at the file's name, and to those which look at its folder."""
    match = RENDERED.fullmatch(str(path))
    assert match is not None
    session = unquote(match["session"]).replace("/", "-")
    return PurePosixPath(session, session + match["ending"])


def _nothing(_: PurePosixPath) -> bytes | None:
    return None


def native_of(data: bytes, is_all: bool) -> Native | None:
    """The agent, or None where nobody knows the bytes (so far)."""
    document = _asked(_documents(data), Shape.DOCUMENT) if is_all else None
    return document or _asked(_lines(data, is_all=is_all), Shape.LINES)


@cache
def inner_readers() -> tuple[tuple[str, Reader], ...]:
    """The readers of all other agents."""
    readers = ((agent.name, reader_for(agent.name)) for agent in AGENTS if agent.name != OWN)
    return tuple((name, reader) for name, reader in readers if reader is not None)


def _asked(records: Iterator[Mapping[str, Any]], shape: Shape) -> Native | None:
    path = PurePosixPath(f"session{_ENDINGS[shape]}")
    for record in records:
        for name, reader in inner_readers():
            if reader.sniffs(record) and reader.shape(path) is shape:
                return Native(name, path.suffix)
    return None


def _lines(data: bytes, *, is_all: bool) -> Iterator[Mapping[str, Any]]:
    lines = data.split(b"\n", _SNIFF_LINES)[:_SNIFF_LINES]
    for line in lines if is_all else lines[:-1]:
        value = _decoded(line)
        if isinstance(value, dict):
            yield value


def _documents(data: bytes) -> Iterator[Mapping[str, Any]]:
    value = _decoded(data)
    for record in value[:_SNIFF_LINES] if isinstance(value, list) else [value]:
        if isinstance(record, dict):
            yield record


def _decoded(text: bytes) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def gatherers() -> tuple[Gatherer, ...]:
    return (CheckpointGatherer(native_of),)
