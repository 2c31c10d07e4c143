"""What the file baselines remember of a repository: sessions, by the words in them and by the files they changed.

A session that is put again replaces what was known of it. Answers depend on what is known, not on the order in which it
was told. A question costs what shares a word with it, not the whole history.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

_WORD = re.compile(r"[a-z][a-z0-9]{2,}")
_HUMP = re.compile(r"([a-z])([A-Z])")
_SATURATION = 1.2
_LENGTH_SHARE = 0.75


class Session(NamedTuple):
    """An earlier session."""

    place: tuple[int, str]  # in time
    files: tuple[str, ...]  # changed, in order
    words: Counter[str]


class SaidBefore:
    """The sessions of one repository."""

    def __init__(self) -> None:
        self.sessions: dict[str, Session] = {}
        self._by_word: defaultdict[str, set[str]] = defaultdict(set)
        self._by_path: defaultdict[str, dict[str, int]] = defaultdict(dict)  # session → position among its files
        self._words = 0

    def put(self, name: str, session: Session) -> None:
        old = self.sessions.pop(name, None)
        if old is not None:
            self._drop(name, old)
        self.sessions[name] = session
        self._words += session.words.total()
        for word in session.words:
            self._by_word[word].add(name)
        for at, path in enumerate(session.files):
            self._by_path[path][name] = at

    def _drop(self, name: str, session: Session) -> None:
        self._words -= session.words.total()
        for word in session.words:
            self._by_word[word].discard(name)
        for path in session.files:
            del self._by_path[path][name]

    def most_changed(self, most: int) -> list[str]:
        """The files that most sessions changed; among equals the one that was changed first."""
        counts = {path: len(holders) for path, holders in self._by_path.items() if holders}
        least = min(sorted(counts.values(), reverse=True)[:most], default=0)
        leading = [path for path, count in counts.items() if count >= least]
        return sorted(leading, key=lambda path: (-counts[path], self._first(path)))[:most]

    def alike(self, asked: Iterable[str], most: int) -> list[str]:
        """The files of the sessions that share the rarest words with what is asked."""
        wanted = {word for word in asked if self._by_word.get(word)}
        marks: defaultdict[str, float] = defaultdict(float)
        for session in self._sharing(wanted):
            weight = self._rarity(wanted & session.words.keys())
            for path in session.files:
                marks[path] += weight / math.sqrt(len(session.files)) + self._rarity(wanted & words_in(path))
        found = sorted(marks, key=lambda path: (-marks[path], self._first(path)))[:most]
        return found if len(found) == most else found + self._oldest(set(found), most - len(found))

    def best(self, asked: Iterable[str]) -> str | None:
        """The session that BM25 ranks first; None if none shares a word."""
        wanted = sorted({word for word in asked if self._by_word.get(word)})
        marks: defaultdict[str, float] = defaultdict(float)
        for word in wanted:
            holders = self._by_word[word]
            rarity = math.log(1 + (len(self.sessions) - len(holders) + 0.5) / (len(holders) + 0.5))
            for name in holders:
                marks[name] += rarity * self._weight(self.sessions[name].words, word)
        return max(marks, key=lambda name: (marks[name], name), default=None)

    def _weight(self, words: Counter[str], word: str) -> float:
        mean = self._words / len(self.sessions)
        length = 1 - _LENGTH_SHARE + _LENGTH_SHARE * words.total() / mean
        return words[word] * (_SATURATION + 1) / (words[word] + _SATURATION * length)

    def _sharing(self, words: Iterable[str]) -> list[Session]:
        names = set().union(*(self._by_word[word] for word in words))
        return sorted((self.sessions[name] for name in names), key=lambda session: session.place)

    def _rarity(self, words: Iterable[str]) -> float:
        return sum(1 / len(self._by_word[word]) for word in sorted(words))

    def _first(self, path: str) -> tuple[tuple[int, str], int]:
        return min((self.sessions[name].place, at) for name, at in self._by_path[path].items())

    def _oldest(self, without: set[str], most: int) -> list[str]:
        paths = [path for path, holders in self._by_path.items() if holders and path not in without]
        return sorted(paths, key=self._first)[:most]


def words_of(text: str) -> Sequence[str]:
    return _WORD.findall(_HUMP.sub(r"\1 \2", text).lower())


@lru_cache(maxsize=65_536)
def words_in(path: str) -> frozenset[str]:
    return frozenset(words_of(path))
