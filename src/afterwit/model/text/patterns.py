"""Regular expressions that are compiled when they are first used.

A command uses few of the program's hundreds of patterns, and to compile all of them takes longer than most commands
take. `regex` stands where `re.compile` would; whoever uses the pattern sees no difference.
"""

import re
from typing import Any, AnyStr, cast

_METHODS = ("search", "match", "fullmatch", "finditer", "findall", "split", "sub", "subn")


class _LazyPattern:
    """Has the methods of the compiled pattern from the first use of one of them on."""

    __slots__ = ("_flags", "pattern", *_METHODS)

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(self.pattern, self._flags)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def regex(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    return cast(re.Pattern[AnyStr], _LazyPattern(pattern, flags))
