"""Who shares the work of a run, stage after stage: processes of this machine (`Workers`), and executors on other
machines (`RemoteWorkers`).

Work is a function of one task, which a worker can import; it reads and writes nothing. The number of tasks under way is
bounded, and so is memory. Processes ignore Ctrl-C, the parent stops them, and where it is killed they end by
themselves. Executors share no disk with us, so a task is packed with all that it needs and the version of the code, and
what cannot be packed is done here. Extras bring executors, and so can others: an entry point of the group
`afterwit.executors`, a function from an address (`dask://HOST:PORT`) to a `concurrent.futures` executor.
"""

import gc
import multiprocessing
import os
import pickle
import signal
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from difflib import get_close_matches
from types import TracebackType
from typing import Any, Generic, NamedTuple, Self, TypeVar

from afterwit import __version__
from afterwit.config.extras import entry_points, extras, load
from afterwit.model.captured import CAPTURE_VERSION
from afterwit.model.digest import VERSION as DIGEST_VERSION
from afterwit.model.errors import AfterwitError, UsageError

Job = TypeVar("Job")
Done = TypeVar("Done")
Parcel = TypeVar("Parcel")
AHEAD_BYTES = 16 << 20  # of what is under way, or waits to be fetched
_AHEAD_TASKS = 128
_COLLECT_AFTER = 10_000  # new values: what is derived holds many of them and hardly a cycle
_SENT_BYTES = 64 << 20
_SENT_TASKS = 256
_LOOK_SECONDS = 5.0  # how long to wait before a look whether anybody is still at work
_VERSION = f"{__version__} ({CAPTURE_VERSION}, {DIGEST_VERSION})"
GROUP = "afterwit.executors"


class _SentTask(NamedTuple, Generic[Job, Done]):
    task: Job
    future: Future[Done] | None
    size_bytes: int


class RemoteWorkers:
    """An executor, and where it was found. One with a method `check()` is asked now and then, while answers are waited
    for; it raises where none will come any more. Its `deadly` are errors that mean that a task ends every worker: such
    a task is done here."""

    def __init__(self, executor: Executor, place: str) -> None:
        self._executor = executor
        self._place = place

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self._executor.shutdown(wait=kind is None, cancel_futures=kind is not None)

    def spread(
        self, tasks: Iterable[Job], pack: Callable[[Job], Parcel | None], work: Callable[[Parcel], Done]
    ) -> Iterator[tuple[Job, Done | None]]:
        """Each task with its answer, in order; None, where it could not be packed, or nobody there survives it."""
        under_way: deque[_SentTask[Job, Done]] = deque()
        waiting_bytes = 0
        for task in tasks:
            under_way.append(self._send(task, pack, work))
            waiting_bytes += under_way[-1].size_bytes
            while len(under_way) > _SENT_TASKS or (waiting_bytes > _SENT_BYTES and len(under_way) > 1):
                first = under_way.popleft()
                waiting_bytes -= first.size_bytes
                yield first.task, self._answer(first.future)
        while under_way:
            first = under_way.popleft()
            yield first.task, self._answer(first.future)

    def _send(
        self, task: Job, pack: Callable[[Job], Parcel | None], work: Callable[[Parcel], Done]
    ) -> "_SentTask[Job, Done]":
        parcel = pack(task)
        if parcel is None:
            return _SentTask(task, None, 0)
        content = pickle.dumps((work, parcel), pickle.HIGHEST_PROTOCOL)
        if len(content) > _SENT_BYTES:
            return _SentTask(task, None, 0)
        return _SentTask(task, self._submit(content), len(content))

    def _submit(self, content: bytes) -> Future[Any]:
        try:
            return self._executor.submit(_run_there, _VERSION, content)
        except AfterwitError:
            raise
        except Exception as error:
            raise self._lost(error) from error

    def _answer(self, future: Future[Done] | None) -> Done | None:
        if future is None:
            return None
        check = getattr(self._executor, "check", None)
        try:
            while not wait((future,), timeout=_LOOK_SECONDS).done:
                if check is not None:
                    check()
            return future.result()
        except AfterwitError:
            raise
        except (Exception, CancelledError) as error:
            if isinstance(error, getattr(self._executor, "deadly", ())):
                return None
            raise self._lost(error) from error

    def _lost(self, error: BaseException) -> AfterwitError:
        said = str(error) or type(error).__name__
        return AfterwitError(
            f"{self._place} did not do its work: {said.rstrip('.')}. What was learned before is kept. See that Afterwit"
            f" {__version__} is installed on the scheduler and on every worker, then run the command again, or without"
            " --executor."
        )


def _run_there(version: str, content: bytes) -> Any:
    """Runs there."""
    if version != _VERSION:
        raise AfterwitError(
            f"A worker has Afterwit {_VERSION}, and this machine {version}. Install the same version on both."
        )
    work, parcel = pickle.loads(content)  # noqa: S301 - from the one who asks for the work
    return work(parcel)


class Workers:
    """As many as there are jobs, at most. With one job, all is done in this process."""

    def __init__(self, jobs: int = 1, elsewhere: RemoteWorkers | None = None) -> None:
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
                    future = self._start_pool().submit(work, task)
                under_way[future] = task
                while self._is_enough(under_way.values(), size_of):
                    yield from _take_finished(under_way)
            while under_way:
                yield from _take_finished(under_way)
        except BrokenProcessPool as error:
            raise AfterwitError(
                "A worker process died, perhaps for lack of memory. What was done is kept; try again with --jobs 1."
            ) from error

    def _is_enough(self, under_way: Collection[Job], size_of: Callable[[Job], int]) -> bool:
        """Whether the workers have enough to do, so that no more may pile up."""
        if len(under_way) < 2 * self._jobs:
            return False
        return len(under_way) >= _AHEAD_TASKS or sum(map(size_of, under_way)) >= AHEAD_BYTES

    def _start_pool(self) -> ProcessPoolExecutor:
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self._jobs, mp_context=context, initializer=_begin_worker)
        return self._pool


def _take_finished(under_way: dict[Future[Done], Job]) -> Iterator[tuple[Job, Done]]:
    """What is done. Nothing here holds an answer on while whoever got it is busy with it: some are large."""
    done, _ = wait(under_way, return_when=FIRST_COMPLETED)
    while done:
        yield _pop_answer(under_way, done.pop())


def _pop_answer(under_way: dict[Future[Done], Job], future: Future[Done]) -> tuple[Job, Done]:
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


def executor_at(address: str) -> RemoteWorkers:
    """The executor at an address. Raises where there is none, or it cannot be reached."""
    refuse_unknown(address)
    name = address.partition("://")[0]
    points = {point.name: point for point in entry_points(GROUP)}
    try:
        make: Callable[[str], Executor]
        make = load(_of_extras()[name]) if name in _of_extras() else points[name].load()
        return RemoteWorkers(make(address), address)
    except AfterwitError:
        raise
    except Exception as error:
        raise AfterwitError(f"{address} cannot be reached: {error}.") from error


def refuse_unknown(address: str) -> None:
    """Raises where there is no executor of the name in this address."""
    name = address.partition("://")[0]
    if name not in executor_names():
        close = get_close_matches(name, executor_names(), 1)
        meant = f" Do you mean {close[0]}?" if close else ""
        names = ", ".join(f"{other}://" for other in executor_names())
        raise UsageError(f"--executor {address}: there is no executor of this name; there are {names}.{meant}")


def executor_names() -> list[str]:
    own = _of_extras()
    return [*own, *sorted(point.name for point in entry_points(GROUP) if point.name not in own)]


def _of_extras() -> dict[str, str]:
    return {name: code for extra in extras() for name, code in extra.executors.items()}
