"""Home folders, addresses and names: whose they are decides whether they stay."""

import pytest

from afterwit.guard.people import People, is_personal_email, is_personal_ip, is_personal_name
from afterwit.guard.placeholders import unkeyed
from afterwit.guard.redaction import Redactor


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
