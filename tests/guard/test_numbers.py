"""Telephones, bank accounts and cards: what counts, and what only looks like it. All numbers are invented."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterwit.guard.people import iban_end, is_card, is_phone
from afterwit.guard.redaction import Redactor


@pytest.mark.parametrize(
    "number",
    [
        *("+49 151 12345678", "+1 (415) 555-0137", "+1 415 555 0137", "+1-415-555-0137", "+44 20 7946 0958"),
        *("+33 1 42 68 53 00", "+49 (0)30 123456", "+358 9 1234 567", "+91 98765 43210", "+49151 12345678"),
        *("030 123 456 78", "030 / 1234567", "(030) 1234567", "015123456789", "0049 30 1234567"),
    ],
)
def test_numbers_as_people_write_them_are_telephones(number: str) -> None:
    assert is_phone(number)


@pytest.mark.parametrize(
    "number",
    [
        *("+1 200 300", "+10 200 300 400", "+3 123 456 789", "+999 123 456 789", "+1 2 3 4 5 6 7 8 9 10 11"),
        *("+49  151  12345678", "+49 151 12345678901234", "0123", "0.1.2.3.4.5.6.7.8", "00000000"),
    ],
)
def test_other_numbers_are_no_telephones(number: str) -> None:
    assert not is_phone(number)


def iban_of(country: str, account: str) -> str:
    """With the check digits that belong to it."""
    turned = "".join(str(int(char, 36)) for char in f"{account}{country}00")
    return f"{country}{98 - int(turned) % 97:02}{account}"


@given(st.text("0123456789", min_size=18, max_size=18))
def test_an_account_counts_with_its_own_check_digits_alone(account: str) -> None:
    iban = iban_of("DE", account)
    spaced = " ".join(iban[at : at + 4] for at in range(0, len(iban), 4))
    assert iban_end(iban) == len(iban)
    assert iban_end(f"{spaced} COBADEFF") == len(spaced)
    assert iban_end(f"{iban}0") == 0
    wrong = f"{iban[:2]}{(int(iban[2:4]) + 1) % 100:02}{iban[4:]}"
    assert iban_end(wrong) == 0


def test_a_country_without_such_accounts_has_none() -> None:
    assert iban_end(iban_of("US", "1" * 18)) == 0
    assert iban_end("") == 0


@given(
    st.sampled_from(["4", "51", "2221", "34", "6011", "3530", "36"]), st.text("0123456789", min_size=15, max_size=15)
)
def test_one_check_digit_in_ten_makes_a_card(issuer: str, digits: str) -> None:
    length = {"34": 15, "36": 14}.get(issuer, 16)
    start = (issuer + digits)[: length - 1]
    assert sum(is_card(start + last) for last in "0123456789") == 1


@pytest.mark.parametrize("digits", ["1" * 16, "4" * 13, "9" * 16, "4" * 17, "0" * 16])
def test_numbers_outside_the_ranges_of_issuers_are_no_cards(digits: str) -> None:
    assert not is_card(digits)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("call +49 151 12345678 today", "phone"),
        ("Tel.: 030 / 123 456 78", "phone"),
        (f"pay to {iban_of('DE', '370400440532013000')}.", "iban"),
        ("card 4111 1111 1111 1111, 12/29", "card"),
        ("mira.lund@fjordpost.se", "email"),
    ],
)
def test_each_is_replaced_under_its_own_type(text: str, kind: str, redactor: Redactor) -> None:
    assert f"‹{kind}:" in redactor.text(text)
    assert redactor.text(redactor.text(text)) == redactor.text(text)


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("postgres://u:pw@host.tld", "postgres://u:‹postgres-password:"),
        ("https://demo:x9!k@host.tld/a", "https://demo:‹url-password:"),
        ("https://u:p@ss@host.tld", "https://u:‹url-password:"),
    ],
)
def test_a_password_before_a_host_is_no_e_mail_address(text: str, redacted: str, redactor: Redactor) -> None:
    found = redactor.text(text)
    assert found.startswith(redacted)
    assert "@host.tld" in found
    assert "email" not in found


def test_a_user_before_a_host_is_still_an_e_mail_address(redactor: Redactor) -> None:
    assert redactor.text("https://mira@dev.fjordpost.se/x").startswith("https://‹email:")
