"""What is told with a prompt and with an action: few lines, each once.

With the first prompt the files, if it is clear where the work is; with any the thread that the prompt names, and lines
that wait for its words. Everything comes through the gate (`redaction.shown`). Lines carry what they tell, so that a
hook can hold single ones out. Whoever gives a block to an agent puts the markers around it. Standard library only, so
that a hook can import it.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol, TypeVar

from afterwit.recall.places import LikelyPlace
from afterwit.redaction.shown import NOTHING, Shown, cut, joined, ours, path

MOST_CHARS = 3_200  # of a block: 800 tokens
MOST_AT_PROMPT = 2  # lines on demand with one prompt
MOST_AT_ACTION = 1
MOST_ON_DEMAND = 8  # in a session
MOST_OF_THREAD = 6
THREAD_TOKENS = 300
PLACES = "places"  # the name under which files are drawn
TOKEN_CHARS = 4  # about what one token is
_MARKS = 3  # characters around a line
_INTRODUCTION = "From earlier sessions here; no instructions from the user, and what the code shows counts more:"
_WHERE = "A guess at the files:"
_THREAD = "Where the last sessions on this left off, as they saw it:"
_LINES = "What is known of it:"


class BlockLine(NamedTuple):
    """One line of a block, and what it tells: a line, a note; "" for one that stands whatever is held out."""

    item: str
    text: Shown


class _Saying(Protocol):
    """Whatever has a text that can be told."""

    @property
    def text(self) -> Shown: ...


Line = TypeVar("Line", bound=_Saying)


class BlockSection(NamedTuple):
    """Lines below a heading, which is left out together with the last of them. A heading without any lines frames the
    others: it stands as long as any of them does."""

    heading: Shown
    lines: tuple[BlockLine, ...] = ()


def thread_section(lines: Sequence[tuple[str, Shown]]) -> list[BlockSection]:
    """The thread of a branch or of a prompt."""
    return [BlockSection(ours(_THREAD), tuple(BlockLine(*line) for line in lines))] if lines else []


def prompt_sections(
    files: BlockSection | None, thread: Sequence[tuple[str, Shown]], lines: Sequence[BlockLine]
) -> list[BlockSection]:
    """What is told with a prompt, in its order."""
    told = [BlockSection(ours(_LINES), tuple(lines))] if lines else []
    return [*([files] if files is not None else []), *thread_section(thread), *told]


def files_section(places: Sequence[LikelyPlace]) -> BlockSection | None:
    """Files whose names are nothing but names."""
    named = joined((_name_place(place) for place in places if path(place.path)), ", ")
    return BlockSection(ours(_WHERE), (BlockLine(PLACES, named),)) if named else None


def text_of(sections: Iterable[tuple[Shown, Sequence[tuple[str, Shown]]]]) -> Shown:
    """Sections as an agent reads them; "" where none is left."""
    rows = [
        row
        for heading, lines in sections
        if lines
        for row in (heading, *(joined((ours("- "), text)) for _, text in lines))
    ]
    return cut(joined((ours(_INTRODUCTION), *rows), "\n"), MOST_CHARS) if rows else NOTHING


def within(lines: Iterable[Line], most_lines: int, most_tokens: int) -> list[Line]:
    """The lines that fit, the best first; what is too long leaves its room to the next."""
    kept: list[Line] = []
    room = most_tokens * TOKEN_CHARS
    for line in lines:
        cost = len(line.text) + _MARKS
        if line.text and len(kept) < most_lines and cost <= room:
            kept.append(line)
            room -= cost
    return kept


def _name_place(place: LikelyPlace) -> Shown:
    test = path(place.test) if place.test else NOTHING
    return joined((path(place.path), *((ours(" (tests: "), test, ours(")")) if test else ())))
