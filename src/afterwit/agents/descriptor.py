"""What is known about one agent: its logs and who reads them, its hooks, its settings, its tools and its files.

`agents/<name>/__init__.py` gives these values as a table (`AGENT`); nothing else lists agents. Code is named as
"module:name" below `afterwit.agents` and loaded when it is needed, so that all agents can be known at little cost.
An agent with a reader can have transcripts that its reader does not know (`primary` is None), such as a database.

Patterns for paths below an agent's home: `*` is any part of one name, `**/` any number of folders.
"""

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cache
from importlib import import_module
from pathlib import PurePosixPath
from typing import Any, NamedTuple, NewType

import msgspec

from afterwit.agents.hook_payloads import ROOT, folder_of
from afterwit.model.instruction_files import InstructionFiles
from afterwit.model.kinds import ActionKind

_EDITORS = ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf")
_LATE = 500


Code = NewType("Code", str)
"""The name of code below `afterwit.agents`, as "module:name"."""


class Variable(NamedTuple):
    """An environment variable that moves a home: the home is `below` the folder that it names."""

    name: str
    below: str = ""


class ConnectScope(StrEnum):
    """Whose files are changed to connect an agent. Agents of the scope `project` have no place of the user's own that
    we could use: they read files of the project they work in, which are touched only if the agent is named."""

    USER = "user"
    PROJECT = "project"


class Hooks(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the agent's hooks tell us and take from us. `read` and `write` of its package take them in and answer."""

    events: Mapping[str, str]  # the agent's own event → ours
    carries: tuple[str, ...]  # the events of ours whose answer can hold text for the model
    refuses: bool = True  # whether an answer can refuse a call, and the session goes on
    rewrites: bool = True  # whether an answer can change the arguments of a call
    tells_outcome: bool = True  # whether we are told how a call ended; else its output alone tells


class AgentConnection(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How an agent is tied to us. `integration` in `install` of its package says what is written."""

    agent: str = ""  # its name; the table of the agent has it once
    program: str  # the command that starts the agent
    folders: tuple[str, ...]  # below the user's home; one of them says that the agent was used here
    scope: ConnectScope = ConnectScope.USER
    also_named: tuple[str, ...] = ()  # as people call it
    plugin: Code = Code("")  # what is written for its marketplace of plugins, if it has one
    rank: int = _LATE


class Retention(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When the agent deletes its own transcripts."""

    days: int | float | None  # after their last change; None: it does not delete them
    folder: str = ""  # below the home: what lies elsewhere stays
    settings: str = ""  # the file below the home that can change it
    configured: Code = Code("")  # called with what the settings hold


class SkillPlaces(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where the agent looks for skills: folders, each with a `SKILL.md`."""

    user: str  # below the user's home
    project: str = ""  # below a project; "": it reads none there
    variable: Variable | None = None  # moves the user's


class Reserved(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Names that the agent keeps for itself among the parameters of a tool on an MCP server."""

    added: frozenset[str] = frozenset()  # by the agent, to every tool
    taken: frozenset[str] = frozenset()
    beginnings: tuple[str, ...] = ()


class Agent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One agent. Homes are relative to the user's home folder.

    `transcripts` are patterns for the path below a home: `*` is any part of one name, `**` any number of folders. Where
    an agent spreads a session over many files, the pattern takes the one that stands for it. Stores inside projects and
    folders chosen by hand have no home.
    """

    name: str
    reader: Code = Code("")  # called without arguments
    description: str = ""  # of plain lines, in the place of a reader: TOML as in `declared`, without name and paths
    transcripts: tuple[str, ...]
    homes: tuple[str, ...] = ()
    mac_homes: tuple[str, ...] | None = None  # None: as elsewhere
    windows_homes: tuple[str, ...] | None = None
    variables: tuple[Variable, ...] = ()  # the first that is set wins
    gatherers: Code = Code("")  # gives those for sessions that are not one file each
    hooks: Hooks | None = None
    connect: AgentConnection | None = None
    retention: Retention | None = None  # None: not known
    tools: Mapping[ActionKind, tuple[str, ...]] = {}  # whose names mean something else in other agents, or nothing
    # Built in, by exact name: those that ask a person, and those that cannot write what the client puts into the place
    # of their output where a person refuses them.
    own_tools: tuple[str, ...] = ()
    instructions: InstructionFiles = InstructionFiles()  # with which people instruct every session
    skills: SkillPlaces | None = None  # None: it reads none, or it is not known where
    reserved: Reserved = Reserved()
    rank: int = _LATE  # where the agent stands among all; of two that know a log the first reads it

    @property
    def is_read(self) -> bool:
        return bool(self.reader or self.description)

    @property
    def folder(self) -> str:
        return folder_of(self.name)

    def matches(self, path: PurePosixPath) -> bool:
        """Whether the file at this path below a home is a transcript."""
        return matches(self.transcripts, path)

    def follows(self, name: str) -> bool:
        """Whether logs lie in what has this name in a home, so that it may be a link to elsewhere."""
        return matches(first_names(self.transcripts), PurePosixPath(name))

    def may_miss(self, path: PurePosixPath) -> bool:
        """Whether a link at this path below a home can hide a transcript, if it is not followed."""
        return self.matches(path) or could_match_below(self.transcripts, path)


def agent_of(table: Mapping[str, Any]) -> Agent:
    """The agent that a table describes. An `extension` of editors has its homes in all of them."""
    table = dict(table)
    extension = table.pop("extension", "")
    if "connect" in table:
        table["connect"] = {**table["connect"], "agent": table["name"]}
    return msgspec.convert(table | (_in_editors(extension) if extension else {}), Agent)


def named(code: Code) -> Any:
    """What has this name."""
    module, _, name = code.partition(":")
    return getattr(import_module(f"{ROOT}.{module}"), name)


def _in_editors(extension: str) -> dict[str, tuple[str, ...]]:
    """The homes of an extension of VS Code and its relatives."""

    def below(root: str) -> tuple[str, ...]:
        return tuple(f"{root}/{editor}/User/globalStorage/{extension}" for editor in _EDITORS)

    return {
        "homes": (*below(".config"), f".vscode-server/data/User/globalStorage/{extension}"),
        "mac_homes": below("Library/Application Support"),
        "windows_homes": below("AppData/Roaming"),
    }


_TRANSLATED = {"**/": "(?:[^/]+/)*", "*": "[^/]*"}


def matches(globs: Iterable[str], path: PurePosixPath) -> bool:
    """Whether any of the patterns fits the whole path."""
    return any(_pattern(glob).fullmatch(str(path)) for glob in globs)


def could_match_below(globs: Iterable[str], folder: PurePosixPath) -> bool:
    """Whether any of the patterns can fit a path in that folder, or further below it."""
    return any(_could_match(tuple(glob.split("/")), folder.parts) for glob in globs)


def first_names(globs: Iterable[str]) -> frozenset[str]:
    """Patterns for the names that lie directly in the home, where logs do; `**/` aside."""
    return frozenset(next(name for name in glob.split("/") if name != "**") for glob in globs)


def _could_match(glob: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    for name, part in zip(glob, parts, strict=False):
        if name == "**":
            return True
        if not _pattern(name).fullmatch(part):
            return False
    return len(glob) > len(parts)


@cache
def _pattern(glob: str) -> re.Pattern[str]:
    parts = re.split(r"(\*\*/|\*)", glob)
    return re.compile("".join(_TRANSLATED.get(part) or re.escape(part) for part in parts))
