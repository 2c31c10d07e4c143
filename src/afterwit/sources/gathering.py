"""Sessions that are not one file each: rows of a database, folders of many small files.

Each such session is *rendered* into JSON lines, one per row (`{"table": …, "row": {…}}`) or file (`{"file": …,
"content": …}`). These bytes are what is archived and what the agent's reader reads, as if they were a file at a path
such as `opencode.db/<session>.jsonl`. A rendering is a function of the source alone, and in an order in which a growing
session grows at its end, so far as the source allows that. What the lines mean is left to the readers.

Which files of a folder make up a session is said in data (`Tree`): patterns for paths, in which `{session}` stands for
the session's id, any other `{name}` for an id that files further inside are named after, and `*` for any part of a
name. Files of one folder come in the order of their names, numbers counted as numbers, each followed by the files
inside it. A JSON file is rendered as its value, any other, and one that is half written, as its text.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple, Protocol
from urllib.parse import quote, unquote

import msgspec

from afterwit.model.text import regex
from afterwit.sources.discovery import Bounds
from afterwit.sources.places import LogFile
from afterwit.store.regular_files import read_regular

_SUFFIX = ".jsonl"
_PLAIN = "-_.~$:@=+,"  # kept as they are in the name of a rendering


class SourceError(OSError):
    """The source is locked, damaged, gone, or not what its name says. Belongs to the data: it becomes an error row."""


class Rendering(NamedTuple):
    """One session as bytes, and its mark at the moment of reading."""

    file: LogFile
    data: bytes


class Gatherer(Protocol):
    """Finds and renders the sessions of one kind of source."""

    def collection(self, path: PurePosixPath) -> PurePosixPath | None:
        """The source that a file is or belongs to, by its path alone: the database of a `-wal` file."""
        ...

    def renders(self, path: PurePosixPath) -> bool:
        """Whether this is the path of a rendering, by its name alone."""
        ...

    def sessions(self, home: Path, collection: PurePosixPath, files: Sequence[LogFile]) -> list[LogFile]:
        """The renderings that a source would give, cheaply. Size, time and inode of each change whenever its session
        does; they are no more than marks. `files` are all files of the source. Raises SourceError."""
        ...

    def render(self, home: Path, path: PurePosixPath) -> Rendering:
        """One session. Raises SourceError."""
        ...


def row_line(table: str, row: Mapping[str, Any]) -> bytes:
    return msgspec.json.encode({"table": table, "row": row}) + b"\n"


def file_line(path: PurePosixPath, content: Any) -> bytes:
    return msgspec.json.encode({"file": str(path), "content": content}) + b"\n"


def rendering_path(collection: PurePosixPath, session: str) -> PurePosixPath:
    """The path of a session's rendering. Ids come from the source and may hold anything."""
    return collection / (quote(session, safe=_PLAIN, errors="surrogatepass") + _SUFFIX)


def session_in(path: PurePosixPath) -> str:
    """The id of the session that is rendered at this path."""
    return unquote(path.name.removesuffix(_SUFFIX), errors="surrogatepass")


def is_rendering(path: PurePosixPath) -> bool:
    return path.suffix == _SUFFIX


def mark_of(*values: Any) -> int:
    """A number that changes with the values, in place of an inode."""
    digest = hashlib.blake2b(repr(values).encode("utf-8", "surrogatepass"), digest_size=7).digest()
    return int.from_bytes(digest)


_HOLE = regex(r"\{(\w+)\}|\*")
_DIGITS = regex(r"(\d+)")
_HERE = PurePosixPath()
_MOST_BYTES = 64 << 20  # of one file


class Files(NamedTuple):
    """Files of a session, by a pattern for their paths below the folder of the tree."""

    pattern: str
    inner: tuple["Files", ...] = ()  # files named after one of these


class Tree(NamedTuple):
    """A folder with many sessions."""

    folder: str  # its name; it may lie anywhere
    files: tuple[Files, ...]


class TreeGatherer:
    """The sessions of trees of one kind, by the shape of `gathering.Gatherer`."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._patterns = [(files, _compile(files.pattern)) for files in _flat(tree.files)]

    def collection(self, path: PurePosixPath) -> PurePosixPath | None:
        root = self._root(path)
        if root is None:
            return None
        below = str(path.relative_to(root))
        return root if any(pattern.fullmatch(below) for _, pattern in self._patterns) else None

    def renders(self, path: PurePosixPath) -> bool:
        return is_rendering(path) and path.parent.name == self._tree.folder

    def sessions(self, home: Path, collection: PurePosixPath, files: Sequence[LogFile]) -> list[LogFile]:  # noqa: ARG002
        by_session: dict[str, list[LogFile]] = {}
        for session, file in self._files_by_session(collection, files):
            by_session.setdefault(session, []).append(file)
        return [
            _virtual(rendering_path(collection, session), members) for session, members in sorted(by_session.items())
        ]

    def render(self, home: Path, path: PurePosixPath) -> Rendering:
        root = home / path.parent
        names = {"session": session_in(path)}
        members: list[LogFile] = []
        lines: list[bytes] = []
        bounds = Bounds(str(root), lambda _: False, also=(home,))
        for file in self._walk(root, self._tree.files, names, bounds):
            about, line = _file(root, path.parent, file)
            members.append(about)
            lines.append(line)
        if not members:
            raise SourceError("the session is gone")
        return Rendering(_virtual(path, members), b"".join(lines))

    def _root(self, path: PurePosixPath) -> PurePosixPath | None:
        """The folder of the tree that the path lies in."""
        for parent in path.parents:
            if parent.name == self._tree.folder:
                return parent
        return None

    def _files_by_session(self, collection: PurePosixPath, files: Sequence[LogFile]) -> Iterator[tuple[str, LogFile]]:
        """Each file with its session. Files named after others are told by the names of those; one that is named after
        nothing that is there belongs to no session."""
        owners: dict[tuple[str, str], str] = {}
        below = [(str(file.path.relative_to(collection)), file) for file in files]
        for pattern_of, pattern in self._patterns:
            for name, file in below:
                match = pattern.fullmatch(name)
                if match is None:
                    continue
                ids = match.groupdict()
                is_outer = pattern_of in self._tree.files
                session = ids.get("session") if is_outer else _first(owners, ids)
                if session is not None:
                    owners.update(dict.fromkeys(ids.items(), session))
                    yield session, file

    def _walk(
        self, root: Path, files: Sequence[Files], names: Mapping[str, str], bounds: Bounds
    ) -> Iterator[PurePosixPath]:
        for file in files:
            for path, ids in _match_files(root, file.pattern, names, bounds):
                yield path
                yield from self._walk(root, file.inner, {**names, **ids}, bounds)


def _flat(files: Sequence[Files]) -> Iterator[Files]:
    """Outer ones before those named after them."""
    level = list(files)
    while level:
        yield from level
        level = [inner for outer in level for inner in outer.inner]


def _first(owners: Mapping[tuple[str, str], str], ids: Mapping[str, str]) -> str | None:
    return next((owners[item] for item in ids.items() if item in owners), None)


def _compile(pattern: str, names: Mapping[str, str] | None = None) -> re.Pattern[str]:
    """Ids that are known stand for themselves, the others become groups."""
    ids = names or {}
    parts: list[str] = []
    at = 0
    for hole in _HOLE.finditer(pattern):
        parts.append(re.escape(pattern[at : hole.start()]))
        name = hole[1]
        if name in ids:
            parts.append(re.escape(ids[name]))
        else:
            parts.append(f"(?P<{name}>[^/]+?)" if name else "[^/]*")
        at = hole.end()
    return re.compile("".join([*parts, re.escape(pattern[at:])]))


def _match_files(
    root: Path, pattern: str, names: Mapping[str, str], bounds: Bounds, at: PurePosixPath = _HERE
) -> Iterator[tuple[PurePosixPath, dict[str, str]]]:
    """The files that match, in order, each with the ids in its path. Looks into folders that can match only."""
    step, _, rest = pattern.partition("/")
    wanted = _compile(step, names)
    for name in _names(root / at):
        match = wanted.fullmatch(name)
        if match is None:
            continue
        ids = match.groupdict()
        path = at / name
        if (root / path).is_symlink() and not bounds.allows(str(root / path), str(path)):
            continue
        if rest:
            for inner_path, inner in _match_files(root, rest, {**names, **ids}, bounds, path):
                yield inner_path, {**ids, **inner}
        elif (root / path).is_file():
            yield path, ids


def _names(folder: Path) -> list[str]:
    try:
        return sorted((entry.name for entry in folder.iterdir()), key=_natural)
    except (FileNotFoundError, NotADirectoryError):
        return []


def _natural(name: str) -> list[tuple[int, int, str]]:
    parts = _DIGITS.split(name)
    return [(0, int(part), part) if part.isdecimal() else (1, 0, part) for part in parts]


def _file(root: Path, collection: PurePosixPath, path: PurePosixPath) -> tuple[LogFile, bytes]:
    place = root / path
    about = place.stat()
    raw = read_regular(place, _MOST_BYTES)
    file = LogFile(collection / path, about.st_size, about.st_mtime_ns, about.st_ino)
    return file, file_line(path, _content(path, raw))


def _content(path: PurePosixPath, raw: bytes) -> Any:
    if path.suffix == ".json":
        try:
            return msgspec.json.decode(raw)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            pass
    return raw.decode("utf-8", "replace")


def _virtual(path: PurePosixPath, members: Sequence[LogFile]) -> LogFile:
    marks = sorted((str(file.path), file.size_bytes, file.mtime_ns) for file in members)
    size = sum(file.size_bytes for file in members)
    return LogFile(path, size, max(file.mtime_ns for file in members), mark_of(marks))
