"""Patterns of paths: what they mean, and that no path makes them slow."""

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.every import for_every
from tests.thoroughness import examples

from afterwit.actions import quick_look
from afterwit.actions.quick_look import _is_name, fits_path
from afterwit.recall.deck.firing_lines import needed_by_path
from afterwit.recall.deck.reader import words_in

_WANTED = ("a", "b", "ab", "*", "**", "?", "a*", "*b", "*a*", "?b", "", "a.b", "***", "a**b")
_GIVEN = ("a", "b", "ab", "aab", "", "a.b", "c", "a\nb", "*")


def joined(names: tuple[str, ...], most: int) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(names), max_size=most).map("/".join)


def is_meant(wanted: list[str], names: list[str]) -> bool:
    """What the documentation says, tried in all ways. The end of a pattern means all below."""
    if not wanted:
        return True
    first, *rest = wanted
    if first == "**" and rest:
        return any(is_meant(rest, names[at:]) for at in range(len(names) + 1))
    letters = {"*": ".*", "?": "."}
    form = "".join(letters.get(letter, re.escape(letter)) for letter in first)
    return bool(names) and re.fullmatch(form, names[0], re.DOTALL) is not None and is_meant(rest, names[1:])


@given(joined(_WANTED, 4), joined(_GIVEN, 5))
@example("a/", "b/a/c")
@example("a/**", "a")
@example("a/**", "a/")
@example("**/a/**/b", "a/a/c/b/c")
@settings(max_examples=examples(500), deadline=None)
def test_a_pattern_means_what_a_plain_search_finds(pattern: str, path: str) -> None:
    wanted = pattern.strip("/").split("/")
    anywhere = [] if "/" in pattern.rstrip("/") else ["**"]
    assert fits_path(pattern, path) == is_meant([*anywhere, *wanted], path.lstrip("/").split("/"))


@given(joined(_WANTED, 4), joined(_GIVEN, 5))
@settings(max_examples=examples(200), deadline=None)
def test_the_words_that_a_deck_asks_for_are_in_every_path_that_fits(pattern: str, path: str) -> None:
    if fits_path(pattern, path):
        assert needed_by_path(pattern) <= words_in(path)


@for_every(
    "pattern, path, fits",
    [
        ("src/api/*.py", "src/api/a.py", True),
        ("src/api/*.py", "src/api/b/a.py", False),
        ("docs", "x/docs/a.md", True),
        ("we.ird+/(x)", "we.ird+/(x)", True),
        ("app/[id].tsx", "app/[id].tsx", True),
        ("app/[id].tsx", "app/i.tsx", False),
        ("/src", "src/a", True),
        ("src/**.py", "src/a.py", True),
        ("src/**.py", "src/a/b.py", False),
        ("a**/b", "ab", False),
    ],
)
def test_letters_are_letters_and_stars_within_a_name_stay_there(pattern: str, path: str, fits: bool) -> None:
    assert fits_path(pattern, path) is fits


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("**/a/**/a/**/a/**/b", "b/" + "a/" * 300 + "c"),
        ("**/*a*a*a*b/**/*a*a*b", ("a" * 60 + "/") * 20 + "c"),
        ("*a*a*a*a*a*b", "a" * 500),
        ("**/" * 40 + "b", "a/" * 300 + "c"),
    ],
)
def test_no_path_takes_more_steps_than_it_has_letters_for_each_letter_of_the_pattern(
    pattern: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = 0

    def counted(wanted: str, letter: str) -> bool:
        nonlocal steps
        steps += 1
        assert steps <= len(pattern) * len(path)
        return wanted in ("?", letter)

    def named(wanted: str, name: str) -> bool:
        counted(wanted, name)
        return whole(wanted, name)

    whole = _is_name
    monkeypatch.setattr(quick_look, "_is_letter", counted)
    monkeypatch.setattr(quick_look, "_is_name", named)
    assert not fits_path(pattern, path)
    assert steps > 0
