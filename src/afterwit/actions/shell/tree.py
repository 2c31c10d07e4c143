"""The values that a parsed command line consists of.

A line is a list of pipelines. A stage of a pipeline is a simple command or a group that holds pipelines again. All
values are plain and frozen; `afterwit.actions.shell.parse` makes them.
"""

from enum import StrEnum
from typing import NamedTuple

from afterwit.actions.shell.lexer import Redirection, Word
from afterwit.actions.shell.programs import Weight


class GroupKind(StrEnum):
    """What holds several commands together."""

    SUBSHELL = "subshell"
    BRACES = "braces"
    IF = "if"
    LOOP = "loop"
    CASE = "case"
    FUNCTION = "function"  # defined here, not run here
    SCRIPT = "script"  # the text given to `bash -c` or to a shell as a here-document


class Assignment(NamedTuple):
    """`NAME=value` before a command, or given to export and env."""

    name: str
    value: str


class Command(NamedTuple):
    """One simple command."""

    number: int  # its place in CommandLine.commands
    words: tuple[Word, ...]  # as written, wrappers included, leading assignments not
    program: str  # what runs in the end: the name without folder, wrappers taken off
    subcommand: str  # "commit", "run test", "-m pytest"; "" where the program has none
    arguments: tuple[str, ...]  # all words after the program
    flags: tuple[str, ...]  # option names among them, without "=value"
    wrappers: tuple[str, ...]  # "sudo", "timeout", "uv run", "bash" …, the outermost first
    assignments: tuple[Assignment, ...]
    redirections: tuple[Redirection, ...]
    folder: str  # in force by `cd` inside this line; "" is where the line was started
    joint: str  # the operator that follows it
    weight: Weight


class Group(NamedTuple):
    """A subshell, a block or a control structure."""

    kind: GroupKind
    body: tuple["Pipeline", ...]
    redirections: tuple[Redirection, ...] = ()
    options: tuple[str, ...] = ()  # given to the shell of a script: "-e", "pipefail" …


class Pipeline(NamedTuple):
    """Stages joined by `|`, and the operator that follows the last of them."""

    stages: tuple[Command | Group, ...]
    joint: str
    is_negated: bool = False
    is_condition: bool = False  # between if and then, while and do
    part: int = 0  # branches of one `if` or `case` have different parts


Stage = Command | Group


class CommandLine(NamedTuple):
    """A whole line."""

    text: str
    body: tuple[Pipeline, ...]
    commands: tuple[Command, ...]  # all simple commands in the order of writing
    is_whole: bool  # every quote, bracket and control word found its partner
    main: Command | None  # the command that matters
    deciding: Command | None  # the command whose exit code the line ends with
    reporting: frozenset[int]  # commands that cannot fail without the line failing
    has_pipefail: bool = False

    @property
    def hides_exit(self) -> bool:
        """Whether the command that matters can fail and the line still ends with 0."""
        return self.main is not None and self.main.number not in self.reporting
