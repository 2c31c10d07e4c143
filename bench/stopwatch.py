"""Splits the CPU time of a run among its parts, by wrapping functions of the product from outside.

Each moment counts for the innermost wrapped function only, so that the parts add up to the whole. A wrapper costs about
a microsecond a call; the total is therefore measured in a run without it. A wrapped generator is run to its
end at once.
"""

import inspect
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, NamedTuple


class Seam(NamedTuple):
    """A function that is timed: where it is looked up, its name, and the part that it counts for."""

    owner: Any
    name: str
    part: str


class Stopwatch:
    """CPU seconds by part."""

    def __init__(self, rest: str) -> None:
        self.seconds: dict[str, float] = {rest: 0.0}
        self._stack = [rest]
        self._last = time.process_time()

    def turn(self) -> None:
        """Books the time since the last turn on the part in force."""
        now = time.process_time()
        part = self._stack[-1]
        self.seconds[part] = self.seconds.get(part, 0.0) + now - self._last
        self._last = now

    def timed(self, function: Callable[..., Any], part: str) -> Callable[..., Any]:
        is_generator = inspect.isgeneratorfunction(function)

        @wraps(function)
        def run(*positional: Any, **named: Any) -> Any:
            self.turn()
            self._stack.append(part)
            try:
                found = function(*positional, **named)
                return list(found) if is_generator else found
            finally:
                self.turn()
                self._stack.pop()

        return run


@contextmanager
def watching(seams: list[Seam], rest: str) -> Iterator[Stopwatch]:
    """Times these functions while the block runs. A seam that is not there any more is an error."""
    watch = Stopwatch(rest)
    originals = [getattr(seam.owner, seam.name) for seam in seams]
    try:
        for seam, original in zip(seams, originals, strict=True):
            setattr(seam.owner, seam.name, watch.timed(original, seam.part))
        yield watch
        watch.turn()
    finally:
        for seam, original in zip(seams, originals, strict=True):
            setattr(seam.owner, seam.name, original)
