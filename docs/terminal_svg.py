"""A terminal as an SVG picture: commands, and the lines that they printed.

Readable on a light and on a dark page: the colours are in the picture's own style, which follows what the reader's
system prefers. No script, no font, nothing from elsewhere. Every word has its place and its width by the columns of the
terminal, so that tables stay tables in whatever font the reader has. Of what a terminal can show, bold and red are
known; any other control sequence is an error, because a picture would show it wrongly.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape

from afterwit.cli.terminal.output import cells

_CELL, _LINE, _EDGE, _BAR, _BASE = 8, 20, 20, 36, 14
_STYLE = """
  text { fill: #1f2328; font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }
  .screen { fill: #f6f8fa; stroke: #d1d9e0; }
  .button { fill: #d1d9e0; }
  .soft { fill: #59636e; }
  .typed { fill: #0b5cad; font-weight: 600; }
  .strong { font-weight: 600; }
  .bad { fill: #b3261e; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; }
    .screen { fill: #0d1117; stroke: #3d444d; }
    .button { fill: #3d444d; }
    .soft { fill: #9198a1; }
    .typed { fill: #79b8ff; }
    .bad { fill: #ff8b82; }
  }
"""
_SGR = re.compile(r"\x1b\[([0-9;]*)m")
_KINDS = {"": "", "0": "", "1": "strong", "31": "bad"}
_WORDS = re.compile(r"\S+(?: \S+)*")
_RULE = re.compile(r"[─ ]+")


class Typed(NamedTuple):
    """A command, and the lines that the terminal showed after it."""

    command: str
    printed: Sequence[str]


class _Run(NamedTuple):
    """Words of one colour, from a column on."""

    column: int
    text: str
    kind: str  # a class of the style; "" for the usual


def terminal_svg(title: str, typed: Sequence[Typed], columns: int) -> str:
    """The picture as a file holds it."""
    lines = [runs for number, command in enumerate(typed) for runs in _lines(command, is_first=not number)]
    width, height = columns * _CELL + 2 * _EDGE, _BAR + len(lines) * _LINE + _EDGE
    commands = ", then ".join(command.command for command in typed)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        ' role="img" aria-labelledby="title desc">',
        f'<title id="title">{escape(title)}</title>',
        f'<desc id="desc">{escape(f"A terminal that shows what is printed by: {commands}.")}</desc>',
        f"<style>{_STYLE}</style>",
        f'<rect class="screen" x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="8"/>',
        *(f'<circle class="button" cx="{_EDGE + at * 18}" cy="18" r="5"/>' for at in range(3)),
    ]
    for number, runs in enumerate(lines):
        parts.extend(_placed(run, _BAR + number * _LINE + _BASE) for run in runs)
    return "\n".join([*parts, "</svg>", ""])


def _lines(typed: Typed, *, is_first: bool) -> Iterator[list[_Run]]:
    if not is_first:
        yield []
    yield [_Run(0, "$", "soft"), _Run(2, typed.command, "typed")]
    yield from (list(_runs(line)) for line in typed.printed)


def _runs(line: str) -> Iterator[_Run]:
    """The words of a line with their columns; what stands apart by several spaces is a run of its own."""
    column, kind = 0, ""
    for number, piece in enumerate(_SGR.split(line)):
        if number % 2:
            kind = _kind(piece)
            continue
        if not piece.isprintable():
            raise ValueError(f"a picture cannot show this line: {line!r}")
        for words in _WORDS.finditer(piece):
            text = words.group()
            yield _Run(column + cells(piece[: words.start()]), text, kind or ("soft" if _RULE.fullmatch(text) else ""))
        column += cells(piece)


def _kind(codes: str) -> str:
    if codes not in _KINDS:
        raise ValueError(f"a picture knows no terminal colour {codes}")
    return _KINDS[codes]


def _placed(run: _Run, y: int) -> str:
    kind = f' class="{run.kind}"' if run.kind else ""
    place = f'x="{_EDGE + run.column * _CELL}" y="{y}" textLength="{cells(run.text) * _CELL}"'
    return f'<text{kind} {place} lengthAdjust="spacingAndGlyphs">{escape(run.text)}</text>'
