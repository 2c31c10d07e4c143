"""A limit of time for work that nobody waits for: when it is up, the work ends as it would at Ctrl-C."""

import _thread
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def at_most(seconds: float | None) -> Iterator[None]:
    """Raises KeyboardInterrupt in what is done inside after so many seconds; None: never.

    What is started in the background may have been told to ignore Ctrl-C, and then would ignore this too.
    """
    if seconds is None:
        yield
        return
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(seconds, _thread.interrupt_main)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)
