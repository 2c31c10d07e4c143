"""The table that commands print: a heading, a rule, and the rows; numbers stand to the right.

In a pipe nothing is cut or folded. On a terminal that is too narrow, columns are left out and one is cut, so that a row
stays one line; with `is_folded` no column goes, and long cells take several lines instead.
"""

import os
import sys
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

import click

from afterwit.cli.terminal.amounts import human_count
from afterwit.cli.terminal.output import terminal_width
from afterwit.cli.terminal.wrapping import cells, cut, wrapped_line
from afterwit.guard.hygiene import clean

_GAP = "  "
_SHORT = 30  # columns of at most this width are not folded where there is room
Widths = dict[int, int]  # of the columns that are shown, by their place


class Column(NamedTuple):
    name: str
    is_number: bool = False
    gives_way: int = 0  # on a narrow terminal the column with the highest number goes first; 0: never
    is_cut: bool = False  # takes the room that is left
    least: int = 20  # cells of a column that is cut, before others are left out
    most: int = 0  # cells that are enough where the terminal is too narrow for all; 0: all are needed


def print_table(columns: Sequence[Column], rows: Sequence[Sequence[Any]], *, is_folded: bool = False) -> None:
    is_bold = is_folded and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    for line in drawn(columns, rows, terminal_width(), is_folded=is_folded, is_bold=is_bold):
        click.echo(line)


def drawn(
    columns: Sequence[Column],
    rows: Sequence[Sequence[Any]],
    width: int | None,
    *,
    is_folded: bool = False,
    is_bold: bool = False,
) -> list[str]:
    """The lines of the table. A column that says nothing (or 0) in every row is left out, unless it never gives way."""
    texts = [[_text(value) for value in row] for row in rows]
    widths = {
        at: max([cells(column.name), *(cells(row[at]) for row in texts)])
        for at, column in enumerate(columns)
        if not column.gives_way or any(row[at] for row in rows)
    }
    names = [column.name for column in columns]
    if not is_folded:
        widths = _narrowed(columns, widths, width) if width is not None else widths
        rule = _GAP.join("─" * size for size in widths.values())
        return [_line(columns, widths, names), rule, *(_line(columns, widths, row) for row in texts)]
    widths = _folded(widths, width) if width is not None else widths
    rule = "─" * _total(widths)
    folded = [line for row in texts for line in _folded_lines(columns, widths, row)]
    return [*_folded_lines(columns, widths, names, is_bold=is_bold), rule, *folded]


def _text(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return "" if value is None else str(value).lower()
    return human_count(value) if isinstance(value, int) else clean(str(value))


def _total(widths: Widths) -> int:
    return sum(widths.values()) + len(_GAP) * (len(widths) - 1)


def _narrowed(columns: Sequence[Column], widths: Widths, room: int) -> Widths:
    """Columns are left out until the others fit, the one that is cut counted with the least that it needs."""
    if _needed(columns, widths) > room:
        widths = {at: min(size, columns[at].most or size) for at, size in widths.items()}
    while _needed(columns, widths) > room:
        last = max(widths, key=lambda at: columns[at].gives_way)
        if not columns[last].gives_way:
            break
        del widths[last]
    excess = max(0, _total(widths) - room)
    return {at: max(1, size - excess) if columns[at].is_cut else size for at, size in widths.items()}


def _needed(columns: Sequence[Column], widths: Widths) -> int:
    return _total({at: min(size, columns[at].least) if columns[at].is_cut else size for at, size in widths.items()})


def _folded(widths: Widths, room: int) -> Widths:
    """The widest columns get narrower until all fit: short ones only where they alone have no room."""
    has_room = sum(size + len(_GAP) for size in widths.values() if size <= _SHORT) <= room
    most, last = room - len(widths) + 1, max(widths)
    widths = {at: min(size, most - (at != last)) for at, size in widths.items()}
    padded = {at: size + (at != last) for at, size in widths.items() if size > _SHORT or not has_room}
    while padded and (excess := _total(widths) - room) > 0:
        widest = max(padded.values())
        step = min(excess, widest - max((size for size in padded.values() if size < widest), default=2))
        those = [at for at, size in padded.items() if size == widest]
        if step <= 0:
            break
        for left, at in zip(range(len(those), 0, -1), those, strict=True):
            taken = min(step, round(excess / left))
            padded[at], widths[at], excess = padded[at] - taken, widths[at] - taken, excess - taken
    return widths


def _fitted(column: Column, text: str, width: int) -> str:
    """Cut, with a mark; without one where as much is left as is enough, such as the day of a moment."""
    is_enough = width == column.most and text[width : width + 1] == " " and text.isascii()
    return text[:width] if is_enough else cut(text, width)


def _placed(column: Column, text: str, width: int) -> str:
    padding = " " * (width - cells(text))
    return padding + text if column.is_number else text + padding


def _line(columns: Sequence[Column], widths: Widths, row: Sequence[str]) -> str:
    fitted = (_placed(columns[at], _fitted(columns[at], row[at], size), size) for at, size in widths.items())
    return _GAP.join(fitted).rstrip()


def _folded_lines(columns: Sequence[Column], widths: Widths, row: Sequence[str], *, is_bold: bool = False) -> list[str]:
    """The lines that a row takes, as many as its longest cell."""
    folded = [
        [piece.rstrip() for line in row[at].split("\n") for piece in wrapped_line(line, size)]
        for at, size in widths.items()
    ]
    lines = []
    for pieces in zip_longest(*folded, fillvalue=""):
        placed = [_placed(columns[at], piece, widths[at]) for at, piece in zip(widths, pieces, strict=True)]
        if is_bold:
            *others, last = (click.style(piece, bold=True) for piece in placed)
            placed = [*(piece + click.style(" ", bold=True) for piece in others), last]
        lines.append((" " if is_bold else _GAP).join(placed).rstrip())
    return lines
