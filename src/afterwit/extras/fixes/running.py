"""Runs a command of a repository: with a time limit, a bounded output, few variables, and nothing left behind.

The command runs in a process group of its own, which is killed as a whole when the time is up, when the command has
ended and when we are stopped. Its home is a folder of ours, and it sees none of the user's variables but those that
programs are found by. Where the system lets us, it has no network, no privileges, and can write nowhere but into its
own folder and those for temporary files (`confined`). None of this makes foreign code harmless: who runs it has been
asked first.
"""

import functools
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

_KEPT = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "SYSTEMROOT", "PYENV_ROOT", "JAVA_HOME", "GOROOT")
_QUIET = {
    "CI": "1",
    "NO_COLOR": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONUNBUFFERED": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_CONFIG_NOSYSTEM": "1",
    "PIP_NO_INPUT": "1",
    "GOPROXY": "off",
    "GOTOOLCHAIN": "local",
    "CARGO_NET_OFFLINE": "true",
}
_TERM = "dumb"
_HEAD_BYTES = 128 << 10
_TAIL_BYTES = 1 << 20
_CHUNK = 1 << 16
_GRACE_SECONDS = 2.0
_PROBE_SECONDS = 5
_SCRIPT = (sys.executable, "-I", "-S", str(Path(__file__).with_name("confined.py")))
_OFFLINE = ("unshare", "-rn", "--", *_SCRIPT, "", "--")
_APART = ("unshare", "-rnmpif", "--kill-child", "--mount-proc", "--", *_SCRIPT)


class RunResult(NamedTuple):
    """How a command ended."""

    exit_code: int
    output: str  # both streams; of a long one the beginning and the end
    is_late: bool = False
    seconds: float = 0.0


class Confinement(NamedTuple):
    """What a command is kept from."""

    words: tuple[str, ...] = ()  # before the command
    has_network: bool = True
    is_writing: bool = True  # wherever its user can


UNCONFINED = Confinement()


def environment(home: Path, environ: Mapping[str, str], more: Mapping[str, str]) -> dict[str, str]:
    """The variables that a command of a repository gets."""
    kept = {name: environ[name] for name in _KEPT if name in environ}
    temporary = home / "tmp"
    temporary.mkdir(parents=True, exist_ok=True)
    own = {"HOME": str(home), "USERPROFILE": str(home), "TMPDIR": str(temporary), "TERM": _TERM}
    return {"LANG": "C.UTF-8"} | kept | own | _QUIET | dict(more)


def run(
    command: Sequence[str],
    folder: Path,
    environ: Mapping[str, str],
    seconds: float,
    confinement: Confinement = UNCONFINED,
) -> RunResult:
    """Runs a command to its end, or to that of its time."""
    began = time.monotonic()
    try:
        process = subprocess.Popen(
            [*confinement.words, *command],
            cwd=folder,
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        return RunResult(127, f"{command[0]}: {error.strerror or error}")
    assert process.stdout is not None
    kept = _KeptOutput()
    reader = threading.Thread(target=kept.read_all, args=(process.stdout,), daemon=True)
    reader.start()
    is_late = False
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        is_late = True
    finally:
        _end(process)
        reader.join(timeout=_GRACE_SECONDS)
        process.stdout.close()
    return RunResult(process.returncode, kept.text(), is_late, time.monotonic() - began)


def confinement_here(folder: Path, protected: Iterable[Path]) -> Confinement:
    """How far a command that works in a folder can be confined on this system: without network, and unable to write
    elsewhere, least of all into what is protected, with processes that end with the first; or no network alone; or not
    at all."""
    words = (*_APART, str(folder), *(os.path.realpath(path) for path in protected), "--")
    if _probe((*words, "true")):
        return Confinement(words, has_network=False, is_writing=False)
    return Confinement(_OFFLINE, has_network=False) if _probe((*_OFFLINE, "true")) else UNCONFINED


@functools.cache
def _probe(command: tuple[str, ...]) -> bool:
    if os.name != "posix" or shutil.which(command[0]) is None:
        return False
    try:
        done = subprocess.run(command, capture_output=True, timeout=_PROBE_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


class _KeptOutput:
    """The beginning and the end of what a command prints; it never waits for us."""

    def __init__(self) -> None:
        self._head = b""
        self._tail: deque[bytes] = deque()
        self._tail_bytes = 0
        self._left_out = False

    def read_all(self, stream: BinaryIO) -> None:
        try:
            while chunk := os.read(stream.fileno(), _CHUNK):
                self._keep(chunk)
        except (OSError, ValueError):
            return  # closed: the command is over, and a process that it left was killed

    def text(self) -> str:
        between = b"\n[...]\n" if self._left_out else b""
        return (self._head + between + b"".join(self._tail)).decode("utf-8", "replace")

    def _keep(self, chunk: bytes) -> None:
        room = _HEAD_BYTES - len(self._head)
        self._head += chunk[:room]
        rest = chunk[room:] if room > 0 else chunk
        if rest:
            self._tail.append(rest)
            self._tail_bytes += len(rest)
        while self._tail_bytes - len(self._tail[0] if self._tail else b"") > _TAIL_BYTES:
            self._tail_bytes -= len(self._tail.popleft())
            self._left_out = True


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Kills the whole group, also what the command has started and left."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, sign)
        except (ProcessLookupError, PermissionError):
            break
        if process.poll() is None and sign is signal.SIGTERM:
            try:
                process.wait(timeout=_GRACE_SECONDS)
            except subprocess.TimeoutExpired:
                continue
    process.wait()
