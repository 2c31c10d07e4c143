"""The redaction rules as data: what a rule is, and how the files in `rules/` become rules.

A rule names a format, not a policy: keywords that must be there before the pattern is tried, an RE2 pattern whose
groups `secret…` hold the value, and optionally who judges it. `@start@`, `@sep@` and `@suffix@` in a pattern stand for
pieces that many rules share. The order of the files decides which type wins where two rules find the same value: the
services first, the generic forms last. Matching is left to `matching`.
"""

import functools
import tomllib
from enum import StrEnum
from importlib import resources

import msgspec

FILES = (
    "cloud",
    "hosting",
    "code-hosts",
    "ai",
    "messaging",
    "payment",
    "monitoring",
    "identity",
    "saas",
    "databases",
    "generic",
    "people",
)
_PEOPLE = frozenset({"email", "ip", "phone", "name", "iban", "card"})
_PIECES = {
    "@start@": r"(?:^|[^A-Za-z0-9]|\\[nrt])",
    "@sep@": r"""[A-Za-z0-9_-]{0,12}(?:\\*["'`]\]?)?\s{0,3}(?:=>|:=|={1,3}|:|,|\s|\sis\s)\s{0,3}\\*["'`]?""",
    "@suffix@": r"(?i:[_-]?(?:prod|production|dev|development|staging|stage|live|value|base64|b64|raw|plain|plaintext|"
    r"default|primary|secondary|old|new|current|confirm|confirmation|admin|string|v?[0-9]{1,2}))?",
}


class Judge(StrEnum):
    """Who decides whether a candidate is a secret. Those of people are in `people` and `numbers`, the others in
    `judging`."""

    FORMAT = "format"  # the pattern is proof enough, given some entropy
    PASSWORD = "password"  # noqa: S105
    GIVEN = "given"  # the place leaves no doubt: nearly anything that is no reference and no filler
    SECRET = "secret"  # noqa: S105
    TOKEN = "token"  # noqa: S105
    URL = "url"
    BASIC = "basic"
    EMAIL = "email"
    IP = "ip"
    NAME = "name"
    PHONE = "phone"
    IBAN = "iban"
    CARD = "card"


class Rule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One format. `examples` must be found and `benign` must not; both are templates that the tests fill in."""

    id: str
    description: str
    pattern: str
    kind: str = ""  # the type in the placeholder, where it is not the id
    keywords: tuple[str, ...] = ()
    trigger: str = ""  # an RE2 pattern for the pre-filter, where keywords alone are too common
    min_entropy: float = 2.0  # bits a character; repeated filler such as xxxx stays below
    judge: Judge = Judge.FORMAT
    examples: tuple[str, ...] = ()
    benign: tuple[str, ...] = ()

    @property
    def type(self) -> str:
        return self.kind or self.id

    @property
    def is_about_people(self) -> bool:
        return self.type in _PEOPLE

    @property
    def is_generic(self) -> bool:
        """Found by the name or the syntax around it, so that the value has to be judged."""
        return self.judge is not Judge.FORMAT


class _File(msgspec.Struct, frozen=True):
    rule: list[Rule]


@functools.cache
def rules() -> tuple[Rule, ...]:
    """All rules, in order of precedence. Read once in the life of a process."""
    return tuple(rule for name in FILES for rule in _read(name))


def _read(name: str) -> list[Rule]:
    text = (resources.files("afterwit.guard") / "rules" / f"{name}.toml").read_text("utf-8")
    loaded = msgspec.convert(tomllib.loads(text), _File)
    return [msgspec.structs.replace(rule, pattern=_spelled_out(rule.pattern)) for rule in loaded.rule]


def _spelled_out(pattern: str) -> str:
    for name, piece in _PIECES.items():
        pattern = pattern.replace(name, piece)
    return pattern
