"""The brief: the lines that sessions of a repository are told, as they were compiled and as people changed them.

A line rests on notes. One under a heading stands on the page that every session begins with; one without a heading
waits for its triggers. A person's own line stays as it is, wherever it stands.
"""

import hashlib
from enum import StrEnum
from typing import NamedTuple

import msgspec

from afterwit.model.knowledge import Trigger

LINE_LIMIT = 220  # characters: what is longer is refused, never cut
BRIEF_TOKENS = 1_000  # of the page, unless people set another budget


class Heading(StrEnum):
    """The parts of the page, in their order."""

    MUST = "must"
    WISH = "wish"
    MACHINE = "machine"
    TRAP = "trap"

    @property
    def in_words(self) -> str:
        """As people and agents read it."""
        return _TITLES[self.value]


_TITLES = {
    "must": "Before a commit, a push or “done”",
    "wish": "How the user wants it",
    "machine": "This machine and its tools",
    "trap": "Traps of this repository",
}


class Line(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is told."""

    id: str
    text: str
    heading: Heading | None = None  # None: on demand
    notes: tuple[str, ...] = ()  # ids
    triggers: tuple[Trigger, ...] = ()  # of a line on demand: any of them
    is_own: bool = False  # a person wrote it, or holds on to it
    at: int = 0  # of a person's line: its place under the heading


class ToldText(NamedTuple):
    """A line or a note that a session was told."""

    id: str
    text: str
    at_ms: int


class Heard(NamedTuple):
    """What became of telling a line or a note: in how many sessions it was told, and in how many its user had to say it
    again."""

    told: int = 0
    again: int = 0

    @property
    def in_words(self) -> str:
        """As people and models read it; "" where it was not told."""
        told = f"told in {self.told} session{'' if self.told == 1 else 's'}" if self.told else ""
        return f"{told}, asked for again in {self.again}" if told and self.again else told


def id_of_line(repo: str, text: str) -> str:
    """The same wherever and however often the line is compiled."""
    return hashlib.sha256(f"line\0{repo}\0{text}".encode()).hexdigest()[:12]
