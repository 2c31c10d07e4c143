"""What is said with a prompt, from the tables of the deck. Loaded at a prompt only.

`StoredPlaces` and `StoredNotes` answer what recall asks of places and notes, and read only what a
question names: the files and sessions of a repository are one row, words are looked up one by one. Rows list what holds
a word as packed numbers: four bytes for each, least significant first, and one more where each has a weight, in
hundredths up to 2.55. `prompt_tables` packs and writes them, and `line_tables` those of notes.
"""

import os
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from struct import iter_unpack, pack
from typing import Any, NamedTuple, cast

import apsw

from afterwit.actions.quick_look import fits_path
from afterwit.model.quick_json import dumps, loads
from afterwit.model.text import words_of
from afterwit.recall.deck.location import Location, branch_of
from afterwit.recall.deck.reader import NOTES, PLACES, Deck, DeckLine, opened_immutable, words_in
from afterwit.recall.note_matches import (
    NO_MATCH,
    is_meant,
    is_said,
    is_strongly_meant,
    matching_notes,
    named_in,
    nearness,
)
from afterwit.recall.place_index import UNCHANGED, Recency, is_large_share, likeness, rarity
from afterwit.recall.places import KnownRepo, LikelyPlace, Question, clear, guess, with_tests, without_forbidden
from afterwit.recall.prompt_block import BlockLine, MarkedLine, PromptBlock, fitting, likely_paths, prompt_block

# pathlib takes longer to load than all that is done here.
# ruff: noqa: PTH110, PTH112, PTH118, PTH120

_TREES = "trees"  # the folder of `store.layout.Layout.trees`
_LONGEST = 12_000  # characters of a prompt that are looked at, as in digests
NUMBER_BYTES = 4
_HUNDREDTHS = 100
_MOST = 255
_NUMBER, _SESSIONS, _TOTAL, _RECENCY = range(1, 5)  # of a file, after its path


def block_at_prompt(deck: Deck, agent: str, prompt: str, place: Location) -> PromptBlock:
    """The block for the first prompt of a session; without what the start block tells."""
    if not place.repo:
        return PromptBlock()
    question = Question(prompt[:_LONGEST], branch_of(place.root))
    index = StoredPlaces(deck.part(place.repo))
    repo = without_forbidden(_known_repo(deck, place, index), deck.texts(place.repo, agent))
    places = guess(repo, question)
    notes = _notes(deck, agent, question.prompt, place, index, places)
    told = _told_at_start(deck, agent, place)
    new = [MarkedLine(mark, BlockLine(line.item, line.text)) for mark, _, line in notes if line.item not in told]
    files = with_tests(repo, clear(repo, question, places))
    return prompt_block(files, fitting(new))


def likely_places(deck: Deck, prompt: str, place: Location) -> list[LikelyPlace]:
    """The files alone, whatever notes say of them."""
    question = Question(prompt[:_LONGEST], branch_of(place.root))
    return guess(_known_repo(deck, place, StoredPlaces(deck.part(place.repo))), question) if place.repo else []


def later_lines(deck: Deck, agent: str, prompt: str, place: Location) -> list[BlockLine]:
    """What a prompt that is not the first strongly means, the best first."""
    if not place.repo or not is_said(prompt[:_LONGEST]):
        return []
    index = StoredPlaces(deck.part(place.repo))
    notes = _notes(deck, agent, prompt[:_LONGEST], place, index, [])
    return [BlockLine(line.item, line.text) for _, is_strong, line in notes if is_strong]


def _known_repo(deck: Deck, place: Location, work: "StoredPlaces") -> KnownRepo:
    """With the files of the repository, where the checkout is at hand and they are indexed. Where they are not, nobody
    can tell which are gone."""
    name = deck.tree_of(place.repo)
    index = os.path.join(os.path.dirname(deck.path), _TREES, name)
    if not name or not os.path.isdir(place.root) or not os.path.exists(index):
        return KnownRepo(work)
    from afterwit.capture.tree_words import TreeWords

    tree = TreeWords(opened_immutable(index))
    if not tree.size():
        return KnownRepo(work)
    return KnownRepo(work, tree, lambda path: os.path.lexists(os.path.join(place.root, path)))


class _PromptLine(NamedTuple):
    mark: float  # how well a prompt means it; 0.0 where only its place or its topic fits
    is_strong: bool
    line: DeckLine


def _told_at_start(deck: Deck, agent: str, place: Location) -> set[str]:
    return {item for _, lines in deck.block(place.repo, agent) for item, _ in lines}


def _notes(
    deck: Deck, agent: str, prompt: str, place: Location, index: "StoredPlaces", places: list[LikelyPlace]
) -> list[_PromptLine]:
    """Lines about the task, and about the files where its work is likely to be, each
    once, the best first, then in the order in which items are said. A path with an advice is a wrong one:
    it waits for a failure."""
    named, likely = named_in(index, prompt), likely_paths(places)
    matches = matching_notes(StoredNotes(deck.part(place.repo)), prompt)
    patterns: dict[str, list[str]] = {}
    pairs = deck.lines("topic", set(words_of(prompt)), place.repo, agent)
    lines = {line.item: line for trigger, line in pairs if not trigger.tool}
    firing = set(lines)
    for path in dict.fromkeys((*named, *(place.path for place in places))):
        for moment in ("path", "near"):
            for trigger, line in deck.lines(moment, words_in(path), place.repo, agent):
                if not line.advice and fits_path(trigger.path, path):
                    lines[line.item] = line
                    patterns.setdefault(line.item, []).append(trigger.path)
                    firing |= {line.item} if moment == "path" and path in likely and not trigger.tool else set()
    worded = [int(number) for number, match in matches.items() if is_meant(match, 0.0)]
    lines.update({line.item: line for line in deck.numbered(worded, place.repo, agent)})
    notes = []
    for item, line in lines.items():
        match = NO_MATCH if line.breadth else matches.get(str(line.number), NO_MATCH)
        added = nearness(patterns.get(item, ()), named, places)
        is_about = is_meant(match, added)
        if is_about or item in firing:
            mark = match.worth + added if is_about else 0.0
            notes.append(_PromptLine(mark, is_strongly_meant(match, added), line))
    return sorted(notes, key=lambda note: (-round(note.mark, 6), note.line.rank))


def pack_numbers(numbers: Iterable[int]) -> bytes:
    listed = list(numbers)
    return pack(f"<{len(listed)}I", *listed)


def unpack_numbers(body: bytes) -> list[int]:
    return [number for (number,) in iter_unpack("<I", body)]


def count_numbers(body: bytes | bytearray) -> int:
    return len(body) // NUMBER_BYTES


def hundredths(weight: float) -> int:
    """A weight as it is packed."""
    return min(_MOST, round(weight * _HUNDREDTHS))


def pack_weighted(weighted: Iterable[tuple[int, int]]) -> bytes:
    """Weights are in hundredths."""
    return b"".join([pack("<IB", number, weight) for number, weight in weighted])


def unpack_weighted(body: bytes) -> list[tuple[int, float]]:
    return [(number, weight / _HUNDREDTHS) for number, weight in iter_unpack("<IB", body)]


class StoredNotes:
    """The words of the notes of one repository; notes are named by the numbers of their lines."""

    def __init__(self, part: apsw.Connection | None) -> None:
        self._part = part
        self._size = int(cast(Any, _index(part, NOTES) or 0))

    def size(self) -> int:
        return self._size

    def holders(self, terms: Iterable[str]) -> Mapping[str, Mapping[str, float]]:
        query = """SELECT given.value, terms.body FROM json_each(?) AS given
                   CROSS JOIN note_terms AS terms ON terms.term = given.value"""
        rows = self._part.execute(query, (dumps(list(terms)),)) if self._part is not None and self._size else ()
        return {term: {str(number): weight for number, weight in unpack_weighted(body)} for term, body in rows}


def _index(part: apsw.Connection | None, name: str) -> object:
    row = part.execute("SELECT body FROM indexes WHERE name = ?", (name,)).fetchone() if part is not None else None
    return row[0] if row else None


class StoredPlaces:
    """What sessions of one repository touched; nothing where the deck does not know it."""

    def __init__(self, part: apsw.Connection | None) -> None:
        self._part = part
        body = cast(str, _index(part, PLACES) or "[[], [], []]")
        files, sessions, self._most = cast(Any, loads(body))
        self._paths: dict[int, str] = {file[_NUMBER]: file[0] for file in files}
        self._known: dict[str, list[Any]] = {file[0]: file for file in files}
        self._sessions: dict[int, str] = {number: session for session, _, _, number in sessions}
        self._sizes: dict[str, int] = {session: words for session, words, _, _ in sessions}
        self._files: dict[str, list[int]] = {session: numbers for session, _, numbers, _ in sessions}
        self._latest: list[list[int]] = [numbers for _, _, numbers, _ in sessions if numbers]
        self._bodies: dict[tuple[str, str], bytes] = {}
        self._named: dict[tuple[str, str], frozenset[str]] = {}
        self._sharing: frozenset[str] = frozenset()
        self._shares: dict[str, float] = {}
        self._names: frozenset[str] = frozenset()
        self._defined: Counter[str] = Counter()

    @property
    def is_known(self) -> bool:
        """Whether the deck knows the repository."""
        return self._part is not None

    def rarity(self, word: str) -> float:
        return rarity(len(self._sessions), count_numbers(self._body("said", word)))

    def path_share(self, path: str, words: frozenset[str]) -> float:
        if self._sharing != words:
            self._sharing, self._shares = words, {}
            for word in sorted(words):
                self._share(word)
        total = self._known[path][_TOTAL]
        return self._shares.get(path, 0.0) / total if total else 0.0

    def look_up(self, words: frozenset[str], names: frozenset[str]) -> None:
        query = """SELECT given.value, terms.body FROM json_each(?) AS given
                   CROSS JOIN prompt_terms AS terms ON terms.kind = ? AND terms.term = given.value"""
        for kind, terms in (("said", words), ("path", words), ("symbol", names)):
            self._bodies.update(dict.fromkeys(((kind, term) for term in terms), b""))
            rows = self._part.execute(query, (dumps(list(terms)), kind)) if self._part is not None else ()
            self._bodies.update({(kind, term): body for term, body in rows})

    def likeness(self, words: Iterable[str]) -> dict[str, float]:
        return likeness(words, self.rarity, self._holders, self._sizes.__getitem__)

    def knows(self, path: str) -> bool:
        return path in self._known

    def recency(self, path: str) -> Recency:
        faded = self._known[path][_RECENCY:]
        return Recency(*faded) if faded else UNCHANGED

    def sessions_of(self, path: str) -> int:
        return int(self._known[path][_SESSIONS])

    def latest_files(self, most: int) -> Collection[str]:
        return {self._paths[number] for numbers in self._latest[-most:] for number in numbers}

    def changed_by(self, session: str) -> Collection[str]:
        return [self._paths[number] for number in self._files.get(session, ())]

    def changed_most(self, most: int) -> list[str]:
        return [self._paths[number] for number in self._most[:most]]

    def is_everywhere(self, path: str) -> bool:
        number = self._known[path][_NUMBER] if path in self._known else None
        return is_large_share(sum(number in changed for changed in self._latest), len(self._latest))

    def defined_in(self, path: str, names: frozenset[str]) -> int:
        if self._names != names:
            self._names = names
            self._defined = Counter(path for name in names for path in self._under("symbol", name))
        return self._defined.get(path, 0)

    def with_path_word(self, word: str) -> Collection[str]:
        return self._under("path", word)

    def named(self, name: str) -> Collection[str]:
        return self._under("name", name)

    def is_on_branch(self, path: str, branch: str) -> bool:
        return path in self._under("branch", branch)

    def _share(self, word: str) -> None:
        """Adds what a word tells to all paths that hold it."""
        paths = self._under("path", word)
        tells = rarity(len(self._paths), len(paths))
        for path in paths:
            self._shares[path] = self._shares.get(path, 0.0) + tells

    def _holders(self, word: str) -> list[str]:
        return [self._sessions[number] for number in unpack_numbers(self._body("said", word))]

    def _under(self, kind: str, term: str) -> frozenset[str]:
        if (kind, term) not in self._named:
            self._named[kind, term] = frozenset(self._paths[file] for file in unpack_numbers(self._body(kind, term)))
        return self._named[kind, term]

    def _body(self, kind: str, term: str) -> bytes:
        if (kind, term) not in self._bodies:
            query = "SELECT body FROM prompt_terms WHERE kind = ? AND term = ?"
            row = self._part.execute(query, (kind, term)).fetchone() if self._part is not None else None
            self._bodies[kind, term] = row[0] if row else b""
        return self._bodies[kind, term]
