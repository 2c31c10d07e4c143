"""Reads the transcripts that Entire keeps for other agents, each by its own agent's reader.

The name of a transcript, `<agent>@<session>.jsonl`, says whose it is; everything else is left to that agent's reader,
down to the state. Records that the native agent's own log holds too have the same keys, so they are counted once. A
transcript that nobody recognises is read as records of an unknown type, so that `doctor` tells of it.
"""

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote

import msgspec

from afterwit.agents.entire.natives import OWN, inner_readers
from afterwit.agents.protocol import FileReading, Reader, Shape, SourceFile
from afterwit.model.kinds import ReaderEvidence
from afterwit.model.readings import Reading
from afterwit.sources.checkpoints import RENDERED
from afterwit.sources.framing import Record

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
