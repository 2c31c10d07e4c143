"""What earlier work in one repository touched, by words, names, branches and time, from a part of the deck.

Work is a session, a commit, a branch, or what is not committed yet: each says something and changes files, and counts
alike. All lookups are by word, by name or by the end of the timeline: a question costs what matches it, not what is
known. Files and works are one row; a word has a row that lists what holds it as packed numbers, four bytes each, least
significant first. `deck.prompt_tables` writes these rows. Nothing slow is imported, so that a hook can ask.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Iterable
from struct import iter_unpack, pack
from typing import Any, NamedTuple, cast

import apsw

from afterwit.model.quick_json import dumps, loads
from afterwit.model.text import word_counts
from afterwit.recall.deck.reader import PLACES, index_in

NUMBER_BYTES = 4
MEMORY = 400  # pieces of work that tell how recently a file was changed
_FADING = (2, 8, 40)  # pieces of work
_POSTINGS = 4_000  # sessions looked at for one question, rarest words first
_NUMBER, _SESSIONS, _TOTAL, _RECENCY = range(1, 5)  # of a file, after its path


class PlaceSighting(NamedTuple):
    """What one piece of work says about where work is."""

    session: str
    text: str  # what it was about: prompts, title, messages of commits
    changed: Collection[str]  # paths
    branch: str = ""
    at_ms: int = 0  # when it was last heard of
    is_session: bool = True  # and not a commit, a branch or what is not committed

    def words(self) -> frozenset[str]:
        """Under which it is found."""
        return frozenset(word_counts(f"{self.text} {' '.join(self.changed)}"))


class Recency(NamedTuple):
    """How lately a file was changed: 1 if by the last work, and changes that fade more or less quickly."""

    last: float = 0.0
    recent: float = 0.0
    lately: float = 0.0
    ever: float = 0.0


def recencies(changes: Iterable[Collection[str]]) -> dict[str, Recency]:
    """Of each file that one of these changed, the newest first."""
    sums: dict[str, Recency] = {}
    for age, changed in enumerate(changes):
        last, recent, lately, ever = float(age == 0), *(math.exp(-age / half) for half in _FADING)
        for path in changed:
            before = sums.get(path, Recency())
            sums[path] = Recency(before[0] + last, before[1] + recent, before[2] + lately, before[3] + ever)
    return {
        path: Recency(last, *(round(math.log1p(value), 3) for value in values))
        for path, (last, *values) in sums.items()
    }


def rarity(of: int, holders: int) -> float:
    """How much a word tells that so many of these hold."""
    return math.log(1 + (of + 0.5) / (holders + 0.5))


def pack_numbers(numbers: Iterable[int]) -> bytes:
    listed = list(numbers)
    return pack(f"<{len(listed)}I", *listed)


def unpack_numbers(body: bytes) -> list[int]:
    return [number for (number,) in iter_unpack("<I", body)]


class PlaceIndex:
    """The work of one repository, as far as it is known; nothing where the deck does not know the repository."""

    def __init__(self, part: apsw.Connection | None) -> None:
        self._part = part
        files, works, self._most = cast(Any, loads(cast(str, index_in(part, PLACES) or "[[], [], []]")))
        self._paths: dict[int, str] = {file[_NUMBER]: file[0] for file in files}
        self._known: dict[str, list[Any]] = {file[0]: file for file in files}
        self._sessions: dict[int, str] = {number: session for session, _, _, number in works}
        self._sizes: dict[str, int] = {session: words for session, words, _, _ in works}
        self._files: dict[str, list[int]] = {session: numbers for session, _, numbers, _ in works}
        self._latest: list[list[int]] = [numbers for _, _, numbers, _ in works if numbers]
        self._bodies: dict[tuple[str, str], bytes] = {}
        self._named: dict[tuple[str, str], frozenset[str]] = {}
        self._sharing: frozenset[str] = frozenset()
        self._shares: dict[str, float] = {}

    @property
    def is_known(self) -> bool:
        """Whether the deck knows the repository."""
        return self._part is not None

    def look_up(self, words: frozenset[str]) -> None:
        """Fetches at once the words that will be asked for."""
        query = """SELECT given.value, terms.body FROM json_each(?) AS given
                   CROSS JOIN prompt_terms AS terms ON terms.kind = ? AND terms.term = given.value"""
        for kind in ("said", "path"):
            self._bodies.update(dict.fromkeys(((kind, word) for word in words), b""))
            rows = self._part.execute(query, (dumps(list(words)), kind)) if self._part is not None else ()
            self._bodies.update({(kind, term): body for term, body in rows})

    def likeness(self, words: Iterable[str]) -> dict[str, float]:
        """How alike works are to a text with these words: about the cosine of their vectors."""
        ranked = sorted((-rarity(len(self._sessions), self._count("said", word)), word) for word in set(words))
        marks: defaultdict[str, float] = defaultdict(float)
        left = _POSTINGS
        for negative, word in ranked:
            left -= self._count("said", word)
            if left < 0:
                break
            for number in unpack_numbers(self._body("said", word)):
                marks[self._sessions[number]] += negative * negative
        total = sum(mark * mark for mark, _ in ranked) or 1.0
        sizes = self._sizes
        return {work: mark / total * math.sqrt(len(ranked) / sizes[work]) for work, mark in marks.items()}

    def path_share(self, path: str, words: frozenset[str]) -> float:
        """How much of what the path says stands among these words."""
        if self._sharing != words:
            self._sharing, self._shares = words, {}
            for word in sorted(words):
                paths = self.with_path_word(word)
                tells = rarity(len(self._paths), len(paths))
                for other in paths:
                    self._shares[other] = self._shares.get(other, 0.0) + tells
        total = self._known[path][_TOTAL]
        return self._shares.get(path, 0.0) / total if total else 0.0

    def knows(self, path: str) -> bool:
        """Whether any work changed the file."""
        return path in self._known

    def recency(self, path: str) -> Recency:
        return Recency(*self._known[path][_RECENCY:])

    def sessions_of(self, path: str) -> int:
        """How many sessions changed the file."""
        return int(self._known[path][_SESSIONS])

    def latest_files(self, most: int) -> Collection[str]:
        """The files of the last pieces of work that changed something."""
        return {self._paths[number] for numbers in self._latest[-most:] for number in numbers}

    def changed_by(self, session: str) -> Collection[str]:
        """The files that a session changed; none for one that is not known."""
        return [self._paths[number] for number in self._files.get(session, ())]

    def changed_most(self, most: int) -> list[str]:
        """The files that most work changed."""
        return [self._paths[number] for number in self._most[:most]]

    def with_path_word(self, word: str) -> Collection[str]:
        """Files with this word in their path."""
        return self._under("path", word)

    def named(self, name: str) -> Collection[str]:
        """Files of this name, in lower case, in any folder."""
        return self._under("name", name)

    def is_on_branch(self, path: str, branch: str) -> bool:
        """Whether work on this branch changed the file."""
        return path in self._under("branch", branch)

    def _under(self, kind: str, term: str) -> frozenset[str]:
        if (kind, term) not in self._named:
            self._named[kind, term] = frozenset(self._paths[file] for file in unpack_numbers(self._body(kind, term)))
        return self._named[kind, term]

    def _count(self, kind: str, term: str) -> int:
        return len(self._body(kind, term)) // NUMBER_BYTES

    def _body(self, kind: str, term: str) -> bytes:
        if (kind, term) not in self._bodies:
            query = "SELECT body FROM prompt_terms WHERE kind = ? AND term = ?"
            row = self._part.execute(query, (kind, term)).fetchone() if self._part is not None else None
            self._bodies[kind, term] = row[0] if row else b""
        return self._bodies[kind, term]
