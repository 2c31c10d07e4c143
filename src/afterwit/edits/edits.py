"""What a change of somebody else's file is: text in, text out, and back again.

An edit knows one file and what of it is ours. `added` puts ours in, `removed` takes ours out and nothing else; both
keep what others wrote. `removed` may be told what the file was before ours came, to know which containers were there. A
file that does not exist is the empty text, and one of which nothing is left becomes the empty text. Pure: reading,
showing, asking and writing are left to `connect.plan`.
"""

from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import PurePath
from types import MappingProxyType
from typing import NamedTuple, Protocol

from afterwit.model.errors import AfterwitError


class UnreadableError(AfterwitError):
    """A file that cannot be changed safely. The message says what is wrong in it; the caller names the file."""


class Presence(StrEnum):
    """What of ours a file holds."""

    ABSENT = "absent"
    OUTDATED = "outdated"  # something of ours, but not what would be written now
    CURRENT = "current"


class Part(StrEnum):
    """A thing of ours that an edit puts into a file, as people call it."""

    HOOK = "hook"
    SERVER = "MCP server"
    ENTRY = "entry"
    BLOCK = "block of notes"
    FILE = "file of its own"


class Edit(Protocol):
    """A change of one file."""

    @property
    def path(self) -> PurePath: ...

    @property
    def is_executable(self) -> bool:
        """Whether a file that is made for it must be executable."""
        ...

    @property
    def parts(self) -> tuple[Part, ...]:
        """What it puts in, one for each."""
        ...

    def presence(self, text: str) -> Presence: ...

    def added(self, text: str) -> str: ...

    def removed(self, text: str, before: str | None = None) -> str: ...


class Integration(NamedTuple):
    """All that ties one agent to us."""

    edits: tuple[Edit, ...]
    moments: tuple[str, ...]  # when the agent hears from us, in words
    to_do: tuple[str, ...] = ()  # what only the user can do afterwards


class Surroundings(NamedTuple):
    """What an installer may know of the machine. Pure data."""

    user_home: PurePath
    environ: Mapping[str, str]
    platform: str
    project: PurePath  # the folder whose files an agent without hooks reads
    hook: tuple[str, ...]  # the program that agents call, by absolute path
    server: tuple[str, ...]  # what starts the MCP server
    store: Mapping[str, str] = MappingProxyType(
        {}
    )  # variables that lead to the store, where it is not in the usual place
    exists: Callable[[PurePath], bool] = lambda path: False  # noqa: ARG005
    may_refuse: bool = False
    may_rewrite: bool = False
    notes: str = ""  # the text for agents that read a file
    notes_file: PurePath = PurePath("notes.md")  # a file of ours that such an agent can be pointed to

    def home_below(self, variable: str, default: str) -> PurePath:
        """A folder that an environment variable moves."""
        value = self.environ.get(variable, "").strip()
        return self.user_home / value.removeprefix("~/") if value else self.user_home / default
