"""Every pattern for a failure that gets no answer needs one of the words."""

import re
from collections.abc import Iterable
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any

import pytest

from afterwit.actions.failures import messages as says
from afterwit.actions.failures.unanswered_words import may_go_unanswered, names_code_place

TABLES = ("CONTRACT", "RATE", "TRANSIENT", "WAITED", "STATE", "NO_PACKAGE", "BUILD", "TESTS", "TALLIES", "LINT")
ELSEWHERE = ("! ", "# ", "e\0")  # lines that begin like this are told by that, as are those that are not ASCII
_DIGITS = ([(_constants.CATEGORY, _constants.CATEGORY_DIGIT)], [(_constants.RANGE, (ord("1"), ord("9")))])


def needed(pattern: Iterable[Any]) -> list[str]:
    """For each way through a pattern, the letters that whatever it matches holds: 7 for a digit, NUL for the rest."""
    found = [""]
    for kind, value in pattern:
        found = [before + part for before in found for part in _parts(kind, value)]
    return found


def _parts(kind: object, value: Any) -> list[str]:
    if kind is _constants.LITERAL:
        return [chr(value).lower()]
    if kind is _constants.IN and value in _DIGITS:
        return ["7"]
    if kind is _constants.IN and all(one is _constants.LITERAL for one, _ in value):
        return [chr(code).lower() for _, code in value]
    if kind is _constants.BRANCH:
        return [part for branch in value[1] for part in needed(branch)]
    if kind is _constants.SUBPATTERN:
        return needed(value[3])
    if kind in (_constants.AT, _constants.ASSERT, _constants.ASSERT_NOT):
        return [""]
    if kind in (_constants.MAX_REPEAT, _constants.MIN_REPEAT) and value[0]:
        return [f"{part}\0" for part in needed(value[2])]
    return ["\0"]


@pytest.mark.parametrize("table", TABLES)
def test_no_pattern_does_without_the_words(table: str) -> None:
    for form in getattr(says, table)._forms:
        for text in needed(_parser.parse(form, re.IGNORECASE | re.MULTILINE)):
            is_told_elsewhere = not text.isascii() or text.lstrip("\0").startswith(ELSEWHERE)
            assert may_go_unanswered(text) or is_told_elsewhere, text


@pytest.mark.parametrize(
    "message",
    ["unknown option --fast", "src/quince.py: No such file or directory", "command not found: go", "permission denied"],
)
def test_usual_messages_about_a_call_hold_none_of_them(message: str) -> None:
    assert not may_go_unanswered(message)


@pytest.mark.parametrize("line", ["press.py:12: oh", "press.ts(4,7): oh", "E: press.py:[3]"])
def test_a_place_in_a_file_is_noticed(line: str) -> None:
    assert says.CODE_PLACE.match(line)
    assert names_code_place(line)
