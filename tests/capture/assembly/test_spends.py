from hypothesis import given, settings
from hypothesis import strategies as st
from tests.thoroughness import examples

from afterwit.capture.assembly.parts import merge_spends
from afterwit.model.captured import SpendRow

spend_rows = st.builds(
    SpendRow,
    part=st.just(0),
    key=st.just(1),
    at_ms=st.none() | st.integers(0, 9),
    model=st.sampled_from(["", "a", "b"]),
    input=st.integers(0, 9),
    cache_read=st.integers(0, 9),
    cache_write=st.integers(0, 9),
    output=st.integers(0, 9),
    reasoning=st.integers(0, 9),
    cost_usd=st.none() | st.floats(0, 9),
    cache_write_1h=st.integers(0, 9),
    is_nested=st.booleans(),
)


@given(spend_rows, spend_rows, spend_rows)
@settings(max_examples=examples(60))
def test_spends_merge_in_any_order_and_any_number_of_times(one: SpendRow, two: SpendRow, three: SpendRow) -> None:
    assert merge_spends(one, two) == merge_spends(two, one)
    assert merge_spends(one, one) == one
    assert merge_spends(merge_spends(one, two), three) == merge_spends(one, merge_spends(two, three))
