"""Takes secrets and traces of people out of text, before anything is stored, indexed, logged or shown.

A secret becomes a typed, keyed placeholder; the name before it stays. Redacting twice equals redacting once, no text
makes it raise, and each string is judged by itself. Rules are data (`rules/`); what is weighed in code is in `matching`
and `people`. Names in running text are not found, and neither is a secret without a known form or a telling name.

Behind one level of base64, hex or percent encoding secrets are found too: the keywords of the rules are encoded, in all
three alignments for base64, and looked for in the same pass as the rules' own triggers; only a blob around such a hit
is decoded, in windows, so the work is bounded.

Lines of base64 under one another: private keys behind the prefixes of diffs, listings and logs, or in pieces.

A run of base64 on each of several lines is one block, whatever stands before and behind the runs. A label above or
below it says what it is, and certificates and public keys stay. Without a label, a block as wide as keys are written
counts as a key, unless it is made of checksums; so does a block whose decoded text holds a secret or is base64 again,
as the middle of a wrapped key that was encoded once more is.
"""

import base64
import binascii
import functools
import urllib.parse
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import accumulate
from typing import Any, cast

import msgspec
import re2

from afterwit.model.text import regex
from afterwit.redaction.markers import SecretSpan, placeholder, replaced, united
from afterwit.redaction.matching import Matcher
from afterwit.redaction.people import HOME_TRIGGER, NOBODY, ExactNames, People, home_spans
from afterwit.redaction.ruleset import RedactionRule, byte_options, rules

_KIND = "private-key"
_KEY_WIDTHS = (64, 70)  # of PEM and of OpenSSH
_NARROWEST = 60
_LONGEST_GAP = 160
_LABEL_BYTES = 320
_BLOCK_WINDOW_BYTES = 8192
_WALL = b"a" * _NARROWEST
_BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_AS_ONE = bytes.maketrans(_BASE64, b"a" * len(_BASE64))
_RUN = re2.compile(rb"[A-Za-z0-9+/]{%d,}={0,2}" % _NARROWEST, byte_options())
_BEGIN = regex(rb"(?:-----BEGIN |(?=Public-Lines))([A-Za-z0-9 -]{1,60}?)(?:-----|: \d+)(?:[^-]|-[^-])*-?\Z")
_END = regex(rb"\A(?:[^-]|-[^-])*?-?-----END ([A-Z0-9 ]{1,60})-----")
_AT_END = regex(rb"[A-Za-z0-9+/]{2,}={0,2}\Z")
_CHECKSUM_BEFORE = regex(rb"(?i:sha-?\d{1,3}|md5|h1|integrity)\W{1,4}\Z")
_CLASSES = ((_BASE64[:26], 0.2), (_BASE64[26:52], 0.2), (_BASE64[52:62], 0.05))  # the least share of each in a key
_BASE64_TEXT = regex(rb"[A-Za-z0-9+/=\s-]+\Z")


def may_hold_a_block(data: bytes) -> bool:
    has_lines = len(data) > 2 * _NARROWEST and (b"\n" in data or b"\\n" in data)
    return has_lines and _WALL in data.translate(_AS_ONE)


def block_spans(data: bytes, kind_of: Callable[[bytes], str | None]) -> Iterator[SecretSpan]:
    """The runs of every block that is a key or holds a secret. `kind_of` names the secret in a decoded text."""
    for block in _blocks(data):
        kind = _kind(data, block, kind_of)
        if kind:
            yield from (SecretSpan(*run, kind) for run in block)
            if last := _last_line(data, block):
                yield SecretSpan(*last, kind)


def _blocks(data: bytes) -> Iterator[list[tuple[int, int]]]:
    block: list[tuple[int, int]] = []
    for match in _RUN.finditer(data):
        start, end = match.span()
        run = (start + (data[max(0, start - 1) : start + 1] == b"\\n"), end)
        gap = data[block[-1][1] : run[0]] if block else b""
        is_below = len(gap) <= _LONGEST_GAP and (gap.count(b"\n") or gap.count(b"\\n")) == 1
        if block and not (is_below and _fits(data, block, run)):
            yield block
            block = []
        block.append(run)
    if block:
        yield block


def _fits(data: bytes, block: list[tuple[int, int]], run: tuple[int, int]) -> bool:
    """Whether a run is as wide as those above it, or the shorter end of them."""
    width = _width(data, block[0])
    return _width(data, block[-1]) == width and _width(data, run) <= width + (data[run[0]] == ord("+"))


def _width(data: bytes, run: tuple[int, int]) -> int:
    """How wide a run is; the mark of an added line is no part of it."""
    width = run[1] - run[0]
    return width - (data[run[0]] == ord("+") and width - 1 in (*_KEY_WIDTHS, 76))


def _kind(data: bytes, block: list[tuple[int, int]], kind_of: Callable[[bytes], str | None]) -> str | None:
    start, end = block[0][0], block[-1][1]
    label = _BEGIN.search(data[max(0, start - _LABEL_BYTES) : start]) or _END.search(data[end : end + _LABEL_BYTES])
    if label:
        return _KIND if b"PRIVATE KEY" in label[1] else None
    runs = [data[slice(*run)] for run in block]
    first = b"".join(runs[:8])
    is_random = all(len(first) - len(first.translate(None, some)) >= share * len(first) for some, share in _CLASSES)
    if len(set(runs)) < 2 or not is_random or _CHECKSUM_BEFORE.search(data[max(0, start - 12) : start]):
        return None
    if _width(data, block[0]) == _width(data, block[1]) and _width(data, block[0]) in _KEY_WIDTHS:
        return _KIND
    whole = b"".join(run[-_width(data, place) :] for run, place in zip(runs, block, strict=True))
    decoded = from_base64(whole[:_BLOCK_WINDOW_BYTES])
    return kind_of(decoded) or (_KIND if _BASE64_TEXT.match(decoded) else None)


def _last_line(data: bytes, block: list[tuple[int, int]]) -> tuple[int, int] | None:
    """The rest of a block on the line below it, which is shorter and stands before the same as the run above it."""
    start, end = block[-1]
    rest = data[end : end + 2 * _LONGEST_GAP]
    line_break = b"\n" if b"\n" in rest else b"\\n"
    behind, _, below = rest.partition(line_break)
    line = below.partition(line_break)[0].rstrip()
    behind = behind.strip()
    if not below or b"=" in data[end - 2 : end] or not line.endswith(behind):
        return None
    match = _AT_END.search(line[: len(line) - len(behind)])
    if match is None or len(match[0]) >= end - start:
        return None
    at = end + rest.index(line_break) + len(line_break)
    is_last = b"-----END" in below[len(line) :][:_LONGEST_GAP] or match[0].endswith(b"=") or len(match[0]) >= 16
    return (at + match.start(), at + match.end()) if is_last else None


def from_base64(blob: bytes) -> bytes:
    """What a blob holds, in either alphabet; nothing where it is none."""
    clean = blob.rstrip(b"=").replace(b"-", b"+").replace(b"_", b"/")
    try:
        return base64.b64decode(clean[: len(clean) // 4 * 4] + _tail(clean))
    except binascii.Error:
        return b""


def _tail(clean: bytes) -> bytes:
    rest = clean[len(clean) // 4 * 4 :]
    return rest + b"=" * (4 - len(rest)) if len(rest) > 1 else b""


_WINDOW_BYTES = 8192
_SHORTEST_KEYWORD = 4
_BASE64_RUN = regex(rb"[A-Za-z0-9+/_-]+={0,2}")
_BASE64_BEFORE = regex(rb"[A-Za-z0-9+/_-]*\Z")
_HEX_RUN = regex(rb"[0-9A-Fa-f]+")
_HEX_BEFORE = regex(rb"[0-9A-Fa-f]*\Z")
_PERCENT = rb"[A-Za-z0-9._~%+*!()-]*%[0-9A-Fa-f]{2}[A-Za-z0-9._~%+*!()-]*"


_ESCAPE = regex(
    rb"\\+(?:u00|x)([2-7][0-9A-Fa-f])|&#x([2-7][0-9A-Fa-f]);|&#(\d{2,3});|&(quot|apos|amp|lt|gt);|\\+([\"'nrt])"
)
_PLAIN = {b"quot": b'"', b"apos": b"'", b"amp": b"&", b"lt": b"<", b"gt": b">", b"n": b"\n", b"r": b"\r", b"t": b"\t"}


class Encoding(StrEnum):
    BASE64 = "base64"
    HEX = "hex"
    PERCENT = "percent"
    ESCAPE = "escape"


class Encodings:
    """The encoded forms of some keywords, and the blobs around them. `kind_of` names the secret in a decoded text."""

    def __init__(self, keywords: Iterable[str], kind_of: Callable[[bytes], str | None]) -> None:
        usable = sorted({word.encode() for word in keywords if len(word) >= _SHORTEST_KEYWORD})
        self._kind_of = kind_of
        self._words = b"|".join(map(re2.escape, usable))
        self.triggers = _triggers(tuple(usable))

    def spans(self, data: bytes, encoding: Encoding) -> Iterator[SecretSpan]:
        """Blobs whose decoded text holds a secret."""
        if encoding is Encoding.PERCENT:
            yield from self._percent(data)
        else:
            yield from self._around_literals(data, encoding)

    def _percent(self, data: bytes) -> Iterator[SecretSpan]:
        for match in _compiled(_PERCENT).finditer(data):
            start, end = match.span()
            kind = self._kind_of(urllib.parse.unquote_to_bytes(data[start : min(end, start + _WINDOW_BYTES)]))
            if kind:
                yield SecretSpan(start, end, kind)

    def _around_literals(self, data: bytes, encoding: Encoding) -> Iterator[SecretSpan]:
        is_hex = encoding is Encoding.HEX
        before, run = (_HEX_BEFORE, _HEX_RUN) if is_hex else (_BASE64_BEFORE, _BASE64_RUN)
        at, literals = 0, _compiled(self.triggers[encoding])
        while literal := literals.search(data, at):
            window = max(0, literal.start() - _WINDOW_BYTES)
            head = before.search(data[window : literal.start()])
            start = window + head.start() if head else literal.start()
            whole = run.match(data, literal.start())
            end = max(whole.end() if whole else 0, literal.end())
            kind = self._kind_in(data[start : min(end, literal.end() + _WINDOW_BYTES)], is_hex=is_hex)
            if kind:
                yield SecretSpan(start, end, kind)
                at = end
            else:
                at = min(end, literal.end() + _WINDOW_BYTES)

    def _kind_in(self, blob: bytes, *, is_hex: bool) -> str | None:
        for skip in range(2 if is_hex else 4):
            decoded = _from_hex(blob[skip:]) if is_hex else from_base64(blob[skip:])
            if _compiled(self._words).search(decoded) and (kind := self._kind_of(decoded)):
                return kind
        return None


@functools.cache
def _compiled(pattern: bytes) -> Any:
    """Few texts hold anything encoded, and few commands show such a text."""
    return re2.compile(pattern, byte_options())


@functools.cache
def _triggers(words: tuple[bytes, ...]) -> dict[Encoding, bytes]:
    """The triggers of the encoded words, which are those of the rules, so a process makes them once."""
    return {
        Encoding.BASE64: b"|".join(re2.escape(form) for form in _base64_forms(words)),
        Encoding.HEX: b"(?i:" + b"|".join(word.hex().encode() for word in words) + b")",
        Encoding.PERCENT: rb"%[0-9A-Fa-f]{2}",
        Encoding.ESCAPE: rb"\\(?:u00|x)(?:2[027]|3[aAdD])|&(?:quot|apos|#(?:32|34|39|58|61|x2[027]|x3[aAdD]));",
    }


def _base64_forms(words: Iterable[bytes]) -> list[bytes]:
    """The characters that stay the same whatever stands around a word, at each of the three alignments."""
    forms = set()
    for word in words:
        for shift, lead in ((0, 0), (1, 2), (2, 3)):
            encoded = base64.b64encode(bytes(shift) + word)[lead : (shift + len(word)) * 8 // 6]
            forms |= {encoded, encoded.replace(b"+", b"-").replace(b"/", b"_")}
    return sorted(form for form in forms if len(form) >= _SHORTEST_KEYWORD)


def _unescape(data: bytes) -> tuple[bytes, Callable[[int], int]]:
    """The text without escapes, and where a place of it was before."""
    pieces: list[bytes] = []
    moves = [(0, 0)]  # from where on in the result, and how much farther that was
    size = at = 0
    for match in _ESCAPE.finditer(data):
        code = match[1] or match[2]
        number = int(code, 16) if code else int(match[3] or 0)
        name = match[4] or match[5]
        char = bytes([min(number, 255)]) if name is None else _PLAIN.get(name, name)
        pieces += (data[at : match.start()], char)
        size += match.start() - at + 1
        at = match.end()
        moves.append((size, at - size))
    return b"".join((*pieces, data[at:])), lambda place: place + moves[bisect_right(moves, (place, len(data))) - 1][1]


def _from_hex(blob: bytes) -> bytes:
    return bytes.fromhex(blob[: len(blob) // 2 * 2].decode("ascii"))


_SHORTEST_SECRET = 7
_SHORTEST_NAME = 3
_CACHED_LENGTH = 256
_CACHE_SIZE = 1 << 13
_MOST_PASSES = 8
_LONGEST_FIELD = 8192
_ENCODINGS = tuple(Encoding)
# Nearly half of the short texts of a log. Without a name before it, an id is no secret.
_ID_OR_MOMENT = regex(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]{8,16}Z?")
_SECRET_NAME = regex(r"(?i)pass|pwd|secret|token|key|auth|cred|cookie|session")


class Redactor:
    """Redacts with one machine's key. Costly to make, cheap to use; make one for a run and share it."""

    def __init__(self, key: bytes, people: People = NOBODY, allow: tuple[str, ...] = ()) -> None:
        self._key = key
        self._allowed = re2.compile("|".join(f"(?:{pattern})" for pattern in allow)) if allow else None
        self._exact = ExactNames(people)
        self._shortest = _SHORTEST_NAME if self._exact else _SHORTEST_SECRET
        all_rules = rules()
        self._encodings = Encodings(_blob_keywords(all_rules), self._kind_of)
        extra = [HOME_TRIGGER, self._exact.pattern] if self._exact else [HOME_TRIGGER]
        self._matcher = _matcher(*extra, *self._encodings.triggers.values())
        self._home_hit = self._matcher.size
        self._first_encoded_hit = self._home_hit + len(extra)
        self._block_hit = self._first_encoded_hit + len(_ENCODINGS)
        self._short: dict[str, str] = {}

    def text(self, text: str) -> str:
        """The text without secrets and traces of people."""
        safe = self._lookup(text)
        if safe is not None:
            return safe
        data = text.encode("utf-8", "surrogatepass")
        return self._safe(text, data, self._hits(data))

    def texts(self, texts: Sequence[str]) -> list[str]:
        """The same for each of many texts, which costs far less than one after the other."""
        redacted = {text: self._lookup(text) for text in dict.fromkeys(texts)}
        fresh = [text for text, safe in redacted.items() if safe is None]
        datas = [text.encode("utf-8", "surrogatepass") for text in fresh]
        for text, data, hits in zip(fresh, datas, self._matcher.hits_in(datas), strict=True):
            redacted[text] = self._safe(text, data, [*hits, self._block_hit] if may_hold_a_block(data) else hits)
        return [cast("str", redacted[text]) for text in texts]

    def _safe(self, text: str, data: bytes, hits: list[int]) -> str:
        safe = self._redact(data, hits) if hits else text
        if len(text) <= _CACHED_LENGTH:
            if len(self._short) > _CACHE_SIZE:
                self._short.clear()
            self._short[text] = safe
        return safe

    def pieces(self, texts: Sequence[str]) -> list[str]:
        """The pieces of one text, without what is a secret only where they are put together again. Such a secret
        stands in the piece in which it begins."""
        datas = [text.encode("utf-8", "surrogatepass") for text in texts]
        data = b"".join(datas)
        spans = self._find(data, self._hits(data))
        if not spans:
            return list(texts)
        safe, at = list[str](), 0
        for end in accumulate(map(len, datas)):
            here = [span for span in spans if at <= span.start < end]
            stop = max(end, here[-1].end) if here else max(at, end)
            moved = [SecretSpan(start - at, last - at, kind) for start, last, kind in here]
            safe.append(replaced(data[at:stop], moved, self._mark).decode("utf-8", "surrogatepass"))
            at = stop
        return safe

    def _lookup(self, text: str) -> str | None:
        """What is known of a short text without looking for anything."""
        length = len(text)
        if length > _CACHED_LENGTH:
            return None
        if length < self._shortest:
            return text
        safe = self._short.get(text)
        return text if safe is None and _ID_OR_MOMENT.fullmatch(text) else safe

    def path(self, path: str) -> str:
        """The same for a path, where the user of a home folder is what is usually found."""
        return self.text(path)

    def value(self, value: Any) -> Any:
        """Decoded JSON of the same shape, keys redacted too. A key that names a secret counts as its context."""
        root = [value]
        open_places: list[tuple[Any, Any]] = [(root, 0)]
        while open_places:
            holder, place = open_places.pop()
            inner = holder[place]
            if isinstance(inner, str):
                holder[place] = self._field(place, inner) if isinstance(place, str) else self.text(inner)
            elif isinstance(inner, dict):
                copy = {self.text(key) if isinstance(key, str) else key: item for key, item in inner.items()}
                holder[place] = copy
                open_places.extend((copy, key) for key in copy)
            elif isinstance(inner, list | tuple):
                items = list(inner)
                holder[place] = items
                open_places.extend((items, index) for index in range(len(items)))
        return root[0]

    def state(self, state: bytes) -> bytes:
        """What a reader keeps for the next time, which is redacted only where a secret is in it: readers look
        for the folders that it names."""
        if self._kind_of(state) is None:
            return state
        form: Any = msgspec.json if state.startswith(b"{") else msgspec.msgpack
        return cast("bytes", form.encode(self.value(form.decode(state))))

    def _field(self, name: str, value: str) -> str:
        redacted = self.text(value)
        if redacted != value or len(value) > _LONGEST_FIELD or not _SECRET_NAME.search(name):
            return redacted
        quote = next((mark for mark in "\"'`" if mark not in value), "")
        before = f'"{name}": {quote}'
        together = self.text(f"{before}{value}{quote}")
        if not together.startswith(before) or together == f"{before}{value}{quote}":
            return redacted
        return together[len(before) : len(together) - len(quote)]

    def _redact(self, data: bytes, hits: list[int]) -> str:
        """UTF-8 text without what these triggers lead to."""
        for _ in range(_MOST_PASSES):
            spans = self._find(data, hits)
            if not spans:
                break
            data = replaced(data, spans, self._mark)
            if {self._home_hit, self._block_hit}.issuperset(hits):
                break  # nothing but home folders and blocks was there: another pass would find nothing new
            hits = self._hits(data)
        return data.decode("utf-8", "surrogatepass")

    def _hits(self, data: bytes) -> list[int]:
        hits = self._matcher.hits(data)
        return [*hits, self._block_hit] if may_hold_a_block(data) else hits

    def _find(self, data: bytes, hits: list[int]) -> list[SecretSpan]:
        return [span for span in united(self._spans(data, hits), data) if not self._is_allowed(data, span)]

    def _spans(self, data: bytes, hits: list[int]) -> Iterator[SecretSpan]:
        yield from self._matcher.spans(data, hits)
        for hit in hits:
            if hit == self._home_hit:
                yield from home_spans(data)
            elif hit == self._block_hit:
                yield from block_spans(data, self._kind_of)
            elif hit == self._block_hit - 1:
                yield from self._spans_in_escapes(data)
            elif hit >= self._first_encoded_hit:
                yield from self._encodings.spans(data, _ENCODINGS[hit - self._first_encoded_hit])
            elif hit > self._home_hit:
                yield from self._exact.spans(data)

    def _spans_in_escapes(self, data: bytes) -> Iterator[SecretSpan]:
        """Secrets that are seen once the escapes of JSON, of languages and of HTML are undone."""
        plain, places = _unescape(data)
        for start, end, kind in self._matcher.secret_spans(plain):
            yield SecretSpan(places(start), places(end), kind)

    def _is_allowed(self, data: bytes, span: SecretSpan) -> bool:
        """Whether the user has said that this value is no secret."""
        return self._allowed is not None and self._allowed.fullmatch(data[span.start : span.end]) is not None

    def _kind_of(self, decoded: bytes) -> str | None:
        return self._matcher.secret_kind(decoded)

    def _mark(self, kind: str, value: bytes) -> bytes:
        return placeholder(kind, value, self._key).encode()


@functools.lru_cache(maxsize=4)
def _matcher(*extra: bytes) -> Matcher:
    """All rules with these further triggers. It knows no key and keeps no text, so all redactors can share it."""
    return Matcher(rules(), extra)


def _blob_keywords(all_rules: Iterable[RedactionRule]) -> list[str]:
    """Words that show a secret in a decoded text; the bare names of services show nothing."""
    secrets = (rule for rule in all_rules if not rule.is_about_people)
    return [
        word for rule in secrets for word in rule.keywords if rule.is_generic or not (word.islower() and word.isalpha())
    ]
