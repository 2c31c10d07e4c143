"""Whose log a file is, where only its name and its content can tell: in a folder given by hand.

JSON is offered to every reader, record by record; the first that knows it has it. A document that is a list of messages
is offered only to readers of such documents: its messages alone could be anybody's. A text is told by its name.
"""

from io import RawIOBase
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple, cast

import msgspec
import zstandard

from afterwit.agents.protocol import Reader, Shape, SourceFile
from afterwit.sources.discovery import Unit
from afterwit.sources.framing import Record
from afterwit.sources.lines import lines_of
from afterwit.store.regular_files import open_regular

_SNIFF_LINES = 50
_SNIFF_BYTES = 1 << 20
_DOCUMENT_BYTES = 128 << 20
_LINE_ENDINGS = (".jsonl", ".jsonl.zst")
_LOG_ENDINGS = (*_LINE_ENDINGS, ".json", ".traj")
_BOM = b"\xef\xbb\xbf"


class Recognition:
    """Tells the agents of files."""

    def __init__(self, readers: list[tuple[str, Reader]]) -> None:
        self._readers = readers

    def may_be_log(self, path: PurePosixPath) -> bool:
        return path.name.endswith(_LOG_ENDINGS) or self._text_of(path) is not None

    def agent_of(self, unit: Unit) -> str | None:
        """The agent whose reader knows the file, or one of its first records."""
        by_name = self._text_of(unit.transcript.path)
        if by_name is not None:
            return by_name
        first = _first(unit)
        readers = [(name, reader) for name, reader in self._readers if not first.is_list or _reads_lists(reader, unit)]
        for record in first.records:
            for name, reader in readers:
                if reader.sniffs(record):
                    return name
        return None

    def _text_of(self, path: PurePosixPath) -> str | None:
        for name, reader in self._readers:
            if reader.shape(path) is Shape.TEXT and reader.primary(path) == path:
                return name
        return None


class _First(NamedTuple):
    records: list[dict[str, Any]]
    is_list: bool = False  # they are the elements of a document


def first_records(unit: Unit) -> list[dict[str, Any]]:
    """A document is its own first record, or its first elements are; else the first lines."""
    return _first(unit).records


def _first(unit: Unit) -> _First:
    path = unit.home / unit.transcript.path
    document = None if path.name.endswith(_LINE_ENDINGS) else _document(path)
    return _First(_first_lines(unit)) if document is None else document


def _reads_lists(reader: Reader, unit: Unit) -> bool:
    """Whether a document under this name may be a list for this reader."""
    path = unit.transcript.path
    if reader.shape(path) is not Shape.DOCUMENT:
        return False
    try:
        list(reader.start(SourceFile(path, lambda _: None)).feed(Record(0, 2, b"[]")))
    except msgspec.DecodeError:
        return False
    return True


def _first_lines(unit: Unit) -> list[dict[str, Any]]:
    path = unit.home / unit.transcript.path
    records: list[dict[str, Any]] = []
    try:
        with open_regular(path, buffering=0) as file:
            lines = lines_of(unit.transcript.path, cast("RawIOBase", file))
            for _ in range(_SNIFF_LINES):
                line = lines.readline(_SNIFF_BYTES)
                if not line:
                    break
                try:
                    records.append(msgspec.json.decode(line, type=dict[str, Any]))
                except (msgspec.DecodeError, RecursionError):
                    continue
    except (OSError, EOFError, zstandard.ZstdError):
        return records
    return records


def _document(path: Path) -> _First | None:
    """The first records of a file that is one JSON value; None if it is none."""
    try:
        with open_regular(path) as file:
            raw = file.read(_DOCUMENT_BYTES)
        value = msgspec.json.decode(raw.removeprefix(_BOM))
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    is_list = isinstance(value, list)
    first = value[:_SNIFF_LINES] if is_list else [value]
    return _First([record for record in first if isinstance(record, dict)], is_list)
