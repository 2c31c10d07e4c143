"""The vocabulary of the demo's stories: what people, agents and tools do, before an agent's log format is chosen.

A story is a `Session` with steps. The writers (`claude_code`, `codex`, `hermes`) turn it into the files that the agent
would have left. Everything is a value: the same story gives the same bytes.
"""

from enum import StrEnum
from typing import NamedTuple


class Agent(StrEnum):
    """The agents that the demo pretends to have."""

    CLAUDE_CODE = "claude-code"
    CODEX = "codex"
    HERMES = "hermes"


class Prompt(NamedTuple):
    """A person says something. Begins a turn."""

    text: str


class Reply(NamedTuple):
    """The agent says something."""

    text: str


class Thought(NamedTuple):
    """The agent thinks."""

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


class Edit(NamedTuple):
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


class Compacted(NamedTuple):
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
    Prompt
    | Reply
    | Thought
    | Shell
    | Read
    | Edit
    | Search
    | Skill
    | Denied
    | Compacted
    | Interrupted
    | ModelError
    | Delegate
)


class Session(NamedTuple):
    """One session of one agent in one repository."""

    agent: Agent
    name: str  # unique; ids are made from it
    repo: str
    days_ago: int
    at: str  # the time of day it began, UTC
    steps: tuple[Step, ...]
    title: str = ""
    branch: str = "main"
    fork_of: str = ""  # the name of an earlier session of the same agent, whose steps come first
    folder: str = ""  # where it ran, if not in the repository's folder of the demo
