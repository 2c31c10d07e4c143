"""Which notes of a repository are about a prompt, by words: of what they say, when they are needed, and their paths.

Rare terms tell more than common ones, those that any task may have tell little, and a short note with the term more
than a long one. What a match is worth is counted in terms that no other note holds. `NoteWords` is all that is asked of
notes: one implementation is here, in memory, another reads the tables of a deck. The constants were set by hand; they
rank, and do not claim to be chances. Standard library only.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from afterwit.actions.quick_look import fits_path
from afterwit.recall.place_index import KnownPlaces
from afterwit.recall.places import LikelyPlace, named_files
from afterwit.recall.terms import ROUTINE, ROUTINE_SHARE, rarity, terms_of

_FITS = 2.2  # that a note is worth at the first prompt
_STRONG = 2.8  # the same at a later one
_NAMED = 2.0  # what it adds that the prompt names a file which the note waits for
_BELOW_NAMED = 1.0  # the same, where the note waits for a folder that the file is in
_FEWEST_NOTES = 40  # among fewer, too many words look rare
_MOST_NAMED = 20  # files of one prompt
_FEWEST_TERMS = 2  # of a prompt that says something
_USUAL = 15  # terms of a prompt; in a longer one, some are always found
_TELLING = 0.5  # of what a term tells that no other note holds: a match needs one such


class NoteWords(Protocol):
    """The words of the notes of one repository."""

    def size(self) -> int:
        """How many notes there are."""

    def holders(self, terms: Iterable[str]) -> Mapping[str, Mapping[str, float]]:
        """For each of these terms that is known: the notes that hold it, and what it weighs there."""


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
    unit = rarity(max(notes.size(), _FEWEST_NOTES), 1)
    worth: defaultdict[str, float] = defaultdict(float)
    best: defaultdict[str, float] = defaultdict(float)
    held: defaultdict[str, int] = defaultdict(int)
    for term, holders in sorted(notes.holders(terms).items()):
        tells = rarity(max(notes.size(), _FEWEST_NOTES), len(holders)) * (ROUTINE_SHARE if term in ROUTINE else 1.0)
        for note, weight in holders.items():
            worth[note] += tells * weight
            best[note] = max(best[note], tells)
            held[note] += 1
    damping = math.sqrt(max(1.0, len(terms) / _USUAL))
    return {
        note: NoteMatch(worth[note] / unit / damping, held[note]) for note in worth if best[note] >= _TELLING * unit
    }


def named_in(index: KnownPlaces, prompt: str) -> list[str]:
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
