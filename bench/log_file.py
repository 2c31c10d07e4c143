"""One invented log while it is written: its lines, its clock, and the truth about it.

Knows lines, sizes and time; what the lines say is left to the agents' own writers.
"""

import random
from datetime import UTC, datetime
from typing import NamedTuple

import msgspec

from bench.draws import Sizes
from bench.texts import Shelf, Style

_LONGEST_PAUSE_MS = 20_000


class Tokens(msgspec.Struct):
    input: int = 0
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0
    reasoning: int = 0


class FileTruth(msgspec.Struct):
    """What a reader has to find in one file."""

    agent: str
    path: str
    sessions: int = 1
    prompts: int = 0
    calls: int = 0
    failures: int = 0
    tokens: Tokens = msgspec.field(default_factory=Tokens)


class Scene(NamedTuple):
    """Where and when a session takes place."""

    user: str
    repo: str
    branch: str
    start_ms: int

    @property
    def cwd(self) -> str:
        return f"/home/{self.user}/src/{self.repo}"


class LogFile:
    """Lines so far."""

    def __init__(self, rng: random.Random, scene: Scene, shelf: Shelf, sizes: Sizes, truth: FileTruth) -> None:
        self.rng = rng
        self.scene = scene
        self.shelf = shelf
        self.sizes = sizes
        self.truth = truth
        self.lines: list[bytes] = []
        self.size_bytes = 0
        self.now_ms = scene.start_ms

    def tick(self) -> bytes:
        """The next moment, as logs write it."""
        self.now_ms += 1 + int(_LONGEST_PAUSE_MS * self.rng.random() ** 4)
        moment = datetime.fromtimestamp(self.now_ms // 1000, UTC)
        return f"{moment:%Y-%m-%dT%H:%M:%S}.{self.now_ms % 1000:03d}Z".encode()

    def put(self, head: bytes, filling: bytes, tail: bytes) -> None:
        line = b"%b%b%b\n" % (head, filling, tail)
        self.lines.append(line)
        self.size_bytes += len(line)

    def fill(self, kind: str, head: bytes, tail: bytes, style: Style) -> None:
        """A line of this kind whose text is as long as it must be."""
        self.put(head, self.shelf.take(style, self.room(kind, head, tail)), tail)

    def room(self, kind: str, head: bytes, tail: bytes) -> int:
        """How many bytes of text a line of this kind gets between these two ends."""
        return self.sizes.draw(kind) - len(head) - len(tail) - 1


def uuid4(rng: random.Random) -> bytes:
    digits = f"{rng.getrandbits(128):032x}"
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}".encode()


def uuid7(rng: random.Random, at_ms: int) -> bytes:
    digits = f"{at_ms:012x}{rng.getrandbits(80):020x}"
    return f"{digits[:8]}-{digits[8:12]}-7{digits[13:16]}-a{digits[17:20]}-{digits[20:]}".encode()


def token(rng: random.Random, size: int) -> bytes:
    """Letters that do not repeat, such as signatures have."""
    return f"{rng.getrandbits(4 * size):0{size}x}".encode() if size > 0 else b""
