"""Whether confidence is honest: what a note was given before each session that spoke of it, and what that session said.

A prediction is the confidence of a note as it stood before a session, from the evidence and decisions of earlier ones.
It came true where the session speaks for the note. A session in which the note was told is no test of it, unless it
answers a failure and was put to the test. A session that says nothing of a note is no test either, and nothing is known
of notes that were never found: both flatter.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from afterwit.knowledge.belief import is_test
from afterwit.knowledge.weighing import is_put_to_test
from afterwit.measure.metrics.as_of import NoteHistory, item_before, names_of, time_of
from afterwit.model.knowledge import Evidence, Item


class ConfidenceTest(NamedTuple):
    """A session that speaks of a note."""

    at_ms: int
    session: str
    item: str
    confidence: float  # before
    came_true: bool


def confidence_tests(items: Iterable[Item], history: NoteHistory, since_ms: int = 0) -> list[ConfidenceTest]:
    """In order of time."""
    return sorted(test for item in items for test in _tests(item, history) if test.at_ms >= since_ms)


def _tests(item: Item, history: NoteHistory) -> Iterator[ConfidenceTest]:
    for piece in _first_of_sessions(item, history):
        before = item_before(item, piece, history)
        if before is not None:
            yield ConfidenceTest(
                time_of(piece), piece.session.native_id, item.id, before.belief.mean, not piece.is_against
            )


def _first_of_sessions(item: Item, history: NoteHistory) -> Iterator[Evidence]:
    """The first word of each independent session, but for the session that a note comes from, and for echoes."""
    echoes = frozenset().union(*(history.echoes.get(name, frozenset()) for name in names_of(item)))
    is_answer = is_put_to_test(item)
    seen: set[str] = set()
    for piece in sorted(filter(time_of, item.evidence), key=lambda piece: (time_of(piece), piece.is_against)):
        story = piece.session.story
        if story not in seen and (story not in echoes or (is_answer and is_test(piece))):
            seen.add(story)
            if len(seen) > 1:
                yield piece
