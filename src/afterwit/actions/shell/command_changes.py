"""Changes of command lines as rules that can be applied to other lines, and the words of a line as they are spelled.

A `CommandChange` says which words become which: `rtk bun → bun`, `git -C * → git`, `gh pr diff … -- * → gh pr diff …`.
In it `*` is any word and `…` any number of words that stay; the rest of a line stays as it is. The parser knows what a
line means; here it matters how it is spelled, quotes kept, because parts of it are put into other lines. Lines with
here-documents are not taken apart. `bare` leaves out what belongs to the moment: a folder change in front,
redirections, and filters that only shorten the output.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from afterwit.model.text import regex

_WORD = r"(?:'[^']*'|\"(?:\\.|[^\"\\])*\"|\\.|\$\([^()]*\)|[^\s'\"\\|&;<>()])+"
_PIECE = regex(
    rf"(?s)[ \t]*(?:(?P<redirection>\d*(?:&>>?|>>?\|?|<(?!<))(?:&[\d-]+|[ \t]*{_WORD}))"
    rf"|(?P<operator>&&|\|\||\|&|[|;&()\n])|(?P<word>{_WORD}))",
)
_GIVEN = rf"(?:^|[\s;&|])([A-Za-z_]\w*\+?={_WORD}|[A-Za-z_]\w*=)$"  # compiled when it is needed, for hooks' sake
_IN_FRONT = regex(r"[A-Za-z_]\w*\+?=|env$")
_FILTERS = frozenset(("head", "tail", "cat", "less", "more", "wc", "sort", "grep", "rg", "tee", "uniq", "column"))
_SHOWS = frozenset(("echo", "true", "printf"))
_MOVES = frozenset(("cd", "pushd", "set"))
_GENERAL = regex(r"-{0,2}[A-Za-z@][\w.:@+=-]{0,40}|--|-[A-Za-z0-9]{1,3}")
_GENERAL_PROGRAM = regex(r"[\w.@+~/=-]{1,90}")
_MOMENT = regex(r"^[0-9a-f]{7,40}$|^\d+$|/tmp/|^tmp\b")
_FILE = regex(r"[\w.+-]*\.[A-Za-z]\w{0,5}")


class WordAt(NamedTuple):
    """A word as it is written, and where."""

    text: str
    start: int
    end: int


class SpelledCommand(NamedTuple):
    words: tuple[WordAt, ...]  # without assignments in front
    joint: str  # the operator before it
    texts: tuple[str, ...]  # of the words


ANY, GAP, ARROW = "*", "…", " → "


class CommandChange(NamedTuple):
    """Words and what takes their place."""

    old: tuple[str, ...]
    new: tuple[str, ...]

    def __str__(self) -> str:
        return f"{' '.join(self.old)}{ARROW}{' '.join(self.new)}".rstrip()

    @property
    def program(self) -> str:
        return self.old[0].rpartition("/")[2]

    @property
    def words(self) -> tuple[str, ...]:
        """The words after the program by which a line to be changed is known."""
        return tuple(word for word in self.old[1:] if word not in (ANY, GAP))


def change_from(text: str) -> CommandChange | None:
    """The change that `str` wrote; None for anything else, say a plain command line."""
    old, arrow, new = text.partition(ARROW.rstrip())
    return CommandChange(tuple(old.split()), tuple(new.split())) if arrow and old.strip() else None


def advised(advice: str, line: str) -> str:
    """The command line that an advice means for this line: the advice itself, or the change in it applied."""
    change = change_from(advice)
    return advice if change is None else apply(change, line)


def apply(change: CommandChange, line: str) -> str:
    """The line after the change, without what belongs to the moment; "" where the change does not fit."""
    text = bare(line)
    for command in spelled_commands(text) if change.new else ():
        matched = _match(change.old, command.words)
        if matched is not None:
            kept = iter(matched.kept)
            new = " ".join(filter(None, (next(kept, "") if word == GAP else word for word in change.new)))
            made = f"{text[: command.words[0].start]}{new}{text[matched.end :]}".strip()
            return made if made != text else ""
    return ""


class _Matched(NamedTuple):
    kept: list[str]  # what each `…` stands for
    end: int  # where in the line the match ends


def _match(old: tuple[str, ...], words: Sequence[WordAt]) -> _Matched | None:
    kept: list[str] = []
    at = 0
    for number, wanted in enumerate(old):
        if wanted == GAP:
            goal = old[number + 1] if number + 1 < len(old) else ""
            stop = next((i for i in range(at, len(words)) if goal in (ANY, words[i].text)), len(words))
            kept.append(" ".join(word.text for word in words[at:stop]))
            at = stop
        elif at < len(words) and wanted in (ANY, words[at].text):
            at += 1
        else:
            return None
    return _Matched(kept, words[at - 1].end) if at else None


@lru_cache(maxsize=1024)
def spelled_commands(line: str) -> tuple[SpelledCommand, ...]:
    """The simple commands of a line in their order; none where it cannot be taken apart."""
    commands: list[SpelledCommand] = []
    words: list[WordAt] = []
    joint, at, end = "", 0, len(line.rstrip())
    if "<<" in line:
        return ()
    while at < end:
        piece = _PIECE.match(line, at)
        if piece is None:
            return ()
        at = piece.end()
        if piece["word"]:
            if words or not _IN_FRONT.match(piece["word"]):
                words.append(WordAt(piece["word"], piece.start("word"), at))
        elif piece["operator"]:
            if words:
                commands.append(_spell_command(words, joint))
            words, joint = [], piece["operator"]
    return tuple((*commands, _spell_command(words, joint)) if words else commands)


def _spell_command(words: list[WordAt], joint: str) -> SpelledCommand:
    return SpelledCommand(tuple(words), joint, tuple([word.text for word in words]))


@lru_cache(maxsize=1024)
def bare(line: str) -> str:
    """The line without what belongs to the moment."""
    commands = bare_commands(line)
    if not commands:
        return line.strip()
    pieces = [_spell(line, commands[0])]
    for command in commands[1:]:
        joint = "; " if command.joint in (";", "\n") else f" {command.joint} "
        pieces.append(joint + _spell(line, command))
    return "".join(pieces)


def bare_commands(line: str) -> Sequence[SpelledCommand]:
    """The simple commands of a line, without those that belong to the moment."""
    commands = list(spelled_commands(line))
    while len(commands) > 1 and _is_before(commands):
        commands.pop(0)
    while len(commands) > 1 and _is_behind(commands[-1]):
        commands.pop()
    return commands


def _is_before(commands: list[SpelledCommand]) -> bool:
    return commands[0].texts[0] in _MOVES and commands[1].joint in ("&&", ";", "\n")


def _is_behind(command: SpelledCommand) -> bool:
    program = command.texts[0]
    if command.joint in ("|", "|&"):
        return program in _FILTERS and not (program == "cat" and len(command.texts) > 1)
    return command.joint in ("&&", "||", ";", "\n") and program in _SHOWS


def _spell(line: str, command: SpelledCommand) -> str:
    """The words of a command with the assignments in front of it, without redirections."""
    start = command.words[0].start
    before = line[:start].rstrip()
    assignments: list[str] = []
    while "=" in before and (assignment := re.search(_GIVEN, before)):
        assignments.insert(0, assignment[1])
        before = before[: assignment.start(1)].rstrip()
    return " ".join((*assignments, *command.texts))


def is_general(word: str, *, is_program: bool = False) -> bool:
    """Whether a word means the same at another moment: a flag, a name; no path, number, message or id."""
    if is_program:
        return bool(_GENERAL_PROGRAM.fullmatch(word)) and not _MOMENT.search(word)
    return bool(_GENERAL.fullmatch(word)) and not _MOMENT.search(word) and not _FILE.fullmatch(word)
