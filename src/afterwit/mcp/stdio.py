"""Serves one client over standard input and output, until it closes them. Never a socket.

Standard output carries the protocol alone: while serving, whatever else is printed goes to standard error, and whoever
reads standard input finds it empty. A line that is too long is skipped without being held, and answered with an error.
"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import BinaryIO

from afterwit.mcp.messages import Code, RpcError, encoded, refusal
from afterwit.mcp.server import McpDesk, Server

LONGEST_LINE = 4_000_000
_PIECE = 65_536
_STDIN, _STDOUT, _STDERR = range(3)


def serve(open_desk: Callable[[], McpDesk]) -> None:
    """Answers until the input ends. `open_desk` is called when the first tool or resource is asked for."""
    with _wire() as (reading, writing):
        answer_all(reading, writing, Server(open_desk))


def answer_all(reading: BinaryIO, writing: BinaryIO, server: Server) -> None:
    """Answers each line in its turn."""
    for line in _lines(reading):
        response = _TOO_LONG if line is None else server.respond(line) if line.strip() else None
        if response is not None:
            writing.write(encoded(response))
            writing.flush()


_TOO_LONG = refusal(None, RpcError(Code.INVALID_REQUEST, f"A line has at most {LONGEST_LINE} bytes."))


def _lines(reading: BinaryIO) -> Iterator[bytes | None]:
    """Lines as they come; None in the place of one that is too long."""
    while line := reading.readline(LONGEST_LINE):
        if len(line) < LONGEST_LINE or line.endswith(b"\n"):
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = reading.readline(_PIECE)
        yield None


@contextmanager
def _wire() -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """The standard streams, taken away from everybody else."""
    sys.stdout.flush()
    with os.fdopen(os.dup(_STDIN), "rb") as reading, os.fdopen(os.dup(_STDOUT), "wb") as writing:
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, _STDIN)
        os.dup2(_STDERR if _is_open(_STDERR) else nowhere, _STDOUT)
        os.close(nowhere)
        yield reading, writing


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True
