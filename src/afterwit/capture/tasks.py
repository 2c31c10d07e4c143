"""The files of a run as tasks: those that their agents delete soonest first, each derived in this process or in a
worker, the answers in batches.

A task holds all that a worker needs; it reads the file and the archive and writes nothing. Batches are bounded, and so
is what a run that is killed loses.
"""

import os
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import msgspec

from afterwit.agents.prompt_history import HISTORY
from afterwit.agents.retention import Keeping
from afterwit.capture.derive import derive_live
from afterwit.capture.derived import Bookmark, Derived
from afterwit.capture.left_out import sifted
from afterwit.capture.logs import Home, companion_content, copied_companion
from afterwit.capture.plan import Pending
from afterwit.capture.vanishing import keeping_in, vanishes_at
from afterwit.capture.workers import Workers
from afterwit.config.run_rules import RunRules
from afterwit.model.errors import DamagedError
from afterwit.model.settings import Settings
from afterwit.store.archive import Archive
from afterwit.store.rows import files

_NEVER = 1 << 62
BATCH_FILES = 256
BATCH_BYTES = 16 << 20
_WORTH_A_POOL_BYTES = 16 << 20


class Task(NamedTuple):
    pending: Pending
    bookmark: Bookmark | None
    rules: RunRules
    archive: Path


class DerivedFile(NamedTuple):
    pending: Pending
    derived: Derived


def is_much(total_bytes: int) -> bool:
    """Whether this much to read is worth work that little is not."""
    return total_bytes >= _WORTH_A_POOL_BYTES


def workers_for(settings: Settings, asked: int = 0) -> Workers:
    """As many as were asked for, else as there are processors."""
    return Workers(asked or settings.learn.jobs or os.cpu_count() or 1)


def answers(tasks: Iterable[Task], workers: Workers, total_bytes: int) -> Iterator[DerivedFile]:
    """What became of each file, as they are done."""
    has_much = is_much(total_bytes)
    if not workers.are_worth(is_much=has_much):
        yield from (DerivedFile(task.pending, _derive(task)) for task in tasks)
        return

    def size_of(task: Task) -> int:
        return task.pending.unit.transcript.size_bytes

    yield from map(_unpacked, workers.spread(tasks, _work, is_much=has_much, size_of=size_of))


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
    whole = _derive(task._replace(bookmark=None))
    if whole.captured is None:
        return whole
    home, path = task.pending.home, task.pending.unit.transcript.path
    archived = partial(_archived_companion, Archive(task.archive), home)

    def companion(beside: PurePosixPath) -> bytes | None:
        content = companion_content(task.pending.unit.home / beside)
        return archived(beside) if content is None else content

    return sifted(home.agent, path, whole, left_out, task.rules, companion)


def _work(task: Task) -> bytes:
    """Runs in a worker: one file, its answer as bytes, which cross between processes cheaply."""
    return msgspec.msgpack.encode(_derive(task))


def _unpacked(done: tuple[Task, bytes]) -> DerivedFile:
    task, answer = done
    return DerivedFile(task.pending, msgspec.msgpack.decode(answer, type=Derived))


def _derive(task: Task) -> Derived:
    pending = task.pending
    companions = frozenset(str(companion.path) for companion in pending.unit.companions)
    path = pending.unit.transcript.path
    archived = partial(_archived_companion, Archive(task.archive), pending.home)
    derived = derive_live(pending.home.agent, pending.unit.home, path, companions, task.rules, task.bookmark, archived)
    if derived.captured is not None and (task.bookmark is None or pending.has_new_companions):
        copies = (copied_companion(pending.unit.home, path) for path in sorted(companions))
        derived.copies += [copy for copy in copies if copy is not None]
    return derived


def _archived_companion(archive: Archive, home: Home, path: PurePosixPath) -> bytes | None:
    """What the archive holds of a companion that is gone. One that is damaged is as good as gone, too."""
    name = archive.latest(files.file_key(home.agent, home.label + str(path)))
    try:
        return b"".join(archive.read(name)) if name else None
    except DamagedError:
        return None


def soonest_first(pending: Iterable[Pending]) -> list[Pending]:
    """The transcripts that their agents will delete soonest, over all agents; then the others, oldest first. Histories
    of prompts come last: what they tell depends on the transcripts."""
    kept: dict[Home, Keeping | None] = {}

    def order(transcript: Pending) -> tuple[bool, int, int, str]:
        if transcript.home not in kept:
            kept[transcript.home] = keeping_in(transcript.home)
        moment = vanishes_at(transcript.home, kept[transcript.home], transcript.unit.transcript)
        file = transcript.unit.transcript
        return file.path.name == HISTORY.name, _NEVER if moment is None else moment, file.mtime_ns, str(file.path)

    return sorted(pending, key=order)
