"""Reads one transcript and derives its rows: the work that runs in parallel, one file per call.

From a live file it reads what came since the last run, if what was there before is still the same to the byte, and
packs the new bytes for the archive in the same pass. From the archive it derives everything again. Writes nothing:
what it returns is committed by one writer.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import BinaryIO, NamedTuple

import msgspec

from afterwit.agents.log_reader import FileReading, Shape, SourceFile
from afterwit.agents.registry import instruction_files, own_tools, reader_for, tool_kinds
from afterwit.capture.assembly.assemble import Assembler
from afterwit.capture.assembly.texts import AssemblyContext, safe_text
from afterwit.capture.derived import Bookmark, Derived, FileResume, ReadingMode, decode_file_resume
from afterwit.capture.logs import Feeding, archive_path, companion_content, copy_companion, open_unit
from afterwit.config.run_rules import RunRules, redactor_for
from afterwit.sources.checkout import remote_of
from afterwit.sources.places import Chunks, LogPlace, Tap, is_packed, lines_of
from afterwit.store.frames import Packer

_BLOCK_BYTES = 1 << 20
Companion = Callable[[PurePosixPath], bytes | None]


class FileToRead(NamedTuple):
    """A transcript, and all that its rows depend on besides its bytes."""

    agent: str
    path: PurePosixPath
    rules: RunRules
    companion: Companion  # what lies beside it
    is_tracked: bool = False  # git holds it as part of a checkout


def derive_live(
    agent: str,
    home: LogPlace,
    path: PurePosixPath,
    companions: frozenset[str],
    rules: RunRules,
    bookmark: Bookmark | None,
    archived: Companion = lambda _: None,
    *,
    is_tracked: bool = False,
) -> Derived:
    """Reads a file where the agent left it. One that cannot be opened or read is an error in the result. A companion
    that is gone is taken from the archive; so is a file that transcripts share, once this one has its copy of it."""
    reader = reader_for(agent, rules.declared)
    shared = reader.shared(path) if reader else ()
    used: set[PurePosixPath] = set()

    def companion(beside: PurePosixPath) -> bytes | None:
        if str(beside) in companions:
            return companion_content(home, beside)
        if beside not in shared:
            return archived(beside)
        kept = archived(archive_path(path, beside))
        if kept is None:
            used.add(beside)
            kept = companion_content(home, beside)
        return kept

    try:
        with open_unit(agent, home, path) as (file, size, about):
            derived = _read_file(FileToRead(agent, path, rules, companion, is_tracked), bookmark, file, size)
    except OSError as error:
        return Derived(mode=ReadingMode.FAILED, error=error.strerror or str(error))
    if derived.captured is not None:
        copies = (
            copy_companion(home, str(shared_path), archive_path(path, shared_path)) for shared_path in sorted(used)
        )
        derived.copies = [copy for copy in copies if copy is not None]
    if not derived.is_unfinished:
        derived.size_bytes, derived.mtime_ns, derived.inode = about.size_bytes, about.mtime_ns, about.inode
    return derived


def derive_archived(file: FileToRead, pieces: Iterable[bytes], copied: frozenset[int] = frozenset()) -> Derived:
    """Derives a file's rows from its archived bytes, from the beginning."""
    sha, held_bytes = hashlib.sha256(), 0

    def passing() -> Iterator[bytes]:
        nonlocal held_bytes
        for piece in pieces:
            sha.update(piece)
            held_bytes += len(piece)
            yield piece

    reading = _Reading(file, None, copied)
    reading.run(lines_of(file.path, Chunks(passing())), 0)
    return reading.derived(Derived(mode=ReadingMode.WHOLE, held_bytes=held_bytes, sha256=sha.hexdigest()))


def _read_file(asked: FileToRead, bookmark: Bookmark | None, file: BinaryIO, size: int) -> Derived:
    sha, was_read = hashlib.sha256(), bookmark is not None
    reader = reader_for(asked.agent, asked.rules.declared)
    if bookmark is None:
        mode = ReadingMode.WHOLE
    elif not _starts_with(file, bookmark, size, sha):
        mode, bookmark, sha = ReadingMode.REWRITTEN, None, hashlib.sha256()
    elif bookmark.resume is None:
        mode = ReadingMode.WHOLE
    elif bookmark.held_bytes == size:
        return Derived(mode=ReadingMode.UNCHANGED)
    elif is_packed(asked.path) or (reader and reader.shape(asked.path) is not Shape.LINES):
        mode = ReadingMode.WHOLE
    else:
        mode = ReadingMode.APPEND
    start = bookmark.cursor if bookmark and mode is ReadingMode.APPEND else 0
    resume = bookmark.resume if bookmark and mode is ReadingMode.APPEND else None
    fresh = _Fresh(start, bookmark.held_bytes if bookmark else 0, sha)
    reading = _Reading(asked, resume)
    file.seek(start)
    tap = Tap(file, size - start, fresh.take)  # type: ignore[arg-type]
    reading.run(lines_of(asked.path, tap), start)
    while tap.read(_BLOCK_BYTES):
        pass
    if was_read and reading.is_unfinished:
        return Derived(mode=ReadingMode.UNCHANGED, is_unfinished=True)
    derived = Derived(mode=mode, frames=fresh.finish(), held_bytes=fresh.end, sha256=sha.hexdigest())
    derived.places, derived.folders = reading.places, reading.folders
    derived.fresh_bytes = fresh.end - (bookmark.held_bytes if bookmark else 0)
    return reading.derived(derived)


class _Fresh:
    """The bytes of a file that the archive does not hold yet, on their way into it."""

    def __init__(self, start: int, held_bytes: int, sha: "hashlib._Hash") -> None:
        self.end = start
        self._held = held_bytes
        self._sha = sha
        self._packer = Packer()
        self._frames: list[bytes] = []

    def take(self, piece: bytes) -> None:
        begin, self.end = self.end, self.end + len(piece)
        fresh = piece[max(0, self._held - begin) :]
        if fresh:
            self._sha.update(fresh)
            self._frames.extend(self._packer.add(fresh))

    def finish(self) -> list[bytes]:
        return [*self._frames, *self._packer.finish()]


class _Reading:
    """One pass of a reader over lines, into an assembler."""

    def __init__(self, file: FileToRead, resume: bytes | None, copied: frozenset[int] = frozenset()) -> None:
        rules, reader = file.rules, reader_for(file.agent, file.rules.declared)
        if reader is None:
            raise LookupError(f"no reader for {file.agent}")
        self.shape = reader.shape(file.path)
        state = decode_file_resume(resume) if resume else None
        source = SourceFile(file.path, file.companion)
        self._reader: FileReading = reader.start(source, state.reader if state else None)
        self._redactor = redactor_for(rules.key, rules.people, rules.allow)
        context = AssemblyContext(
            redactor=self._redactor,
            tool_kinds=tool_kinds(file.agent),
            own_tools=own_tools(file.agent),
            instructions=instruction_files(),
            tool_names=rules.tool_names,
            user_names=rules.user_names,
            is_tracked=file.is_tracked,
        )
        self._assembler = Assembler(context, copied, state.assembler if state else None)
        self._cursor = 0

    def run(self, lines: BinaryIO, start: int) -> None:
        feeding = Feeding(self._reader, self.shape, start)
        self._assembler.take(feeding.read(lines))
        self._cursor = feeding.consumed

    @property
    def is_unfinished(self) -> bool:
        """Whether it is a document that someone is writing right now."""
        captured = self._assembler.captured()
        return self.shape is Shape.DOCUMENT and any(problem.is_passing for problem in captured.problems)

    def derived(self, derived: Derived) -> Derived:
        captured = self._assembler.captured()
        derived.captured, derived.cursor = captured, self._cursor
        derived.resume = msgspec.msgpack.encode(FileResume(self._redactor.state(self._reader.save()), captured.resume))
        derived.known = dict(self._reader.known)
        derived.unknown = self._assembler.safe_names(self._reader.unknown)
        return derived

    @property
    def folders(self) -> dict[str, str]:
        return self._assembler.folders

    @property
    def places(self) -> dict[str, str]:
        return self._assembler.places


def checkouts_at(places: Mapping[str, str], rules: RunRules) -> dict[str, str]:
    """The remotes of folders that are on this machine, by the names under which they are kept."""
    remotes = {root: remote for root, folder in places.items() if (remote := _remote_of(folder, rules.home))}
    redactor = redactor_for(rules.key, rules.people, rules.allow) if remotes else None
    return {root: safe_text(remote, redactor) for root, remote in remotes.items()} if redactor else {}


@lru_cache(maxsize=4096)
def _remote_of(folder: str, home: str) -> str:
    if folder.startswith("~"):
        return remote_of(Path(home + folder[1:])) if home else ""
    return remote_of(Path(folder))


def _starts_with(file: BinaryIO, bookmark: Bookmark, size: int, sha: "hashlib._Hash") -> bool:
    """Whether the file still begins with the bytes that were read from it."""
    if size < bookmark.held_bytes:
        return False
    left = bookmark.held_bytes
    while left:
        block = file.read(min(left, _BLOCK_BYTES))
        if not block:
            return False
        sha.update(block)
        left -= len(block)
    return sha.hexdigest() == bookmark.sha256
