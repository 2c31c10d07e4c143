"""The index of what sessions touched: a function of the sessions in it, whatever the order they came in."""

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.thoroughness import examples

from afterwit.recall.deck.prompt_tables import places_of
from afterwit.recall.place_index import PlaceSighting
from afterwit.recall.places import KnownRepo, Question, guess

_PATHS = ("src/login.py", "src/cart.py", "tests/test_cart.py", "README.md")
_SIGHTINGS = st.lists(
    st.builds(
        lambda text, paths, branch, at_ms: (text, sorted(paths), branch, at_ms),
        st.sampled_from(("repair the login", "empty the cart", "explain the cart", "")),
        st.frozensets(st.sampled_from(_PATHS)),
        st.sampled_from(("main", "cart-fix")),
        st.integers(0, 5),
    ),
    max_size=6,
)
_QUESTION = Question("the Basket of the cart loses its login", "cart-fix")


@given(_SIGHTINGS, st.randoms(use_true_random=False))
@settings(max_examples=examples(40), deadline=None)
def test_the_order_in_which_sessions_come_changes_no_guess(rows: list[tuple], rng) -> None:  # type: ignore[no-untyped-def, type-arg]
    sightings = [PlaceSighting(f"s{number}", *row) for number, row in enumerate(rows)]
    shuffled = list(sightings)
    rng.shuffle(shuffled)
    assert guess(KnownRepo(places_of(sightings, str)), _QUESTION) == guess(
        KnownRepo(places_of(shuffled, str)), _QUESTION
    )
