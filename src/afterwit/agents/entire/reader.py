"""Reads the transcripts that Entire keeps for other agents in git repositories, as checkpoints, each by its own agent's
reader.

A checkpoint is a folder in the tree of a ref below `entire/checkpoints`, with the agent's own transcript so far as
`full.jsonl` (large ones go on in `full.jsonl.001` …) and a `metadata.json` that names the session. Each holds all of
the session up to then, so the largest of a session is taken and the others are not. Its bytes are the rendering, as
they are. A repository without such a ref costs a look at its packed refs.

The name of a transcript, `<agent>@<session>.jsonl`, says whose it is; everything else is left to that agent's reader,
down to the state. Records that the native agent's own log holds too have the same keys, so they are counted once. A
transcript that nobody recognises is read as records of an unknown type, so that `doctor` tells of it. Whose some bytes
are is told by their content alone, because the metadata are wrong at times: the readers of all agents are asked. A
document is offered whole, lines one by one. Plain chats come last, because other logs look like them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

import msgspec

from afterwit.agents.fields import decoded_file
from afterwit.agents.log_reader import (
    FileReading,
    LinesReading,
    Place,
    Reader,
    ReadingMemory,
    Shape,
    SourceFile,
)
from afterwit.agents.registry import AGENTS, reader_for
from afterwit.model.readings import Reading
from afterwit.model.text import regex
from afterwit.model.times import ms_from_any
from afterwit.sources.gathering import Gatherer, Rendering, SourceError, mark_of
from afterwit.sources.git import Blob, Ref, beginnings, blobs, contents, refs
from afterwit.sources.places import LogFile
from afterwit.store.regular_files import read_regular

RENDERED = regex(r"(?:[^/]+/)*[^/]*\.git/(?P<agent>[a-z0-9-]+)@(?P<session>[^/]+)(?P<ending>\.jsonl|\.json|\.txt)")
_PATTERNS = ("refs/heads/entire/checkpoints", "refs/remotes/*/entire/checkpoints/*", "refs/entire/checkpoints")
_REF_FILE = regex(
    r"packed-refs|reftable/.*|refs/heads/entire/checkpoints/.*|refs/remotes/[^/]+/entire/checkpoints/.*"
    r"|refs/entire/checkpoints/.*"
)
_MARK = b"entire/checkpoints"
_CHUNK = regex(r"full\.jsonl(?:\.(\d{1,6}))?")
_HEAD_BYTES = 256 * 1024
_MOST_BYTES = 512 << 20
_MOST_METADATA_BYTES = 1 << 20


class Native(NamedTuple):
    """Whose transcript it is, and the ending by which the agent's reader knows its shape."""

    agent: str
    ending: str


class _Checkpoint(NamedTuple):
    session: str
    folder: str
    chunks: tuple[Blob, ...]
    at_ms: int

    @property
    def size_bytes(self) -> int:
        return sum(chunk.size_bytes for chunk in self.chunks)


class CheckpointGatherer:
    """By the shape of `gathering.Gatherer`. `native` tells whose a transcript is by its beginning, given as bytes with
    whether that is all of it; it asks for all by giving None."""

    def __init__(self, native: Callable[[bytes, bool], Native | None]) -> None:
        self._native = native
        self._known: dict[str, Native] = {}  # by object: what it holds never changes

    def collection(self, path: PurePosixPath) -> PurePosixPath | None:
        for folder in path.parents:
            if folder.name.endswith(".git"):
                return folder if _REF_FILE.fullmatch(str(path.relative_to(folder))) else None
        return None

    def renders(self, path: PurePosixPath) -> bool:
        return RENDERED.fullmatch(str(path)) is not None

    def sessions(self, home: Path, collection: PurePosixPath, files: Sequence[LogFile]) -> list[LogFile]:
        git_dir = home / collection
        if not _may_hold(git_dir, collection, files):
            return []
        checkpoints = list(_largest(git_dir).values())
        self._look_at(
            git_dir, [checkpoint for checkpoint in checkpoints if checkpoint.chunks[0].object not in self._known]
        )
        return sorted(
            (self._find(collection, checkpoint) for checkpoint in checkpoints), key=lambda file: str(file.path)
        )

    def render(self, home: Path, path: PurePosixPath) -> Rendering:
        match = RENDERED.fullmatch(str(path))
        checkpoint = _largest(home / path.parent).get(unquote(match["session"])) if match else None
        if checkpoint is None:
            raise SourceError("the session is in no checkpoint any more")
        if checkpoint.size_bytes > _MOST_BYTES:
            raise SourceError(f"the transcript has {checkpoint.size_bytes:,} bytes, more than can be read")
        data = b"".join(contents(home / path.parent, [chunk.object for chunk in checkpoint.chunks]))
        return Rendering(_mark(path, checkpoint), data)

    def _find(self, collection: PurePosixPath, checkpoint: _Checkpoint) -> LogFile:
        native = self._known[checkpoint.chunks[0].object]
        name = f"{native.agent}@{quote(checkpoint.session, safe='-_.~')}{native.ending}"
        return _mark(collection / name, checkpoint)

    def _look_at(self, git_dir: Path, checkpoints: list[_Checkpoint]) -> None:
        """Finds out whose these are."""
        heads = beginnings(git_dir, [checkpoint.chunks[0] for checkpoint in checkpoints], _HEAD_BYTES)
        for checkpoint, head in zip(checkpoints, heads, strict=True):
            native = self._native(head, checkpoint.size_bytes <= len(head))
            if native is None and len(head) < checkpoint.size_bytes <= _MOST_BYTES:
                whole = contents(git_dir, [chunk.object for chunk in checkpoint.chunks])
                native = self._native(b"".join(whole), True)
            self._known[checkpoint.chunks[0].object] = native or Native("unrecognised", ".jsonl")


def _may_hold(git_dir: Path, collection: PurePosixPath, files: Iterable[LogFile]) -> bool:
    """Whether it is worth asking git: most repositories have no checkpoint."""
    names = [str(file.path.relative_to(collection)) for file in files]
    if any(name != "packed-refs" for name in names):
        return True
    return _MARK in read_regular(git_dir / "packed-refs")


def _mark(path: PurePosixPath, checkpoint: _Checkpoint) -> LogFile:
    objects = [chunk.object for chunk in checkpoint.chunks]
    return LogFile(path, checkpoint.size_bytes, checkpoint.at_ms * 1_000_000, mark_of(objects))


def _largest(git_dir: Path) -> dict[str, _Checkpoint]:
    return _largest_in(git_dir, tuple(refs(git_dir, _PATTERNS)))


@lru_cache(maxsize=8)
def _largest_in(git_dir: Path, all_refs: tuple[Ref, ...]) -> dict[str, _Checkpoint]:
    """The largest checkpoint of each session. What a ref points to never changes, so this is asked once for each."""
    largest: dict[str, _Checkpoint] = {}
    for ref in all_refs:
        for checkpoint in _checkpoints(git_dir, ref):
            before = largest.get(checkpoint.session)
            if before is None or _rank(checkpoint) > _rank(before):
                largest[checkpoint.session] = checkpoint
    return largest


def _rank(checkpoint: _Checkpoint) -> tuple[int, str]:
    return checkpoint.size_bytes, checkpoint.folder


def _checkpoints(git_dir: Path, ref: Ref) -> list[_Checkpoint]:
    chunks: dict[str, list[Blob]] = {}
    metadata: dict[str, Blob] = {}
    for blob in blobs(git_dir, ref.object):
        folder, _, name = blob.path.rpartition("/")
        if _CHUNK.fullmatch(name):
            chunks.setdefault(folder, []).append(blob)
        elif name == "metadata.json" and blob.size_bytes <= _MOST_METADATA_BYTES:
            metadata[folder] = blob
    folders = [folder for folder in chunks if folder in metadata]
    texts = contents(git_dir, [metadata[folder].object for folder in folders])
    said = dict(zip(folders, map(decoded_file, texts), strict=True))
    return [_checkpoint(folder, parts, said.get(folder, {}), ref) for folder, parts in sorted(chunks.items())]


def _checkpoint(folder: str, parts: list[Blob], metadata: Mapping[str, Any], ref: Ref) -> _Checkpoint:
    session = metadata.get("session_id")
    name = session if isinstance(session, str) and session.strip() else folder.replace("/", "-") or "session"
    at_ms = ms_from_any(metadata.get("created_at")) or ref.at_ms
    return _Checkpoint(name, folder, tuple(sorted(parts, key=_chunk_number)), at_ms)


def _chunk_number(blob: Blob) -> int:
    match = _CHUNK.fullmatch(blob.path.rpartition("/")[2])
    return int(match[1] or 0) if match else 0


OWN = "entire"
_ENDINGS = {Shape.LINES: ".jsonl", Shape.DOCUMENT: ".json"}
_SNIFF_LINES = 50
UNRECOGNISED = "unrecognised"


class EntireReader(Reader):
    agent = OWN

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
            return _Unrecognised(file, saved)
        return reader.start(SourceFile(_own_path(file.path), _nothing), saved)


class _Unrecognised(LinesReading[ReadingMemory]):
    """Counts records and reads none."""

    state_type = ReadingMemory

    def read(self, value: dict[str, Any], place: Place) -> list[Reading]:  # noqa: ARG002 - the protocol's
        self._state.count(UNRECOGNISED, is_known=False)
        return []


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
    document = _ask_reader(_documents(data), Shape.DOCUMENT) if is_all else None
    return document or _ask_reader(_lines(data, is_all=is_all), Shape.LINES)


@cache
def inner_readers() -> tuple[tuple[str, Reader], ...]:
    """The readers of all other agents."""
    readers = ((agent.name, reader_for(agent.name)) for agent in AGENTS if agent.name != OWN)
    return tuple((name, reader) for name, reader in readers if reader is not None)


def _ask_reader(records: Iterator[Mapping[str, Any]], shape: Shape) -> Native | None:
    path = PurePosixPath(f"session{_ENDINGS[shape]}")
    for record in records:
        for name, reader in inner_readers():
            if reader.sniffs(record) and reader.shape(path) is shape:
                return Native(name, path.suffix)
    return None


def _lines(data: bytes, *, is_all: bool) -> Iterator[Mapping[str, Any]]:
    lines = data.split(b"\n", _SNIFF_LINES)[:_SNIFF_LINES]
    for line in lines if is_all else lines[:-1]:
        value = _decode(line)
        if isinstance(value, dict):
            yield value


def _documents(data: bytes) -> Iterator[Mapping[str, Any]]:
    value = _decode(data)
    for record in value[:_SNIFF_LINES] if isinstance(value, list) else [value]:
        if isinstance(record, dict):
            yield record


def _decode(text: bytes) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def gatherers() -> tuple[Gatherer, ...]:
    return (CheckpointGatherer(native_of),)
