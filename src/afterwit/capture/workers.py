"""The processes that share the work of a run, stage after stage: started when there is enough to do, ended with it.

Work is a function of one task, which a worker can import; it reads and writes nothing. The number of tasks under way is
bounded, and so is memory. Workers ignore Ctrl-C; the parent stops them, and where it is killed they end by themselves.
"""

import gc
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from types import TracebackType
from typing import Self, TypeVar

from afterwit.capture.elsewhere import Elsewhere
from afterwit.model.errors import AfterwitError

Job = TypeVar("Job")
Done = TypeVar("Done")
AHEAD_BYTES = 16 << 20  # of what is under way, or waits to be fetched
_AHEAD_TASKS = 128
_COLLECT_AFTER = 10_000  # new values: what is derived holds many of them and hardly a cycle


class Workers:
    """As many as there are jobs, at most. With one job, all is done in this process."""

    def __init__(self, jobs: int = 1, elsewhere: Elsewhere | None = None) -> None:
        self._jobs = jobs
        self.elsewhere = elsewhere  # where it is there, whoever can pack his tasks asks it instead
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        if self._pool is None:
            return
        if kind is not None:
            for worker in multiprocessing.active_children():
                worker.terminate()  # what it was at is lost and will be done again; waiting for it could take for ever
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._pool = None

    def are_worth(self, *, is_much: bool) -> bool:
        """Whether this much work should go to them: starting them costs more than little work, but they may be there
        already."""
        return self._pool is not None or (is_much and self._jobs > 1)

    def spread(
        self,
        tasks: Iterable[Job],
        work: Callable[[Job], Done],
        *,
        is_much: bool,
        size_of: Callable[[Job], int] = lambda _: AHEAD_BYTES,
    ) -> Iterator[tuple[Job, Done]]:
        """Each task with its answer, as they are done; where they are not worth it, in order and in this process. While
        this process is busy with answers, the others have enough to do: as many bytes as may wait for it."""
        if not self.are_worth(is_much=is_much):
            for task in tasks:
                yield task, work(task)
            return
        under_way: dict[Future[Done], Job] = {}
        try:
            for task in tasks:
                with _deaf_to_interrupts():
                    future = self._started().submit(work, task)
                under_way[future] = task
                while self._is_enough(under_way.values(), size_of):
                    yield from _finished(under_way)
            while under_way:
                yield from _finished(under_way)
        except BrokenProcessPool as error:
            raise AfterwitError(
                "A worker process died, perhaps for lack of memory. What was done is kept; try again with --jobs 1."
            ) from error

    def _is_enough(self, under_way: Collection[Job], size_of: Callable[[Job], int]) -> bool:
        """Whether the workers have enough to do, so that no more may pile up."""
        if len(under_way) < 2 * self._jobs:
            return False
        return len(under_way) >= _AHEAD_TASKS or sum(map(size_of, under_way)) >= AHEAD_BYTES

    def _started(self) -> ProcessPoolExecutor:
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self._jobs, mp_context=context, initializer=_begin_worker)
        return self._pool


def _finished(under_way: dict[Future[Done], Job]) -> Iterator[tuple[Job, Done]]:
    """What is done. Nothing here holds an answer on while whoever got it is busy with it: some are large."""
    done, _ = wait(under_way, return_when=FIRST_COMPLETED)
    while done:
        yield _answered(under_way, done.pop())


def _answered(under_way: dict[Future[Done], Job], future: Future[Done]) -> tuple[Job, Done]:
    return under_way.pop(future), future.result()


def _begin_worker() -> None:
    """Every worker holds both ends of the queue of tasks, so none would ever notice that nobody writes."""
    gc.set_threshold(_COLLECT_AFTER)
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
