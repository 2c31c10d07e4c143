"""Weighs values that stand where a secret could stand: is `password: …` followed by a password, or by code?

The generic rules find a name and a value; this module decides. It leans to "yes" for random text and for passwords
with a digit or a symbol, and to "no" for what code and documents are full of: types, references to variables, calls,
paths, words, masks and filler. It sees one value at a time and nothing around it.
"""

import base64
import binascii
import math
import re
from collections import Counter

from afterwit.guard import words

_KEY_WORDS = re.compile(
    r"pass|pwd|secret|token|key|cred|auth|user|name|value|field|input|type|string|login|error|invalid|require|must|"
    r"enter|forgot|reset|confirm|wrong|missing|test|hash|none|null|config|option|param|func|return",
    re.IGNORECASE,
)
_SPEECH = re.compile(
    r"\b(?:is|are|the|a|an|your|must|be|not|for|of|to|and|or|at|in|with|this|that|if|should|can|no)\b", re.IGNORECASE
)
_CODE = re.compile(
    r"\$[A-Za-z_][A-Za-z0-9_]*\Z|%[A-Za-z_]+%\Z|[A-Za-z_][\w]*(?:(?:\.|::|->|\?\.)[A-Za-z_]\w*)+[!?]?(?:[\[({].*)?\Z|"
    r"[&*!]*[A-Za-z_][\w.:]*[(\[{].*\Z|[A-Za-z_]\w*(?:[|?]|\s[|]).*\Z|[\[({@+].*\Z|~|\.{0,2}/[\w.@-]*(?:/|\Z)|[A-Za-z]:\\|"
    r"[A-Za-z][A-Za-z0-9+.-]*://|[A-Za-z0-9*x•._#?-]?([*xX•.#?_0-])\1*\Z"
)
_UUID = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\Z")
_NUMBERED = re.compile(r"v?[0-9]+(?:[.:T/+-][0-9]+)*(?:Z|ms|s|[.-][a-z]+[.0-9]*)?\Z|sha[0-9]+[:-]", re.IGNORECASE)
_WORDLIKE = re.compile(r"(?:[A-Z]{2,}|[A-Z]?[a-z]+(?:[A-Z][a-z]+)*)?[0-9]{0,4}\Z|[0-9]+\Z")
_NOT_ALNUM = re.compile(r"[^A-Za-z0-9]+")
_STEPS = re.compile(r"[.:/\[({]+")
_LOWER_RUN = re.compile(r"[a-z]{10,}[0-9]{2,}\Z")
_SWITCH = re.compile(r"[A-Za-z](?=[0-9])|[0-9](?=[A-Za-z])")
_CASE_SWITCH = re.compile(r"[a-z](?=[A-Z])")
_CLOSING = ")]}>|,.:;!?"


def entropy(value: str) -> float:
    """Shannon entropy in bits a character."""
    size = len(value)
    return -sum(n / size * math.log2(n / size) for n in Counter(value).values()) if size else 0.0


def is_password(value: str, *, is_bare: bool) -> bool:
    """A password may be short and simple. Bare ones, outside quotes, need more than letters."""
    value = value.rstrip(_CLOSING) if is_bare else value.strip()
    if len(value) < 4 or _is_filler(value) or _CODE.match(value):
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
    if len(value) < 8 or " " in value or _UUID.match(value) or _is_filler(value) or _CODE.match(value):
        return False
    has_letter, has_digit = _has_letter_and_digit(value)
    if has_letter and has_digit and not _NUMBERED.match(value) and not _is_wordy(value):
        return True
    return is_random(value) or _LOWER_RUN.match(value) is not None or has_random_letters(value)


def is_given(value: str) -> bool:
    """What stands where only a secret stands: after `DB_PASSWORD=`, say."""
    value = value.strip().rstrip(_CLOSING)
    return len(value) >= 4 and not _is_filler(value) and not _CODE.match(value)


def has_random_letters(value: str) -> bool:
    """Letters alone that make no words: hardly a vowel, or the case changes all the time."""
    if len(value) < 8 or not value.isalpha() or not value.isascii():
        return False
    vowels = sum(char in "aeiouyAEIOUY" for char in value)
    changes = len(_CASE_SWITCH.findall(value))
    return vowels / len(value) < 0.2 or (changes >= 3 and len(value) / (changes + 1) < 4)


def is_token(value: str) -> bool:
    """A token is long and random."""
    value = value.rstrip(_CLOSING)
    if len(value) < 10 or _is_filler(value) or not is_random(value):
        return False
    return not _CODE.match(value) or any(len(part) >= 16 and is_random(part) for part in _STEPS.split(value))


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
    return len(value) >= 20 and len(_CASE_SWITCH.findall(value)) + switches >= 4 and entropy(value) >= 3.8


def _has_letter_and_digit(value: str) -> tuple[bool, bool]:
    return any(char.isalpha() for char in value), any(char.isdigit() for char in value)


def _is_filler(value: str) -> bool:
    lower = value.lower()
    if lower in words.PLAIN_VALUES:
        return True
    is_known = any(part in lower for part in words.FILLER)
    return is_known and not (len(value) >= 24 and entropy(value) >= 4.2 and is_random(value))


def _is_wordy(value: str) -> bool:
    parts = _NOT_ALNUM.split(value)
    return all(_WORDLIKE.match(part) for part in parts) and sum(_SWITCH.search(part) is not None for part in parts) <= 1


def _is_passphrase(value: str) -> bool:
    if _SPEECH.search(value) or _KEY_WORDS.search(value) or not value[0].isalnum():
        return False
    words = value.split()
    if 2 <= len(words) <= 3:
        return all(all(_has_letter_and_digit(word)) for word in words)
    return 4 <= len(words) <= 12 and all(word.isalnum() for word in words)
