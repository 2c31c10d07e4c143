"""Whose log a file is, where only its name and its content can tell: in a folder given by hand, and in an agent's home.

JSON is offered to every reader, record by record; the first that knows it has it. In a home, `find_unclaimed` finds
files that look like transcripts and that no reader takes: a new version of an agent may write to another folder, or
under another ending, and nothing new would come. JSON counts if a reader knows one of its first records, or if it has
the roles of a conversation; what is no JSON counts by its place.
"""

from collections.abc import Iterable, Mapping
from io import RawIOBase
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple, cast

import msgspec

from afterwit.agents import registry
from afterwit.agents.declared.description import Description
from afterwit.agents.descriptor import Agent
from afterwit.agents.log_reader import Reader, Shape, SourceFile
from afterwit.capture.logs import Collectors, Home
from afterwit.model import zstd
from afterwit.model.settings import Settings
from afterwit.sources.discovery import Unit
from afterwit.sources.framing import Record
from afterwit.sources.places import LogFile, lines_of, open_in, whole_file

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


def _first(unit: Unit) -> _First:
    """A document is its own first record, or its first elements are; else the first lines."""
    is_lines = unit.transcript.path.name.endswith(_LINE_ENDINGS)
    document = None if is_lines else _document(unit)
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
    records: list[dict[str, Any]] = []
    try:
        with open_in(unit.home, unit.transcript.path) as (file, _):
            lines = lines_of(unit.transcript.path, cast("RawIOBase", file))
            for _ in range(_SNIFF_LINES):
                line = lines.readline(_SNIFF_BYTES)
                if not line:
                    break
                try:
                    records.append(msgspec.json.decode(line, type=dict[str, Any]))
                except (msgspec.DecodeError, RecursionError):
                    continue
    except (OSError, EOFError, zstd.ZstdError):
        return records
    return records


def _document(unit: Unit) -> _First | None:
    """The first records of a file that is one JSON value; None if it is none."""
    try:
        with open_in(unit.home, unit.transcript.path) as (file, _):
            raw = whole_file(file, _DOCUMENT_BYTES)
        value = msgspec.json.decode(raw.removeprefix(_BOM))
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    is_list = isinstance(value, list)
    first = value[:_SNIFF_LINES] if is_list else [value]
    return _First([record for record in first if isinstance(record, dict)], is_list)


_APPENDED_ENDINGS = (".jsonl", ".ndjson", ".jsonl.zst", ".jsonl.gz")
_TEXT_ENDINGS = (".jsonl", ".ndjson", ".jsonl.zst", ".json")  # that can be looked into
_DATA_ENDINGS = frozenset(
    (*_APPENDED_ENDINGS, ".json", ".cbor", ".msgpack", ".bin", ".pb", ".avro", ".parquet", ".db", ".sqlite", ".sqlite3")
)
_ROLES = frozenset({"user", "assistant", "human", "model"})
_ROLE_NAMES = ("role", "type", "author", "sender", "speaker", "kind")
_DEPTH = 3
_MOST_OPENED = 50


class _Claim(NamedTuple):
    """What one agent takes below one of its homes."""

    folder: Path
    agent: Agent
    reader: Reader | None
    collectors: Collectors

    def takes(self, place: Path) -> bool:
        if not place.is_relative_to(self.folder):
            return False
        path = PurePosixPath(place.relative_to(self.folder).as_posix())
        is_known = self.reader is not None and self.reader.primary(path) is not None
        return is_known or self.agent.matches(path) or self.collectors.place(path) is not None


def find_unclaimed(
    home: Home, strangers: Iterable[LogFile], settings: Settings, declared: tuple[Description, ...] = ()
) -> list[LogFile]:
    """The newest of these files below a home, newest first. `strangers` are those that its agent's reader does not
    take."""
    reader = registry.reader_for(home.agent, declared)
    if reader is None:
        return []
    claims = _claims(home.folder, settings, declared)
    agent = registry.agent(home.agent, declared)
    endings = {_ending(PurePosixPath(pattern)) for pattern in agent.transcripts}
    files = [
        file
        for file in strangers
        if file.size_bytes
        and (file.path.name.endswith(_APPENDED_ENDINGS) or _is_in_place(file.path, reader, endings))
        and not any(claim.takes(home.folder / file.path) for claim in claims)
    ]
    files.sort(key=lambda file: (-file.mtime_ns, str(file.path)))
    return [file for file in files[:_MOST_OPENED] if _is_conversation(Unit(home.folder, file, ()), home.agent, reader)]


def _claims(folder: Path, settings: Settings, declared: tuple[Description, ...]) -> list[_Claim]:
    """Of all agents that have a home here, above or below, also of those that are switched off."""
    return [
        _Claim(home, agent, registry.reader_for(agent.name, declared), Collectors([agent.name]))
        for agent in registry.agents_with(declared)
        for home in (settings.agents[agent.name].homes if agent.name in settings.agents else ())
        if home.is_relative_to(folder) or folder.is_relative_to(home)
    ]


def _is_in_place(path: PurePosixPath, reader: Reader, endings: Iterable[str]) -> bool:
    """Whether it would be a transcript under another ending."""
    ending = _ending(path)
    if ending not in _DATA_ENDINGS:
        return False
    stem = path.name.removesuffix(ending)
    others = (path.with_name(stem + other) for other in endings if other != ending)
    return any(reader.primary(other) == other for other in others)


def _ending(path: PurePosixPath) -> str:
    """The last part of a name, with the one before it where that says how it is packed."""
    packed = path.suffix in (".zst", ".gz", ".br", ".xz")
    return "".join(path.suffixes[-2:]) if packed else path.suffix


def _is_conversation(unit: Unit, agent: str, reader: Reader) -> bool:
    if not unit.transcript.path.name.endswith(_TEXT_ENDINGS):
        return True
    if Recognition([(agent, reader)]).agent_of(unit) is not None:
        return True
    return any(_has_role(record, _DEPTH) for record in _first(unit).records)


def _has_role(value: Any, depth: int) -> bool:
    if isinstance(value, list):
        return depth > 0 and any(_has_role(item, depth - 1) for item in value[:_DEPTH])
    if not isinstance(value, Mapping):
        return False
    if any(isinstance(role := value.get(name), str) and role.lower() in _ROLES for name in _ROLE_NAMES):
        return True
    return depth > 0 and any(_has_role(item, depth - 1) for item in value.values())
