"""Places in UTF-8 text that are to be replaced, and the replacing.

Overlapping places become one, under the type of the one that begins first and reaches farthest, so that nothing of
either survives. Cuts fall between characters. A place that holds placeholders and little else is left as it is, which
makes a second redaction change nothing.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from afterwit.guard.placeholders import PLACEHOLDER_BYTES

_LEAST_REST = 6


class Span(NamedTuple):
    start: int
    end: int
    kind: str


def united(spans: Iterable[Span], data: bytes) -> list[Span]:
    """Disjoint places in order. Of equal places the first given wins."""
    merged: list[Span] = []
    for span in sorted((_on_characters(span, data) for span in spans), key=_place):
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            if span.end > last.end:
                merged[-1] = Span(last.start, span.end, last.kind)
        else:
            merged.append(span)
    return [span for span in merged if not _is_done(span, data)]


def replaced(data: bytes, spans: Iterable[Span], mark: Callable[[str, bytes], bytes]) -> bytes:
    """The text with every place put through `mark(kind, value)`."""
    pieces: list[bytes] = []
    at = 0
    for start, end, kind in spans:
        pieces += (data[at:start], mark(kind, data[start:end]))
        at = end
    pieces.append(data[at:])
    return b"".join(pieces)


def _is_done(span: Span, data: bytes) -> bool:
    value = data[span.start : span.end]
    if b"\xe2\x80\xb9" not in value and b"\xe2\x80\xba" not in value:
        return False
    return len(PLACEHOLDER_BYTES.sub(b"", value)) < _LEAST_REST or _cuts_placeholder(span, data)


def _cuts_placeholder(span: Span, data: bytes) -> bool:
    window_start = max(0, span.start - 80)
    window = data[window_start : span.end + 80]
    for match in PLACEHOLDER_BYTES.finditer(window):
        start, end = match.start() + window_start, match.end() + window_start
        if start < span.start < end or start < span.end < end:
            return True
    return False


def _on_characters(span: Span, data: bytes) -> Span:
    start, end, kind = span
    while start > 0 and data[start] & 0xC0 == 0x80:
        start -= 1
    while end < len(data) and data[end] & 0xC0 == 0x80:
        end += 1
    return span if start == span.start and end == span.end else Span(start, end, kind)


def _place(span: Span) -> tuple[int, int]:
    return span.start, -span.end
