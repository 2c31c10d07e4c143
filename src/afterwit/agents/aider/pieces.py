"""Cuts Aider's chat history into pieces: launches, what people typed, what the program said, what the model answered.

    # aider chat started at 2026-05-01 10:00:00
    #### a line that a person typed
    > a line of the program
    everything else is the model's; inside of its code fences the marks above are content

Only a launch ends a fence that was never closed. Offsets are those of bytes.
"""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

_LAUNCH = re.compile(rb"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*$")
_FENCE = re.compile(rb"(`{3,}|~{3,})")


class Mode(StrEnum):
    LAUNCH = "launch"
    USER = "user"
    PROGRAM = "program"
    MODEL = "model"


class Piece(NamedTuple):
    mode: Mode
    begin: int
    end: int


def pieces_of(raw: bytes) -> Iterator[Piece]:
    """The pieces that say something, in order. Blank lines end what a person or the program said."""
    mode, begin, fence, at = Mode.MODEL, 0, b"", 0
    while at < len(raw):
        newline = raw.find(b"\n", at)
        end = len(raw) if newline < 0 else newline + 1
        line = raw[at:end].strip()
        found = mode_of(line)
        if fence and found is not Mode.LAUNCH:
            fence = b"" if line == fence else fence
        else:
            fence = _opened(line) if found is Mode.MODEL else b""
            is_over = found is not mode or found is Mode.LAUNCH
            if is_over and not (mode is Mode.MODEL and not line):
                if raw[begin:at].strip():
                    yield Piece(mode, begin, at)
                mode, begin = found, at
        at = end
    if raw[begin:].strip():
        yield Piece(mode, begin, len(raw))


def mode_of(line: bytes) -> Mode:
    """Who speaks in a line that stands outside of code fences."""
    if line.startswith(b"#### ") or line == b"####":
        return Mode.USER
    if line.startswith(b"> ") or line == b">":
        return Mode.PROGRAM
    return Mode.LAUNCH if _LAUNCH.match(line) else Mode.MODEL


def launched_at(line: bytes) -> str:
    """The local time of a launch, as the line has it; "" where it is none."""
    match = _LAUNCH.match(line.strip())
    return match[1].decode("ascii") if match else ""


def _opened(line: bytes) -> bytes:
    match = _FENCE.match(line)
    return match[1] if match else b""
