"""The redaction rules as data: what a rule is, how the files in `rules/` become rules, and how RE2 is used.

A rule names a format, not a policy: keywords that must be there before the pattern is tried, an RE2 pattern whose
groups `secret…` hold the value, and optionally who judges it. `@start@`, `@sep@` and `@suffix@` in a pattern stand for
pieces that many rules share, `@assign@` and `@value@` for a value that is given to a name. A row of `token` says the
same in short: a service, its prefixes, what follows. The order of the files decides which type wins where two rules
find the same value: the services first, the generic forms last. Patterns run on UTF-8 bytes, one byte a character:
offsets need no decoding and automata stay small; cuts are moved back between characters afterwards.
"""

import functools
import hashlib
import tomllib
from enum import StrEnum
from importlib import resources
from typing import Any

import msgspec
import re2

_MEMORY_BYTES = 64 << 20


def byte_options(*, captures: bool = True) -> Any:
    """Options for a pattern given as bytes."""
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.max_mem = _MEMORY_BYTES
    options.log_errors = False
    options.never_capture = not captures
    return options


_FILES = (
    "cloud hosting code-hosts ai messaging payment monitoring identity saas databases prefixes generic places people"
)
FILES = tuple(_FILES.split())
_PEOPLE = frozenset({"email", "ip", "phone", "name", "iban", "card", "social-security", "passport", "street-address"})
# How languages, shells and settings give a value to a name, from the end of the name to the start of the value: a quote
# or bracket that closes the name, a type, the operator, and the mark of a YAML block whose text is on the next line.
_ASSIGN = (
    r"""(?:\\*["'`]{1,3}[\])]{0,2})?"""
    r"""(?:\s{0,2}:?\s{0,2}(?i:str|string|bytes|text|&(?:'static )?str|char\s?\*|\[\]byte)[?!]?)?"""
    r"""\s{0,4}(?::{1,3}=|[?+.|&]{1,2}=|=>|->|={1,3}>?|:)(?:[ \t]{0,2}[|>][+-]?[0-9]?[ \t]{0,2}\n)?\s{0,24}"""
)
# A value in any quotes, escaped or nested ones too, or bare.
_VALUE = (
    r"""(?:(?:\\*["']){2,7}(?P<secret_nested>[^"'\\\s,;:)}\]+][^"'\\\n]{2,})|"""
    r"""[A-Za-z@$]{0,2}\\{1,7}"(?P<secret_in>[^"\\\n]{3,})|"""
    r"""[A-Za-z@$]{0,2}\\{1,7}'(?P<secret_in2>[^'\\\n]{3,})|[A-Za-z@$]{0,2}"(?P<secret>(?:[^"\\\n]|\\[^\n]){3,})|"""
    r"""[A-Za-z@$]{0,2}'(?P<secret2>(?:[^'\\\n]|\\[^\n]){3,})|`(?P<secret3>[^`\\\n]{3,})|"""
    r"""(?P<secret_bare>[^\s"'`,;&<\\(][^\s"'`,;<\\]{2,}))"""
)
# How a value stands beside a name that is not assigned to: as the default of what is read from the environment, as the
# next argument, in the next cell or column, or in a sentence that says to set it.
_BESIDE = (
    r"""(?:\\*["'`])?[\])}]{0,3}(?:\s{0,3}(?:\|\|=?|\?\?=?|\?:|\bor\b|//=?)\s{0,3}|"""
    r"""\.(?i:unwrap_or|or_?else|get_?or|or_default|value_or)[a-z_]{0,12}\(\s{0,2}(?:\|[a-z_]?\|\s?)?|"""
    r"""\s{0,2}[:=]?\\*["'`]?\s{0,2},\s{0,4}(?:default=)?|[`"']?\s{1,2}(?i:to|as|with)\s{1,2}|\s{1,2}\{\s{0,3})"""
)
_PIECES = {
    "@beside@": _BESIDE,
    "@assign@": _ASSIGN,
    "@value@": _VALUE,
    "@start@": r"(?:^|[^A-Za-z0-9]|\\[nrt])",
    "@sep@": r"""[A-Za-z0-9_-]{0,12}(?:\\*["'`]\]?)?\s{0,3}(?:=>|:=|={1,3}|:|,|\s|\sis\s)\s{0,3}\\*["'`]?""",
    "@suffix@": r"(?i:[_-]?(?:prod|production|dev|development|staging|stage|live|value|base64|b64|hex|raw|plain|"
    r"plaintext|default|primary|secondary|old|new|current|confirm|confirmation|admin|string|v?[0-9]{1,2}))?",
}
_ALPHABETS = {
    "hex": "[0-9a-f]",
    "lower": "[a-z0-9]",
    "upper": "[A-Z0-9]",
    "an": "[A-Za-z0-9]",
    "word": "[A-Za-z0-9_-]",
    "dotted": "[A-Za-z0-9_.-]",
    "colon": "[A-Za-z0-9_:-]",
    "path": "[A-Za-z0-9_/.-]",
    "base64": "[A-Za-z0-9_+/=-]",
    "any": "[A-Za-z0-9_+/=.:-]",
}
_SHORT_PREFIX = 6
_TRIGGER_LENGTHS = (4, 20)
_LEAST_ENTROPY = 2.8


class Judge(StrEnum):
    """Who decides whether a candidate is a secret. Those of people are in `people` and `numbers`, the others in
    `matching`."""

    FORMAT = "format"  # the pattern is proof enough, given some entropy
    PASSWORD = "password"  # noqa: S105
    GIVEN = "given"  # the place leaves no doubt: nearly anything that is no reference and no filler
    SECRET = "secret"  # noqa: S105
    TOKEN = "token"  # noqa: S105
    DRAWN = "drawn"  # a token, or a UUID where nothing stands that is only an id
    SPOKEN = "spoken"  # the place says secret, but code stands in such places too
    TOLD = "told"  # a sentence says password: only what no sentence holds otherwise
    COLUMN = "column"  # cells below a head that says secret, each by itself
    ENCODED = "encoded"
    URL = "url"
    BASIC = "basic"
    EMAIL = "email"
    IP = "ip"
    NAME = "name"
    PHONE = "phone"
    IBAN = "iban"
    CARD = "card"


class RedactionRule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One format. What it must find and what it must not stands with its tests, by its id."""

    id: str
    description: str
    pattern: str
    kind: str = ""  # the type in the placeholder, where it is not the id
    keywords: tuple[str, ...] = ()
    trigger: str = ""  # an RE2 pattern for the pre-filter, where keywords alone are too common
    min_entropy: float = 2.0  # bits a character; repeated filler such as xxxx stays below
    judge: Judge = Judge.FORMAT
    has_prefix: bool = False  # a row of `token`

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


class _Prefix(msgspec.Struct, frozen=True, array_like=True):
    """A token that begins with one of some prefixes, followed by at least so many characters of an alphabet."""

    id: str
    description: str
    prefixes: tuple[str, ...]
    alphabet: str
    least: int

    def rule(self) -> RedactionRule:
        heads = "|".join(re2.escape(prefix) for prefix in self.prefixes)
        return RedactionRule(
            id=self.id,
            description=self.description,
            keywords=self.prefixes,
            trigger="|".join(map(self._trigger, self.prefixes)),
            pattern=f"@start@(?P<secret>(?:{heads}){_ALPHABETS[self.alphabet]}{{{self.least},}})",
            min_entropy=_LEAST_ENTROPY,
            has_prefix=True,
        )

    def _trigger(self, prefix: str) -> str:
        """A short prefix occurs within words: the more must follow, so that few texts are looked at twice."""
        follows = min(self.least, _TRIGGER_LENGTHS[len(prefix) < _SHORT_PREFIX])
        return f"{re2.escape(prefix)}{_ALPHABETS[self.alphabet]}{{{follows}}}"


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    rule: list[RedactionRule]
    token: list[_Prefix] = []


@functools.cache
def rules() -> tuple[RedactionRule, ...]:
    """All rules, in order of precedence. Read once in the life of a process."""
    return tuple(rule for name in FILES for rule in _read(name))


@functools.cache
def fingerprint() -> str:
    """Another one whenever a rule is another: what was redacted under the same one need not be redacted again."""
    content = "\n".join(f"{rule.type} {rule.judge} {rule.pattern}" for rule in rules())
    return hashlib.blake2b(content.encode(), digest_size=8).hexdigest()


def _read(name: str) -> list[RedactionRule]:
    text = (resources.files("afterwit.redaction") / "rules" / f"{name}.toml").read_text("utf-8")
    loaded = msgspec.convert(tomllib.loads(text), _File)
    read = [*loaded.rule, *(row.rule() for row in loaded.token)]
    return [msgspec.structs.replace(rule, pattern=_spell_out(rule.pattern)) for rule in read]


def _spell_out(pattern: str) -> str:
    for name, piece in _PIECES.items():
        pattern = pattern.replace(name, piece)
    return pattern
