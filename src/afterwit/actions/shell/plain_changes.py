"""Applies changes of command lines to plain lines, as `command_changes` does, without its patterns.

For a hook, which has no time to load them. A change with masks, or a line that is not plain, gives None: then
`command_changes` has to be asked. A test compares them.
"""

from afterwit.actions.shell.plain_lines import PlainCommand, plain_commands
from afterwit.actions.shell.program_table import is_assignment, names
from afterwit.text.standing_alone import place_alone

_ARROW = " →"
_WIDEN = ("folder/name", "folder/*name*")
_MASKS = frozenset("*…'\"\\$`?[")
_MOVES = names("cd pushd set")
_FILTERS = names("head tail cat less more wc sort grep rg tee uniq column")
_SHOWS = names("echo true printf")
_LISTS = ("&&", ";", "\n")
_PATH_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.@+-/")
_BEFORE = ("_", ".", "*", "/", "'", '"', "~", "-")
_AFTER = ("_", ".", "*", "/", "'", '"', "-")
_SHORT = 4
_FEWEST_WORDS = 2


def plainly_changed(advice: str, line: str, error: str) -> tuple[str, str] | None:
    """The line that an advice means for this one, "" where it does not fit, and the line without what belongs to the
    moment. None where that has to be asked exactly."""
    old, _, new = (part.split() for part in advice.partition(_ARROW))
    parts = plain_parts(line)
    is_wide = (*old, *new) == _WIDEN
    if parts is None or not old or (not is_wide and any(map(_is_masked, (*old, *new)))):
        return None
    text = "".join(joint + " ".join(words) for joint, words in parts)
    made = _widened(text, error) if is_wide else _applied(old, new, parts) or _moved(old, new, text)
    return None if made is None else (made if made != text else "", text)


def plain_parts(line: str) -> list[tuple[str, list[str]]] | None:
    """The commands that matter in a plain line, as they are spelled, each with the joint before it: no folder change in
    front, no redirections, no filters behind."""
    commands = plain_commands(line)
    is_odd = ">" in line.replace("2>&1", "") or any(map(is_assignment, line.split()))
    if not commands or is_odd or not all(command.words for command in commands):
        return None
    first, last = 0, len(commands)
    while first + 1 < last and _spelled(line, commands[first])[0] in _MOVES and commands[first].joint in _LISTS:
        first += 1
    while last - 1 > first and _is_behind(line, commands[last - 1], commands[last - 2].joint):
        last -= 1
    joints = ["", *(_shown(command.joint) for command in commands[first : last - 1])]
    return [(joint, _spelled(line, one)) for joint, one in zip(joints, commands[first:last], strict=True)]


def _spelled(line: str, command: PlainCommand) -> list[str]:
    return [line[start:end] for start, end in command.spelled]


def _is_behind(line: str, command: PlainCommand, joint: str) -> bool:
    words = _spelled(line, command)
    if joint in ("|", "|&"):
        return words[0] in _FILTERS and not (words[0] == "cat" and len(words) > 1)
    return words[0] in _SHOWS


def _shown(joint: str) -> str:
    return "; " if joint in (";", "\n") else f" {joint} "


def _is_masked(word: str) -> bool:
    is_amount = (
        word[:1] == "N" and len(word) <= _SHORT and (len(word) == 1 or (word[1:].isalpha() and word[1:].islower()))
    )
    return is_amount or not _MASKS.isdisjoint(word)


def _applied(old: list[str], new: list[str], parts: list[tuple[str, list[str]]]) -> str:
    """The line with the first command changed that begins with the old words."""
    for at, (_, words) in enumerate(parts):
        if new and words[: len(old)] == old:
            changed = [*parts[:at], (parts[at][0], [*new, *words[len(old) :]]), *parts[at + 1 :]]
            return "".join(joint + " ".join(each) for joint, each in changed).strip()
    return ""


def _moved(old: list[str], new: list[str], text: str) -> str:
    """The line with one operand in the place of another, wherever it stands, or without it."""
    return _exchanged(text, old[0], "".join(new)) if len(old) == 1 and len(new) <= 1 else ""


def _exchanged(text: str, old: str, new: str) -> str:
    at = place_alone(old, text, _BEFORE, _AFTER)
    if at < 0 or (not new and text[:at].count(" ") < _FEWEST_WORDS):
        return ""
    made = f"{text[:at]}{new}{text[at + len(old) :]}"
    return made if new else made.replace("  ", " ").strip()


def _widened(text: str, error: str) -> str | None:
    """The missing path of the line as a pattern; a missing folder is left out."""
    words = [word for word in text.split() if "/" in word]
    if any("//" in word or not _PATH_LETTERS.issuperset(word.removeprefix("~")) for word in words):
        return None
    paths = [path for word in words if "/" in (path := word.rstrip("/")) and not path.startswith("/tmp/")]  # noqa: S108
    named = [path for path in paths if path in error]
    wrong = next(iter(named), paths[0] if len(paths) == 1 else "")
    folder, _, name = wrong.rpartition("/")
    stem, dot, _ = name.partition(".")
    if not folder or not stem:
        return ""
    begun = stem[: max(_SHORT, 2 * len(stem) // 3)]
    return _exchanged(text, wrong, f"{folder}/*{begun}*" if dot else "")
