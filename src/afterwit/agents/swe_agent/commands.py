"""What an action of SWE-agent is: one of the commands of its own interface, or a line for the shell.

Its own commands come as text too (`open src/main.c 12`, `edit 4:4` with the lines below). They become calls of that
name with the arguments that their readers need; the file that is edited is the one that stands open.
"""

import shlex
from typing import Any, NamedTuple

_OPEN_FILE = frozenset(["edit", "goto", "scroll_up", "scroll_down", "set_cursors", "insert"])
_NAMED_FILE = frozenset(["open", "create", "view"])
_SEARCHES = {
    "search_dir": ("query", "path"),
    "search_file": ("query", "path"),
    "find_file": ("file_name", "path"),
}
_BARE = frozenset(["submit", "exit_cost", "exit_context", "exit_format", "exit_forfeit", "skip"])
_EDITOR = "str_replace_editor"


class Call(NamedTuple):
    tool: str
    arguments: dict[str, Any]


def call_of(action: str, open_file: str) -> Call:
    """The call that an action stands for."""
    line, _, below = action.strip().partition("\n")
    words = _words(line)
    name, rest = (words[0], words[1:]) if words else ("", [])
    if name in _BARE:
        return Call(name, {"command": action.strip()})
    if name in _NAMED_FILE and rest:
        return Call(name, {"path": rest[0], "raw": line})
    if name in _SEARCHES and rest:
        return Call(name, dict(zip(_SEARCHES[name], rest, strict=False)))
    if name in _OPEN_FILE:
        return Call(name, {"path": open_file, "raw": line, "text": below})
    if name == _EDITOR and len(rest) > 1:
        return Call(name, {"command": rest[0], "path": rest[1]})
    return Call("bash", {"command": action.strip()})


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:
        return line.split()
