"""Makes foreign text harmless to look at: what it shows is what it says.

Removed: ANSI escapes, control characters except newline and tab, zero-width and bidirectional controls, tag characters,
variation selectors and HTML comments. Zero-width joiners go too: a joined emoji falls apart into its parts, and some
Indic and Persian words lose a ligature, but stay readable. CR LF becomes LF, a lone surrogate U+FFFD. Cleaning twice
equals cleaning once. Whether text may be trusted is a question of its origin and not answered here.
"""

import functools
import re
from typing import Any

import re2

from afterwit.guard.ruleset import byte_options

_SHORT = 200
_LONGEST_COMMENT = 20_000
_ESCAPE = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?|[ -/]+[0-~]|[0-~])|\x9b[0-?]*[ -/]*[@-~]"
)
_INVISIBLE = (
    r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    r"\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_UNSEEN = re.compile(f"[{_INVISIBLE}]+")
_SUSPECT = re.compile(f"[\\r{_INVISIBLE}\\ud800-\\udfff]|<!--")
_SUSPECT_BYTES = (
    rb"[\x00-\x08\x0b-\x1f\x7f]|<!--|\xc2[\x80-\x9f\xad]|\xcd\x8f|\xd8\x9c|\xe1(?:\x85[\x9f\xa0]|\x9e[\xb4\xb5]|\xa0[\x8b-\x8f])|"
    rb"\xe2(?:\x80[\x8b-\x8f\xaa-\xae]|\x81[\xa0-\xaf])|\xe3\x85\xa4|\xed[\xa0-\xbf]|\xef(?:\xb8[\x80-\x8f]|\xbb\xbf|\xbe\xa0|\xbf[\xb9-\xbb])|"
    rb"\xf0\x9d\x85[\xb3-\xba]|\xf3\xa0"
)
_SURROGATE = re.compile("[\ud800-\udfff]")


def clean(text: str) -> str:
    """The text as a person would see it."""
    if text.isascii() and text.isprintable() and "<!--" not in text:
        return text
    while _is_suspect(text):
        cleaned = _cleaned(text)
        if cleaned == text:
            break
        text = cleaned
    return text


def _is_suspect(text: str) -> bool:
    """Python's own search is the faster one for short texts, RE2 on bytes by far for long ones."""
    if len(text) < _SHORT:
        return _SUSPECT.search(text) is not None
    return _suspect_bytes().search(text.encode("utf-8", "surrogatepass")) is not None


@functools.cache
def _suspect_bytes() -> Any:
    return re2.compile(_SUSPECT_BYTES, byte_options(captures=False))


def _cleaned(text: str) -> str:
    if "\x1b" in text or "\x9b" in text:
        text = _ESCAPE.sub("", text)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _without_comments(_SURROGATE.sub("�", _UNSEEN.sub("", text)))


def _without_comments(text: str) -> str:
    """Drops `<!-- … -->`. A comment that does not end within the bound loses only its opening mark."""
    pieces = []
    at = 0
    while (start := text.find("<!--", at)) >= 0:
        end = text.find("-->", start + 4, start + _LONGEST_COMMENT)
        pieces.append(text[at:start])
        at = end + 3 if end >= 0 else start + 4
    pieces.append(text[at:])
    return "".join(pieces)
