"""Home folders, addresses and names: whose they are decides whether they stay."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.every import for_every

from afterwit.redaction.markers import unkeyed
from afterwit.redaction.people import (
    People,
    iban_end,
    is_card,
    is_personal_email,
    is_personal_ip,
    is_personal_name,
    is_phone,
)
from afterwit.redaction.redaction import Redactor


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/home/mira/src/x.py", "/home/‹user›/src/x.py"),
        ("cd /Users/mira.lund && ls", "cd /Users/‹user› && ls"),
        ("file:///home/mira/x", "file:///home/‹user›/x"),
        ("/mnt/c/Users/mira/x", "/mnt/c/Users/‹user›/x"),
        ("C:\\Users\\mira\\x", "C:\\Users\\‹user›\\x"),
        ("C:\\\\Users\\\\mira\\\\x", "C:\\\\Users\\\\‹user›\\\\x"),
        ("~/.claude/projects/-Users-mira-work-x", "~/.claude/projects/-Users-‹user›-work-x"),
        ("-home-mira-work", "-home-‹user›-work"),
        ("/var/home/mira/x", "/var/home/‹user›/x"),
        ("src/pages/home/hero.ts", "src/pages/home/hero.ts"),
        ("apps-home-page", "apps-home-page"),
        ("/home/runner/x", "/home/runner/x"),
        ("/Users/Shared/x", "/Users/Shared/x"),
        ("/home/$USER/x", "/home/$USER/x"),
        ("/home/<name>/x", "/home/<name>/x"),
        ("/home/renée/x", "/home/‹user›/x"),
    ],
)
def test_the_user_of_a_home_folder_is_hidden(text: str, expected: str, redactor: Redactor) -> None:
    assert unkeyed(redactor.path(text)) == expected


def test_one_user_is_one_pseudonym_in_every_spelling(redactor: Redactor) -> None:
    marks = {
        redactor.text(text).split("‹")[1].split("›")[0] for text in ("/home/mira/x", "C:\\Users\\mira", "-Users-mira-x")
    }
    assert len(marks) == 1


@pytest.mark.parametrize("address", ["mira@fjordpost.se", "12+mira@users.noreply.github.com"])
def test_an_address_of_a_person_is_personal(address: str) -> None:
    assert is_personal_email(address)


@pytest.mark.parametrize(
    "address", ["noreply@x.se", "git@github.com", "x@example.com", "a@b.test", "n@notes.md", "p@1.2.patch"]
)
def test_an_address_of_nobody_is_not(address: str) -> None:
    assert not is_personal_email(address)


@pytest.mark.parametrize("address", ["84.17.45.12", "192.168.7.31", "2a02:8109:b6c0:19f4:11aa:22bb:33cc:44dd"])
def test_an_address_of_a_machine_is_personal(address: str) -> None:
    assert is_personal_ip(address, b"host ")


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "0.0.0.0", "1.2.3.4", "203.0.113.9", "10.0.0.0", "999.1.1.1", "2001:db8::17"]
)
def test_an_address_for_all_is_not(address: str) -> None:
    assert not is_personal_ip(address, b"host ")
    assert not is_personal_ip("84.17.45.12", b"version ")


def test_names_of_programs_are_no_names_of_people() -> None:
    assert is_personal_name("Mira Lund")
    assert not any(
        is_personal_name(name) for name in ("Claude Opus 4", "dependabot[bot]", "Test User", "GitHub", "$name", "123")
    )


def test_short_strings_and_shared_accounts_are_not_pseudonymised() -> None:
    assert People(users=("x", "root", "mlund"), hosts=("ci", "birch")).exact() == {b"mlund": "user", b"birch": "host"}


@for_every(
    "number",
    [
        *("+49 151 12345678", "+1 (415) 555-0137", "+1 415 555 0137", "+1-415-555-0137", "+44 20 7946 0958"),
        *("+33 1 42 68 53 00", "+49 (0)30 123456", "+358 9 1234 567", "+91 98765 43210", "+49151 12345678"),
        *("030 123 456 78", "030 / 1234567", "(030) 1234567", "015123456789", "0049 30 1234567"),
    ],
)
def test_numbers_as_people_write_them_are_telephones(number: str) -> None:
    assert is_phone(number)


@for_every(
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
        ("her SSN is 536-22-1047.", "social-security"),
        ("Passport No. C01234567", "passport"),
        ("send it to 12 Plum Tree Lane, Apt 4", "street-address"),
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
