"""Patterns for paths below an agent's home: `*` is any part of one name, `**/` any number of folders."""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import PurePosixPath

_TRANSLATED = {"**/": "(?:[^/]+/)*", "*": "[^/]*"}


def matches(globs: Iterable[str], path: PurePosixPath) -> bool:
    """Whether any of the patterns fits the whole path."""
    return any(_pattern(glob).fullmatch(str(path)) for glob in globs)


def could_match_below(globs: Iterable[str], folder: PurePosixPath) -> bool:
    """Whether any of the patterns can fit a path in that folder, or further below it."""
    return any(_could_match(tuple(glob.split("/")), folder.parts) for glob in globs)


def first_names(globs: Iterable[str]) -> frozenset[str]:
    """Patterns for the names that lie directly in the home, where logs do; `**/` aside."""
    return frozenset(next(name for name in glob.split("/") if name != "**") for glob in globs)


def _could_match(glob: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    for name, part in zip(glob, parts, strict=False):
        if name == "**":
            return True
        if not _pattern(name).fullmatch(part):
            return False
    return len(glob) > len(parts)


@cache
def _pattern(glob: str) -> re.Pattern[str]:
    parts = re.split(r"(\*\*/|\*)", glob)
    return re.compile("".join(_TRANSLATED.get(part) or re.escape(part) for part in parts))
