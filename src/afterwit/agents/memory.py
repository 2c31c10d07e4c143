"""What a reading remembers between two appends: counts of record types, and marks of what it has told already.

Marks are 64-bit hashes, so that no text of the log goes into the state. They are bounded and forget the oldest first;
by then the keys of prompts and calls still tell a repetition. Readers with more to remember derive from
`ReadingMemory`.
"""

from hashlib import blake2b

import msgspec

_NAMES = 100
_NAME_CHARS = 80
_MARKS = 20_000


class ReadingMemory(msgspec.Struct):
    known: dict[str, int] = {}
    unknown: dict[str, int] = {}
    marks: dict[int, int] = {}

    def count(self, name: str, *, is_known: bool) -> None:
        """Counts a record. Unknown names come from the log: their length and number are bounded."""
        counts = self.known if is_known else self.unknown
        name = name[:_NAME_CHARS] or "(no type)"
        if not is_known and name not in counts and len(counts) >= _NAMES:
            name = "(more)"
        counts[name] = counts.get(name, 0) + 1

    def is_new(self, *words: str) -> bool:
        """Whether this was not told before; it counts as told from now on."""
        mark = _hash(words)
        if mark in self.marks:
            return False
        self.marks[mark] = 1
        self._bound()
        return True

    def forget(self, *words: str) -> None:
        """Makes it new again."""
        self.marks.pop(_hash(words), None)

    def nth(self, *words: str) -> int:
        """How often this came by now, this time included."""
        mark = _hash(words)
        self.marks[mark] = times = self.marks.get(mark, 0) + 1
        self._bound()
        return times

    def _bound(self) -> None:
        if len(self.marks) > _MARKS:
            del self.marks[next(iter(self.marks))]


def mark(value: str) -> str:
    """A short hash that stands for a text where the text itself must not be kept."""
    return blake2b(value.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _hash(words: tuple[str, ...]) -> int:
    joined = "\0".join(words).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(joined, digest_size=8).digest(), "big")
