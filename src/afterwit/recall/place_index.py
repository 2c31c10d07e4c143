"""What earlier sessions of one repository touched, indexed by words, names, branches and time.

One entry per session; putting a session again replaces what was known of it, so that a session that is still running
can be kept up to date. What the index answers depends on the sessions in it, not on the order in which they came. All
lookups are by word, by name or by the end of the timeline: a question costs what matches it, not what is known.
"""

import math
from bisect import bisect_left, insort
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from afterwit.digest.words import words_of

_POSTINGS = 4_000  # sessions looked at for one question, rarest words first


class Sighting(NamedTuple):
    """What one session says about where work is."""

    session: str
    text: str  # what it was about: prompts, title, messages of commits
    changed: Mapping[str, tuple[str, ...]]  # path → names defined in what was changed
    branch: str = ""
    at_ms: int = 0  # when it was last heard of


class Seen(NamedTuple):
    """A session in the index."""

    bag: frozenset[str]
    sighting: Sighting


class File:
    """A file that some session changed."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.words = frozenset(words_of(path))
        self.name = path.rpartition("/")[2].lower()
        self.count = 0  # sessions that changed it
        self.bag: Counter[str] = Counter()  # in how many of its sessions a word occurs
        self.symbols: Counter[str] = Counter()  # in lower case


class PlaceIndex:
    """The sessions of one repository, as far as they are known."""

    def __init__(self) -> None:
        self.files: dict[str, File] = {}
        self.sessions: dict[str, Seen] = {}
        self._timeline: list[tuple[int, str]] = []  # of sessions that changed something
        self._by_word: defaultdict[str, dict[str, None]] = defaultdict(dict)  # word → sessions
        self._by_path_word: defaultdict[str, dict[str, None]] = defaultdict(dict)  # word → paths
        self._by_name: defaultdict[str, dict[str, None]] = defaultdict(dict)  # name of a file → paths
        self._by_branch: defaultdict[str, Counter[str]] = defaultdict(Counter)  # branch → paths

    def put(self, sighting: Sighting) -> None:
        """Adds a session, or replaces what was known of it."""
        before = self.sessions.get(sighting.session)
        if before is not None:
            self._drop(before)
        seen = Seen(frozenset(words_of(f"{sighting.text} {' '.join(sighting.changed)}")), sighting)
        self.sessions[sighting.session] = seen
        for word in seen.bag:
            self._by_word[word][sighting.session] = None
        if sighting.changed:
            insort(self._timeline, (sighting.at_ms, sighting.session))
        for path, symbols in sighting.changed.items():
            self._put_file(path, symbols, seen)

    def rarity(self, word: str) -> float:
        """How much a word tells: more, the fewer sessions hold it."""
        return math.log(1 + (len(self.sessions) + 0.5) / (len(self._by_word.get(word, ())) + 0.5))

    def path_rarity(self, word: str) -> float:
        """How much a word of a path tells: more, the fewer paths hold it."""
        return math.log(1 + (len(self.files) + 0.5) / (len(self._by_path_word.get(word, ())) + 0.5))

    def likeness(self, words: Iterable[str]) -> dict[str, float]:
        """How alike sessions are to a text with these words: about the cosine of their vectors."""
        ranked = sorted((-self.rarity(word), word) for word in set(words))
        found: defaultdict[str, float] = defaultdict(float)
        left = _POSTINGS
        for negative, word in ranked:
            holders = self._by_word.get(word, {})
            left -= len(holders)
            if left < 0:
                break
            for session in holders:
                found[session] += negative * negative
        total = sum(rarity * rarity for rarity, _ in ranked) or 1.0
        return {
            session: mark / total * math.sqrt(len(ranked) / len(self.sessions[session].bag))
            for session, mark in found.items()
        }

    def latest(self, most: int) -> list[Sighting]:
        """The last sessions that changed something, the newest first."""
        return [self.sessions[session].sighting for _, session in reversed(self._timeline[-most:])]

    def with_path_word(self, word: str) -> Iterable[str]:
        return self._by_path_word.get(word, ())

    def named(self, name: str) -> Iterable[str]:
        return self._by_name.get(name, ())

    def is_on_branch(self, path: str, branch: str) -> bool:
        """Whether a session on this branch changed the file."""
        return branch in self._by_branch and self._by_branch[branch][path] > 0

    def _put_file(self, path: str, symbols: tuple[str, ...], seen: Seen) -> None:
        file = self.files.get(path)
        if file is None:
            file = self.files[path] = File(path)
            for word in file.words:
                self._by_path_word[word][path] = None
            self._by_name[file.name][path] = None
        file.count += 1
        file.bag.update(seen.bag)
        file.symbols.update({name.lower() for name in symbols})
        self._by_branch[seen.sighting.branch][path] += 1

    def _drop(self, seen: Seen) -> None:
        sighting = seen.sighting
        del self.sessions[sighting.session]
        for word in seen.bag:
            del self._by_word[word][sighting.session]
        if sighting.changed:
            del self._timeline[bisect_left(self._timeline, (sighting.at_ms, sighting.session))]
        for path, symbols in sighting.changed.items():
            self._drop_file(self.files[path], symbols, seen)

    def _drop_file(self, file: File, symbols: tuple[str, ...], seen: Seen) -> None:
        file.count -= 1
        file.bag.subtract(seen.bag)
        file.symbols.subtract({name.lower() for name in symbols})
        self._by_branch[seen.sighting.branch][file.path] -= 1
        if not file.count:
            del self.files[file.path]
            for word in file.words:
                del self._by_path_word[word][file.path]
            del self._by_name[file.name][file.path]
