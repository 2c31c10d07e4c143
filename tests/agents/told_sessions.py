"""One small session of every client with hooks, as its log keeps it: a prompt, a command that works, one that fails.

Each is written by hand, by `write` in the file `told.py` of the client's folder: `Told` holds what we said at each
moment, and the function puts it where that client puts it. An empty text was not said, so that `Told()` gives the same
session as if we had never been there. A refusal stands before the command that failed: the call was refused, and then
made once more.
"""

import json
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from afterwit.agents.descriptor import Agent
from afterwit.agents.registry import AGENTS

ASK = "Run the tests of the orchard"
WORKS, WORKED = "make pears", "12 pears"
FAILS, FAILED = "make plums", "make: *** No rule to make target 'plums'."
CODE = 2


class Told(NamedTuple):
    """What we said, at which moment."""

    start: str = ""
    prompt: str = ""
    success: str = ""
    failure: str = ""
    refusal: str = ""


class Session(NamedTuple):
    """A way to write the session, and where it lies below the agent's home."""

    agent: str
    path: PurePosixPath
    write: Callable[[Told], bytes]
    next: dict[str, str]  # what another session of the client has of its own, by what this one has


def lines(*records: dict[str, Any] | None) -> bytes:
    return b"".join(json.dumps(each).encode() + b"\n" for each in records if each)


def at(second: int) -> str:
    return f"2026-05-01T10:00:{second:02d}.000Z"


def framed(before: str, text: str, after: str = "") -> str:
    return f"{before}{text}{after}" if text else ""


@cache
def sessions() -> tuple[Session, ...]:
    """Those of all clients with hooks."""
    return tuple(_session(known) for known in AGENTS if known.hooks)


def _session(known: Agent) -> Session:
    module = import_module(f"tests.agents.{known.folder}.told")
    return Session(known.name, PurePosixPath(module.PATH), module.write, module.NEXT)
