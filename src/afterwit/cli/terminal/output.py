"""How results reach people and programs: the result on standard output, talk and questions on standard error.

On a terminal texts are wrapped, and long ones go through the user's pager; in a pipe nothing is wrapped or cut. Colour
only on a terminal and without `NO_COLOR`. Text that came from logs or file names is made harmless to look at once more
before it is shown. Tables are drawn in `table`.
"""

import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any, TextIO

import click
import msgspec

from afterwit.cli.commands import ExitCode
from afterwit.cli.terminal.wrapping import wrapped
from afterwit.model.times import with_times
from afterwit.redaction.hygiene import clean

_UNBOUNDED = 1_000_000


def print_json(value: Any) -> None:
    click.echo(json_text(value))


def json_text(value: Any) -> str:
    """The value as programs get it, with times in their one shape."""
    shape = with_times(msgspec.to_builtins(value, enc_hook=str))
    try:
        encoded = msgspec.json.encode(shape)
    except UnicodeEncodeError:  # a path that is no UTF-8, which JSON cannot hold
        encoded = msgspec.json.encode(_replaced(shape))
    return msgspec.json.format(encoded, indent=2).decode()


def _replaced(value: Any) -> Any:
    """The same, with `?` for what is no character, as it is printed elsewhere."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_replaced(name): _replaced(item) for name, item in value.items()}
    return [_replaced(item) for item in value] if isinstance(value, list | tuple) else value


def talk(message: str) -> None:
    """Says something that is not the result."""
    for line in wrapped(clean(message), _width(sys.stderr)):
        click.echo(line, err=True)


def print_line(text: str) -> None:
    """A line of the result."""
    click.echo(clean(text))


def print_text(text: str, first: str = "", rest: str = "") -> None:
    """A part of the result that is read, not copied: on a terminal, lines end between words.

    The first line begins with `first`, the others with `rest`.
    """
    for line in _laid_out(text, first, rest):
        click.echo(line)


def print_bad(text: str, first: str = "", rest: str = "") -> None:
    """The same of what tells of a failure: red, where there are colours."""
    for line in _laid_out(text, first, rest):
        click.echo(click.style(line, fg="red") if has_colour() else line)


def _laid_out(text: str, first: str, rest: str) -> Iterator[str]:
    width = terminal_width()
    room = width - max(len(first), len(rest)) if width is not None else None
    for number, line in enumerate(wrapped(clean(text), room)):
        yield f"{rest if number else first}{line}"


def terminal_width() -> int | None:
    """How wide the result may be; None in a pipe, where nothing is wrapped or cut."""
    return _width(sys.stdout)


def has_colour() -> bool:
    """Whether the result may be coloured: on a terminal, where nobody asked for none."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def _width(stream: TextIO) -> int | None:
    return shutil.get_terminal_size().columns if stream.isatty() else None


def console(*, is_error: bool = False) -> Any:
    """Where `rich` draws: the terminal's width, or no limit in a pipe."""
    from rich.console import Console

    is_terminal = (sys.stderr if is_error else sys.stdout).isatty()
    has_colour = is_terminal and not os.environ.get("NO_COLOR")
    return Console(
        stderr=is_error,
        width=None if is_terminal else _UNBOUNDED,
        color_system="auto" if has_colour else None,
        highlight=False,
        markup=False,
        emoji=False,
    )


def page(lines: Iterable[str]) -> None:
    """Prints the lines as they come, through `PAGER` if they are more than the terminal can show."""
    if not sys.stdout.isatty():
        for line in lines:
            click.echo(line)
        return
    rest = iter(lines)
    screen = list(islice(rest, shutil.get_terminal_size().lines - 1))
    if len(screen) < shutil.get_terminal_size().lines - 1:
        click.echo("\n".join(screen))
    else:
        click.echo_via_pager(f"{line}\n" for line in chain(screen, rest))


def is_confirmed(question: str, *, is_agreed: bool, verb: str = "go on") -> bool:
    """The answer; no where nobody can give one, as in a job or with an empty standard input."""
    if is_agreed:
        return True
    try:
        return click.confirm(question, err=True)
    except click.Abort:
        if sys.stdin.isatty():
            raise
        talk(f"\nNobody answered. Use --yes to {verb} without being asked.")
        return False


def ask_or_leave(question: str, hint: str, shows: Mapping[str, tuple[str, Callable[[], None]]] | None = None) -> None:
    """Ends the command where the answer is no; without a terminal that is wrong use, and `hint` says what to do.

    `shows` are further answers, each with what it shows before the question is asked again.
    """
    if not sys.stdin.isatty():
        raise click.UsageError(f"There is no terminal to ask on. {hint}")
    if not (_is_agreed(question, shows) if shows else click.confirm(question, err=True)):
        talk("Nothing was changed.")
        raise click.exceptions.Exit(ExitCode.FAILED)


def _is_agreed(question: str, shows: Mapping[str, tuple[str, Callable[[], None]]]) -> bool:
    more = "".join(f", {key} shows {what}" for key, (what, _) in shows.items())
    while True:
        answer = click.prompt(f"{question} [y/N{more}]", default="n", show_default=False, err=True).strip().lower()
        if answer in shows:
            shows[answer][1]()
        elif answer in ("y", "yes", "n", "no"):
            return bool(answer.startswith("y"))
