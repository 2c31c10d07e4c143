"""A limit to how long a hook may take: then the process ends, with 0 and without a word.

A thread of its own, because it also ends a hook that waits for a lock or a slow disk. What was decided is delivered
whole: once `close` was called, the limit is off.
"""

import os
import time
from _thread import allocate_lock, start_new_thread

_VARIABLE = "AFTERWIT_HOOK_SECONDS"
_MOST_DIGITS = 3
_DELIVERING = allocate_lock()
_closed: list[bool] = []


def start(seconds: float) -> None:
    """Ends the process after so many seconds, unless it delivers by then. A machine that is slower than most may give
    it more by the variable, in whole seconds."""
    given = os.environ.get(_VARIABLE, "")
    more = int(given) if given.isascii() and given.isdigit() and len(given) <= _MOST_DIGITS else 0
    start_new_thread(_wait, (max(seconds, more),))


def close() -> None:
    """From here on the hook delivers. Where time is just up, this does not return: the process ends."""
    if not _closed:
        _DELIVERING.acquire()
        _closed.append(True)


def _wait(seconds: float) -> None:
    time.sleep(seconds)
    if _DELIVERING.acquire(blocking=False):
        os._exit(0)
