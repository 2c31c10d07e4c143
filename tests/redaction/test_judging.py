"""Values beside a telling name: passwords and random text on one side, code and words on the other."""

import pytest
from tests.every import for_every

from afterwit.redaction.matching import entropy, is_basic_credential, is_password, is_random, is_token, is_url_password


@pytest.mark.parametrize("value", ["hunter2", "p@ss!word", "Tr0ub4dor&3", "123456", "zq81kdx"])
def test_a_password_needs_a_digit_or_a_symbol_outside_quotes(value: str) -> None:
    assert is_password(value, is_bare=True)


@for_every(
    "value",
    ["string", "getPassword()", "user.password", "$PASSWORD", "${X1}", "None", "****", "xxxx1", "/etc/pw1", "a1"],
)
def test_code_and_masks_are_no_passwords(value: str) -> None:
    assert not is_password(value, is_bare=True)
    assert not is_password(value, is_bare=False)


def test_quotes_make_a_plain_word_a_password() -> None:
    assert is_password("swordfish", is_bare=False)
    assert not is_password("swordfish", is_bare=True)


@pytest.mark.parametrize("value", ["a8f3k2m9x7c1", "0f23d56a89abc7ef0823c5678e9bcd4f", "xK9-mQ2_vT7.pL4"])
def test_letters_and_digits_in_turn_are_random(value: str) -> None:
    assert is_random(value)
    assert is_token(value)


@pytest.mark.parametrize(
    "value",
    [
        "1a2b3c4d-1111-2222-3333-444455556666", "test-token-value-123", "createTokenForUser2", "2024-05-01T10:00:00Z",
        "v1.2.3-beta.4", "request.headers.token", "4096",
    ],
)  # fmt: skip
def test_ids_words_dates_and_versions_are_not(value: str) -> None:
    assert not is_token(value)


def test_basic_credentials_decode_to_user_and_password() -> None:
    assert is_basic_credential("ZGVtbzpodW50ZXIy")
    assert not is_basic_credential("understanding")


@for_every(
    "value, is_secret", [("123456", True), ("12345678", True), ("8080", False), ("65535", False), ("$PW", False)]
)
def test_digits_in_an_address_are_a_password_where_they_are_too_many_for_a_port(value: str, is_secret: bool) -> None:
    assert is_url_password(value) is is_secret


def test_entropy_of_filler_is_low() -> None:
    assert entropy("") == 0
    assert entropy("xxxxxxxx") == 0
    assert entropy("abcdefgh") == 3
