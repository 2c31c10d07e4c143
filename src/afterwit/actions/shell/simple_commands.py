"""Makes a `Command` of the words and redirections of one simple command.

Splits off leading assignments, takes wrappers off, finds the program, its subcommand and its flags. Knows nothing of
the line around it but what `Place` says.
"""

from collections.abc import Sequence
from typing import NamedTuple

from afterwit.actions.shell.lexer import Redirection, Word
from afterwit.actions.shell.programs import weight_of
from afterwit.actions.shell.tree import Assignment, Command
from afterwit.actions.shell.wrappers import Script, Unwrapped, assignment_of, script_of, subcommand_of, unwrap


class Place(NamedTuple):
    """Where a simple command stands."""

    number: int
    folder: str
    wrappers: tuple[str, ...]  # shells around the script that it is in
    is_stage: bool  # something is piped into it
    joint: str


class Simple(NamedTuple):
    """The words of a simple command, taken apart."""

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


_DECLARES = frozenset(("export", "declare", "typeset", "local", "readonly"))
_MOVES = frozenset(("cd", "pushd", "chdir", "Set-Location", "sl"))
_NO_PROGRAM = Unwrapped("", 0, (), ())
_PIPES = ("|", "|&")


def take_apart(words: Sequence[Word], redirections: Sequence[Redirection]) -> Simple:
    """Assignments first, then wrappers, then the program."""
    assignments: list[Assignment] = []
    for word in words:
        found = assignment_of(word)
        if found is None:
            break
        assignments.append(found)
    rest = tuple(words[len(assignments) :])
    unwrapped = unwrap(rest) if rest else _NO_PROGRAM
    assignments += unwrapped.assignments
    if unwrapped.program in _DECLARES:
        assignments += [found for word in rest[unwrapped.start :] if (found := assignment_of(word))]
    return Simple(rest, unwrapped, tuple(assignments), tuple(redirections))


def command_from(simple: Simple, place: Place) -> Command:
    """The finished value."""
    program, operands = simple.unwrapped.program, simple.operands
    subcommand = subcommand_of(program, operands)
    wrappers = place.wrappers + simple.unwrapped.wrappers
    is_stage = place.is_stage and "xargs" not in wrappers
    return Command(
        number=place.number,
        words=simple.words,
        program=program,
        subcommand=subcommand,
        arguments=tuple(word.text for word in operands),
        flags=_flags(operands),
        wrappers=wrappers,
        assignments=simple.assignments,
        redirections=simple.redirections,
        folder=place.folder,
        joint=place.joint,
        weight=weight_of(program, subcommand, is_stage=is_stage, feeds=place.joint in _PIPES),
    )


def folder_after(command: Command, *, is_stage: bool) -> str:
    """The folder in force after a command: `cd` changes it, unless it runs in a pipe or in the background."""
    if command.program not in _MOVES or is_stage or command.joint in (*_PIPES, "&"):
        return command.folder
    arguments = command.arguments
    target = next((argument for argument in arguments if argument == "-" or not argument.startswith("-")), "~")
    if not command.folder or target.startswith(("/", "~", "$")) or target[1:3] in (":\\", ":/"):
        return target
    if target in (".", ""):
        return command.folder
    return f"{command.folder.rstrip('/')}/{target}"


def _flags(operands: Sequence[Word]) -> tuple[str, ...]:
    """The names of the options, up to `--`."""
    flags: list[str] = []
    for word in operands:
        if word.text == "--":
            break
        if word.text[:1] == "-" and len(word.text) > 1:
            flags.append(word.text.partition("=")[0])
    return tuple(flags)
