"""What the demo's stories are made of: steps, the time and tokens that they take, and ids; no agent's log format yet.

A story is a `DemoSession` with steps. The writers (`claude_code`, `codex`, `hermes`) turn it into the files that the
agent would have left. Everything is made from names and moments: the same story gives the same bytes.
"""

import datetime as dt
import hashlib
import json
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

_SYSTEM_TOKENS = 14_200  # what an agent's own instructions cost before the first word
_CHARS_PER_TOKEN = 4


class ResponseTokens(NamedTuple):
    fresh: int
    cached: int
    output: int


class Meter:
    """Counts tokens as the context grows."""

    def __init__(self) -> None:
        self._cached = 0
        self._waiting = _SYSTEM_TOKENS

    def take(self, text: str) -> None:
        """Text that goes into the context."""
        self._waiting += len(text) // _CHARS_PER_TOKEN + 8

    def respond(self, text: str) -> ResponseTokens:
        """The tokens of a response that says this."""
        output = len(text) // _CHARS_PER_TOKEN + 40
        tokens = ResponseTokens(self._waiting, self._cached, output)
        self._cached += self._waiting
        self._waiting = output
        return tokens

    def forget(self) -> None:
        """A compaction: only the instructions stay."""
        self._cached, self._waiting = 0, _SYSTEM_TOKENS


_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


class DemoAgent(StrEnum):
    CLAUDE_CODE = "claude-code"
    CODEX = "codex"
    HERMES = "hermes"


class Prompt(NamedTuple):
    """A person says something. Begins a turn."""

    text: str


class Reply(NamedTuple):
    """The agent says something."""

    text: str


class ThoughtStep(NamedTuple):
    text: str


class Shell(NamedTuple):
    """A command line and what it printed."""

    command: str
    output: str = ""
    exit_code: int = 0
    seconds: float = 1.2


class Read(NamedTuple):
    """A file below the repository, looked at."""

    path: str
    text: str


class EditStep(NamedTuple):
    """A change of a file below the repository; `error` says why it failed."""

    path: str
    old: str
    new: str
    error: str = ""


class Search(NamedTuple):
    """A search for a pattern in the repository."""

    pattern: str
    found: str


class Skill(NamedTuple):
    """A skill that the agent takes up."""

    name: str
    body: str


class Denied(NamedTuple):
    """A command line that the person refused."""

    command: str


class CompactedStep(NamedTuple):
    """The conversation was too long and goes on from a summary."""

    summary: str


class Interrupted(NamedTuple):
    """The person stopped the agent."""


class ModelError(NamedTuple):
    """The model's provider failed."""

    text: str


class Delegate(NamedTuple):
    """Work handed to a subagent, which leaves a session of its own."""

    task: str
    role: str
    steps: tuple["Step", ...]
    answer: str


Step = (
    Prompt | Reply | ThoughtStep | Shell | Read | EditStep | Search | Skill | Denied | CompactedStep
    | Interrupted | ModelError | Delegate
)  # fmt: skip


class DemoSession(NamedTuple):
    agent: DemoAgent
    name: str  # unique, and begins with the repository's; ids are made from it
    days_ago: int
    at: str  # the time of day it began, UTC
    title: str = ""
    branch: str = "main"
    fork_of: str = ""  # the name of an earlier session of the same agent, whose steps come first
    folder: str = ""  # where it ran, if not in the repository's folder of the demo
    steps: tuple[Step, ...] = ()

    @property
    def repo(self) -> str:
        return self.name.partition(" ")[0]

    def told(self, *steps: Step) -> "DemoSession":
        return self._replace(steps=steps)


def digest(name: str, size: int = 32) -> str:
    """`size` hexadecimal digits."""
    return hashlib.blake2b(name.encode(), digest_size=32).hexdigest()[:size]


def uuid(name: str) -> str:
    """Looks like a random UUID."""
    hexa = digest(name)
    return f"{hexa[:8]}-{hexa[8:12]}-4{hexa[13:16]}-8{hexa[17:20]}-{hexa[20:32]}"


def uuid_at(name: str, at_ms: int) -> str:
    """A UUID of version 7, which sorts by time."""
    stamp, hexa = f"{at_ms:012x}", digest(name)
    return f"{stamp[:8]}-{stamp[8:]}-7{hexa[1:4]}-8{hexa[5:8]}-{hexa[8:20]}"


def letters(name: str, size: int) -> str:
    """Letters and digits as random keys have them."""
    return "".join(_LETTERS[byte % len(_LETTERS)] for byte in hashlib.shake_256(name.encode()).digest(size))


def iso(at_ms: int) -> str:
    moment = dt.datetime.fromtimestamp(at_ms / 1000, tz=dt.UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at_ms % 1000:03d}Z"


def file_stamp(at_ms: int, form: str) -> str:
    """A time as file names have it."""
    return dt.datetime.fromtimestamp(at_ms / 1000, tz=dt.UTC).strftime(form)


def json_lines(records: Iterable[Mapping[str, Any]]) -> bytes:
    return b"".join(
        json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for record in records
    )


def duration_ms(step: Step) -> int:
    """How long a person or a model takes over a step."""
    match step:
        case Prompt(text):
            return 20_000 + 50 * len(text)
        case Reply(text) | ThoughtStep(text):
            return 4_000 + 25 * len(text)
        case CompactedStep():
            return 40_000
    return 6_500


def wait_ms(step: Step) -> int:
    """How long a tool takes to answer."""
    match step:
        case Shell(seconds=seconds):
            return round(seconds * 1_000)
        case Delegate(steps=steps):
            return 60_000 + sum(duration_ms(inner) + wait_ms(inner) for inner in steps)
    return 300
