"""Lines of base64 under one another: private keys behind the prefixes of diffs, listings and logs, or in pieces.

A run of base64 on each of several lines is one block, whatever stands before and behind the runs. A label above or
below it says what it is, and certificates and public keys stay. Without a label, a block as wide as keys are written
counts as a key, unless it is made of checksums; so does a block whose decoded text holds a secret or is base64 again,
as the middle of a wrapped key that was encoded once more is.
"""

import base64
import binascii
import re
from collections.abc import Callable, Iterator

import re2

from afterwit.redaction.placeholders import SecretSpan
from afterwit.redaction.ruleset import byte_options

_KIND = "private-key"
_KEY_WIDTHS = (64, 70)  # of PEM and of OpenSSH
_NARROWEST = 60
_LONGEST_GAP = 160
_LABEL_BYTES = 320
_WINDOW_BYTES = 8192
_WALL = b"a" * _NARROWEST
_BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_AS_ONE = bytes.maketrans(_BASE64, b"a" * len(_BASE64))
_RUN = re2.compile(rb"[A-Za-z0-9+/]{%d,}={0,2}" % _NARROWEST, byte_options())
_BEGIN = re.compile(rb"(?:-----BEGIN |(?=Public-Lines))([A-Za-z0-9 -]{1,60}?)(?:-----|: \d+)(?:[^-]|-[^-])*-?\Z")
_END = re.compile(rb"\A(?:[^-]|-[^-])*?-?-----END ([A-Z0-9 ]{1,60})-----")
_AT_END = re.compile(rb"[A-Za-z0-9+/]{2,}={0,2}\Z")
_CHECKSUM_BEFORE = re.compile(rb"(?i:sha-?\d{1,3}|md5|h1|integrity)\W{1,4}\Z")
_CLASSES = ((_BASE64[:26], 0.2), (_BASE64[26:52], 0.2), (_BASE64[52:62], 0.05))  # the least share of each in a key
_BASE64_TEXT = re.compile(rb"[A-Za-z0-9+/=\s-]+\Z")


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
    decoded = from_base64(whole[:_WINDOW_BYTES])
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
