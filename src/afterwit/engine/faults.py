"""Faults of our own: their reports, and what ends a `learn` that nobody watches.

A report names the kind of each error and the places in code it went through; no message, no value and no argument,
because those can hold what a log said. It is written beside the data, private to the user, and only so many are kept.
A `learn` that a hook starts at the end of a session has nobody to tell: what ends it is noted where hooks note their
faults, and `doctor` tells of both.
"""

import os
import platform
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from afterwit import __version__
from afterwit.model.errors import BusyError
from afterwit.model.text import regex
from afterwit.store.layout import Layout

FOLDER = "faults"
MOST_KEPT = 20
_MOST_FRAMES = 60
_LONGEST_CHAIN = 8
_REMOTE = "_RemoteTraceback"  # how a worker's traceback comes to its parent: as a text
_REMOTE_FRAME = regex(r'  File "([^"\n]+\.py)", line (\d+), in ([\w<>.]+)')
_PACKAGES = ("/afterwit/", "/site-packages/", "/lib/")


def write_report(error: BaseException, command: str) -> Path:
    """Writes the report and returns its place. Raises OSError where that cannot be done."""
    from afterwit.recall.deck.location import store_folder

    folder = Path(store_folder(os.environ)) / FOLDER
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    _make_room(folder)
    place = folder / f"fault-{time.time_ns() // 1_000_000}-{os.getpid()}-{os.urandom(3).hex()}.txt"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    with os.fdopen(os.open(place, flags, 0o600), "w", encoding="utf-8", errors="replace") as file:
        file.write("\n".join(_lines(error, command)) + "\n")
    return place


def describe_fault(error: BaseException, command: str) -> str:
    """Writes the report, and says so in the words for people; says it too where it cannot be written."""
    try:
        where = f"A report without any of your data is in {write_report(error, command)}; please send it to us."
    except OSError as failed:
        where = f"No report could be written ({failed.strerror or type(failed).__name__})."
    return f"This is a fault of Afterwit ({type(error).__name__}), not of yours. {where}"


def _make_room(folder: Path) -> None:
    older = sorted(folder.glob("fault-*.txt"))
    for path in older[: max(0, len(older) - MOST_KEPT + 1)]:
        path.unlink(missing_ok=True)


def _lines(error: BaseException, command: str) -> Iterator[str]:
    yield "A fault of Afterwit"
    yield f"afterwit  {__version__}"
    yield f"command   {command}"
    yield f"time      {time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())}"
    yield f"python    {platform.python_version()} ({sys.implementation.name})"
    yield f"system    {platform.system()} {platform.release()} {platform.machine()}"
    for number, cause in enumerate(_chain(error)):
        yield ""
        yield f"{'because of ' if number else ''}{_kind(cause)}"
        yield from _frames(cause)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error and what led to it."""
    cause: BaseException | None = error
    for _ in range(_LONGEST_CHAIN):
        if cause is None:
            return
        yield cause
        cause = cause.__cause__ or (None if cause.__suppress_context__ else cause.__context__)


def _kind(error: BaseException) -> str:
    number = f" (errno {error.errno})" if isinstance(error, OSError) and error.errno else ""
    return f"{type(error).__module__}.{type(error).__qualname__}{number}"


def _frames(error: BaseException) -> Iterator[str]:
    """Where it happened, the innermost place last."""
    if type(error).__name__ == _REMOTE:
        frames = [(path, int(line), name) for path, line, name in _REMOTE_FRAME.findall(str(error))]
    else:
        frames = [
            (frame.filename, frame.lineno or 0, frame.name) for frame in traceback.extract_tb(error.__traceback__)
        ]
    yield from (f"  {_shorten(path)}:{line} in {name}" for path, line, name in frames[-_MOST_FRAMES:])


def _shorten(path: str) -> str:
    """A file of code without the folders that it is installed in, which name people."""
    for package in _PACKAGES:
        _, package_part, rest = path.replace(os.sep, "/").rpartition(package)
        if package_part:
            return f"{package.strip('/')}/{rest}"
    return "(elsewhere)"


LEARN = "learn"  # in the place of an agent


@contextmanager
def note_faults(layout: Layout) -> Iterator[None]:
    """Notes an error that is raised inside. That another run is at work is none."""
    try:
        yield
    except BusyError:
        raise
    except Exception as error:
        with suppress(OSError):
            _note_fault(layout, error)
        raise


def _note_fault(layout: Layout, error: Exception) -> None:
    """Loads what a run that goes well does without."""
    from afterwit.agents.hook_payloads import END
    from afterwit.recall.hook.call import fault
    from afterwit.store.spool import append

    append(layout.spool, LEARN, "", fault(LEARN, "", END, error))
