"""How results reach people and programs: the result on standard output, talk and questions on standard error.

On a terminal texts are wrapped, and long ones go through the user's pager; in a pipe nothing is wrapped or cut. Colour
only on a terminal and without `NO_COLOR`. Text that came from logs or file names is made harmless to look at once more
before it is shown. Tables are drawn in `table`.

A result that goes to a file is written whole or not at all, private, and never over another: nothing but a regular file
is ever replaced, and only if that is asked for. Reviews ask for answers of one key.
"""

import json
import os
import shutil
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO, NamedTuple, Protocol, TextIO

import click
import msgspec

from afterwit.cli.commands import ExitCode
from afterwit.model.errors import UsageError
from afterwit.model.text import regex
from afterwit.model.times import with_times
from afterwit.redaction.hygiene import clean
from afterwit.store.atomic import open_replacement

_TAB = 4
_NARROWEST = 20
_MARK = regex(r"\s*(?:[-*•] |\d{1,3}[.)] )?")  # what the lines that follow are indented by
_WORD = regex(r"\s*\S+")


def wrap(text: str, width: int | None) -> list[str]:
    """The lines of a text, none longer than `width` cells."""
    lines: list[str] = []
    for line in text.expandtabs(_TAB).split("\n"):
        lines.extend([line.rstrip()] if width is None else wrap_line(line.rstrip(), max(width, _NARROWEST)))
    return lines


def cut(line: str, width: int | None) -> str:
    """As much of one line as fits, with an ellipsis where something is missing."""
    if width is None or cells(line) <= width:
        return line
    kept = line[: max(0, width - 1)]
    while kept and cells(kept) > width - 1:
        kept = kept[:-1]
    return f"{kept.rstrip()}…"


def cells(text: str) -> int:
    """How wide the text is on a terminal."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def wrap_line(line: str, width: int) -> list[str]:
    """One line as lines of at most `width` cells; those that follow are indented like the first."""
    if cells(line) <= width:
        return [line]
    mark = _MARK.match(line)
    indent = " " * min(mark.end() if mark else 0, width // 2)
    lines: list[str] = []
    current = line[: len(indent)]
    for word in _WORD.findall(line[len(indent) :]):
        joined = current + word
        if cells(joined) <= width:
            current = joined
            continue
        if len(current) > len(indent):
            lines.append(current)
            current = indent
        *whole, rest = _pieces(word.lstrip(), width - len(indent))
        lines.extend((current if at == 0 else indent) + piece for at, piece in enumerate(whole))
        current = (indent if whole else current) + rest
    return [*lines, current]


def _pieces(word: str, width: int) -> list[str]:
    """A word in pieces that fit; most fit as they are."""
    if cells(word) <= width:
        return [word]
    if word.isascii():
        return [word[at : at + width] for at in range(0, len(word), width)]
    from rich.cells import chop_cells

    return chop_cells(word, width)


def print_json(value: Any) -> None:
    click.echo(json_text(value))


def json_text(value: Any) -> str:
    """The value as programs get it, with times in their one shape."""
    shape = with_times(msgspec.to_builtins(value, enc_hook=str))
    try:
        return msgspec.json.format(msgspec.json.encode(shape), indent=2).decode()
    except UnicodeEncodeError:  # a path that is no UTF-8, which JSON cannot hold: `?`, as it is printed elsewhere
        return json.dumps(shape, indent=2, ensure_ascii=False).encode("utf-8", "replace").decode()


def talk(message: str) -> None:
    """Says something that is not the result."""
    for line in wrap(clean(message), _width(sys.stderr)):
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
    for number, line in enumerate(wrap(clean(text), room)):
        yield f"{rest if number else first}{line}"


def terminal_width() -> int | None:
    """How wide the result may be; None in a pipe, where nothing is wrapped or cut."""
    return _width(sys.stdout)


def has_colour() -> bool:
    """Whether the result may be coloured: on a terminal, where nobody asked for none."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def _width(stream: TextIO) -> int | None:
    return shutil.get_terminal_size().columns if stream.isatty() else None


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


def ask_or_leave(question: str, hint: str) -> None:
    """Ends the command where the answer is no; without a terminal that is wrong use, and `hint` says what to do."""
    if not sys.stdin.isatty():
        raise click.UsageError(f"There is no terminal to ask on. {hint}")
    if not click.confirm(question, err=True):
        talk("Nothing was changed.")
        raise click.exceptions.Exit(ExitCode.FAILED)


STANDARD_OUTPUT = Path("-")


def refuse_existing(output: Path | None, *, is_forced: bool) -> None:
    """To be asked before the work begins."""
    if output is not None and _is_there(output) and not is_forced:
        raise UsageError(f"{output} is there already. --force replaces it.")


@contextmanager
def whole_file(output: Path) -> Iterator[BinaryIO]:
    """A private file that is written beside, and gets its name when it is whole."""
    _is_there(output)
    try:
        with open_replacement(output, is_durable=False) as file:
            yield file
    except OSError as error:
        is_ours = error.filename is None or Path(error.filename).parent == output.parent
        raise OSError(error.errno, error.strerror, str(output) if is_ours else error.filename) from error


def write_whole(output: Path, text: str) -> None:
    with whole_file(output) as file:
        file.write(text.encode("utf-8", "replace"))


def _is_there(output: Path) -> bool:
    """Whether a regular file has the name. Raises UsageError if anything else has, or if there is no folder for it."""
    try:
        mode = output.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        if not output.parent.is_dir():
            raise UsageError(f"There is no folder {output.parent}. Make it, or name another file.") from None
        return False
    if not stat.S_ISREG(mode):
        raise UsageError(f"{output} is no regular file, and is left alone. Name another file.")
    return True


_QUIT = "q"


class Walk(Protocol):
    """A review on its way, at the thing that is decided about now."""

    def approve(self) -> None: ...
    def reject(self) -> None: ...
    def skip(self) -> None: ...
    def edit(self, words: str) -> None: ...
    def undo(self) -> bool: ...


class KeyAnswer(NamedTuple):
    """How one question of a review ended."""

    key: str
    is_answered: bool  # by any key, also one that led nowhere

    @property
    def is_last(self) -> bool:
        return self.key in ("", _QUIT)


def ask(
    walk: Walk,
    words: str,
    keys: str,
    show_all: Callable[[], None],
    more: Mapping[str, Callable[[], None]] = MappingProxyType({}),
) -> KeyAnswer:
    """Asks until an answer leads on. `words` are what an editor begins with, `keys` names the answers; `more` are those
    that not every review has."""
    is_answered = False
    while True:
        key = read_key()
        is_answered = is_answered or bool(key)
        if key == "w":
            show_all()
        elif key != "?" and _leads_on(walk, words, keys, key, more):
            return KeyAnswer(key, is_answered)


def fail_unanswered(message: str) -> None:
    """For a review that nobody answered, where nobody could."""
    if not sys.stdin.isatty():
        talk(f"\n{message}")
        raise click.exceptions.Exit(ExitCode.FAILED)


def _leads_on(walk: Walk, words: str, keys: str, key: str, more: Mapping[str, Callable[[], None]]) -> bool:
    try:
        if key in more:
            more[key]()
        elif key == "y":
            walk.approve()
        elif key == "n":
            walk.reject()
        elif key == "s":
            walk.skip()
        elif key == "e":
            return _edit(walk, words)
        elif key == "u" and not walk.undo():
            talk("There is nothing to undo yet in this review.")
            return False
        elif key not in ("u", "", _QUIT):
            talk(f"{key!r} is no answer. {keys}.")
            return False
    except UsageError as error:
        talk(str(error))
        return False
    return True


def _edit(walk: Walk, words: str) -> bool:
    """Other words: from the editor, or from the next line where there is no terminal."""
    edited = click.edit(words) if sys.stdin.isatty() else sys.stdin.readline()
    if not edited or not edited.strip():
        talk("Nothing was changed.")
        return False
    walk.edit(edited)
    return True


def read_key() -> str:
    """One key, or the first letter of a line where there is no terminal; "" where nobody answers any more."""
    click.echo("> ", nl=False, err=True)
    try:
        if not sys.stdin.isatty():
            line = sys.stdin.readline()
            key = line.strip()[:1].lower() or ("?" if line else "")
        else:
            key = click.getchar().lower()
    except (EOFError, KeyboardInterrupt, click.Abort):
        key = ""
    talk(key if key.isprintable() else "")
    return key
