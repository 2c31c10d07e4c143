"""Workers on other machines: whatever `concurrent.futures` calls an executor can be one side of this.

They share no disk with us, so a task is packed with all that it needs, at the moment when it is sent. Answers come in
the order of the tasks, whoever was quicker: what a run stores does not depend on the weather in a cluster. Tasks under
way are bounded by number and size. What cannot be packed is done here, when its turn comes. Each task carries the
version of the code that packed it; another one would find something else, and refuses.
"""

import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Executor, Future, wait
from types import TracebackType
from typing import Any, Generic, NamedTuple, Self, TypeVar

from afterwit import __version__
from afterwit.model.captured import CAPTURE_VERSION
from afterwit.model.digest import VERSION as DIGEST_VERSION
from afterwit.model.errors import AfterwitError

Job = TypeVar("Job")
Parcel = TypeVar("Parcel")
Done = TypeVar("Done")
_AHEAD_BYTES = 64 << 20
_AHEAD_TASKS = 256
_LOOK_SECONDS = 5.0  # how long to wait before a look whether anybody is still at work
_VERSION = f"{__version__} ({CAPTURE_VERSION}, {DIGEST_VERSION})"


class _Sent(NamedTuple, Generic[Job, Done]):
    task: Job
    future: Future[Done] | None
    size_bytes: int


class Elsewhere:
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
        under_way: deque[_Sent[Job, Done]] = deque()
        waiting_bytes = 0
        for task in tasks:
            under_way.append(self._sent(task, pack, work))
            waiting_bytes += under_way[-1].size_bytes
            while len(under_way) > _AHEAD_TASKS or (waiting_bytes > _AHEAD_BYTES and len(under_way) > 1):
                first = under_way.popleft()
                waiting_bytes -= first.size_bytes
                yield first.task, self._answer(first.future)
        while under_way:
            first = under_way.popleft()
            yield first.task, self._answer(first.future)

    def _sent(
        self, task: Job, pack: Callable[[Job], Parcel | None], work: Callable[[Parcel], Done]
    ) -> "_Sent[Job, Done]":
        parcel = pack(task)
        if parcel is None:
            return _Sent(task, None, 0)
        content = pickle.dumps((work, parcel), pickle.HIGHEST_PROTOCOL)
        if len(content) > _AHEAD_BYTES:
            return _Sent(task, None, 0)
        return _Sent(task, self._submitted(content), len(content))

    def _submitted(self, content: bytes) -> Future[Any]:
        try:
            return self._executor.submit(_worked, _VERSION, content)
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


def _worked(version: str, content: bytes) -> Any:
    """Runs there."""
    if version != _VERSION:
        raise AfterwitError(
            f"A worker has Afterwit {_VERSION}, and this machine {version}. Install the same version on both."
        )
    work, parcel = pickle.loads(content)  # noqa: S301 - from the one who asks for the work
    return work(parcel)
