"""Runs one client to its end, bounded in time, and leaves no process of it behind.

A client is known by its home, which no other process has: whatever still runs with that home in its environment when
the client is done, also a daemon in a session of its own, is ended by its process id. Where there is no `/proc`, the
client's process group is all that is ended.
"""

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

LIMIT_SECONDS = 120
_PROCESSES = Path("/proc")


class Ended(NamedTuple):
    """How a client ended. There is no code if its time was up."""

    exit_code: int | None
    output: str


def run(command: Sequence[str], environ: Mapping[str, str], project: Path, log: Path) -> Ended:
    """Waits for the client. Its output goes to a file, because a child that lives on would keep a pipe open."""
    with log.open("wb") as output:
        client = subprocess.Popen(
            command,
            cwd=project,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code = client.wait(LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            _end(client, environ["HOME"])
    return Ended(code, log.read_text(encoding="utf-8", errors="replace"))


def _end(client: "subprocess.Popen[bytes]", home: str) -> None:
    with suppress(ProcessLookupError):
        os.killpg(client.pid, signal.SIGKILL)
    client.wait()
    while left := list(processes_of(home)):
        for process in left:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)


def processes_of(home: str) -> Iterator[int]:
    """Processes whose environment names this home. One that has been ended has none any more."""
    wanted = f"HOME={home}".encode()
    for folder in _PROCESSES.glob("[0-9]*"):
        with suppress(OSError):
            if wanted in (folder / "environ").read_bytes().split(b"\0"):
                yield int(folder.name)
