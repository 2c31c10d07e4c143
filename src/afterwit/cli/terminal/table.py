"""The table that commands print: a heading, a rule, and the rows; numbers stand to the right.

In a pipe nothing is cut or wrapped. On a terminal that is too narrow, columns are left out, and the one that takes the
rest is wrapped, or without such a one the widest. What tells of a failure is red, on a terminal with colours.
"""

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

import click

from afterwit.cli.terminal.output import cells, cut, has_colour, terminal_width, wrap_line
from afterwit.model.figures import human_count
from afterwit.redaction.hygiene import clean

_GAP = "  "
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


def print_table(columns: Sequence[Column], rows: Sequence[Sequence[Any]]) -> None:
    for line in draw_table(columns, rows, terminal_width(), is_coloured=has_colour()):
        click.echo(line)


def draw_table(
    columns: Sequence[Column], rows: Sequence[Sequence[Any]], width: int | None, *, is_coloured: bool = False
) -> list[str]:
    """The lines of the table. A column that says nothing (or 0) in every row is left out, unless it never gives way."""
    texts = [[_text(value) for value in row] for row in rows]
    widths = {
        at: max([cells(column.name), *(cells(row[at]) for row in texts)])
        for at, column in enumerate(columns)
        if not column.gives_way or any(row[at] for row in rows)
    }
    widths = _narrow(columns, widths, width) if width is not None else widths
    heading = _lines(columns, widths, [column.name for column in columns])
    heading = [click.style(line, bold=True) for line in heading] if is_coloured else heading
    rule = _GAP.join("─" * size for size in widths.values())
    return [*heading, rule, *(line for row in texts for line in _lines(columns, widths, row, is_coloured=is_coloured))]


def _text(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return "" if value is None else str(value).lower()
    return human_count(value) if isinstance(value, int) else clean(str(value))


def _total(widths: Widths) -> int:
    return sum(widths.values()) + len(_GAP) * (len(widths) - 1)


def _narrow(columns: Sequence[Column], widths: Widths, room: int) -> Widths:
    """Columns are left out until the others fit, the one that takes the rest counted with the least that it needs."""

    def least_width() -> int:
        return _total(
            {at: min(size, columns[at].least) if columns[at].takes_rest else size for at, size in widths.items()}
        )

    if least_width() > room:
        widths = {at: min(size, columns[at].most or size) for at, size in widths.items()}
    while least_width() > room and columns[last := max(widths, key=lambda at: columns[at].gives_way)].gives_way:
        del widths[last]
    flexible = [at for at in widths if columns[at].takes_rest] or list(widths)
    while _total(widths) > room:
        widest = max(flexible, key=lambda at: widths[at])
        if widths[widest] <= 1:
            break
        widths[widest] -= 1
    return widths


def _lines(columns: Sequence[Column], widths: Widths, row: Sequence[str], *, is_coloured: bool = False) -> list[str]:
    """The lines that a row takes, as many as its longest cell."""
    pieces = [_wrap_cell(columns[at], row[at], size) for at, size in widths.items()]
    lines = []
    for texts in zip_longest(*pieces, fillvalue=""):
        placed = [
            _place(columns[at], text, widths[at], is_bad=is_coloured and _is_bad(columns[at], row[at]))
            for at, text in zip(widths, texts, strict=True)
        ]
        lines.append(_GAP.join(placed).rstrip())
    return lines


def _wrap_cell(column: Column, text: str, width: int) -> list[str]:
    """The lines of a cell. A short form is cut with a mark; without one where as much is left as is enough, such as the
    day of a moment."""
    if cells(text) <= width and "\n" not in text:
        return [text]
    if column.most:
        is_enough = width == column.most and text[width : width + 1] == " " and text.isascii()
        return [text[:width] if is_enough else cut(text, width)]
    lines = [line.rstrip() for part in text.split("\n") for line in wrap_line(part, width)]
    if column.most_lines and len(lines) > column.most_lines:
        rest = " ".join(line.strip() for line in lines[column.most_lines - 1 :])
        return [*lines[: column.most_lines - 1], cut(rest, width)]
    return lines


def _is_bad(column: Column, text: str) -> bool:
    return column.is_bad is not None and bool(text.strip()) and column.is_bad(text)


def _place(column: Column, text: str, width: int, *, is_bad: bool) -> str:
    padding = " " * (width - cells(text))
    placed = padding + text if column.is_number else text + padding
    return click.style(placed, fg="red") if is_bad and text.strip() else placed
