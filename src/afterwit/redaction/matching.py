"""Finds the places in a text that hold a secret or a trace of a person.

A pass of a set of small triggers says which rules could match; nearly always that is none. Only those rules then
run, and only their candidates are judged. Patterns are compiled when first needed. What replaces a place is left to
`redaction`, as are encoded secrets and blocks of keys.

Weighs values that stand where a secret could stand: is `password: …` followed by a password, or by code?

The generic rules find a name and a value; this module decides. It leans to "yes" for random text and for passwords
with a digit or a symbol, and to "no" for what code and documents are full of: types, references to variables, calls,
paths, words, masks and filler. It sees one value at a time and nothing around it.
"""

import base64
import binascii
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import re2

from afterwit.model.text import regex
from afterwit.redaction import people
from afterwit.redaction.markers import SecretSpan
from afterwit.redaction.ruleset import Judge, RedactionRule, byte_options

# Word lists hold only what is common and says nothing about a person or a machine, in lower case: a word too many
# leaves something unredacted, a word too few makes a document harder to read.
# Values that stand after `password:` in code and documents.
_PLAIN_VALUES = """
string str text bytes char varchar bool boolean true false null none nil undefined void any unknown never object
number int integer float optional option required missing invalid empty default hidden masked redacted removed
omitted encrypted password passwd passphrase pass pwd secret token key apikey auth user username admin root guest
test postgres mysql redis sa login changeme change_me change-me changeit letmein mypassword mysecret mytoken foo bar
baz xxx todo tbd n/a na yes no on off input output field label type name value env file path stdin prompt ask utf8
utf-8 base64 sha1 sha256 sha512 md5 hs256 rs256 bcrypt argon2 plain plaintext basic bearer oauth oauth2 jwt flag
argument parameter inherit write read self this that here there with from and not the
"""
PLAIN_VALUES = frozenset(_PLAIN_VALUES.split())

# Parts that show a reference, a template, a mask or an invented value.
_FILLER = """
your example sample changeme change_me change-me placeholder redacted dummy fake mock insert replace xxxx ****
•••• ... … todo < > ${ {{ $( <% %( #{ ‹ process.env environ getenv env[ env. secrets.
config. settings. vault: op:// arn: secretsmanager keychain
"""
FILLER = tuple(_FILLER.split())

_KEY_WORDS = regex(
    r"(?i)pass|pwd|secret|token|key|cred|auth|user|name|value|field|input|type|string|login|error|invalid|require|must|"
    r"enter|forgot|reset|confirm|wrong|missing|test|hash|none|null|config|option|param|func|return",
)
_SPEECH = regex(r"(?i)\b(?:is|are|the|a|an|your|must|be|not|for|of|to|and|or|at|in|with|this|that|if|should|can|no)\b")
_CODE = regex(
    r"\$[A-Za-z_][A-Za-z0-9_]*\Z|%[A-Za-z_]+%\Z|[A-Za-z_][\w]*(?:(?:\.|::|->|\?\.)[A-Za-z_]\w*)+[!?]?(?:[\[({].*)?\Z|"
    r"[&*!]*[A-Za-z_][\w.:]*[(\[{].*\Z|[A-Za-z_]\w*(?:\||\?[.:\s]|\s[|]).*\Z|[\[({].*\Z|[@+][A-Za-z_.]*\Z|~|\.{0,2}/[\w.@-]*(?:/|\Z)|[A-Za-z]:\\|"
    r"[A-Za-z][A-Za-z0-9+.-]*://|[A-Za-z0-9*x•._#?-]?([*xX•.#?_0-])\1*\Z"
)
_UUID = regex(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\Z")
_NUMBERED = regex(r"(?i)v?[0-9]+(?:[.:T/+-][0-9]+)*(?:Z|ms|s|[.-][a-z]+[.0-9]*)?\Z|sha[0-9]+[:-]")
_WORDLIKE = regex(r"(?:[A-Z]{2,}|[A-Z]?[a-z]+(?:[A-Z][a-z]+)*)?[0-9]{0,4}\Z|[0-9]+\Z")
_NOT_ALNUM = regex(r"[^A-Za-z0-9]+")
_STEPS = regex(r"[.:/\[({]+")
_LOWER_RUN = regex(r"[a-z]{10,}[0-9]{2,}\Z")
_SWITCH = regex(r"[A-Za-z](?=[0-9])|[0-9](?=[A-Za-z])")
_CASE_SWITCH = regex(r"[a-z](?=[A-Z])")
_MARKED = regex(
    r"(__|@@|%%|##)\w+\1\Z|\.\*|!vault\b|\*{3}\w+\*{3}\Z"
)  # stands for a value that a template or a person puts there
_FILE = regex(r"(?i)\.[a-z]{1,4}[0-9]?(?::[0-9]+)*\Z|[:/]|\A[#@.-]|\A[0-9]+[a-z]{1,5}\Z|\A[a-z]+[_-]?[0-9]\Z|=")
_CLOSING = ")]}>|,.:;!?"
_LONG_STEP = 16
_MOST_WORDS = 3
_SHARE_IN_WORDS = 0.6
_SHARE_IN_TURN = 0.6
_LONGEST_PRINTED = 200
_PRINTED = regex(r"EXAMPLE|(?i:placeholder|changeme|redacted|your[_-]|x{6}|0{10}|1234567890|abcdefgh)")
# Pairs of letters that make up most of English and of names in code; a drawn text has few of them.
_PAIRS = """
th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro ic
ne ea ra ce li ch ll be ma si om ur us ss pa wo rd ke ey na am ty yp va lu ue fi il la lo no ta et ca di el ct ec
ol ut un tr pr mo so po do ns ac ad ag ai ap ay ba bl ci cl cr da em ep ex fo ge gr ho id ie im ir iv ki
lt ly mp nc ni oc od op os ot ow pe pl pt qu rm rs ru rt ry sc sh sk sp su sy tu ul up uc ub og ok rc
"""
_COMMON_PAIRS = frozenset(_PAIRS.split())


def entropy(value: str) -> float:
    """Shannon entropy in bits a character."""
    size = len(value)
    return -sum(n / size * math.log2(n / size) for n in Counter(value).values()) if size else 0.0


def is_password(value: str, *, is_bare: bool) -> bool:
    """A password may be short and simple. Bare ones, outside quotes, need more than letters."""
    value = value.rstrip(_CLOSING) if is_bare else value.strip()
    if len(value) < 4 or _is_filler(value) or _is_code(value):
        return False
    if " " in value:
        return _is_passphrase(value)
    has_letter, has_digit = _has_letter_and_digit(value)
    if has_digit:
        return has_letter or not value.isdigit() or len(value) >= 6
    if has_random_letters(value):
        return True
    has_symbol = any(not char.isalnum() and char not in "-_./:" for char in value)
    if is_bare:
        return has_symbol and not _KEY_WORDS.search(value)
    return len(value) >= 6 and (has_symbol or not (_KEY_WORDS.search(value) or _CASE_SWITCH.search(value)))


def is_secret(value: str, *, is_bare: bool) -> bool:
    """A secret or a key is at least eight characters and not made of words alone."""
    value = value.rstrip(_CLOSING) if is_bare else value.strip()
    if (
        len(value) < 8
        or " " in value
        or _UUID.match(value)
        or is_printed(value)
        or _is_filler(value)
        or _is_code(value)
    ):
        return False
    return _is_mixed(value) or is_random(value) or _LOWER_RUN.match(value) is not None or has_random_letters(value)


def is_given(value: str) -> bool:
    """What stands where only a secret stands: after `DB_PASSWORD=`, say."""
    value = value.strip().rstrip(_CLOSING)
    return len(value) >= 4 and not _is_filler(value) and not _is_code(value)


def is_spoken(value: str) -> bool:
    """What a place that says secret holds, though it may be a reference or a word: it needs a digit, a symbol or no
    words at all."""
    value = value.strip().rstrip(_CLOSING)
    if len(value) < 5 or _UUID.match(value):
        return _UUID.match(value) is not None
    return is_password(value, is_bare=True) and not _NUMBERED.match(value)


def is_told(value: str) -> bool:
    """A password in a sentence: letters with digits or symbols among them, and no file, version or link."""
    value = value.strip().rstrip(_CLOSING + "*_")
    if len(value) < 6 or _FILE.search(value) or _NUMBERED.match(value) or _UUID.match(value):
        return False
    has_letter, has_digit = _has_letter_and_digit(value)
    has_more = has_digit or any(char in "!@#%&*+?^" for char in value) or has_random_letters(value)
    if not (has_letter and has_more):
        return False
    return is_password(value, is_bare=True)


def has_random_letters(value: str) -> bool:
    """Letters alone that make no words: hardly a vowel, few pairs of English, or the case changes all the time."""
    if len(value) < 8 or not value.isalpha() or not value.isascii() or entropy(value) < 2.0:
        return False
    if _share_of_common_pairs(value) < (0.45 if len(value) >= _LONG_STEP else 0.25):
        return True
    vowels = sum(char in "aeiouyAEIOUY" for char in value)
    changes = len(_CASE_SWITCH.findall(value))
    return vowels / len(value) < 0.2 or (changes >= 3 and len(value) / (changes + 1) < 4)


def is_token(value: str) -> bool:
    """A token is long and random; a scheme such as `OAuth` may stand before it."""
    *scheme, value = value.strip().rstrip(_CLOSING).split() or [""]
    if len(value) < 10 or len(scheme) >= _MOST_WORDS or _UUID.match(value) or is_printed(value):
        return False
    if _is_filler(value) or _is_code(value):
        return False
    is_long_enough = len(value) >= _LONG_STEP and not scheme
    return is_random(value) or (is_long_enough and (_is_mixed(value) or has_random_letters(value)))


def is_drawn(value: str) -> bool:
    """A token, or a UUID in a place where an id has no business."""
    return is_token(value) or _UUID.match(value.rstrip(_CLOSING)) is not None


def is_printed(value: str) -> bool:
    """What stands for a value in documents: the alphabet, the digits in turn, one character again and again."""
    if len(value) > _LONGEST_PRINTED:
        return False
    steps = sum(ord(after) - ord(before) in (0, 1) for before, after in pairwise(value))
    return steps >= _SHARE_IN_TURN * (len(value) - 1) or _PRINTED.search(value) is not None


def is_encoded(value: str) -> bool:
    """Base64 of something that can be read, or that nobody can: what `data` of a Kubernetes secret holds."""
    if len(value) % 4:
        return False
    try:
        decoded = base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return False
    return len(decoded) >= 4 and (decoded.decode("utf-8", "replace").strip().isprintable() or is_random(value))


def is_url_password(value: str) -> bool:
    """Between `user:` and `@` nearly everything is a password, but for references, masks and words of documents."""
    if value.isdigit() and len(value) <= 5:
        return False
    return not (_is_filler(value) or value.startswith(("$", "%", "{", "[", "*")) or set(value) <= set("*xX."))


def is_basic_credential(value: str) -> bool:
    """Base64 of `user:password`, or what is too random to be a word."""
    if len(value) >= 16 and is_random(value):
        return True
    try:
        decoded = base64.b64decode(value.replace("-", "+").replace("_", "/") + "=" * (-len(value) % 4), validate=True)
    except (binascii.Error, ValueError):
        return False
    return b":" in decoded[1:] and decoded.isascii() and decoded.decode("ascii").isprintable()


def is_random(value: str) -> bool:
    """Looks drawn by a machine: letters and digits in turn, or cases in turn over a long stretch."""
    if _UUID.match(value) or _NUMBERED.match(value) or _is_wordy(value):
        return False
    switches = len(_SWITCH.findall(value))
    if switches >= 3 and entropy(value) >= 2.8:
        return True
    if len(value) < 20 or len(_CASE_SWITCH.findall(value)) + switches < 4 or entropy(value) < 3.8:
        return False
    return switches > 1 or _share_of_common_pairs(value) < _SHARE_IN_WORDS


def _has_letter_and_digit(value: str) -> tuple[bool, bool]:
    return any(char.isalpha() for char in value), any(char.isdigit() for char in value)


def _is_mixed(value: str) -> bool:
    """Letters and digits that are no version, no time and no words with a number behind them."""
    return all(_has_letter_and_digit(value)) and not _NUMBERED.match(value) and not _is_wordy(value)


def _is_code(value: str) -> bool:
    """A reference, a call, a path or a mask; but a long random step between the dots is no name of a member."""
    if not _CODE.match(value):
        return False
    return not any(len(step) >= _LONG_STEP and is_random(step) for step in _STEPS.split(value))


def _share_of_common_pairs(value: str) -> float:
    lower = value.lower()
    return sum(lower[at : at + 2] in _COMMON_PAIRS for at in range(len(lower) - 1)) / (len(lower) - 1)


def _is_filler(value: str) -> bool:
    lower = value.lower()
    if lower in PLAIN_VALUES or _MARKED.match(value):
        return True
    is_known = any(part in lower for part in FILLER)
    return is_known and not (len(value) >= 24 and entropy(value) >= 4.2 and is_random(value))


def _is_wordy(value: str) -> bool:
    if len(value) >= 12 and _share_of_common_pairs(value) >= _SHARE_IN_WORDS:
        return True
    parts = _NOT_ALNUM.split(value)
    return all(_WORDLIKE.match(part) for part in parts) and sum(_SWITCH.search(part) is not None for part in parts) <= 1


def _is_passphrase(value: str) -> bool:
    if _SPEECH.search(value) or _KEY_WORDS.search(value) or not value[0].isalnum():
        return False
    words = value.split()
    if 2 <= len(words) <= 3:
        return all(all(_has_letter_and_digit(word)) for word in words)
    return 4 <= len(words) <= 12 and all(word.isalnum() for word in words)


_BEFORE_BYTES = 96

_JUDGES: dict[Judge, Callable[[str, bool], bool]] = {
    Judge.PASSWORD: lambda value, is_bare: is_password(value, is_bare=is_bare),
    Judge.GIVEN: lambda value, _: is_given(value),
    Judge.SECRET: lambda value, is_bare: is_secret(value, is_bare=is_bare),
    Judge.TOKEN: lambda value, _: is_token(value),
    Judge.DRAWN: lambda value, _: is_drawn(value),
    Judge.SPOKEN: lambda value, _: is_spoken(value),
    Judge.TOLD: lambda value, _: is_told(value),
    Judge.URL: lambda value, _: is_url_password(value),
    Judge.COLUMN: lambda value, _: is_told(value) or is_drawn(value),
    Judge.ENCODED: lambda value, _: is_encoded(value),
    Judge.BASIC: lambda value, _: is_basic_credential(value),
    Judge.NAME: lambda value, _: people.is_personal_name(value),
    Judge.PHONE: lambda value, _: people.is_phone(value),
    Judge.CARD: lambda value, _: people.is_card(value),
    Judge.IBAN: lambda value, _: people.iban_end(value) > 0,
}
_LOOKS_BEFORE: dict[Judge, Callable[[str, bytes], bool]] = {
    Judge.EMAIL: people.is_personal_email,
    Judge.IP: people.is_personal_ip,
}
_NAME_BYTES = 40
_UUID_RULE = "uuid-key"
_SERVICE_RULE = "service-value"  # two hundred names: beside other names they make many mixtures, beside formats few
# Keys that open nothing: they are found by, or given to everybody.
_OPEN_KEY = regex(
    rb"(?i)(?:public|publishable|cache|partition|idempotency|sort|primary|foreign|object|dedup\w*|range|row|routing|group)"
    rb"""[ _.-]?key["'`\])]*\s*[:=,]?[>]?\s*["'`@$]*\Z""",
)
_WEIGHED = frozenset({Judge.TOKEN, Judge.DRAWN, Judge.SECRET, Judge.SPOKEN})
_HEAD_CELL = regex(rb"[\w .\"'`*()-]{0,40}\r?")
_LARGEST_TABLE = 1 << 16
_NEXT_PARAMETER = regex(rb"&(?:&|[A-Za-z_][\w.-]*=)")  # where a bare value ends in a query or a command line


class PatternSet:
    """Says in one pass which of many patterns occur in a text."""

    def __init__(self, patterns: Iterable[bytes]) -> None:
        self._set = re2.Set.SearchSet(byte_options(captures=False))
        for pattern in patterns:
            self._set.Add(pattern)
        self._set.Compile()
        self.matches: Callable[[bytes], list[int] | None] = self._set.Match  # None where nothing matches


class Finder:
    """One rule, ready to run."""

    def __init__(self, rule: RedactionRule) -> None:
        self.rule = rule
        self._pattern: Any = None
        self._groups: list[tuple[int, bool]] = []

    def spans(self, data: bytes) -> Iterator[SecretSpan]:
        """Where the rule finds a value that its judge takes for real."""
        for match in self._compile().finditer(data):
            for group, is_bare in self._groups:
                start, end = match.span(group)
                if self.rule.judge is Judge.COLUMN:
                    cells = [cell for cell in _cells_below(data, start) if self._is_real(data, *cell, is_bare)]
                    yield from (SecretSpan(*cell, self.rule.type) for cell in cells)
                    continue
                if is_bare and (more := _NEXT_PARAMETER.search(data, start, end)):
                    end = more.start()
                elif self.rule.judge is Judge.IBAN:
                    end = start + people.iban_end(data[start:end].decode("ascii"))
                if start >= 0 and self._is_real(data, start, end, is_bare):
                    yield SecretSpan(start, end, self.rule.type)

    def _compile(self) -> Any:
        if self._pattern is None:
            self._pattern = re2.compile(self.rule.pattern.encode(), byte_options())
            named = self._pattern.groupindex
            self._groups = sorted((index, name.endswith(b"_bare")) for name, index in named.items())
        return self._pattern

    def _is_real(self, data: bytes, start: int, end: int, is_bare: bool) -> bool:
        value = data[start:end].decode("utf-8", "replace")
        if self.rule.judge is Judge.FORMAT:
            if self.rule.id == _UUID_RULE and _OPEN_KEY.search(data, max(0, start - _NAME_BYTES), start):
                return False
            if not self.rule.is_about_people and is_printed(value):
                return False
            return entropy(value) >= self.rule.min_entropy
        if self.rule.judge in _WEIGHED and _OPEN_KEY.search(data, max(0, start - _NAME_BYTES), start):
            return False
        if self.rule.judge in _LOOKS_BEFORE:
            return _LOOKS_BEFORE[self.rule.judge](value, data[max(0, start - _BEFORE_BYTES) : start])
        return _JUDGES[self.rule.judge](value, is_bare)


def _cells_below(data: bytes, name: int) -> Iterator[tuple[int, int]]:
    """Where the cells below this name are, in a table of CSV or of Markdown."""
    at = data.rfind(b"\n", 0, name) + 1
    end, mark = data.find(b"\n", name), data[name : name + 1]
    names, place = data[at:end].split(mark), data.count(mark, at, name + 1)
    at = end + 1
    for row in data[at : at + _LARGEST_TABLE].split(b"\n") if end > 0 and all(map(_HEAD_CELL.fullmatch, names)) else ():
        cells = row.split(mark)
        if len(cells) != len(names):
            return
        value = cells[place].strip(b" \t\r\"'`*")
        cell = at + len(mark.join(cells[:place])) + 1 + cells[place].index(value)
        yield cell, cell + len(value)
        at += len(row) + 1


class Matcher:
    """All rules behind one pre-filter, with further triggers (`extra`) that ride along.

    The pre-filter is several sets, each of which passes over the text: an automaton is made while it reads, a state for
    every mixture of what its triggers have seen so far, and many small ones have far fewer mixtures than one large one.
    """

    def __init__(self, rules: Iterable[RedactionRule], extra: Sequence[bytes] = ()) -> None:
        self._finders = [Finder(rule) for rule in rules]
        self.size = len(self._finders)
        triggers = [*(trigger(finder.rule) for finder in self._finders), *extra]
        parts = _parts([finder.rule for finder in self._finders], len(extra))
        self._sets = [(PatternSet(triggers[number] for number in part).matches, part) for part in parts]

    def hits_in(self, texts: Sequence[bytes]) -> list[list[int]]:
        """For each text the numbers of the triggers that were hit: those of the rules, then `extra`. An automaton that
        reads many texts one after the other stays in the cache of the processor, which is most of its speed."""
        hits: list[list[int]] = [[] for _ in texts]
        for matches, part in self._sets:
            for number, data in enumerate(texts):
                if hit := matches(data):
                    hits[number] += [part[place] for place in hit]
        return hits

    def hits(self, data: bytes) -> list[int]:
        """The same for one text."""
        return [part[place] for matches, part in self._sets for place in matches(data) or ()]

    def spans(self, data: bytes, hits: Iterable[int]) -> Iterator[SecretSpan]:
        """The places of the rules whose triggers were hit; a rule that comes earlier comes first."""
        for hit in sorted(hits):
            if hit < self.size:
                yield from self._finders[hit].spans(data)

    def secret_kind(self, data: bytes) -> str | None:
        """The type of a secret in this text, whatever else the text tells about people."""
        return next((span.kind for span in self.secret_spans(data)), None)

    def secret_spans(self, data: bytes) -> Iterator[SecretSpan]:
        """The places of secrets alone, in a text of which nothing is known."""
        yield from self.spans(data, filter(self.is_about_secrets, self.hits(data)))

    def is_about_secrets(self, hit: int) -> bool:
        return hit < self.size and not self._finders[hit].rule.is_about_people


def trigger(rule: RedactionRule) -> bytes:
    """What must occur in a text before the rule can match."""
    if rule.trigger:
        return rule.trigger.encode()
    literals = b"|".join(re2.escape(keyword.encode()) for keyword in rule.keywords)
    return b"(?i:" + literals + b")" if "(?i" in rule.pattern else literals


def _parts(rules: Sequence[RedactionRule], extra: int) -> list[list[int]]:
    """Which triggers share a set: the generic ones, the formats, and what is looked for as it is. Measured on texts of
    all lengths: fewer sets have too many states to make, and each more costs a call for every text."""
    generic = [
        number
        for number, rule in enumerate(rules)
        if (rule.is_generic or rule.is_about_people) and rule.id != _SERVICE_RULE
    ]
    prefixed = [number for number, rule in enumerate(rules) if rule.has_prefix]
    formats = sorted(set(range(len(rules))) - set(generic) - set(prefixed))
    parts = [generic, formats, [*prefixed, *range(len(rules), len(rules) + extra)]]
    return [part for part in parts if part]
