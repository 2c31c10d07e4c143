"""Which call wrote a line: the lines of a file against what calls wrote into it, and when each line was committed.

A line is looked for in what calls added, without its white space, together with the lines around it that the same
commit brought: what stands alone and says little (`}`, `return x`) belongs to whatever wrote its surroundings. A call
that came after the commit of a line did not write it. Of several that wrote the same enough, the last one before the
commit did. What matches nowhere is left open. Pure.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from typing import NamedTuple

from afterwit.actions.changes import SpanChange
from afterwit.model.text import regex
from afterwit.redaction.markers import PLACEHOLDER

_TRIVIAL = 4  # letters and digits below which a line says nothing
_TELLING = 16  # of the lines that match in a row: enough to be no accident
_LITTLE = 8  # of all that a call wrote in one place
_NEAR = 5  # lines
_PLENTY = 40  # enough to be this very place
_MOST_PLACES = 48  # of equal lines that are followed
_LONG_KEY = 24
_COMMIT_SLACK_MS = 60_000
_NO_LETTERS = regex(r"[\W_]+")
_HIDDEN = regex(rf"{PLACEHOLDER.pattern}|\[?REDACTED\]?")
_BETWEEN = "\0"


class Writing(NamedTuple):
    """What one call wrote into a file."""

    session: int
    at_ms: int
    spans: tuple[SpanChange, ...]


class LineOrigin(NamedTuple):
    """Where a line came into the history."""

    commit: str  # "" for one that is not committed
    at_ms: int | None = None


class Match(NamedTuple):
    writing: int  # the place of the call among those that were given
    is_laid_out: bool = False  # the call wrote the same with other line breaks


def attribute(lines: Sequence[str], origins: Sequence[LineOrigin], writings: Sequence[Writing]) -> list[Match | None]:
    """For each line the call that wrote it; None where that cannot be told. Calls come oldest first."""
    keys = [key_of(line) for line in lines]
    written = _Written(writings)
    matches: list[Match | None] = []
    weak: list[list[int]] = []  # calls that wrote a line that says little
    runs: list[range] = []
    for origin, group in groupby(range(len(lines)), key=lambda at: origins[at]):
        places = list(group)
        runs.append(range(places[0], places[-1] + 1))
        until = len(writings)
        if origin.at_ms is not None:
            until = sum(writing.at_ms <= origin.at_ms + _COMMIT_SLACK_MS for writing in writings)
        run = _Run(written, keys[runs[-1].start : runs[-1].stop], until)
        matches += run.matches()
        weak += run.weak()
    matches = _with_near(matches, weak, writings)
    for places_of_run in runs:
        _fill(matches, keys, places_of_run)
        _fill(matches, keys, places_of_run[::-1])
    return matches


def _with_near(
    matches: Sequence[Match | None], weak: Sequence[Sequence[int]], writings: Sequence[Writing]
) -> list[Match | None]:
    """Lines that say little are of a session that wrote them, where it wrote others close by."""
    filled = list(matches)
    for at, candidates in enumerate(weak):
        if matches[at] is None and candidates:
            near = matches[max(0, at - _NEAR) : at + _NEAR + 1]
            sessions = {writings[match.writing].session for match in near if match}
            last = next((number for number in reversed(candidates) if writings[number].session in sessions), None)
            filled[at] = None if last is None else Match(last)
    return filled


def _fill(matches: list[Match | None], keys: Sequence[str], order: Iterable[int]) -> None:
    """Lines that say nothing go with the one before them in this order."""
    near: Match | None = None
    for at in order:
        if matches[at] is None and near is not None and _weight(keys[at]) < _TRIVIAL:
            matches[at] = Match(near.writing)
        near = matches[at]


def count_added(span: SpanChange) -> int:
    """The lines that were not there before, as far as the call says."""
    return sum(_added([key_of(line) for line in span.before], [key_of(line) for line in span.after]))


def key_of(line: str) -> str:
    """A line as it is compared: layout does not count."""
    return "".join(line.split()).lstrip("\ufeff")


def _weight(key: str) -> int:
    return len(_NO_LETTERS.sub("", key))


class _Place(NamedTuple):
    """A line of a block that a call wrote."""

    writing: int
    block: int
    at: int


class _Written:
    """What calls added, block by block, and where each line stands in it."""

    def __init__(self, writings: Sequence[Writing]) -> None:
        self.writings = writings
        self.blocks: list[list[str]] = []
        self.places: dict[str, list[_Place]] = {}
        self.hidden: list[tuple[int, re.Pattern[str]]] = []  # lines of which something was taken out
        self._texts: list[tuple[int, str]] = []  # of blocks, without their line breaks
        standing: set[str] = set()
        for number, writing in enumerate(writings):
            for span in writing.spans:
                self._take(number, span, standing)
        self._all = _BETWEEN.join(text for _, text in self._texts)

    def _take(self, number: int, span: SpanChange, standing: set[str]) -> None:
        before, after = [key_of(line) for line in span.before], [key_of(line) for line in span.after]
        if span.is_whole:
            is_new = [key not in standing for key in after]
            standing.clear()
        else:
            is_new = _added(before, after)
            standing.difference_update(before)
        standing.update(after)
        for block in _blocks(after, is_new):
            self.blocks.append(block)
            self._texts.append((number, "".join(block)))
            for at, key in enumerate(block):
                if _weight(key) >= _TRIVIAL:
                    self.places.setdefault(key, []).append(_Place(number, len(self.blocks) - 1, at))
                rest = _HIDDEN.sub(_BETWEEN, key)
                if rest != key and _weight(rest) >= _TELLING:
                    self.hidden.append((number, re.compile(".+".join(map(re.escape, rest.split(_BETWEEN))))))

    def last_holding(self, text: str, until: int) -> int | None:
        """The last call that wrote this, over however many lines."""
        if text not in self._all:
            return None
        return next((number for number, block in reversed(self._texts) if number < until and text in block), None)


def _added(before: list[str], after: list[str]) -> list[bool]:
    """Of each line whether it was not there before."""
    is_new = [True] * len(after)
    for _, start, length in SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks():
        is_new[start : start + length] = [False] * length
    return is_new


def _blocks(lines: list[str], is_new: list[bool]) -> Iterator[list[str]]:
    """The new lines that stand in a row. One that says nothing goes with the one before it."""
    block: list[str] = []
    for line, new in zip(lines, is_new, strict=True):
        if new or (block and _weight(line) < _TRIVIAL):
            block.append(line)
        elif block:
            yield block
            block = []
    if block:
        yield block


class _Chain:
    """Lines of the file that match lines of one block in a row."""

    def __init__(self, writing: int, block: int) -> None:
        self.writing = writing
        self.block = block
        self.weight = self.lines = 0


class _Run:
    """Lines that one commit brought, in a row."""

    def __init__(self, written: _Written, keys: Sequence[str], until: int) -> None:
        self._written = written
        self._keys = keys
        self._until = until
        self._weights = [_weight(key) for key in keys]
        self._chains = list(self._follow())

    def matches(self) -> list[Match | None]:
        return [self._best(at) or self._alone(at) for at in range(len(self._keys))]

    def weak(self) -> list[list[int]]:
        """For each line the calls that wrote it, whatever stands around it."""
        return [sorted({chain.writing for chain in chains}) for chains in self._chains]

    def _follow(self) -> Iterator[list[_Chain]]:
        """For each line the chains that go through it."""
        last: dict[_Place, _Chain] = {}
        for key, weight in zip(self._keys, self._weights, strict=True):
            now = {
                following: chain
                for place, chain in last.items()
                if self._key_at(following := place._replace(at=place.at + 1)) == key
            }
            for place in self._places_of(key):
                now.setdefault(place, _Chain(place.writing, place.block))
            for chain in now.values():
                chain.weight += weight
                chain.lines += 1
            yield list(now.values())
            last = now

    def _places_of(self, key: str) -> list[_Place]:
        places = self._written.places.get(key, [])
        return [place for place in places if place.writing < self._until][-_MOST_PLACES:]

    def _key_at(self, place: _Place) -> str | None:
        block = self._written.blocks[place.block]
        return block[place.at] if place.at < len(block) else None

    def _best(self, at: int) -> Match | None:
        """The last of the calls whose match is plenty; where none is, the one that matches most."""
        chains = [chain for chain in self._chains[at] if chain.weight >= _TELLING or self._is_whole(chain)]
        if not chains:
            return None
        most = max(chain.weight for chain in chains)
        writing = max(chain.writing for chain in chains if chain.weight >= min(most, _PLENTY))
        return Match(writing)

    def _is_whole(self, chain: _Chain) -> bool:
        """Whether all that stands in a block matches, which says something where that is little."""
        return chain.weight >= _LITTLE and chain.lines == len(self._written.blocks[chain.block])

    def _alone(self, at: int) -> Match | None:
        """A line that stands nowhere as it is."""
        key = self._keys[at]
        if self._chains[at] or self._weights[at] < _TELLING:
            return None
        written, until = self._written, self._until
        if len(key) >= _LONG_KEY and (writing := written.last_holding(key, until)) is not None:
            return Match(writing, is_laid_out=True)
        for writing, pattern in reversed(written.hidden):
            if writing < until and pattern.fullmatch(key):
                return Match(writing)
        return None
