"""The files of a run as tasks: each is derived in this process or in a worker, and the answers come back in batches.

A task holds all that a worker needs; it reads the file and the archive and writes nothing. How many workers there are
is decided by the amount of work. Batches are bounded by files and bytes, and so is what a run that is killed loses.
"""

import os
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import msgspec

from afterwit.capture.companion_files import copied_companion
from afterwit.capture.derive import derive_live
from afterwit.capture.derived import Bookmark, Derived
from afterwit.capture.parallel import spread
from afterwit.capture.plan import Home, Pending
from afterwit.config.run_rules import RunRules
from afterwit.model.errors import DamagedError
from afterwit.model.settings import Settings
from afterwit.store.archive import Archive
from afterwit.store.rows import files

BATCH_FILES = 256
BATCH_BYTES = 40 << 20
_WORTH_A_POOL_BYTES = 16 << 20


class Task(NamedTuple):
    """One file to be read."""

    pending: Pending
    bookmark: Bookmark | None
    rules: RunRules
    archive: Path


class Answer(NamedTuple):
    """A file, and what became of it."""

    pending: Pending
    derived: Derived


def is_much(total_bytes: int) -> bool:
    """Whether this much to read is worth work that little is not."""
    return total_bytes >= _WORTH_A_POOL_BYTES


def jobs_for(settings: Settings, asked: int, tasks: int, total_bytes: int) -> int:
    """How many processes to use. Little work stays in this one."""
    jobs = asked or settings.learn.jobs or os.cpu_count() or 1
    return min(jobs, tasks) if is_much(total_bytes) else 1


def answers(tasks: Iterable[Task], jobs: int) -> Iterator[Answer]:
    """What became of each file, as they are done."""
    if jobs <= 1:
        yield from (Answer(task.pending, _derive(task)) for task in tasks)
        return
    for task, answer in spread(tasks, _work, jobs):
        yield Answer(task.pending, msgspec.msgpack.decode(answer, type=Derived))


def batches(answered: Iterable[Answer]) -> Iterator[list[Answer]]:
    """The answers, as many together as are committed together."""
    batch: list[Answer] = []
    size = 0
    for answer in answered:
        batch.append(answer)
        size += answer.pending.unit.transcript.size_bytes
        if len(batch) >= BATCH_FILES or size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _work(task: Task) -> bytes:
    """Runs in a worker: one file, its answer as bytes, which cross between processes cheaply."""
    return msgspec.msgpack.encode(_derive(task))


def _derive(task: Task) -> Derived:
    one = task.pending
    companions = frozenset(str(found.path) for found in one.unit.companions)
    path = one.unit.transcript.path
    archived = partial(_archived_companion, Archive(task.archive), one.home)
    derived = derive_live(one.home.agent, one.unit.home, path, companions, task.rules, task.bookmark, archived)
    if derived.captured is not None and (task.bookmark is None or one.has_new_companions):
        copies = (copied_companion(one.unit.home, path) for path in sorted(companions))
        derived.copies += [copy for copy in copies if copy is not None]
    return derived


def _archived_companion(archive: Archive, home: Home, path: PurePosixPath) -> bytes | None:
    """What the archive holds of a companion that is gone. One that is damaged is as good as gone, too."""
    name = archive.latest(files.file_key(home.agent, home.label + str(path)))
    try:
        return b"".join(archive.read(name)) if name else None
    except DamagedError:
        return None
