"""How RE2 is used here: on UTF-8 bytes, one byte a character.

Byte patterns need no decoding of offsets and give small automata. Their classes are ASCII; every byte of another
character matches a negated class, and `spans` moves cuts back between characters. RE2 is linear in the text, whatever
the text.
"""

from collections.abc import Callable, Iterable
from typing import Any

import re2

_MEMORY_BYTES = 64 << 20


def byte_options(*, captures: bool = True) -> Any:
    """Options for a pattern given as bytes."""
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.max_mem = _MEMORY_BYTES
    options.log_errors = False
    options.never_capture = not captures
    return options


class PatternSet:
    """Says in one pass which of many patterns occur in a text."""

    def __init__(self, patterns: Iterable[bytes]) -> None:
        self._set = re2.Set.SearchSet(byte_options(captures=False))
        for pattern in patterns:
            self._set.Add(pattern)
        self._set.Compile()
        self.found: Callable[[bytes], list[int] | None] = self._set.Match  # None where nothing matches
