"""A limit to how long a hook may take: then the process ends, with 0 and without a word.

A thread of its own, because it also ends a hook that waits for a lock or a slow disk. What was decided is delivered
whole: once `close` was called, the limit is off.
"""

import os
import time
from _thread import allocate_lock, start_new_thread

_DELIVERING = allocate_lock()
_closed: list[bool] = []


def start(seconds: float) -> None:
    """Ends the process after so many seconds, unless it delivers by then."""
    start_new_thread(_wait, (seconds,))


def close() -> None:
    """From here on the hook delivers. Where time is just up, this does not return: the process ends."""
    if not _closed:
        _DELIVERING.acquire()
        _closed.append(True)


def _wait(seconds: float) -> None:
    time.sleep(seconds)
    if _DELIVERING.acquire(blocking=False):
        os._exit(0)
