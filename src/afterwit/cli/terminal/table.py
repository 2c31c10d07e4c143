"""The table that commands print: a heading, a rule, and the rows; numbers stand to the right.

In a pipe nothing is cut or wrapped. On a terminal that is too narrow, columns are left out, and the one that takes the
rest is wrapped; with `is_folded` no column goes, and all long cells take several lines instead. What tells of a failure
is red, on a terminal with colours.
"""

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

import click

from afterwit.cli.terminal.output import cells, cut, has_colour, terminal_width, wrap_line
from afterwit.model.figures import human_count
from afterwit.redaction.hygiene import clean

_GAP = "  "
_SHORT = 30  # columns of at most this width are not folded where there is room
Widths = dict[int, int]  # of the columns that are shown, by their place


class Column(NamedTuple):
    name: str
    is_number: bool = False
    gives_way: int = 0  # on a narrow terminal the column with the highest number goes first; 0: never
    takes_rest: bool = False  # takes the room that is left, and is wrapped there
    least: int = 20  # cells of a column that takes the rest, before others are left out
    most_lines: int = 0  # of such a column; what goes beyond is cut. 0: as many as it needs
    most: int = 0  # cells that are enough where the terminal is too narrow for all; 0: all are needed
    is_bad: Callable[[str], bool] | None = None  # which of its texts tell of a failure


def print_table(columns: Sequence[Column], rows: Sequence[Sequence[Any]], *, is_folded: bool = False) -> None:
    for line in draw_table(columns, rows, terminal_width(), is_folded=is_folded, is_coloured=has_colour()):
        click.echo(line)


def draw_table(
    columns: Sequence[Column],
    rows: Sequence[Sequence[Any]],
    width: int | None,
    *,
    is_folded: bool = False,
    is_coloured: bool = False,
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
        widths = _narrow(columns, widths, width) if width is not None else widths
        rule = _GAP.join("─" * size for size in widths.values())
        lines = (line for row in texts for line in _lines(columns, widths, row, is_coloured=is_coloured))
        return [*_lines(columns, widths, names), rule, *lines]
    widths = _fold(widths, width) if width is not None else widths
    rule = "─" * _total(widths)
    folded = [line for row in texts for line in _fold_lines(columns, widths, row)]
    return [*_fold_lines(columns, widths, names, is_bold=is_coloured), rule, *folded]


def _text(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return "" if value is None else str(value).lower()
    return human_count(value) if isinstance(value, int) else clean(str(value))


def _total(widths: Widths) -> int:
    return sum(widths.values()) + len(_GAP) * (len(widths) - 1)


def _narrow(columns: Sequence[Column], widths: Widths, room: int) -> Widths:
    """Columns are left out until the others fit, the one that takes the rest counted with the least that it needs."""
    if _least_width(columns, widths) > room:
        widths = {at: min(size, columns[at].most or size) for at, size in widths.items()}
    while _least_width(columns, widths) > room:
        last = max(widths, key=lambda at: columns[at].gives_way)
        if not columns[last].gives_way:
            break
        del widths[last]
    excess = max(0, _total(widths) - room)
    return {at: max(1, size - excess) if columns[at].takes_rest else size for at, size in widths.items()}


def _least_width(columns: Sequence[Column], widths: Widths) -> int:
    return _total({at: min(size, columns[at].least) if columns[at].takes_rest else size for at, size in widths.items()})


def _fold(widths: Widths, room: int) -> Widths:
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


def _fit(column: Column, text: str, width: int) -> str:
    """Cut, with a mark; without one where as much is left as is enough, such as the day of a moment."""
    is_enough = width == column.most and text[width : width + 1] == " " and text.isascii()
    return text[:width] if is_enough else cut(text, width)


def _place(column: Column, text: str, width: int) -> str:
    padding = " " * (width - cells(text))
    return padding + text if column.is_number else text + padding


def _lines(columns: Sequence[Column], widths: Widths, row: Sequence[str], *, is_coloured: bool = False) -> list[str]:
    """The lines that a row takes: one, unless a column that takes the rest is wrapped."""
    pieces = [_wrap_cell(columns[at], row[at], size) for at, size in widths.items()]
    lines: list[str] = []
    for number in range(max(len(column) for column in pieces)):
        texts = [column[number] if number < len(column) else "" for column in pieces]
        placed = [_place(columns[at], text, widths[at]) for at, text in zip(widths, texts, strict=True)]
        if is_coloured:
            placed = [_colour(columns[at], row[at], text) for at, text in zip(widths, placed, strict=True)]
        lines.append(_GAP.join(placed).rstrip())
    return lines


def _wrap_cell(column: Column, text: str, width: int) -> list[str]:
    if not column.takes_rest or cells(text) <= width:
        return [_fit(column, text, width)]
    lines = [line.rstrip() for line in wrap_line(text, max(width, 1))]
    if column.most_lines and len(lines) > column.most_lines:
        rest = " ".join(line.strip() for line in lines[column.most_lines - 1 :])
        return [*lines[: column.most_lines - 1], cut(rest, width)]
    return lines


def _colour(column: Column, text: str, placed: str) -> str:
    is_bad = column.is_bad is not None and bool(text.strip()) and column.is_bad(text)
    return click.style(placed, fg="red") if is_bad and placed.strip() else placed


def _fold_lines(columns: Sequence[Column], widths: Widths, row: Sequence[str], *, is_bold: bool = False) -> list[str]:
    """The lines that a row takes, as many as its longest cell."""
    folded = [
        [piece.rstrip() for line in row[at].split("\n") for piece in wrap_line(line, size)]
        for at, size in widths.items()
    ]
    lines = []
    for pieces in zip_longest(*folded, fillvalue=""):
        placed = [_place(columns[at], piece, widths[at]) for at, piece in zip(widths, pieces, strict=True)]
        if is_bold:
            *others, last = (click.style(piece, bold=True) for piece in placed)
            placed = [*(piece + click.style(" ", bold=True) for piece in others), last]
        lines.append((" " if is_bold else _GAP).join(placed).rstrip())
    return lines
