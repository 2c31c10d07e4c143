"""Runs a client to its end: bounded in time and in output, without a shell, and leaving no process behind.

The client leads no life of its own: it runs below this file as a program, in a session and a process group of its own,
which ends with it, with us, or when its time is up. So Ctrl-C in a terminal does not reach it, and however this process
ends, it does not stay. Several threads may run clients at the same time.

`python client_process.py PIPE STATUS COMMAND…`: PIPE is one that the asker holds open; STATUS is where the command's
exit code is written. Started by its path, so nothing but the standard library is imported here.
"""

import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO, NamedTuple, cast

_MOST_BYTES = 4 << 20  # of its output: an answer has some thousand
_PIECE = 1 << 16
_NOT_STARTED = 127  # as a shell has it


class ClientRun(NamedTuple):
    """How a client ended; `fault` where it did not end by itself."""

    code: int | None = None
    stdout: str = ""
    stderr: str = ""
    fault: str = ""


def run_client(
    command: Sequence[str], environ: Mapping[str, str], folder: Path, text: str, seconds: float
) -> ClientRun:
    """Gives a client a text on its standard input, and waits for its end."""
    with ExitStack() as opened:
        life, kept = _pipe(opened)
        status, told = _pipe(opened)
        started = subprocess.Popen(
            [sys.executable, "-I", "-S", __file__, str(life.fileno()), str(told.fileno()), *command],
            cwd=folder,
            env=dict(environ),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=(life.fileno(), told.fileno()),
            start_new_session=True,
        )
        talk = _Talk(started, status, text.encode("utf-8", "replace"))
        life.close()
        told.close()
        try:
            fault = talk.follow(time.monotonic() + seconds, seconds)
        finally:
            with suppress(ProcessLookupError, PermissionError):  # nothing of it may be left
                os.killpg(started.pid, signal.SIGKILL)  # not waited for yet, so the id is its own
            started.wait()
            kept.close()
        return talk.ended(fault)


def _pipe(opened: ExitStack) -> "tuple[IO[bytes], IO[bytes]]":
    reading, writing = os.pipe()
    return opened.enter_context(os.fdopen(reading, "rb", 0)), opened.enter_context(os.fdopen(writing, "wb", 0))


class _Talk:
    """What goes in and out of a client."""

    def __init__(self, started: "subprocess.Popen[bytes]", status: IO[bytes], text: bytes) -> None:
        self._stdin, self._stdout, self._stderr = (
            cast("IO[bytes]", stream) for stream in (started.stdin, started.stdout, started.stderr)
        )
        self._status = status
        self._said: dict[IO[bytes], bytearray] = {
            self._stdout: bytearray(),
            self._stderr: bytearray(),
            status: bytearray(),
        }
        self._unsaid = memoryview(text)

    def follow(self, deadline: float, seconds: float) -> str:
        """Until it ends, or why it has to be ended."""
        with selectors.DefaultSelector() as selector:
            for stream in self._said:
                os.set_blocking(stream.fileno(), False)
                selector.register(stream, selectors.EVENT_READ)
            os.set_blocking(self._stdin.fileno(), False)
            selector.register(self._stdin, selectors.EVENT_WRITE)
            while self._status in selector.get_map():
                left = deadline - time.monotonic()
                if left <= 0:
                    return f"no answer within {seconds:.0f} seconds"
                for key, _ in selector.select(left):
                    stream = cast("IO[bytes]", key.fileobj)
                    is_over = self._give() if stream is self._stdin else self._hear(stream)
                    if is_over:
                        selector.unregister(stream)
                    if is_over and stream is self._stdin:
                        self._stdin.close()
                if sum(map(len, self._said.values())) > _MOST_BYTES:
                    return f"more output than {_MOST_BYTES >> 20} MB"
        return ""

    def ended(self, fault: str) -> ClientRun:
        """With what it said last, which may still lie in the pipes."""
        for stream in (self._stdout, self._stderr):
            while not fault and len(self._said[stream]) <= _MOST_BYTES and not self._hear(stream, is_last=True):
                pass
        for stream in (self._stdin, self._stdout, self._stderr):
            stream.close()
        code = bytes(self._said[self._status])
        stdout, stderr = (self._said[stream].decode("utf-8", "replace") for stream in (self._stdout, self._stderr))
        return ClientRun(int(code) if code else None, stdout, stderr, fault)

    def _give(self) -> bool:
        """Gives it more of the text; whether that was all. What a client does not want to hear it need not."""
        try:
            self._unsaid = self._unsaid[os.write(self._stdin.fileno(), self._unsaid[:_PIECE]) :]
        except BlockingIOError:
            return False
        except BrokenPipeError:
            return True
        return not self._unsaid

    def _hear(self, stream: IO[bytes], *, is_last: bool = False) -> bool:
        """Takes what there is; whether that was all."""
        try:
            piece = os.read(stream.fileno(), _PIECE)
        except BlockingIOError:
            return is_last
        self._said[stream] += piece
        return not piece


def main() -> None:
    pipe, status, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    threading.Thread(target=_end_with, args=(pipe,), daemon=True).start()
    try:
        code = subprocess.run(command, check=False).returncode
    except OSError as error:
        sys.stderr.write(f"{command[0]} cannot be started: {error.strerror or error}\n")
        sys.stderr.flush()
        code = _NOT_STARTED
    os.write(status, b"%d" % code)
    _end_group()


def _end_with(pipe: int) -> None:
    """Waits for the end of a pipe into which nobody writes."""
    os.read(pipe, 1)
    _end_group()


def _end_group() -> None:
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main()
