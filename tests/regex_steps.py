"""Says of a compiled pattern whether Python's engine may need more than a few steps for each character of a text.

Three forms are known to do so: an unbounded repeat in an unbounded repeat where both can take the same characters, two
unbounded repeats of the same characters next to each other, and a search whose pattern begins with an unbounded repeat
that something can follow in vain. The pattern is parsed, never run.
"""

import re
from collections.abc import Iterable, Iterator
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

_ALL = frozenset(range(257))  # 256 stands for every character that Latin-1 does not have
_REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT)  # a possessive one never gives back what it took
_MANY = 200
_CATEGORIES = {
    op.CATEGORY_SPACE: r"\s",
    op.CATEGORY_NOT_SPACE: r"\S",
    op.CATEGORY_DIGIT: r"\d",
    op.CATEGORY_NOT_DIGIT: r"\D",
    op.CATEGORY_WORD: r"\w",
    op.CATEGORY_NOT_WORD: r"\W",
}
Item = tuple[Any, Any]


def faults(pattern: re.Pattern[Any], *, is_searched: bool) -> list[str]:
    """What is wrong with the pattern; `is_searched` where it is not tried at one place of the text alone."""
    items = list(parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG))
    found = {fault for sequence in _sequences(items) for fault in _in_sequence(sequence, pattern.flags)}
    if is_searched:
        found |= set(_leading(items, pattern.flags))
    return sorted(found)


def _in_sequence(items: list[Item], flags: int) -> Iterator[str]:
    for at, item in enumerate(items):
        if not _is_unbounded(item):
            continue
        taken = _chars(_body(item), flags)
        for following in items[at + 1 :]:
            if _is_unbounded(following) and taken & _first([following], flags):
                yield "repeats side by side"
            if not _can_be_empty([following]):
                break
        yield from _nested(item, flags)


def _nested(item: Item, flags: int) -> Iterator[str]:
    body = _body(item)
    for sequence in _alternatives(body):
        for at, inner in enumerate(sequence):
            if _is_unbounded(inner) and _chars(_body(inner), flags) & _first([*sequence[at + 1 :], item], flags):
                yield "repeat in a repeat"


def _leading(items: list[Item], flags: int) -> Iterator[str]:
    for sequence in _alternatives(items):
        ruled_out: frozenset[int] = frozenset()  # what cannot stand before the place, so that no run is entered twice
        for at, item in enumerate(sequence):
            ruled_out |= _not_before(item, flags)
            if _is_unbounded(item) and not _is_free(sequence[at + 1 :]):
                taken = _chars(_body(item), flags)
                if not taken or taken - ruled_out:
                    yield "search that begins with a repeat"
            if not _can_be_empty([item]):
                break


def _not_before(item: Item, flags: int) -> frozenset[int]:
    kind, value = item
    if kind is op.AT and value in (op.AT_BEGINNING, op.AT_BEGINNING_STRING):
        return _ALL - {10} if flags & re.MULTILINE and value is op.AT_BEGINNING else _ALL
    if kind is op.AT and value is op.AT_BOUNDARY:
        return _class([(op.CATEGORY, op.CATEGORY_WORD)], flags)
    if kind is op.ASSERT_NOT and value[0] < 0:
        return _first(value[1], flags)
    if kind is op.ASSERT and value[0] < 0:
        return _ALL - _first(value[1], flags)
    return frozenset()


def _is_free(rest: list[Item]) -> bool:
    """Whether what follows cannot fail."""
    return all(item[0] not in (op.AT, op.ASSERT, op.ASSERT_NOT) and _can_be_empty([item]) for item in rest)


def _sequences(items: list[Item]) -> Iterator[list[Item]]:
    for sequence in _alternatives(items):
        yield sequence
        for kind, value in sequence:
            for child in _children(kind, value):
                yield from _sequences(child)


def _alternatives(items: list[Item]) -> list[list[Item]]:
    """The sequences that a list of items stands for: groups opened, the branches of a lone choice apart."""
    flat = [part for item in items for part in (_group(item) if item[0] is op.SUBPATTERN else [item])]
    if len(flat) == 1 and flat[0][0] is op.BRANCH:
        return [sequence for branch in flat[0][1][1] for sequence in _alternatives(list(branch))]
    return [flat]


def _group(item: Item) -> list[Item]:
    return [part for each in item[1][-1] for part in (_group(each) if each[0] is op.SUBPATTERN else [each])]


def _children(kind: Any, value: Any) -> list[list[Item]]:
    if kind is op.BRANCH:
        return [list(branch) for branch in value[1]]
    if kind in (*_REPEATS, op.POSSESSIVE_REPEAT):
        return [list(value[2])]
    if kind in (op.ASSERT, op.ASSERT_NOT):
        return [list(value[1])]
    return [list(value)] if kind is op.ATOMIC_GROUP else []


def _is_unbounded(item: Item) -> bool:
    return item[0] in _REPEATS and item[1][1] >= _MANY


def _body(item: Item) -> list[Item]:
    return list(item[1][2])


def _can_be_empty(items: Iterable[Item]) -> bool:
    return all(_width(kind, value) == 0 for kind, value in items)


def _width(kind: Any, value: Any) -> int:
    """The least number of characters, as far as it matters: none or some."""
    if kind in (*_REPEATS, op.POSSESSIVE_REPEAT):
        return value[0] and not _can_be_empty(value[2])
    if kind is op.BRANCH:
        return not any(_can_be_empty(branch) for branch in value[1])
    if kind is op.SUBPATTERN:
        return not _can_be_empty(value[-1])
    if kind is op.ATOMIC_GROUP:
        return not _can_be_empty(value)
    return kind not in (op.AT, op.ASSERT, op.ASSERT_NOT, op.GROUPREF)


def _first(items: Iterable[Item], flags: int) -> frozenset[int]:
    """What the items can begin with."""
    found: frozenset[int] = frozenset()
    for kind, value in items:
        if kind in (*_REPEATS, op.POSSESSIVE_REPEAT):
            found |= _first(value[2], flags)
        elif kind is op.BRANCH:
            found |= frozenset().union(*(_first(branch, flags) for branch in value[1]))
        elif kind is op.SUBPATTERN:
            found |= _first(value[-1], flags)
        elif kind is op.ATOMIC_GROUP:
            found |= _first(value, flags)
        else:
            found |= _one(kind, value, flags)
        if _width(kind, value):
            break
    return found


def _chars(items: Iterable[Item], flags: int) -> frozenset[int]:
    """What a repeat takes again and again: a body of one character, or nothing that can be told."""
    sequence = [part for item in items for part in (_group(item) if item[0] is op.SUBPATTERN else [item])]
    if len(sequence) != 1 or sequence[0][0] is op.BRANCH:
        return frozenset()
    return _one(*sequence[0], flags)


def _one(kind: Any, value: Any, flags: int) -> frozenset[int]:
    if kind is op.LITERAL:
        return _cased({min(value, 256)}, flags)
    if kind is op.NOT_LITERAL:
        return _ALL - _cased({min(value, 256)}, flags) if value < 256 else _ALL
    if kind is op.ANY:
        return _ALL if flags & re.DOTALL else _ALL - {10}
    if kind is op.IN:
        return _class(value, flags)
    return frozenset()


def _class(parts: Iterable[Item], flags: int) -> frozenset[int]:
    found: set[int] = set()
    is_negated = False
    for kind, value in parts:
        if kind is op.NEGATE:
            is_negated = True
        elif kind is op.LITERAL:
            found.add(min(value, 256))
        elif kind is op.RANGE:
            found.update(range(min(value[0], 256), min(value[1], 256) + 1))
        elif kind is op.CATEGORY:
            known = re.compile(_CATEGORIES[value], flags & re.ASCII)
            found.update(code for code in range(256) if known.match(chr(code)))
            found |= {256} if value not in (op.CATEGORY_SPACE, op.CATEGORY_DIGIT) else set()
    result = _cased(found, flags)
    return (_ALL - result) | {256} if is_negated else result


def _cased(found: Iterable[int], flags: int) -> frozenset[int]:
    codes = frozenset(found)
    if not flags & re.IGNORECASE:
        return codes
    return codes | {ord(other) for code in codes if code < 128 for other in (chr(code).lower(), chr(code).upper())}
