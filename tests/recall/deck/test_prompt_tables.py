"""Places in a deck answer as they do in memory."""

from collections.abc import Iterator
from importlib import resources
from typing import Any

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.recall.works import content_of, source, works_of
from tests.thoroughness import examples

from afterwit.recall.deck.prompt_tables import PromptChanges, PromptSource, update_prompt_tables
from afterwit.recall.place_index import PlaceIndex, PlaceSighting, pack_numbers, unpack_numbers
from afterwit.recall.places import KnownRepo, Question, guess

_PATHS = ("src/login.py", "src/cart.py", "tests/test_cart.py", "README.md")


def new_part() -> apsw.Connection:
    part = apsw.Connection(":memory:")
    part.execute(resources.files("afterwit.recall.deck").joinpath("part.sql").read_text("utf-8"))
    return part


@pytest.fixture
def part() -> Iterator[apsw.Connection]:
    connection = new_part()
    yield connection
    connection.close()


def test_a_repository_that_is_not_known_has_nothing(part: apsw.Connection) -> None:
    update_prompt_tables(part, source(), str)
    question = Question("empty the cart", "main")
    for nothing in (part, None):
        assert guess(KnownRepo(PlaceIndex(nothing)), question) == []


def test_commits_count_as_no_sessions(part: apsw.Connection) -> None:
    session = PlaceSighting("s", "cart", ["src/session.py"], at_ms=0)
    commit = PlaceSighting("c", "cart", ["src/c.py"], at_ms=1, is_session=False)
    update_prompt_tables(part, source([session, commit]), str)
    stored = PlaceIndex(part)
    assert (stored.sessions_of("src/session.py"), stored.sessions_of("src/c.py")) == (1, 0)


def test_a_commit_is_redacted_and_a_path_that_would_be_is_not_known(part: apsw.Connection) -> None:
    commit = PlaceSighting("c", "hush the cart", ["src/hush.py", "src/cart.py"], at_ms=1, is_session=False)
    update_prompt_tables(part, source([commit]), lambda text: text.replace("hush", "…"))
    stored = PlaceIndex(part)
    assert (stored.knows("src/hush.py"), stored.knows("src/cart.py")) == (False, True)
    assert set(stored.likeness(["hush"])) == set()
    assert set(stored.likeness(["cart"])) == {"c"}


_STATES = st.lists(
    st.dictionaries(
        st.sampled_from(("s1", "s2", "s3", "s4", "s5")),
        st.builds(
            lambda text, paths, branch, at_ms: (text, sorted(paths), branch, at_ms),
            st.sampled_from(("repair the login", "empty the cart", "explain the cart", "")),
            st.frozensets(st.sampled_from(_PATHS)),
            st.sampled_from(("main", "cart-fix", "")),
            st.integers(0, 5),
        ),
    ),
    min_size=2,
    max_size=5,
)


@given(_STATES)
@settings(max_examples=examples(80), deadline=None)
def test_a_part_that_follows_another_says_what_one_made_from_nothing_says(
    states: list[dict[str, Any]],
) -> None:
    following = new_part()
    before: dict[str, Any] = {}
    for state in states:
        works = {name: PlaceSighting(name, *about) for name, about in state.items()}
        changed = {name: work for name, work in works.items() if before.get(name) != state[name]}
        changes = PromptChanges(works.keys() - changed.keys(), changed)
        update_prompt_tables(following, PromptSource("1", lambda _, changes=changes: changes), str)  # type: ignore[misc]
        anew = new_part()
        update_prompt_tables(anew, PromptSource("1", lambda _, works=works: PromptChanges((), works)), str)  # type: ignore[misc]
        assert content_of(following) == content_of(anew)
        anew.close()
        before = state
    following.close()


def test_only_works_that_changed_are_redacted(part: apsw.Connection) -> None:
    redacted: list[str] = []

    def redact(text: str) -> str:
        redacted.append(text)
        return text

    works = works_of([PlaceSighting("s1", "cart", ["a.py"]), PlaceSighting("s2", "login", ["b.py"])])
    update_prompt_tables(part, PromptSource("1", lambda _: PromptChanges((), works)), redact)
    redacted.clear()
    changed = works_of([PlaceSighting("s2", "logout", ["b.py"])])
    update_prompt_tables(part, PromptSource("2", lambda known: PromptChanges({*known} - {"s2"}, changed)), redact)
    assert redacted == ["logout"]


@given(st.lists(st.integers(0, 2**32 - 1)))
@settings(max_examples=examples(40))
def test_what_is_packed_comes_out_again(numbers: list[int]) -> None:
    assert unpack_numbers(pack_numbers(numbers)) == numbers
