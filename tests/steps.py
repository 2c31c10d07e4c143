"""Counts the work of a call, where time would tell more about the machine than about the program."""

import sys
from collections.abc import Callable


def steps_of(work: Callable[[], object]) -> int:
    """How many functions are called, Python's own too; a generator counts once for each value."""
    count = 0

    def note(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count
