"""Places and talks in a deck answer as they do in memory."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.recall.talks.dialogues import cases, dialogues, digest_of, index_of

from afterwit.recall.decisions import decided
from afterwit.recall.deck import prompt_tables
from afterwit.recall.deck.first_prompt import (
    StoredPlaces,
    StoredTalks,
    pack_numbers,
    pack_weighted,
    unpack_numbers,
    unpack_weighted,
)
from afterwit.recall.deck.prompt_tables import PromptIndex, PromptSource, write_prompt_tables
from afterwit.recall.from_digest import talks_in
from afterwit.recall.place_index import PlaceIndex, PlaceSighting
from afterwit.recall.places import KnownRepo, Question, guess
from afterwit.recall.talks import Talk

_PATHS = ("src/login.py", "src/cart.py", "tests/test_cart.py", "README.md")
_SIGHTINGS = st.lists(
    st.builds(
        lambda text, paths, branch, at_ms: (text, dict.fromkeys(sorted(paths), ("Basket",)), branch, at_ms),
        st.sampled_from(("repair the login", "empty the cart", "explain the cart", "")),
        st.frozensets(st.sampled_from(_PATHS)),
        st.sampled_from(("main", "cart-fix", "")),
        st.integers(0, 5),
    ),
    max_size=6,
)
_QUESTIONS = (
    Question("the Basket of the cart loses its login", "cart-fix"),
    Question("see src/cart.py and readme.md", "main", "s1"),
    Question(""),
)


def source(sightings: Sequence[PlaceSighting] = (), talks: Sequence[Talk] = (), mark: str = "1") -> PromptSource:
    return PromptSource(mark, lambda: PromptIndex(sightings, talks))


@pytest.fixture
def db() -> Iterator[apsw.Connection]:
    connection = apsw.Connection(":memory:")
    yield connection
    connection.close()


@given(_SIGHTINGS)
@settings(max_examples=40, deadline=None)
def test_places_are_guessed_alike(rows: list[tuple]) -> None:  # type: ignore[type-arg]
    sightings = [PlaceSighting(f"s{number}", *row) for number, row in enumerate(rows)]
    index, connection = PlaceIndex(), apsw.Connection(":memory:")
    for sighting in sightings:
        index.put(sighting)
    write_prompt_tables(connection, {"shop": source(sightings), "other": source()})
    for question in _QUESTIONS:
        assert guess(KnownRepo(StoredPlaces(connection, "shop")), question) == guess(KnownRepo(index), question)
    connection.close()


def test_decisions_are_found_alike(db: apsw.Connection) -> None:
    talks = [talk for dialogue in dialogues() for talk in talks_in(digest_of(dialogue))]
    write_prompt_tables(db, {"other": source((), talks[:3]), "shop": source((), talks)})
    index = index_of()
    for case in cases():
        question = Question(case.prompt)
        assert decided(StoredTalks(db, "shop"), question) == decided(index, question)


def test_a_repository_that_is_not_known_has_nothing(db: apsw.Connection) -> None:
    write_prompt_tables(db, {})
    question = Question("empty the cart", "main", "s1")
    assert guess(KnownRepo(StoredPlaces(db, "shop")), question) == []
    assert decided(StoredTalks(db, "shop"), question) == []


def test_of_a_long_history_the_newest_is_kept(db: apsw.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prompt_tables, "MOST_SESSIONS", 2)
    sightings = [PlaceSighting(f"s{at}", "cart", {f"src/f{at}.py": ()}, at_ms=at) for at in (3, 1, 2)]
    write_prompt_tables(db, {"shop": source(sightings)})
    assert {place.path for place in guess(KnownRepo(StoredPlaces(db, "shop")), Question("cart"))} == {
        "src/f2.py",
        "src/f3.py",
    }


def test_commits_do_not_push_sessions_out(db: apsw.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prompt_tables, "MOST_COMMITS", 2)
    session = PlaceSighting("s", "cart", {"src/session.py": ()}, at_ms=0)
    commits = [
        PlaceSighting(f"c{at}", "cart", {f"src/c{at}.py": ()}, at_ms=at, is_session=False) for at in (1, 2, 3, 4)
    ]
    write_prompt_tables(db, {"shop": source([session, *commits])})
    stored = StoredPlaces(db, "shop")
    assert [stored.knows(f"src/{name}.py") for name in ("session", "c1", "c2", "c3", "c4")] == [1, 0, 0, 1, 1]
    assert (stored.sessions_of("src/session.py"), stored.sessions_of("src/c4.py")) == (1, 0)


def test_a_commit_is_redacted_and_a_path_that_would_be_is_not_known(db: apsw.Connection) -> None:
    commit = PlaceSighting("c", "hush the cart", {"src/hush.py": (), "src/cart.py": ()}, at_ms=1, is_session=False)
    write_prompt_tables(db, {"shop": source([commit])}, redact=lambda text: text.replace("hush", "…"))
    stored = StoredPlaces(db, "shop")
    assert (stored.knows("src/hush.py"), stored.knows("src/cart.py")) == (False, True)
    assert set(stored.likeness(["hush"])) == set()
    assert set(stored.likeness(["cart"])) == {"c"}


def test_a_repository_without_new_sessions_is_copied(tmp_path: Path) -> None:
    def refuse() -> PromptIndex:
        raise AssertionError("nothing has to be made anew")

    with closing(apsw.Connection(str(tmp_path / "old.db"))) as old:
        shop = [PlaceSighting("s1", "cart", {"src/cart.py": ("Cart",)}, "main", 5)]
        write_prompt_tables(old, {"attic": source(), "shop": source(shop, mark="7")})
    with closing(apsw.Connection(str(tmp_path / "new.db"))) as new:
        new.execute("ATTACH ? AS earlier", (str(tmp_path / "old.db"),))
        sources = {"attic": source(mark="2"), "barn": source(), "shop": PromptSource("7", refuse)}
        write_prompt_tables(new, sources, "earlier")
        new.execute("DETACH earlier")
        assert [place.path for place in guess(KnownRepo(StoredPlaces(new, "shop")), Question("cart"))] == [
            "src/cart.py"
        ]
        assert guess(KnownRepo(StoredPlaces(new, "barn")), Question("cart")) == []


@given(st.lists(st.tuples(st.integers(0, 2**32 - 1), st.integers(0, 255).map(lambda one: one / 100))))
@settings(max_examples=40)
def test_what_is_packed_comes_out_again(weighted: list[tuple[int, float]]) -> None:
    assert unpack_weighted(pack_weighted(weighted)) == weighted
    numbers = [number for number, _ in weighted]
    assert unpack_numbers(pack_numbers(numbers)) == numbers
