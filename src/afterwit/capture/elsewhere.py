"""Workers on other machines: whatever `concurrent.futures` calls an executor can be one side of this.

They share no disk with us, so a task is packed with all that it needs, at the moment when it is sent. Answers come in
the order of the tasks, whoever was quicker: what a run stores does not depend on the weather in a cluster. Tasks under
way are bounded by number and size. What cannot be packed is done here, when its turn comes. Each task carries the
version of the code that packed it; another one would find something else, and refuses.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Executor, Future, wait
from types import TracebackType
from typing import Self, TypeVar

from afterwit import __version__
from afterwit.model.captured import CAPTURE_VERSION
from afterwit.model.errors import AfterwitError

Job = TypeVar("Job")
Parcel = TypeVar("Parcel")
Done = TypeVar("Done")
_AHEAD_BYTES = 64 << 20
_AHEAD_TASKS = 256
_LOOK_SECONDS = 5.0  # how long to wait before a look whether anybody is still at work
_VERSION = f"{__version__} ({CAPTURE_VERSION})"


class Elsewhere:
    """An executor, and where it was found. One with a method `check()` is asked now and then, while answers are waited
    for; it raises where none will come any more."""

    def __init__(self, executor: Executor, place: str) -> None:
        self._executor = executor
        self._place = place

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self._executor.shutdown(wait=kind is None)

    def spread(
        self,
        tasks: Iterable[Job],
        pack: Callable[[Job], Parcel | None],
        work: Callable[[Parcel], Done],
        size_of: Callable[[Job], int] = lambda _: 0,
    ) -> Iterator[tuple[Job, Done | None]]:
        """Each task with its answer, in order; None, where it could not be packed."""
        under_way: deque[tuple[Job, Future[Done] | None]] = deque()
        waiting_bytes = 0
        for task in tasks:
            parcel = pack(task)
            under_way.append((task, None if parcel is None else self._sent(work, parcel)))
            waiting_bytes += size_of(task)
            while len(under_way) > _AHEAD_TASKS or (waiting_bytes > _AHEAD_BYTES and len(under_way) > 1):
                first, future = under_way.popleft()
                waiting_bytes -= size_of(first)
                yield first, self._answer(future)
        while under_way:
            first, future = under_way.popleft()
            yield first, self._answer(future)

    def _sent(self, work: Callable[[Parcel], Done], parcel: Parcel) -> Future[Done]:
        try:
            return self._executor.submit(_worked, _VERSION, work, parcel)
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
            raise self._lost(error) from error

    def _lost(self, error: BaseException) -> AfterwitError:
        said = str(error) or type(error).__name__
        return AfterwitError(
            f"{self._place} did not do its work: {said.rstrip('.')}. What was learned before is kept. See that Afterwit"
            f" {__version__} is installed on every worker, then run the command again, or without --executor."
        )


def _worked(version: str, work: Callable[[Parcel], Done], parcel: Parcel) -> Done:
    """Runs there."""
    if version != _VERSION:
        raise AfterwitError(
            f"A worker has Afterwit {_VERSION}, and this machine {version}. Install the same version on both."
        )
    return work(parcel)
