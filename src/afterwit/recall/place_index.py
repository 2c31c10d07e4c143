"""What earlier work in one repository touched, indexed by words, names, branches and time.

Work is a session, a commit, a branch, or what is not committed yet: each says something and changes files, and counts
alike. `KnownPlaces` is all that recall asks of it, `KnownTree` what it asks of the files that are there. One
implementation of the former lives here, in memory; another one reads the tables of a deck. Putting a piece of work
again replaces what was known of it, so that a session that is still running can be kept up to date. What the index
answers depends on the sessions in it, not on the order in which they came. All lookups are by word, by name or by the
end of the timeline: a question costs what matches it, not what is known. Standard library only, so that a hook can
import it.
"""

import heapq
import math
from bisect import bisect_left, insort
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import NamedTuple, Protocol

from afterwit.model.text import word_counts, words_of

_LITTLE_WORK, _MUCH_WORK = 8, 100  # pieces
_POSTINGS = 4_000  # sessions looked at for one question, rarest words first


class PlaceSighting(NamedTuple):
    """What one piece of work says about where work is."""

    session: str
    text: str  # what it was about: prompts, title, messages of commits
    changed: Mapping[str, tuple[str, ...]]  # path → names defined in what was changed
    branch: str = ""
    at_ms: int = 0  # when it was last heard of
    is_session: bool = True  # and not a commit, a branch or what is not committed


class Recency(NamedTuple):
    """How lately a file was changed: 1 if by the last work, and changes that fade more or less quickly."""

    last: float = 0.0
    recent: float = 0.0
    lately: float = 0.0
    ever: float = 0.0


_FADING = (2, 8, 40)  # pieces of work
UNCHANGED = Recency()
MEMORY = 400  # pieces of work that tell how recently a file was changed


def recencies(changes: Iterable[Collection[str]]) -> dict[str, Recency]:
    """Of each file that one of these changed, the newest first."""
    sums: dict[str, Recency] = {}
    for age, changed in enumerate(changes):
        last, recent, lately, ever = float(age == 0), *(math.exp(-age / half) for half in _FADING)
        for path in changed:
            before = sums.get(path, UNCHANGED)
            sums[path] = Recency(before[0] + last, before[1] + recent, before[2] + lately, before[3] + ever)
    return {
        path: Recency(last, *(round(math.log1p(value), 3) for value in values))
        for path, (last, *values) in sums.items()
    }


class KnownTree(Protocol):
    """The files of a repository that are there, each under a number; terms are words of contents, and words of paths
    and names after a mark."""

    def size(self) -> int:
        """How many files there are."""

    def look_up(self, terms: Iterable[str]) -> None:
        """Says which terms will be asked for."""

    def holders(self, term: str) -> Mapping[int, bool]:
        """The files that hold a term, and whether it stands out there; none for one that very many hold."""

    def paths(self, numbers: Iterable[int]) -> Mapping[int, str]:
        """The paths of files that are there."""

    def named(self, name: str) -> Iterable[str]:
        """Files of this name, in lower case, in any folder."""


class KnownPlaces(Protocol):
    """The sessions of one repository, as far as they are known."""

    def rarity(self, word: str) -> float:
        """How much a word tells: more, the fewer sessions hold it."""

    def path_share(self, path: str, words: frozenset[str]) -> float:
        """How much of what the path says stands among these words."""

    def look_up(self, words: frozenset[str], names: frozenset[str]) -> None:
        """Says which words, and which names in lower case, will be asked for: an index may fetch them at once."""

    def likeness(self, words: Iterable[str]) -> dict[str, float]:
        """How alike sessions are to a text with these words: about the cosine of their vectors."""

    def knows(self, path: str) -> bool:
        """Whether any work changed the file."""

    def recency(self, path: str) -> Recency:
        """How lately the file was changed."""

    def sessions_of(self, path: str) -> int:
        """How many sessions changed the file."""

    def latest_files(self, most: int) -> Collection[str]:
        """The files of the last pieces of work that changed something."""

    def changed_by(self, session: str) -> Collection[str]:
        """The files that a session changed; none for one that is not known."""

    def changed_most(self, most: int) -> list[str]:
        """The files that most sessions changed."""

    def is_everywhere(self, path: str) -> bool:
        """Whether a large share of all work changed the file, whatever it was about."""

    def defined_in(self, path: str, names: frozenset[str]) -> int:
        """How many of the names, in lower case, were defined in what was changed of the file."""

    def with_path_word(self, word: str) -> Collection[str]:
        """Files with this word in their path."""

    def named(self, name: str) -> Iterable[str]:
        """Files of this name, in lower case, in any folder."""

    def is_on_branch(self, path: str, branch: str) -> bool:
        """Whether a session on this branch changed the file."""


class _Indexed(NamedTuple):
    """A session in the index."""

    bag: frozenset[str]
    sighting: PlaceSighting


class _File:
    """A file that some session changed."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.words = frozenset(words_of(path))
        self.name = path.rpartition("/")[2].lower()
        self.count = 0  # pieces of work that changed it
        self.sessions = 0  # those of them that are sessions
        self.symbols: Counter[str] = Counter()  # in lower case


class PlaceIndex:
    """The sessions of one repository, as far as they are known."""

    def __init__(self) -> None:
        self.files: dict[str, _File] = {}
        self.sessions: dict[str, _Indexed] = {}
        self._timeline: list[tuple[int, str]] = []  # of work that changed something
        self._by_word: defaultdict[str, dict[str, None]] = defaultdict(dict)  # word → sessions
        self._by_path_word: defaultdict[str, dict[str, None]] = defaultdict(dict)  # word → paths
        self._by_name: defaultdict[str, dict[str, None]] = defaultdict(dict)  # name of a file → paths
        self._by_branch: defaultdict[str, Counter[str]] = defaultdict(Counter)  # branch → paths
        self._recencies: dict[str, Recency] | None = None  # until more is known

    def put(self, sighting: PlaceSighting) -> None:
        """Adds a session, or replaces what was known of it."""
        self._recencies = None
        before = self.sessions.get(sighting.session)
        if before is not None:
            self._drop(before)
        seen = _Indexed(words_of_sighting(sighting), sighting)
        self.sessions[sighting.session] = seen
        for word in seen.bag:
            self._by_word[word][sighting.session] = None
        if sighting.changed:
            insort(self._timeline, (sighting.at_ms, sighting.session))
        for path, symbols in sighting.changed.items():
            self._put_file(path, symbols, seen)

    def rarity(self, word: str) -> float:
        return rarity(len(self.sessions), len(self._by_word.get(word, ())))

    def path_share(self, path: str, words: frozenset[str]) -> float:
        return path_share(self.files[path].words, words, self._path_rarity)

    def look_up(self, words: frozenset[str], names: frozenset[str]) -> None:
        """All is at hand."""

    def _path_rarity(self, word: str) -> float:
        return rarity(len(self.files), len(self._by_path_word.get(word, ())))

    def likeness(self, words: Iterable[str]) -> dict[str, float]:
        return likeness(
            words,
            self.rarity,
            lambda word: self._by_word.get(word, {}),
            lambda session: len(self.sessions[session].bag),
        )

    def knows(self, path: str) -> bool:
        return path in self.files

    def recency(self, path: str) -> Recency:
        if self._recencies is None:
            self._recencies = recencies(self._latest(MEMORY))
        return self._recencies.get(path, UNCHANGED)

    def sessions_of(self, path: str) -> int:
        return self.files[path].sessions

    def latest_files(self, most: int) -> Collection[str]:
        return {path for changed in self._latest(most) for path in changed}

    def _latest(self, most: int) -> list[Collection[str]]:
        """The files of the last pieces of work that changed something, the newest first."""
        return [self.sessions[session].sighting.changed for _, session in reversed(self._timeline[-most:])]

    def changed_by(self, session: str) -> Collection[str]:
        seen = self.sessions.get(session)
        return seen.sighting.changed if seen else ()

    def changed_most(self, most: int) -> list[str]:
        files = heapq.nsmallest(most, self.files.values(), key=lambda file: (-file.count, file.path))
        return [file.path for file in files]

    def is_everywhere(self, path: str) -> bool:
        return path in self.files and is_large_share(self.files[path].count, len(self._timeline))

    def defined_in(self, path: str, names: frozenset[str]) -> int:
        symbols = self.files[path].symbols
        return sum(symbols[name] > 0 for name in symbols.keys() & names)

    def with_path_word(self, word: str) -> Collection[str]:
        return self._by_path_word.get(word, ())

    def named(self, name: str) -> Iterable[str]:
        return self._by_name.get(name, ())

    def is_on_branch(self, path: str, branch: str) -> bool:
        return branch in self._by_branch and self._by_branch[branch][path] > 0

    def _put_file(self, path: str, symbols: tuple[str, ...], seen: _Indexed) -> None:
        file = self.files.get(path)
        if file is None:
            file = self.files[path] = _File(path)
            for word in file.words:
                self._by_path_word[word][path] = None
            self._by_name[file.name][path] = None
        file.count += 1
        file.sessions += seen.sighting.is_session
        file.symbols.update({name.lower() for name in symbols})
        self._by_branch[seen.sighting.branch][path] += 1

    def _drop(self, seen: _Indexed) -> None:
        sighting = seen.sighting
        del self.sessions[sighting.session]
        for word in seen.bag:
            del self._by_word[word][sighting.session]
        if sighting.changed:
            del self._timeline[bisect_left(self._timeline, (sighting.at_ms, sighting.session))]
        for path, symbols in sighting.changed.items():
            self._drop_file(self.files[path], symbols, seen)

    def _drop_file(self, file: _File, symbols: tuple[str, ...], seen: _Indexed) -> None:
        file.count -= 1
        file.sessions -= seen.sighting.is_session
        file.symbols.subtract({name.lower() for name in symbols})
        self._by_branch[seen.sighting.branch][file.path] -= 1
        if not file.count:
            del self.files[file.path]
            for word in file.words:
                del self._by_path_word[word][file.path]
            del self._by_name[file.name][file.path]


def words_of_sighting(sighting: PlaceSighting) -> frozenset[str]:
    """Under which a session is found."""
    return frozenset(word_counts(f"{sighting.text} {' '.join(sighting.changed)}"))


def rarity(of: int, holders: int) -> float:
    """How much a word tells that so many of these hold."""
    return math.log(1 + (of + 0.5) / (holders + 0.5))


def is_large_share(changes: int, of: int) -> bool:
    """Whether so many of these pieces of work are a large share: a fifth of much, half of less, of little none."""
    return of >= _LITTLE_WORK and changes >= of * (0.2 if of >= _MUCH_WORK else 0.5)


def likeness(
    words: Iterable[str],
    rarity_of: Callable[[str], float],
    holders: Callable[[str], Collection[str]],
    size: Callable[[str], int],
) -> dict[str, float]:
    """How alike sessions are to a text with these words, given who holds a word and how many words a session has."""
    ranked = sorted((-rarity_of(word), word) for word in set(words))
    marks: defaultdict[str, float] = defaultdict(float)
    left = _POSTINGS
    for negative, word in ranked:
        sessions = holders(word)
        left -= len(sessions)
        if left < 0:
            break
        for session in sessions:
            marks[session] += negative * negative
    total = sum(mark * mark for mark, _ in ranked) or 1.0
    return {session: mark / total * math.sqrt(len(ranked) / size(session)) for session, mark in marks.items()}


def path_share(path: Collection[str], words: Collection[str], rarity_of: Callable[[str], float]) -> float:
    """How much of what the words of a path say stands among these words."""
    total = path_total(path, rarity_of)
    return sum(rarity_of(word) for word in sorted(path) if word in words) / total if total else 0.0


def path_total(path: Iterable[str], rarity_of: Callable[[str], float]) -> float:
    """How much the words of a path say."""
    return round(sum(map(rarity_of, sorted(path))), 2)
