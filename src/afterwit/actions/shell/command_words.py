"""The words of a command line as they were written, with their places in it, quotes kept.

The parser in `actions` knows what a line means; here it matters how it is spelled, because parts of it are put into
other lines. Lines with here-documents are not taken apart. `bare` leaves out what belongs to the moment: a folder
change in front, redirections, and filters that only shorten the output.
"""

import re
from functools import lru_cache
from typing import NamedTuple

_WORD = r"(?:'[^']*'|\"(?:\\.|[^\"\\])*\"|\\.|\$\([^()]*\)|[^\s'\"\\|&;<>()])+"
_PIECE = re.compile(
    rf"[ \t]*(?:(?P<redirection>\d*(?:&>>?|>>?\|?|<(?!<))(?:&[\d-]+|[ \t]*{_WORD}))"
    rf"|(?P<operator>&&|\|\||\|&|[|;&()\n])|(?P<word>{_WORD}))",
    re.DOTALL,
)
_GIVEN = rf"(?:^|[\s;&|])([A-Za-z_]\w*\+?={_WORD}|[A-Za-z_]\w*=)$"  # compiled when it is needed, for hooks' sake
_IN_FRONT = re.compile(r"[A-Za-z_]\w*\+?=|env$")
_FILTERS = frozenset(("head", "tail", "cat", "less", "more", "wc", "sort", "grep", "rg", "tee", "uniq", "column"))
_SHOWS = frozenset(("echo", "true", "printf"))
_MOVES = frozenset(("cd", "pushd", "set"))
_GENERAL = re.compile(r"-{0,2}[A-Za-z@][\w.:@+=-]{0,40}|--|-[A-Za-z0-9]{1,3}")
_GENERAL_PROGRAM = re.compile(r"[\w.@+~/=-]{1,90}")
_MOMENT = re.compile(r"^[0-9a-f]{7,40}$|^\d+$|/tmp/|^tmp\b")
_FILE = re.compile(r"[\w.+-]*\.[A-Za-z]\w{0,5}")
_GLOBBING = re.compile(r"[*?\[]")
_QUOTES = re.compile(r"['\"\\]")
_KEEPS_EXPANDING = re.compile(r"['\"\\$~`]")


class WordAt(NamedTuple):
    """A word as it is written, and where."""

    text: str
    start: int
    end: int


class Simple(NamedTuple):
    """One simple command of a line."""

    words: tuple[WordAt, ...]  # without assignments in front
    joint: str  # the operator before it

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(word.text for word in self.words)


@lru_cache(maxsize=4096)
def simples(line: str) -> tuple[Simple, ...]:
    """The simple commands of a line in their order; none where it cannot be taken apart."""
    found: list[Simple] = []
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
                found.append(Simple(tuple(words), joint))
            words, joint = [], piece["operator"]
    return tuple((*found, Simple(tuple(words), joint)) if words else found)


@lru_cache(maxsize=4096)
def bare(line: str) -> str:
    """The line without what belongs to the moment."""
    commands = list(simples(line))
    while len(commands) > 1 and _is_before(commands):
        commands.pop(0)
    while len(commands) > 1 and _is_behind(commands[-1]):
        commands.pop()
    if not commands:
        return line.strip()
    pieces = [_spelled(line, commands[0])]
    for command in commands[1:]:
        joint = "; " if command.joint in (";", "\n") else f" {command.joint} "
        pieces.append(joint + _spelled(line, command))
    return "".join(pieces)


def _is_before(commands: list[Simple]) -> bool:
    return commands[0].texts[0] in _MOVES and commands[1].joint in ("&&", ";", "\n")


def _is_behind(command: Simple) -> bool:
    program = command.texts[0]
    if command.joint in ("|", "|&"):
        return program in _FILTERS and not (program == "cat" and len(command.texts) > 1)
    return command.joint in ("&&", "||", ";", "\n") and program in _SHOWS


def _spelled(line: str, command: Simple) -> str:
    """The words of a command with the assignments in front of it, without redirections."""
    start = command.words[0].start
    before = line[:start].rstrip()
    given: list[str] = []
    while "=" in before and (found := re.search(_GIVEN, before)):
        given.insert(0, found[1])
        before = before[: found.start(1)].rstrip()
    return " ".join((*given, *command.texts))


def is_general(word: str, *, is_program: bool = False) -> bool:
    """Whether a word means the same at another moment: a flag, a name; no path, number, message or id."""
    if is_program:
        return bool(_GENERAL_PROGRAM.fullmatch(word)) and not _MOMENT.search(word)
    return bool(_GENERAL.fullmatch(word)) and not _MOMENT.search(word) and not _FILE.fullmatch(word)


def is_glob(word: str) -> bool:
    """Whether a shell would expand the word to names of files."""
    return bool(_GLOBBING.search(word)) and not _KEEPS_EXPANDING.search(word)


def same_but_for_quotes(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    return [_QUOTES.sub("", word) for word in one] == [_QUOTES.sub("", word) for word in other]


def quoted_globs(line: str) -> str:
    """The line with every word that a shell would expand in quotes."""
    made, at = [], 0
    for command in simples(line):
        for word in command.words:
            if is_glob(word.text):
                made += [line[at : word.start], f"'{word.text}'"]
                at = word.end
    return "".join((*made, line[at:]))
