"""The files of a run as tasks: those that their agents delete soonest first, each derived in this process or by a
worker, the answers in batches.

A task holds all that a worker needs; it reads the file and the archive and writes nothing. To a worker on another
machine goes a task with the files themselves, or with the URL where they lie; it has no archive, and tells what it
would have asked it for. Where the archive has something of that, the file is derived again here: that is rare, since
only companions that are gone are taken from there. The checkouts of this machine are looked at by this process, whoever
derived the rest. Batches are bounded, and so is what a run that is killed loses.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import msgspec

from afterwit.agents.prompt_history import HISTORY
from afterwit.agents.registry import RetentionPeriod, reader_for
from afterwit.capture.derive import Companion, FileToRead, checkouts_at, derive_live
from afterwit.capture.derived import Bookmark, Derived, ReadingMode
from afterwit.capture.left_out import sift
from afterwit.capture.logs import Home, companion_content, copy_companion, open_unit, retention_in, vanishes_at
from afterwit.capture.plan import Pending
from afterwit.capture.workers import RemoteWorkers, Workers
from afterwit.config.run_rules import RunRules
from afterwit.model.errors import AfterwitError, DamagedError
from afterwit.model.settings import Settings
from afterwit.sources.places import CarriedFile, CarriedFiles, RemoteFolder, open_in, whole_file
from afterwit.store.archive import Archive

_NEVER = 1 << 62
BATCH_FILES = 256
BATCH_BYTES = 16 << 20
_WORTH_A_POOL_BYTES = 16 << 20
_MOST_CARRIED = 32 << 20  # a larger file is read here: it would fill a scheduler's memory
_MOST_READ_ELSEWHERE = 256 << 20  # of a file at a URL, whose packed bytes come back in one answer


class Task(NamedTuple):
    pending: Pending
    bookmark: Bookmark | None
    rules: RunRules
    archive: Path | None  # None on another machine
    carried: CarriedFiles | None = None


class DerivedFile(NamedTuple):
    pending: Pending
    derived: Derived


def is_much(total_bytes: int) -> bool:
    """Whether this much to read is worth work that little is not."""
    return total_bytes >= _WORTH_A_POOL_BYTES


def workers_for(settings: Settings, asked: int = 0, elsewhere: RemoteWorkers | None = None) -> Workers:
    """As many as were asked for, else as there are processors."""
    return Workers(asked or settings.learn.jobs or os.cpu_count() or 1, elsewhere)


def answers(tasks: Iterable[Task], workers: Workers, total_bytes: int) -> Iterator[DerivedFile]:
    """What became of each file, as they are done."""
    if workers.elsewhere is not None:
        sent = workers.elsewhere.spread(tasks, _pack_task, _work_elsewhere)
        yield from (_take_answer(task, answer) for task, answer in sent)
        return
    has_much = is_much(total_bytes)
    if not workers.are_worth(is_much=has_much):
        for task in tasks:
            yield DerivedFile(task.pending, _derive_here(task))
        return
    yield from map(_unpack_answer, workers.spread(tasks, _work, is_much=has_much, size_of=_size_of))


def _size_of(task: Task) -> int:
    return task.pending.unit.transcript.size_bytes


def batches(answered: Iterable[DerivedFile]) -> Iterator[list[DerivedFile]]:
    """The answers, as many together as are committed together."""
    batch: list[DerivedFile] = []
    size = 0
    for answer in answered:
        batch.append(answer)
        size += answer.pending.unit.transcript.size_bytes
        if len(batch) >= BATCH_FILES or size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def rest_of(task: Task, left_out: frozenset[str]) -> Derived | None:
    """A file without some of its sessions, read from its beginning; None, where it cannot be taken apart."""
    whole = _derive_here(task._replace(bookmark=None))
    if whole.captured is None:
        return whole
    home, path = task.pending.home, task.pending.unit.transcript.path
    archived = _archive_of(task)

    def companion(beside: PurePosixPath) -> bytes | None:
        content = companion_content(task.pending.unit.home, beside)
        return archived(beside) if content is None else content

    return sift(FileToRead(home.agent, path, task.rules, companion, task.pending.is_tracked), whole, left_out)


def _work(task: Task) -> bytes:
    """Runs in a worker: one file, its answer as bytes, which cross between processes cheaply."""
    return msgspec.msgpack.encode(_derive(task, _archive_of(task)))


def _unpack_answer(done: tuple[Task, bytes]) -> DerivedFile:
    task, answer = done
    return _with_checkouts(task, msgspec.msgpack.decode(answer, type=Derived))


def _derive_here(task: Task) -> Derived:
    return _with_checkouts(task, _derive(task, _archive_of(task))).derived


def _with_checkouts(task: Task, derived: Derived) -> DerivedFile:
    derived.checkouts = checkouts_at(derived.places, task.rules)
    return DerivedFile(task.pending, derived)


class _Elsewhere(msgspec.Struct, frozen=True):
    """What a worker without an archive answers."""

    derived: Derived
    asked: list[bytes]  # paths of companions that the archive may have


def _pack_task(task: Task) -> Task | None:
    """The task with its files, for a worker on another machine; None, where it is better done here."""
    home, unit = task.pending.unit.home, task.pending.unit
    if isinstance(home, RemoteFolder) and not home.is_only_here:
        return task._replace(archive=None) if unit.transcript.size_bytes <= _MOST_READ_ELSEWHERE else None
    reader = reader_for(task.pending.home.agent, task.rules.declared)
    shared = reader.shared(unit.transcript.path) if reader else ()
    beside = (*(companion.path for companion in unit.companions), *shared)
    carried: dict[str, CarriedFile] = {}
    room = _MOST_CARRIED
    try:
        with open_unit(task.pending.home.agent, home, unit.transcript.path) as (file, size, about):
            room -= size
            if room < 0:
                return None
            carried[str(unit.transcript.path)] = CarriedFile(whole_file(file, size), about)
        for path in beside:
            with suppress(FileNotFoundError, NotADirectoryError), open_in(home, path) as (file, about):
                room -= about.size_bytes
                if room < 0:
                    return None
                carried[str(path)] = CarriedFile(whole_file(file, about.size_bytes), about)
    except OSError:
        return None
    return task._replace(archive=None, carried=CarriedFiles(carried))


def _work_elsewhere(task: Task) -> bytes:
    """Runs on another machine: as `_work`, without the archive."""
    asked: list[bytes] = []

    def archived(path: PurePosixPath) -> None:
        asked.append(os.fsencode(path))

    try:
        derived = _derive(task, archived)
    except AfterwitError as error:  # what a URL needs is not installed there
        derived = Derived(mode=ReadingMode.FAILED, error=str(error))
    return msgspec.msgpack.encode(_Elsewhere(derived, asked))


def _take_answer(task: Task, answer: bytes | None) -> DerivedFile:
    """What could not be read there is read here, and so is what was not understood."""
    try:
        there = msgspec.msgpack.decode(answer, type=_Elsewhere) if answer is not None else None
    except msgspec.DecodeError:
        there = None
    if there is None or there.derived.mode is ReadingMode.FAILED:
        return DerivedFile(task.pending, _derive_here(task))
    archived = _archive_of(task)
    if any(archived(PurePosixPath(os.fsdecode(path))) is not None for path in there.asked):
        return DerivedFile(task.pending, _derive_here(task))
    return _with_checkouts(task, there.derived)


def _derive(task: Task, archived: Companion) -> Derived:
    pending = task.pending
    home = task.carried or pending.unit.home
    companions = frozenset(str(companion.path) for companion in pending.unit.companions)
    path = pending.unit.transcript.path
    try:
        derived = derive_live(
            *(pending.home.agent, home, path, companions, task.rules, task.bookmark, archived),
            is_tracked=pending.is_tracked,
        )
        if derived.captured is not None and (task.bookmark is None or pending.has_new_companions):
            copies = (copy_companion(home, path) for path in sorted(companions))
            derived.copies += [copy for copy in copies if copy is not None]
    except OSError as error:
        return Derived(mode=ReadingMode.FAILED, error=error.strerror or str(error))
    return derived


def _archive_of(task: Task) -> Companion:
    assert task.archive is not None
    return partial(_companion_in_archive, Archive(task.archive), task.pending.home)


def _companion_in_archive(archive: Archive, home: Home, path: PurePosixPath) -> bytes | None:
    """What the archive holds of a companion that is gone. One that is damaged is as good as gone, too."""
    name = archive.latest(home.key(path))
    try:
        return b"".join(archive.read(name)) if name else None
    except DamagedError:
        return None


def soonest_first(pending: Iterable[Pending]) -> list[Pending]:
    """The transcripts that their agents will delete soonest, over all agents; then the others, oldest first. Histories
    of prompts come last: what they tell depends on the transcripts."""
    kept: dict[Home, RetentionPeriod | None] = {}

    def order(transcript: Pending) -> tuple[bool, int, int, str]:
        if transcript.home not in kept:
            kept[transcript.home] = retention_in(transcript.home)
        moment = vanishes_at(transcript.home, kept[transcript.home], transcript.unit.transcript)
        file = transcript.unit.transcript
        return file.path.name == HISTORY.name, _NEVER if moment is None else moment, file.mtime_ns, str(file.path)

    return sorted(pending, key=order)
