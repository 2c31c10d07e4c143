"""Which notes of a repository are about a prompt, by words: of what they say, when they are needed, and their paths.

Rare terms tell more than common ones, those that any task may have tell little, and a short note with the term more
than a long one. What a match is worth is counted in terms that no other note holds. `NoteWords` is all that is asked of
notes: one implementation is here, in memory, another reads the tables of a deck. The constants were set by hand; they
rank, and do not claim to be chances. Standard library only.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from struct import iter_unpack, pack
from typing import Any, NamedTuple, cast

import apsw

from afterwit.actions.quick_look import fits_path
from afterwit.model.quick_json import dumps
from afterwit.model.text import word_counts, words_of
from afterwit.recall.deck.reader import NOTES, index_in
from afterwit.recall.place_index import PlaceIndex
from afterwit.recall.places import LikelyPlace, named_files

ROUTINE_SHARE = 0.3  # what a term counts that any task may have
_SATURATION = 1.2  # k1 of BM25
_SLOPE = 0.4  # b of BM25
_COMPOUND = re.compile(r"\b[a-z0-9]+(?:[-_][a-z0-9]+)+\b")
_PIVOT = 150  # words of a usual text; a constant, so that weights need no second look at all the others


def terms_of(text: str) -> list[str]:
    """The words of a text, a little more alike than `words_of` makes them: `retry` is `retries`, `log` is `logging`.
    What is written with a dash or an underscore is a name: its parts count, and the whole once more."""
    return [_level(word) for word in words_of(_with_whole_names(text))]


def counts_of(text: str) -> Counter[str]:
    """How often a text has each of its terms."""
    counts: Counter[str] = Counter()
    for word, count in word_counts(_with_whole_names(text)).items():
        counts[_level(word)] += count
    return counts


def _with_whole_names(text: str) -> str:
    whole = " ".join(compound.replace("-", "").replace("_", "") for compound in _COMPOUND.findall(text.lower()))
    return f"{text} {whole}"


def weights(counts: Mapping[str, int]) -> dict[str, float]:
    """What each term weighs in a text: more where it occurs often, less in a long one."""
    norm = _SATURATION * (1 - _SLOPE + _SLOPE * sum(counts.values()) / _PIVOT)
    return {term: round(count * (_SATURATION + 1) / (count + norm), 2) for term, count in counts.items()}


def rarity(size: int, holders: int) -> float:
    """How much a term tells: more, the fewer texts hold it."""
    return math.log(1 + (size - holders + 0.5) / (holders + 0.5))


def _level(word: str) -> str:
    if len(word) > 4 and word.endswith("e"):
        return word[:-1]
    if word.endswith("i"):
        return f"{word[:-1]}y"
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls" else word


ROUTINE = frozenset(
    terms_of(
        """able add again approach ask asking backwards basic behaviour bug build case change changes check class clean
        code commit compatible complete component config configuration convention correct create current dependency
        description design detail developer different docs documentation error example existing expected extend feature
        file finish finished first folder follow function functionality handle helpful high implement improve include
        interface introduce issue keep last logic main mention method module name open parameter part pass path point
        possible problem project propose provide pull quality question read readme refactor remain remove repository
        require requirement run server set settings short show simple small start step style suite summarise system task
        test tests thing things ticket time type unit update user users value version work write"""
    )
)


_HUNDREDTHS = 100
_MOST = 255
_FITS = 2.2  # that a note is worth at the first prompt
_STRONG = 2.8  # the same at a later one
_NAMED = 2.0  # what it adds that the prompt names a file which the note waits for
_BELOW_NAMED = 1.0  # the same, where the note waits for a folder that the file is in
_FEWEST_NOTES = 40  # among fewer, too many words look rare
_MOST_NAMED = 20  # files of one prompt
_FEWEST_TERMS = 2  # of a prompt that says something
_USUAL = 15  # terms of a prompt; in a longer one, some are always found
_TELLING = 0.5  # of what a term tells that no other note holds: a match needs one such


def hundredths(weight: float) -> int:
    """A weight as it is packed."""
    return min(_MOST, round(weight * _HUNDREDTHS))


def pack_weighted(weighted: Iterable[tuple[int, int]]) -> bytes:
    """Numbers, four bytes each, with weights in hundredths up to 2.55."""
    return b"".join([pack("<IB", number, weight) for number, weight in weighted])


def unpack_weighted(body: bytes) -> list[tuple[int, float]]:
    return [(number, weight / _HUNDREDTHS) for number, weight in iter_unpack("<IB", body)]


class NoteWords:
    """The words of the notes of one repository; notes are named by the numbers of their lines."""

    def __init__(self, part: apsw.Connection | None) -> None:
        self._part = part
        self.size = int(cast(Any, index_in(part, NOTES) or 0))

    def holders(self, terms: Iterable[str]) -> Mapping[str, Mapping[str, float]]:
        """For each of these terms that is known: the notes that hold it, and what it weighs there."""
        query = """SELECT given.value, terms.body FROM json_each(?) AS given
                   CROSS JOIN note_terms AS terms ON terms.term = given.value"""
        rows = self._part.execute(query, (dumps(list(terms)),)) if self._part is not None and self.size else ()
        return {term: {str(number): weight for number, weight in unpack_weighted(body)} for term, body in rows}


class NoteMatch(NamedTuple):
    """How well a note fits a prompt."""

    worth: float  # in terms that no other note holds, less for a long prompt
    terms: int  # of the prompt that it holds


NO_MATCH = NoteMatch(0.0, 0)


def matching_notes(notes: NoteWords, prompt: str) -> dict[str, NoteMatch]:
    """The notes that share a telling term with a prompt."""
    terms = sorted(set(terms_of(prompt)))
    if len(terms) < _FEWEST_TERMS:
        return {}
    unit = rarity(max(notes.size, _FEWEST_NOTES), 1)
    worth: defaultdict[str, float] = defaultdict(float)
    best: defaultdict[str, float] = defaultdict(float)
    held: defaultdict[str, int] = defaultdict(int)
    for term, holders in sorted(notes.holders(terms).items()):
        tells = rarity(max(notes.size, _FEWEST_NOTES), len(holders)) * (ROUTINE_SHARE if term in ROUTINE else 1.0)
        for note, weight in holders.items():
            worth[note] += tells * weight
            best[note] = max(best[note], tells)
            held[note] += 1
    damping = math.sqrt(max(1.0, len(terms) / _USUAL))
    return {
        note: NoteMatch(worth[note] / unit / damping, held[note]) for note in worth if best[note] >= _TELLING * unit
    }


def named_in(index: PlaceIndex, prompt: str) -> list[str]:
    """The known files that a prompt names plainly: by their path, or by a name that no other file has."""
    paths, names = named_files(index, prompt)
    return sorted({*paths, *(path for path, clearly in names.items() if clearly == 1.0)})[:_MOST_NAMED]


def nearness(patterns: Iterable[str], named: Sequence[str], places: Sequence[LikelyPlace]) -> float:
    """What it adds that the work is, or may be, where these patterns say: most where one is the very file."""
    added = 0.0
    for pattern in patterns:
        if pattern in named:
            return _NAMED
        if any(fits_path(pattern, path) for path in named):
            added = max(added, _BELOW_NAMED)
        added = max([added, *(place.chance for place in places if fits_path(pattern, place.path))])
    return added


def is_said(prompt: str) -> bool:
    """Whether a prompt says enough to be answered: "yes" and "go on" do not."""
    return len(set(terms_of(prompt))) >= _FEWEST_TERMS


def is_meant(match: NoteMatch, nearness: float) -> bool:
    """Whether a first prompt is about a note, with what its place adds. A single word is not enough."""
    return match.worth + nearness >= _FITS and (match.terms >= _FEWEST_TERMS or nearness >= _BELOW_NAMED)


def is_strongly_meant(match: NoteMatch, nearness: float) -> bool:
    """The same of a prompt in the middle of a session."""
    return match.worth + nearness >= _STRONG and match.terms >= _FEWEST_TERMS
