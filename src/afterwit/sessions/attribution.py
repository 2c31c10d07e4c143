"""Which call wrote a line: the lines of a file against what calls wrote into it, and when each line was committed.

A line is looked for in what calls added, without its white space, together with the lines around it that the same
commit brought: what stands alone and says little (`}`, `return x`) belongs to whatever wrote its surroundings. A call
that came after the commit of a line did not write it. Of several that wrote the same enough, the last one before the
commit did. What matches nowhere is left open. Pure.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from difflib import SequenceMatcher
from functools import lru_cache
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
_MOST_PLACES = 24  # of equal lines that are followed
_LONG_KEY = 24
_COMMIT_SLACK_MS = 60_000
_NO_LETTERS = regex(r"[\W_]+")
_HIDDEN = regex(rf"{PLACEHOLDER.pattern}|\[?REDACTED\]?")
_BETWEEN = "\0"


class Writing(NamedTuple):
    """What one call wrote into a file."""

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
    runs: list[range] = []
    chains: list[_Chain] = []
    matches: list[Match | None] = []
    for origin, group in groupby(range(len(lines)), key=lambda at: origins[at]):
        places = list(group)
        runs.append(range(places[0], places[-1] + 1))
        until = len(writings)
        if origin.at_ms is not None:
            until = sum(writing.at_ms <= origin.at_ms + _COMMIT_SLACK_MS for writing in writings)
        here = written.follow(keys, runs[-1], until)
        chains += here
        chained = {pair.line for chain in here for pair in chain.pairs}
        matches += (None if at in chained else written.match_alone(keys[at], until) for at in runs[-1])
    brought = [(origin.commit, key) for origin, key in zip(origins, keys, strict=True)]
    explained = {pair for pair, count in Counter(brought).items() if written.explains(pair[1], count)}
    alone = {at for at, pair in enumerate(brought) if pair in explained}
    for line, place in _place_lines(chains, [origin.commit for origin in origins], written, alone).items():
        matches[line] = Match(place.writing)
    for run in runs:
        _fill(matches, keys, run)
        _fill(matches, keys, run[::-1])
    return matches


def _place_lines(
    chains: Iterable["_Chain"], commits: Sequence[str], written: "_Written", alone: AbstractSet[int]
) -> dict[int, "_Place"]:
    """Where lines were written. What a call wrote came with one commit: what another one has of it was copied from
    there. First what matches most and, of what is plenty, the last, if one of its lines is `alone`: no oftener in this
    file than one call wrote it. What stands in twins too was as likely written there. Then what says little, close to
    other lines of the same block."""
    brought: dict[_Place, str] = {}
    placed: dict[int, _Place] = {}
    order = sorted(chains, key=lambda chain: (min(chain.weight, _PLENTY), chain.writing, chain.weight), reverse=True)
    for is_little in (False, True):
        for chain in order:
            commit = commits[chain.pairs[0].line]
            free = [
                pair
                for pair in chain.pairs
                if pair.line not in placed
                and brought.get(pair.place, commit) == commit
                and (not is_little or _is_near(pair, placed))
            ]
            weight = sum(pair.weight for pair in free)
            is_whole = weight >= _LITTLE and len(free) == len(written.blocks[chain.block])
            is_telling = (weight >= _TELLING or is_whole) and any(pair.line in alone for pair in free)
            if is_little or is_telling:
                brought.update((pair.place, commit) for pair in free)
                placed.update((pair.line, pair.place) for pair in free)
    return placed


def _is_near(pair: "_Pair", placed: Mapping[int, "_Place"]) -> bool:
    """Whether lines close by were written close by."""
    near = (placed.get(line) for line in range(pair.line - _NEAR, pair.line + _NEAR + 1))
    return any(other and other.block == pair.place.block and abs(other.at - pair.place.at) <= _NEAR for other in near)


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


@lru_cache(maxsize=1 << 14)
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
        self.blocks: list[list[str]] = []
        self.places: dict[str, list[_Place]] = {}
        self.hidden: list[tuple[int, re.Pattern[str]]] = []  # lines of which something was taken out
        self._anywhere: set[str] = set()  # lines that a call put wherever another stood
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
        self._anywhere.update(after if span.is_everywhere else ())
        for block in _blocks(after, is_new):
            self.blocks.append(block)
            self._texts.append((number, "".join(block)))
            for at, key in enumerate(block):
                if _weight(key) >= _TRIVIAL:
                    self.places.setdefault(key, []).append(_Place(number, len(self.blocks) - 1, at))
                rest = _HIDDEN.sub(_BETWEEN, key)
                if rest != key and _weight(rest) >= _TELLING:
                    self.hidden.append((number, re.compile(".+".join(map(re.escape, rest.split(_BETWEEN))))))

    def follow(self, keys: Sequence[str], run: range, until: int) -> list["_Chain"]:
        """The chains of lines that one commit brought, among calls before it."""
        chains: list[_Chain] = []
        last: dict[_Place, _Chain] = {}
        for line in run:
            following = ((_Place(place.writing, place.block, place.at + 1), chain) for place, chain in last.items())
            now = {place: chain for place, chain in following if self._key_at(place) == keys[line]}
            places = [place for place in self.places.get(keys[line], ()) if place.writing < until]
            for place in places[-_MOST_PLACES:]:
                if place not in now:
                    now[place] = _Chain(place.writing, place.block)
                    chains.append(now[place])
            for place, chain in now.items():
                chain.pairs.append(_Pair(line, place, _weight(keys[line])))
            last = now
        return chains

    def _key_at(self, place: _Place) -> str | None:
        block = self.blocks[place.block]
        return block[place.at] if place.at < len(block) else None

    def explains(self, key: str, count: int) -> bool:
        """Whether one call may have written a line so often."""
        times = Counter(place.writing for place in self.places.get(key, ()))
        return key in self._anywhere or count <= max(times.values(), default=0)

    def match_alone(self, key: str, until: int) -> Match | None:
        """A line that stands nowhere as it is: with other line breaks, or with something that was taken out."""
        if _weight(key) < _TELLING:
            return None
        if len(key) >= _LONG_KEY and key in self._all:
            texts = (number for number, text in reversed(self._texts) if number < until and key in text)
            if (writing := next(texts, None)) is not None:
                return Match(writing, is_laid_out=True)
        hidden = (number for number, pattern in reversed(self.hidden) if number < until and pattern.fullmatch(key))
        return next((Match(number) for number in hidden), None)


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


class _Pair(NamedTuple):
    """A line of the file, and the same in a block."""

    line: int
    place: _Place
    weight: int


class _Chain:
    """Lines of the file that match lines of one block in a row."""

    def __init__(self, writing: int, block: int) -> None:
        self.writing = writing
        self.block = block
        self.pairs: list[_Pair] = []

    @property
    def weight(self) -> int:
        return sum(pair.weight for pair in self.pairs)
