"""Changes of command lines as rules that can be applied to other lines, and the words of a line as they are spelled.

A `CommandChange` says which words become which: `rtk bun → bun`, `git -C * → git`, `gh pr diff … -- * → gh pr diff …`.
In it `*` is any word, `…` any number of words that stay, `…,x,…` a list with `x` in it and `Nd` a number with its unit;
the rest of a line stays as it is. `apply` makes the new line, or "" where the change does not fit. The parser knows
what a line means; here it matters how it is spelled, quotes kept, because parts of it are put into other lines. Lines
with here-documents are not taken apart. `bare` leaves out what belongs to the moment: a folder change in front,
redirections, and filters that only shorten the output.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from afterwit.model.text import regex

_WORD = r"(?:'[^']*'|\"(?:\\.|[^\"\\])*\"|\\.|\$\([^()]*\)|[^\s'\"\\|&;<>()])+"
_PIECE = regex(
    rf"[ \t]*(?:(?P<redirection>\d*(?:&>>?|>>?\|?|<(?!<))(?:&[\d-]+|[ \t]*{_WORD}))"
    rf"|(?P<operator>&&|\|\||\|&|[|;&()\n])|(?P<word>{_WORD}))",
    re.DOTALL,
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
_GLOBBING = regex(r"[*?\[]")
_QUOTES = regex(r"['\"\\]")
_KEEPS_EXPANDING = regex(r"['\"\\$~`]")


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
_SHORT = 4  # letters of a name that are looked for as they are; of longer ones the first two thirds
_FEWEST_WORDS = 2  # before an operand that may be left out
_FIELD = regex(r"…,([\w.-]+),…")
_AMOUNT = regex(r"N([a-z]{0,3})")
VALUE = regex(r"(\d+)([a-z]{0,3})")
_PATH = regex(r"(?<![\w*'\"])[\w.@+~-]*(?:/[\w.@+-]+)+(?![\w*'\"])")


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
        return tuple(word for word in self.old[1:] if word not in (ANY, GAP) and not _is_masked(word))


QUOTE = CommandChange(("*.x",), ("'*.x'",))
"""Words that a shell would expand are put in quotes."""

WIDEN = CommandChange(("folder/name",), ("folder/*name*",))
"""A path that does not exist becomes a pattern that finds files with such a name."""


def change_from(text: str) -> CommandChange | None:
    """The change that `str` wrote; None for anything else, say a plain command line."""
    old, arrow, new = text.partition(ARROW.rstrip())
    return CommandChange(tuple(old.split()), tuple(new.split())) if arrow and old.strip() else None


def advised(advice: str, line: str, error: str = "") -> str:
    """The command line that an advice means for this line: the advice itself, or the change in it applied."""
    change = change_from(advice)
    return advice if change is None else apply(change, line, error)


def apply(change: CommandChange, line: str, error: str = "") -> str:
    """The line after the change, without folder changes, redirections and filters; "" where the change does not fit.
    `error` is what the line failed with, for changes that have to know which path is wrong."""
    text = bare(line)
    if change == QUOTE:
        made = quoted_globs(text)
    elif change == WIDEN:
        made = _widen(text, error)
    else:
        made = (next(_apply(change, text), "") if change.new else "") or _move(change, text)
    return made if made != text else ""


def _apply(change: CommandChange, text: str) -> Iterator[str]:
    for command in spelled_commands(text):
        matched = _match(change.old, command.words)
        if matched is not None:
            made = " ".join(_fill(change.new, matched.kept))
            yield f"{text[: command.words[0].start]}{made}{text[matched.end :]}".strip()


def _move(change: CommandChange, text: str) -> str:
    """The line with one operand in the place of another, wherever it stands, or without it."""
    if len(change.old) != 1 or len(change.new) > 1:
        return ""
    return _exchange(text, change.old[0], change.new[0] if change.new else "")


def _exchange(text: str, old: str, new: str) -> str:
    """ "" where the operand is the only one and would be dropped."""
    operand = re.search(rf"(?<![\w.*/'\"~-]){re.escape(old)}(?![\w.*/'\"-])", text)
    if operand is None or (not new and text[: operand.start()].count(" ") < _FEWEST_WORDS):
        return ""
    made = f"{text[: operand.start()]}{new}{text[operand.end() :]}"
    return made if new else made.replace("  ", " ").strip()


class _Matched(NamedTuple):
    kept: list[str]  # the texts for what is masked in the new words, in their order
    end: int  # where in the line the match ends


def _match(old: tuple[str, ...], words: Sequence[WordAt]) -> _Matched | None:
    kept: list[str] = []
    at = 0
    for number, wanted in enumerate(old):
        if wanted == GAP:
            goal = old[number + 1] if number + 1 < len(old) else ""
            stop = next((i for i in range(at, len(words)) if _fits(goal, words[i].text)), len(words))
            kept.append(" ".join(word.text for word in words[at:stop]))
            at = stop
            continue
        if at >= len(words) or not _fits(wanted, words[at].text):
            return None
        if _is_masked(wanted):
            kept.append(_rest_of(wanted, words[at].text))
        at += 1
    return _Matched(kept, words[at - 1].end) if at else None


def _is_masked(wanted: str) -> bool:
    return bool(_FIELD.fullmatch(wanted) or _AMOUNT.fullmatch(wanted))


def _fits(wanted: str, word: str) -> bool:
    field, amount = _FIELD.fullmatch(wanted), _AMOUNT.fullmatch(wanted)
    if field:
        return "," in word and field[1] in word.split(",")
    if amount:
        value = VALUE.fullmatch(word)
        return value is not None and value[2] == amount[1]
    return wanted in (ANY, word)


def _rest_of(wanted: str, word: str) -> str:
    """What of a masked word stays: the rest of the list, or the number."""
    field, value = _FIELD.fullmatch(wanted), VALUE.fullmatch(word)
    if field:
        return ",".join(name for name in word.split(",") if name != field[1])
    return value[1] if value else word


def _fill(new: tuple[str, ...], kept: list[str]) -> Iterator[str]:
    waiting = iter(kept)
    for word in new:
        amount = _AMOUNT.fullmatch(word)
        filled = next(waiting, "") if word == GAP or amount else word
        if filled:
            yield f"{filled}{amount[1]}" if amount else filled


def _widen(text: str, error: str) -> str:
    """The missing path of the line as a pattern; a missing folder is left out."""
    paths = [path[0] for path in _PATH.finditer(text) if not path[0].startswith("/tmp/")]  # noqa: S108
    named = [path for path in paths if path in error]
    wrong = next(iter(named), paths[0] if len(paths) == 1 else "")
    folder, _, name = wrong.rstrip("/").rpartition("/")
    stem, dot, _ = name.partition(".")
    if not folder or not stem:
        return ""
    begun = stem[: max(_SHORT, 2 * len(stem) // 3)]
    return _exchange(text, wrong, f"{folder}/*{begun}*" if dot else "")


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


def is_glob(word: str) -> bool:
    """Whether a shell would expand the word to names of files."""
    return bool(_GLOBBING.search(word)) and not _KEEPS_EXPANDING.search(word)


def same_but_for_quotes(words: tuple[str, ...], others: tuple[str, ...]) -> bool:
    return [_QUOTES.sub("", word) for word in words] == [_QUOTES.sub("", word) for word in others]


def quoted_globs(line: str) -> str:
    """The line with every word that a shell would expand in quotes."""
    made, at = [], 0
    for command in spelled_commands(line):
        for word in command.words:
            if is_glob(word.text):
                made += [line[at : word.start], f"'{word.text}'"]
                at = word.end
    return "".join((*made, line[at:]))
