"""Patterns for paths below an agent's home: `*` is any part of one name, `**/` any number of folders."""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import PurePosixPath

_TRANSLATED = {"**/": "(?:[^/]+/)*", "*": "[^/]*"}


def matches(globs: Iterable[str], path: PurePosixPath) -> bool:
    """Whether any of the patterns fits the whole path."""
    return any(_pattern(glob).fullmatch(str(path)) for glob in globs)


@cache
def _pattern(glob: str) -> re.Pattern[str]:
    parts = re.split(r"(\*\*/|\*)", glob)
    return re.compile("".join(_TRANSLATED.get(part) or re.escape(part) for part in parts))
