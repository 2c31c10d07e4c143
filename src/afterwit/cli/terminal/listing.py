"""Tables with one line per row: on a narrow terminal, columns are left out and one is cut; in a pipe, none is."""

from collections.abc import Sequence
from typing import NamedTuple

import click

from afterwit.cli.terminal.output import terminal_width
from afterwit.cli.terminal.wrapping import cells, cut
from afterwit.guard.hygiene import clean

_GAP = "  "


class Column(NamedTuple):
    name: str
    is_number: bool = False
    gives_way: int = 0  # on a narrow terminal the column with the highest number goes first; 0: never
    is_cut: bool = False  # takes the room that is left
    least: int = 20  # cells of a column that is cut, before others are left out
    most: int = 0  # cells that are enough where the terminal is too narrow for all; 0: all are needed


def print_listing(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
    """The table. A column that is empty in every row is left out, unless it never gives way."""
    for line in drawn(columns, rows, terminal_width()):
        click.echo(line)


def drawn(columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int | None) -> list[str]:
    """The lines of the table."""
    table = [[clean(cell) for cell in row] for row in rows]
    widths = [max([cells(column.name), *(cells(row[at]) for row in table)]) for at, column in enumerate(columns)]
    filled = [any(row[at] for row in table) or not column.gives_way for at, column in enumerate(columns)]
    kept = [at for at in range(len(columns)) if filled[at]]
    if width is not None and _needed(columns, widths, kept) > width:
        widths = [min(size, column.most or size) for size, column in zip(widths, columns, strict=True)]
    if width is not None:
        kept = _fitting(columns, widths, kept, width)
        _shrink(columns, widths, kept, width)
    lines = [_line(columns, widths, kept, [column.name for column in columns])]
    lines.append(_GAP.join("─" * widths[at] for at in kept))
    return lines + [_line(columns, widths, kept, row) for row in table]


def _fitting(columns: Sequence[Column], widths: list[int], places: list[int], width: int) -> list[int]:
    """The columns that fit, the one that is cut counted with the least that it needs."""
    kept = list(places)
    while _needed(columns, widths, kept) > width:
        last = max(kept, key=lambda at: columns[at].gives_way)
        if not columns[last].gives_way:
            break
        kept.remove(last)
    return kept


def _needed(columns: Sequence[Column], widths: list[int], kept: list[int]) -> int:
    sizes = (min(widths[at], columns[at].least) if columns[at].is_cut else widths[at] for at in kept)
    return sum(sizes) + len(_GAP) * (len(kept) - 1)


def _shrink(columns: Sequence[Column], widths: list[int], kept: list[int], width: int) -> None:
    total = sum(widths[at] for at in kept) + len(_GAP) * (len(kept) - 1)
    for at in kept:
        if columns[at].is_cut and total > width:
            widths[at] = max(1, widths[at] - (total - width))


def _fitted(column: Column, text: str, width: int) -> str:
    """Cut, with a mark; without one where as much is left as is enough, such as the day of a moment."""
    is_enough = width == column.most and text[width : width + 1] == " " and text.isascii()
    return text[:width] if is_enough else cut(text, width)


def _line(columns: Sequence[Column], widths: list[int], kept: list[int], row: Sequence[str]) -> str:
    found = []
    for at in kept:
        text = _fitted(columns[at], row[at], widths[at])
        padding = " " * (widths[at] - cells(text))
        found.append(padding + text if columns[at].is_number else text + padding)
    return _GAP.join(found).rstrip()
