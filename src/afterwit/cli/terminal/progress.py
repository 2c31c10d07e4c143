"""The progress bar of long work: how far, how fast, how much longer. Silent without a terminal.

Drawn on standard error and removed at the end, so that the result stands alone. The estimate goes by bytes where files
are read, because transcripts differ in size a thousandfold; other work is counted in what it is done on.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from afterwit.cli.terminal.output import console


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
            self._bar = _counting_bar(self._unit) if self._unit else _drawn_bar()
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


def _drawn_bar() -> Any:
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[files]}/{task.fields[of]} files"),
        console=console(is_error=True),
        transient=True,
        expand=True,
    )


def _counting_bar(unit: str) -> Any:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TextColumn(unit),
        TimeRemainingColumn(),
        console=console(is_error=True),
        transient=True,
        expand=True,
    )
