"""Several transfers at once, to and from targets that are far away: a bounded number, in the order they were asked for.

A target says how many it takes. With one, everything happens in turn and no thread is started. What is to follow a
transfer runs in the thread of the caller, after all that were begun before it; the first failure stops the rest.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Self, TypeVar

_Wanted = TypeVar("_Wanted")
_Result = TypeVar("_Result")


class Transfers:
    """Transfers that are under way."""

    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        self._pool = ThreadPoolExecutor(at_once, "backup") if at_once > 1 else None
        self._running: deque[tuple[Future[None], Callable[[], None]]] = deque()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self.finish()
        finally:
            if self._pool is not None:
                self._pool.shutdown(cancel_futures=True)

    def begin(self, transfer: Callable[[], None], then: Callable[[], None]) -> None:
        """Begins one, as soon as there is room for it."""
        if self._pool is None:
            transfer()
            then()
            return
        if len(self._running) >= self._at_once:
            self._end_first()
        self._running.append((self._pool.submit(transfer), then))

    def finish(self) -> None:
        """Waits for all of them."""
        while self._running:
            self._end_first()

    def _end_first(self) -> None:
        future, then = self._running.popleft()
        future.result()
        then()


def fetched(
    read: Callable[[_Wanted], _Result], wanted: Iterable[_Wanted], at_once: int
) -> Iterator[tuple[_Wanted, _Result]]:
    """What was asked for with what came, in order; no more of it is read ahead than is under way at once."""
    if at_once <= 1:
        for item in wanted:
            yield item, read(item)
        return
    with ThreadPoolExecutor(at_once, "backup") as pool:
        running: deque[tuple[_Wanted, Future[_Result]]] = deque()
        try:
            for item in wanted:
                if len(running) >= at_once:
                    first, future = running.popleft()
                    yield first, future.result()
                running.append((item, pool.submit(read, item)))
            while running:
                first, future = running.popleft()
                yield first, future.result()
        finally:
            pool.shutdown(cancel_futures=True)
