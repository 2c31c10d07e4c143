"""The marks that stand for what was taken out, `‹aws-key:3f9c2a›`, and their putting into UTF-8 text.

A placeholder says the type of the value and, by a keyed hash, which value it was: equal secrets stay equal on one
machine, and nobody without the key can check a guess. Ids and content hashes must agree between machines, so they see
the text through `unkeyed`. Overlapping places become one, under the type of the one that begins first and reaches
farthest, so that nothing of either survives. Cuts fall between characters. A place that holds placeholders and little
else is left as it is, which makes a second redaction change nothing.
"""

import functools
import hmac
import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

SUFFIX_LENGTH = 6
PLACEHOLDER = re.compile(r"‹[a-z][a-z0-9-]*:[0-9a-f]{4,16}›")
PLACEHOLDER_BYTES = re.compile(PLACEHOLDER.pattern.encode())
_KEYED = re.compile(r"‹([a-z][a-z0-9-]*):[0-9a-f]{4,16}›")
_LEAST_REST = 6


class SecretSpan(NamedTuple):
    start: int
    end: int
    kind: str


def united(spans: Iterable[SecretSpan], data: bytes) -> list[SecretSpan]:
    """Disjoint places in order. Of equal places the first given wins."""
    merged: list[SecretSpan] = []
    for span in sorted((_on_characters(span, data) for span in spans), key=lambda span: (span.start, -span.end)):
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            if span.end > last.end:
                merged[-1] = SecretSpan(last.start, span.end, last.kind)
        else:
            merged.append(span)
    return [span for span in merged if not _is_done(span, data)]


def replaced(data: bytes, spans: Iterable[SecretSpan], mark: Callable[[str, bytes], bytes]) -> bytes:
    """The text with every place put through `mark(kind, value)`."""
    pieces: list[bytes] = []
    at = 0
    for start, end, kind in spans:
        pieces += (data[at:start], mark(kind, data[start:end]))
        at = end
    pieces.append(data[at:])
    return b"".join(pieces)


def _is_done(span: SecretSpan, data: bytes) -> bool:
    value = data[span.start : span.end]
    if b"\xe2\x80\xb9" not in value and b"\xe2\x80\xba" not in value:
        return False
    return len(PLACEHOLDER_BYTES.sub(b"", value)) < _LEAST_REST or _cuts_placeholder(span, data)


def _cuts_placeholder(span: SecretSpan, data: bytes) -> bool:
    window_start = max(0, span.start - 80)
    window = data[window_start : span.end + 80]
    for match in PLACEHOLDER_BYTES.finditer(window):
        start, end = match.start() + window_start, match.end() + window_start
        if start < span.start < end or start < span.end < end:
            return True
    return False


def _on_characters(span: SecretSpan, data: bytes) -> SecretSpan:
    start, end, kind = span
    while start > 0 and data[start] & 0xC0 == 0x80:
        start -= 1
    while end < len(data) and data[end] & 0xC0 == 0x80:
        end += 1
    return span if start == span.start and end == span.end else SecretSpan(start, end, kind)


@functools.lru_cache(maxsize=4096)
def placeholder(kind: str, value: str | bytes, key: bytes) -> str:
    """The mark for this value; a text and its UTF-8 bytes get the same one."""
    if isinstance(value, str):
        value = value.encode("utf-8", "surrogatepass")
    return f"‹{kind}:{hmac.digest(key, value, 'sha256').hex()[:SUFFIX_LENGTH]}›"


def unkeyed(text: str) -> str:
    """The same text with the machine's own suffixes removed: `‹aws-key:3f9c2a›` becomes `‹aws-key›`."""
    return _KEYED.sub(r"‹\1›", text) if "‹" in text else text
