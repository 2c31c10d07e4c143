"""The changes that a call makes to files, as lines with a sign each: from texts that it replaces, and from patches."""

import difflib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

_OLD = ("old_string", "old_str", "oldText", "old_text", "oldString")
_NEW = ("new_string", "new_str", "newText", "new_text", "newString")
_PATCH = ("patch", "input", "diff")
_STARTS = ("*** Begin Patch", "diff --git", "--- ", "@@ ")
_MOST_LINES = 400
_SIGNS = {"+": "added", "-": "removed", "@": "place", "*": "place"}


class ShownLine(NamedTuple):
    kind: str  # added, removed, place, or "" for what stays
    text: str


def changes_in(arguments: Mapping[str, Any] | None) -> list[ShownLine]:
    """What a call changes; nothing where its arguments do not say so."""
    if not arguments:
        return []
    lines: list[ShownLine] = []
    for pair in (arguments, *_nested(arguments)):
        old, new = _first(pair, _OLD), _first(pair, _NEW)
        if old is not None and new is not None:
            lines += _replaced(old, new)
    if not lines:
        patch = _first(arguments, _PATCH)
        if patch is not None and patch.lstrip().startswith(_STARTS):
            lines = signed_lines(patch.splitlines()[: _MOST_LINES + 1])
    if len(lines) > _MOST_LINES:
        return [*lines[:_MOST_LINES], ShownLine("place", "… more lines")]
    return lines


def signed_lines(lines: Iterable[str]) -> list[ShownLine]:
    """Lines of a patch, each by its sign."""
    return [ShownLine(_SIGNS.get(line[:1], ""), line) for line in lines]


def _nested(arguments: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Several replacements that one call makes."""
    for value in arguments.values():
        if isinstance(value, list):
            yield from (entry for entry in value if isinstance(entry, Mapping))


def _first(arguments: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    return next((arguments[name] for name in names if isinstance(arguments.get(name), str)), None)


def _replaced(old: str, new: str) -> Iterator[ShownLine]:
    before, after = old.splitlines()[:_MOST_LINES], new.splitlines()[:_MOST_LINES]
    lines = difflib.unified_diff(before, after, n=2, lineterm="")
    yield from signed_lines(line for line in lines if not line.startswith(("---", "+++")))
