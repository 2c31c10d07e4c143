"""Secrets behind one level of base64, hex or percent encoding.

Decoding every long word would be slow and wrong. Instead the keywords of the rules are encoded, in all three
alignments for base64, and looked for in the same pass as the rules' own triggers; only a blob around such a hit is
decoded. What the decoded text holds is asked of the caller. Blobs are taken in windows, so the work is bounded.
"""

import base64
import binascii
import re
import urllib.parse
from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum

import re2

from afterwit.guard.patterns import byte_options
from afterwit.guard.spans import Span

_WINDOW_BYTES = 8192
_SHORTEST_KEYWORD = 4
_BASE64_RUN = re.compile(rb"[A-Za-z0-9+/_-]+={0,2}")
_BASE64_BEFORE = re.compile(rb"[A-Za-z0-9+/_-]*\Z")
_HEX_RUN = re.compile(rb"[0-9A-Fa-f]+")
_HEX_BEFORE = re.compile(rb"[0-9A-Fa-f]*\Z")
_PERCENT = rb"[A-Za-z0-9._~%+*!()-]*%[0-9A-Fa-f]{2}[A-Za-z0-9._~%+*!()-]*"


class Encoding(StrEnum):
    BASE64 = "base64"
    HEX = "hex"
    PERCENT = "percent"


class Encodings:
    """The encoded forms of some keywords, and the blobs around them. `kind_of` names the secret in a decoded text."""

    def __init__(self, keywords: Iterable[str], kind_of: Callable[[bytes], str | None]) -> None:
        usable = sorted({word.encode() for word in keywords if len(word) >= _SHORTEST_KEYWORD})
        self._kind_of = kind_of
        self.triggers = {
            Encoding.BASE64: b"|".join(re2.escape(form) for form in _base64_forms(usable)),
            Encoding.HEX: b"(?i:" + b"|".join(word.hex().encode() for word in usable) + b")",
            Encoding.PERCENT: rb"%[0-9A-Fa-f]{2}",
        }
        self._words = re2.compile(b"|".join(re2.escape(word) for word in usable), byte_options())
        self._percent_runs = re2.compile(_PERCENT, byte_options())
        self._literals = {
            encoding: re2.compile(self.triggers[encoding], byte_options())
            for encoding in (Encoding.BASE64, Encoding.HEX)
        }

    def spans(self, data: bytes, encoding: Encoding) -> Iterator[Span]:
        """Blobs whose decoded text holds a secret."""
        if encoding is Encoding.PERCENT:
            yield from self._percent(data)
        else:
            yield from self._around_literals(data, encoding)

    def _percent(self, data: bytes) -> Iterator[Span]:
        for match in self._percent_runs.finditer(data):
            start, end = match.span()
            kind = self._kind_of(urllib.parse.unquote_to_bytes(data[start : min(end, start + _WINDOW_BYTES)]))
            if kind:
                yield Span(start, end, kind)

    def _around_literals(self, data: bytes, encoding: Encoding) -> Iterator[Span]:
        is_hex = encoding is Encoding.HEX
        before, run = (_HEX_BEFORE, _HEX_RUN) if is_hex else (_BASE64_BEFORE, _BASE64_RUN)
        at = 0
        while literal := self._literals[encoding].search(data, at):
            window = max(0, literal.start() - _WINDOW_BYTES)
            head = before.search(data[window : literal.start()])
            start = window + head.start() if head else literal.start()
            whole = run.match(data, literal.start())
            end = max(whole.end() if whole else 0, literal.end())
            kind = self._kind_in(data[start : min(end, literal.end() + _WINDOW_BYTES)], is_hex=is_hex)
            if kind:
                yield Span(start, end, kind)
                at = end
            else:
                at = min(end, literal.end() + _WINDOW_BYTES)

    def _kind_in(self, blob: bytes, *, is_hex: bool) -> str | None:
        for skip in range(2 if is_hex else 4):
            decoded = _from_hex(blob[skip:]) if is_hex else _from_base64(blob[skip:])
            if self._words.search(decoded) and (kind := self._kind_of(decoded)):
                return kind
        return None


def _base64_forms(words: Iterable[bytes]) -> list[bytes]:
    """The characters that stay the same whatever stands around a word, at each of the three alignments."""
    forms = set()
    for word in words:
        for shift, lead in ((0, 0), (1, 2), (2, 3)):
            encoded = base64.b64encode(bytes(shift) + word)[lead : (shift + len(word)) * 8 // 6]
            forms |= {encoded, encoded.replace(b"+", b"-").replace(b"/", b"_")}
    return sorted(form for form in forms if len(form) >= _SHORTEST_KEYWORD)


def _from_base64(blob: bytes) -> bytes:
    clean = blob.rstrip(b"=").replace(b"-", b"+").replace(b"_", b"/")
    try:
        return base64.b64decode(clean[: len(clean) // 4 * 4] + _tail(clean))
    except binascii.Error:
        return b""


def _tail(clean: bytes) -> bytes:
    rest = clean[len(clean) // 4 * 4 :]
    return rest + b"=" * (4 - len(rest)) if len(rest) > 1 else b""


def _from_hex(blob: bytes) -> bytes:
    return bytes.fromhex(blob[: len(blob) // 2 * 2].decode("ascii"))
