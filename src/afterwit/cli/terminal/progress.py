"""The progress bar of long work: how far, how fast, how much longer. Silent without a terminal.

Drawn on standard error and removed at the end, so that the result stands alone. The estimate goes by bytes where files
are read, because transcripts differ in size a thousandfold; other work is counted in what it is done on. Work that
nobody waits for can have a limit of time: when it is up, the work ends as it would at Ctrl-C.
"""

import _thread
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Bar:
    """Watches a run: `begin` once, `advance` as work is done, `stage` where other work follows."""

    def __init__(self, label: str, unit: str) -> None:
        self._label = label
        self._unit = unit  # "" for files and their bytes
        self._bar: Any = None
        self._task: Any = None
        self._files = 0

    def begin(self, files: int, total_bytes: int) -> None:
        if files and sys.stderr.isatty():
            self._bar = _draw_bar(self._unit)
            self._task = self._bar.add_task(self._label, total=total_bytes, files=0, of=files)
            self._bar.start()

    def advance(self, files: int, done_bytes: int) -> None:
        if self._bar is not None:
            self._files += files
            self._bar.update(self._task, advance=done_bytes, files=self._files)

    def stage(self, label: str, count: int, unit: str) -> None:
        self.end()
        self._label, self._unit, self._files = label, unit, 0
        self.begin(count, count)

    def detail(self, text: str) -> None:
        """What else is to be said of the work, after its label."""
        if self._bar is not None:
            self._bar.update(self._task, description=f"{self._label}: {text}")

    def end(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None


@contextmanager
def bar(label: str, unit: str = "") -> Iterator[Bar]:
    shown = Bar(label, unit)
    try:
        yield shown
    finally:
        shown.end()


def _draw_bar(unit: str) -> Any:
    from rich import progress
    from rich.console import Console

    label, drawn, left = (
        progress.TextColumn("{task.description}"),
        progress.BarColumn(None),
        progress.TimeRemainingColumn(),
    )
    if unit:
        columns = [label, drawn, progress.MofNCompleteColumn(), progress.TextColumn(unit), left]
    else:
        amount = [progress.DownloadColumn(), progress.TransferSpeedColumn()]
        columns = [label, drawn, *amount, left, progress.TextColumn("{task.fields[files]}/{task.fields[of]} files")]
    return progress.Progress(*columns, console=Console(stderr=True), transient=True, expand=True)


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
