"""Work spread over processes, with a bounded number under way, so that memory stays bounded too.

Small jobs stay in this process: starting others would cost more than it saves. Workers ignore Ctrl-C; the parent stops
them, and where it is killed they end by themselves.
"""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import TypeVar

from afterwit.model.errors import AfterwitError

Task = TypeVar("Task")
Answer = TypeVar("Answer")


def spread(tasks: Iterable[Task], work: Callable[[Task], Answer], jobs: int) -> Iterator[tuple[Task, Answer]]:
    """Each task with its answer, as they are done. With one job, in order and in this process."""
    if jobs <= 1:
        for task in tasks:
            yield task, work(task)
        return
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_end_with_parent)
    under_way: dict[Future[Answer], Task] = {}
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


def _finished(under_way: dict[Future[Answer], Task]) -> Iterator[tuple[Task, Answer]]:
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
