"""Fills the templates of the rules' examples with invented values: `ghp_{an:36}` becomes a token that nobody has."""

import base64
import random
import re
import string
from collections.abc import Callable

import pytest

from afterwit.redaction.redaction import Redactor

_FIELD = re.compile(r"\{(an|az|lower|upper|hex|HEX|dig|b32|low32|uuid|snowflake)(?::(\d+))?\}")
_ALPHABETS = {
    "an": string.ascii_letters + string.digits,
    "lower": string.ascii_lowercase + string.digits,
    "upper": string.ascii_uppercase + string.digits,
    "hex": "0123456789abcdef",
    "az": "abcdefghijklmnopqrstuvwxyz",
    "HEX": "0123456789ABCDEF",
    "dig": string.digits,
    "b32": string.ascii_uppercase + "234567",
    "low32": string.ascii_lowercase + "234567",
}


def _invented(kind: str, size: int, rng: random.Random) -> str:
    if kind == "uuid":
        return "-".join(_invented("hex", part, rng) for part in (8, 4, 4, 4, 12))
    if kind == "snowflake":
        return base64.b64encode(_invented("dig", 18, rng).encode()).decode()
    return "".join(rng.choices(_ALPHABETS[kind], k=size))


def filled(template: str) -> tuple[str, list[str]]:
    """The text, and the invented values in it. The same template always gives the same text."""
    rng = random.Random(template)
    values: list[str] = []

    def value(match: re.Match[str]) -> str:
        values.append(_invented(match[1], int(match[2] or 0), rng))
        return values[-1]

    return _FIELD.sub(value, template), values


@pytest.fixture(scope="session")
def fill() -> Callable[[str], tuple[str, list[str]]]:
    return filled


@pytest.fixture(scope="session")
def redactor() -> Redactor:
    return Redactor(b"a key for tests")
