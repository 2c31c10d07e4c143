"""Invented text for sessions, as bytes that stand inside a JSON string: prose, code and output of programs.

A few megabytes are written once; a session takes slices from a small part of them again and again, as real sessions
read and print the same files again and again. The size of that part decides how well a log packs.
"""

import random
from bisect import bisect_left
from collections.abc import Callable
from enum import StrEnum

from bench.words import FILLERS, FOLDERS, NOUNS, QUALITIES, SUFFIXES, VERBS

_POOL_BYTES = 1_500_000
_NEWLINE = b"\\n"


class Style(StrEnum):
    PROSE = "prose"
    CODE = "code"
    OUTPUT = "output"


class Pool:
    """All text there is."""

    def __init__(self, rng: random.Random) -> None:
        writers = {Style.PROSE: sentence, Style.CODE: _code_line, Style.OUTPUT: _output_line}
        self.data: dict[Style, bytes] = {}
        self.starts: dict[Style, list[int]] = {}
        for style, writer in writers.items():
            self.data[style], self.starts[style] = _written(rng, writer)


class Shelf:
    """The part of the pool that one session uses."""

    def __init__(self, rng: random.Random, pool: Pool, reach_bytes: int) -> None:
        self._rng = rng
        self._pool = pool
        self._spans: dict[Style, tuple[int, int]] = {}
        for style, starts in pool.starts.items():
            first = rng.randrange(len(starts))
            at = starts[first]
            self._spans[style] = first, max(first + 1, bisect_left(starts, at + reach_bytes))

    def start(self, style: Style) -> int:
        """A place to cut from: the beginning of a line."""
        first, last = self._spans[style]
        starts = self._pool.starts[style]
        return starts[self._rng.randrange(first, last) % len(starts)]

    def cut(self, style: Style, start: int, size: int) -> bytes:
        """Exactly so many bytes from there on, whole characters and escapes only."""
        if size <= 0:
            return b""
        data = self._pool.data[style]
        piece = data[start : start + size]
        while len(piece) < size:
            piece += data[: size - len(piece)]
        return _ended(piece)

    def take(self, style: Style, size: int) -> bytes:
        return self.cut(style, self.start(style), size)


def identifier(rng: random.Random) -> str:
    return f"{rng.choice(VERBS)}_{rng.choice(NOUNS)}{rng.choice(('', '', '_' + rng.choice(NOUNS)))}"


def path(rng: random.Random) -> str:
    """A file below a repository."""
    folders = "/".join(rng.choice((rng.choice(FOLDERS), rng.choice(NOUNS))) for _ in range(rng.randint(1, 3)))
    return f"{folders}/{identifier(rng)}.{rng.choice(SUFFIXES)}"


def _written(rng: random.Random, writer: Callable[[random.Random], str]) -> tuple[bytes, list[int]]:
    """Text of one style and the places where its lines begin."""
    lines: list[bytes] = []
    starts: list[int] = []
    size = 0
    while size < _POOL_BYTES:
        line = _escaped(writer(rng)) + _NEWLINE
        starts.append(size)
        lines.append(line)
        size += len(line)
    return b"".join(lines), starts


def _escaped(line: str) -> bytes:
    """As inside a JSON string; lines have no other characters that need it."""
    return line.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t").encode()


def sentence(rng: random.Random, most: int = 18) -> str:
    words = [rng.choice(FILLERS if rng.random() < 0.5 else _any_words(rng)) for _ in range(rng.randint(3, most))]
    if rng.random() < 0.35:
        words.insert(rng.randrange(len(words)), f"`{identifier(rng)}`")
    if rng.random() < 0.2:
        words.insert(rng.randrange(len(words)), path(rng))
    start = rng.choice(("", "", "", "- ", "1. ", "**Note:** "))
    return f"{start}{' '.join(words).capitalize()}{rng.choice('...:?')}"


def _any_words(rng: random.Random) -> tuple[str, ...]:
    return rng.choice((NOUNS, VERBS, QUALITIES))


def _code_line(rng: random.Random) -> str:
    name, other, noun = identifier(rng), identifier(rng), rng.choice(NOUNS)
    indent = "    " * rng.randint(0, 3)
    return indent + rng.choice(
        (
            f"def {name}({noun}: str, {other}: int = {rng.randint(0, 99)}) -> bool:",
            f"return {other}({noun}, {noun}_count) if {noun} else None",
            f"const {noun} = await {name}({{ {other}: true, limit: {rng.randint(1, 500)} }});",
            f"if {noun}.{name}() is None and {other} > {rng.randint(1, 9)}:",
            f'{name} = "{rng.choice(QUALITIES)} {noun}"',
            f'"{noun}": "{rng.choice(QUALITIES)}",',
            f'print("{noun}", {other}["{rng.choice(NOUNS)}"])',
            f'{noun}.{rng.choice(VERBS)}("{rng.choice(QUALITIES)}")',
            "",
            "return",
            f"func {name}(ctx context.Context, {noun} *{noun.title()}) error {{",
            f"# {sentence(rng, 8)}",
            f"from {noun}.{rng.choice(NOUNS)} import {name}, {other}",
            f"assert {name}({noun}) == [{rng.randint(0, 9)}, {rng.randint(0, 99)}]",
            "}",
            "",
            f"for {noun} in self._{other}:",
        )
    )


def _output_line(rng: random.Random) -> str:
    kind = rng.randrange(10)
    if kind < 2:
        return f"{path(rng)}:{rng.randint(1, 900)}:{_code_line(rng)}"
    if kind == 2:
        size, day = rng.randint(100, 99999), rng.randint(1, 30)
        return f"-rw-r--r--  1 dev  staff  {size:6d} May {day:2d} 10:{rng.randint(10, 59)} {path(rng)}"
    if kind == 3:
        return f"tests/test_{rng.choice(NOUNS)}.py::test_{identifier(rng)} PASSED  [{rng.randint(1, 100):3d}%]"
    if kind == 4:
        return f"✓ {sentence(rng, 6)} ({rng.randint(1, 900)} ms)"
    if kind == 5:
        return f"{rng.getrandbits(28):07x} {sentence(rng, 6)}"
    if kind == 6:
        return f" {path(rng)} | {rng.randint(1, 90)} {'+' * rng.randint(1, 20)}{'-' * rng.randint(0, 9)}"
    if kind == 7:
        stamp = f"2026-05-{rng.randint(1, 30):02d} 10:{rng.randint(10, 59)}:{rng.randint(10, 59)}"
        return f"{stamp} INFO {identifier(rng)}: {sentence(rng, 6)}"
    if kind == 8:
        return f"{rng.randint(1, 400):6d}→{_code_line(rng)}"
    return _code_line(rng)


def _ended(piece: bytes) -> bytes:
    """Replaces a torn character or a lone backslash at the end."""
    whole = piece
    for back in range(1, min(4, len(piece)) + 1):
        byte = piece[-back]
        if byte < 0x80:
            break
        if byte >= 0xC0:
            needed = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            whole = piece if back == needed else piece[:-back] + b"." * back
            break
    slashes = len(whole) - len(whole.rstrip(b"\\"))
    return whole if slashes % 2 == 0 else whole[:-1] + b"."
