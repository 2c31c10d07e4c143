"""Answers of one key, as a review asks for them: what they decide, and when to ask again."""

import sys
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple, Protocol

import click

from afterwit.cli.commands import ExitCode
from afterwit.cli.terminal.output import talk
from afterwit.model.errors import UsageError

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
        key = pressed_key()
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


def pressed_key() -> str:
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
