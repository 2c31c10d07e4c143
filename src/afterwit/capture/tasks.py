"""The files of a run as tasks: those that their agents delete soonest first, each derived in this process or in a
worker, the answers in batches.

A task holds all that a worker needs; it reads the file and the archive and writes nothing. Little work stays in this
process: starting others would cost more than it saves. Batches and the number of tasks under way are bounded, and so
are memory and what a run that is killed loses. Workers ignore Ctrl-C; the parent stops them, and where it is killed
they end by themselves.
"""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from pathlib import Path, PurePosixPath
from typing import NamedTuple, TypeVar

import msgspec

from afterwit.agents.prompt_history import HISTORY
from afterwit.agents.retention import Keeping
from afterwit.capture.derive import derive_live
from afterwit.capture.derived import Bookmark, Derived
from afterwit.capture.left_out import sifted
from afterwit.capture.logs import Home, companion_content, copied_companion
from afterwit.capture.plan import Pending
from afterwit.capture.vanishing import keeping_in, vanishes_at
from afterwit.config.run_rules import RunRules
from afterwit.model.errors import AfterwitError, DamagedError
from afterwit.model.settings import Settings
from afterwit.store.archive import Archive
from afterwit.store.rows import files

Job = TypeVar("Job")
Done = TypeVar("Done")
_NEVER = 1 << 62
BATCH_FILES = 256
BATCH_BYTES = 40 << 20
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


def jobs_for(settings: Settings, asked: int, tasks: int, total_bytes: int) -> int:
    """How many processes to use. Little work stays in this one."""
    jobs = asked or settings.learn.jobs or os.cpu_count() or 1
    return min(jobs, tasks) if is_much(total_bytes) else 1


def answers(tasks: Iterable[Task], jobs: int) -> Iterator[DerivedFile]:
    """What became of each file, as they are done."""
    if jobs <= 1:
        yield from (DerivedFile(task.pending, _derive(task)) for task in tasks)
        return
    for task, answer in spread(tasks, _work, jobs):
        yield DerivedFile(task.pending, msgspec.msgpack.decode(answer, type=Derived))


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


def spread(tasks: Iterable[Job], work: Callable[[Job], Done], jobs: int) -> Iterator[tuple[Job, Done]]:
    """Each task with its answer, as they are done. With one job, in order and in this process."""
    if jobs <= 1:
        for task in tasks:
            yield task, work(task)
        return
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_end_with_parent)
    under_way: dict[Future[Done], Job] = {}
    try:
        for task in tasks:
            with _deaf_to_interrupts():
                future = pool.submit(work, task)
            under_way[future] = task
            if len(under_way) >= 2 * jobs:
                yield from _finished(under_way)
        while under_way:
            yield from _finished(under_way)
    except BrokenProcessPool as error:
        raise AfterwitError(
            "A worker process died, perhaps for lack of memory. What was done is kept; try again with --jobs 1."
        ) from error
    except BaseException:
        for worker in multiprocessing.active_children():
            worker.terminate()  # what it was at is lost and will be read again; waiting for it could take for ever
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _finished(under_way: dict[Future[Done], Job]) -> Iterator[tuple[Job, Done]]:
    done, _ = wait(under_way, return_when=FIRST_COMPLETED)
    for future in done:
        yield under_way.pop(future), future.result()


def _end_with_parent() -> None:
    """In a worker: every worker holds both ends of the queue of tasks, so none would ever notice that nobody writes."""
    threading.Thread(target=_wait_for_parent, daemon=True).start()


def _wait_for_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Workers are started here. They inherit the deafness: Ctrl-C reaches the parent alone, who ends them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
