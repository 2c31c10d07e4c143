"""The values that a parsed command line consists of, and how a simple command is made of its words.

A line is a list of pipelines. A stage of a pipeline is a simple command or a group that holds pipelines again. All
values are plain and frozen; `afterwit.actions.shell.parse` makes them. Of a simple command the leading assignments are
split off, wrappers are taken off, and the program, its subcommand and its flags are found.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from afterwit.actions.shell.lexer import Redirection, Word
from afterwit.actions.shell.programs import Weight, subcommand_in, weight_of
from afterwit.actions.shell.wrappers import (
    Assignment,
    Script,
    Unwrapped,
    assignment_of,
    script_of,
    unwrap,
)

_DECLARES = frozenset(("export", "declare", "typeset", "local", "readonly"))
_MOVES = frozenset(("cd", "pushd", "chdir", "Set-Location", "sl"))
_NO_PROGRAM = Unwrapped("", 0, (), ())
PIPES = ("|", "|&")


class GroupKind(StrEnum):
    """What holds several commands together."""

    SUBSHELL = "subshell"
    BRACES = "braces"
    IF = "if"
    LOOP = "loop"
    CASE = "case"
    FUNCTION = "function"  # defined here, not run here
    SCRIPT = "script"  # the text given to `bash -c` or to a shell as a here-document


class Command(NamedTuple):
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


class SimpleCommand(NamedTuple):
    """The words of a simple command, with assignments and wrappers taken off."""

    words: tuple[Word, ...]
    unwrapped: Unwrapped
    assignments: tuple[Assignment, ...]
    redirections: tuple[Redirection, ...]

    @property
    def operands(self) -> tuple[Word, ...]:
        return self.words[self.unwrapped.start :]

    @property
    def script(self) -> Script | None:
        return script_of(self.unwrapped.program, self.operands, self.redirections)


def take_apart(words: Sequence[Word], redirections: Sequence[Redirection]) -> SimpleCommand:
    """Assignments first, then wrappers, then the program."""
    assignments: list[Assignment] = []
    for word in words:
        assignment = assignment_of(word)
        if assignment is None:
            break
        assignments.append(assignment)
    rest = tuple(words[len(assignments) :])
    unwrapped = unwrap(rest) if rest else _NO_PROGRAM
    assignments += unwrapped.assignments
    if unwrapped.program in _DECLARES:
        assignments += filter(None, map(assignment_of, rest[unwrapped.start :]))
    return SimpleCommand(rest, unwrapped, tuple(assignments), tuple(redirections))


def command_from(
    simple: SimpleCommand, number: int, folder: str, shells: tuple[str, ...], joint: str, *, is_stage: bool
) -> Command:
    """The finished value. `shells` are around the script that it is in; `is_stage`: something is piped into it."""
    program = simple.unwrapped.program
    arguments = [word.text for word in simple.operands]
    subcommand = subcommand_in(program, arguments)
    wrappers = shells + simple.unwrapped.wrappers
    reads_pipe = is_stage and "xargs" not in wrappers
    return Command(
        number=number,
        words=simple.words,
        program=program,
        subcommand=subcommand,
        arguments=tuple(arguments),
        flags=_flags(arguments),
        wrappers=wrappers,
        assignments=simple.assignments,
        redirections=simple.redirections,
        folder=folder,
        joint=joint,
        weight=weight_of(program, subcommand, is_stage=reads_pipe, feeds=joint in PIPES),
    )


def folder_after(command: Command, *, is_stage: bool) -> str:
    """The folder in force after a command: `cd` changes it, unless it runs in a pipe or in the background."""
    if command.program not in _MOVES or is_stage or command.joint in (*PIPES, "&"):
        return command.folder
    arguments = command.arguments
    target = next((argument for argument in arguments if argument == "-" or not argument.startswith("-")), "~")
    if not command.folder or target.startswith(("/", "~", "$")) or target[1:3] in (":\\", ":/"):
        return target
    if target in (".", ""):
        return command.folder
    return f"{command.folder.rstrip('/')}/{target}"


def _flags(arguments: Sequence[str]) -> tuple[str, ...]:
    """The names of the options, up to `--`."""
    flags: list[str] = []
    for word in arguments:
        if word == "--":
            break
        if word[:1] == "-" and len(word) > 1:
            flags.append(word.partition("=")[0])
    return tuple(flags)
