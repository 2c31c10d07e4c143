from hypothesis import given
from hypothesis import strategies as st

from afterwit.model.captured import key_of


@given(st.text())
def test_a_key_is_a_signed_64_bit_number(identity: str) -> None:
    assert -(2**63) <= key_of(identity) < 2**63


def test_a_key_is_the_same_on_every_machine() -> None:
    assert key_of("call:toolu_1") == -3_319_981_367_525_355_584


def test_different_records_have_different_keys() -> None:
    assert len({key_of(f"call:{number}") for number in range(10_000)}) == 10_000


def test_a_lone_surrogate_has_a_key() -> None:
    assert key_of("\udcff") != key_of("\udcfe")
