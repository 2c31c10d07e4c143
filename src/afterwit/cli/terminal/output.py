"""How results reach people and programs: JSON or tables on standard output, talk on standard error.

On a terminal a table fits its width, by folding long cells. In a pipe nothing is folded or cut: one row is one line.
Colour only on a terminal and without `NO_COLOR`; `rich` is imported when a table is really drawn. Text that came from
logs or file names is made harmless to look at once more before it is shown.
"""

import os
import shutil
import sys
from collections.abc import Sequence
from typing import Any, TextIO

import click
import msgspec

from afterwit.cli.terminal.wrapping import wrapped
from afterwit.guard.hygiene import clean

_UNITS = ("B", "KB", "MB", "GB", "TB")
_UNBOUNDED = 1_000_000
_SHORT = 30  # columns of at most this width are not folded where there is room
_GAP = 2


def print_json(value: Any) -> None:
    try:
        encoded = msgspec.json.encode(value, enc_hook=str)
    except UnicodeEncodeError:  # a path that is no UTF-8, which JSON cannot hold
        encoded = msgspec.json.encode(_replaced(msgspec.to_builtins(value, enc_hook=str)))
    click.echo(msgspec.json.format(encoded, indent=2).decode())


def _replaced(value: Any) -> Any:
    """The same, with `?` for what is no character, as it is printed elsewhere."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_replaced(name): _replaced(item) for name, item in value.items()}
    return [_replaced(item) for item in value] if isinstance(value, list | tuple) else value


def talk(message: str) -> None:
    """Says something that is not the result."""
    for line in wrapped(clean(message), _width(sys.stderr)):
        click.echo(line, err=True)


def print_line(text: str) -> None:
    """A line of the result."""
    click.echo(clean(text))


def print_text(text: str, first: str = "", rest: str = "") -> None:
    """A part of the result that is read, not copied: on a terminal, lines end between words.

    The first line begins with `first`, the others with `rest`.
    """
    width = terminal_width()
    room = width - max(len(first), len(rest)) if width is not None else None
    for number, line in enumerate(wrapped(clean(text), room)):
        click.echo(f"{rest if number else first}{line}")


def terminal_width() -> int | None:
    """How wide the result may be; None in a pipe, where nothing is wrapped or cut."""
    return _width(sys.stdout)


def _width(stream: TextIO) -> int | None:
    return shutil.get_terminal_size().columns if stream.isatty() else None


def print_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    numbers: frozenset[str] = frozenset(),
    optional: frozenset[str] = frozenset(),
) -> None:
    """A table. `numbers` names the columns that are set to the right, `optional` those that are left out where no row
    has anything (or anything but 0) to say in them."""
    kept = [place for place, name in enumerate(columns) if name not in optional or any(row[place] for row in rows)]
    cells = [[_cell(row[place]) for place in kept] for row in rows]
    click.echo(_drawn([columns[place] for place in kept], cells, numbers), nl=False)


def human_bytes(size: float) -> str:
    """1234567 → 1.2 MB."""
    for unit in _UNITS:
        if size < 1000 or unit == _UNITS[-1]:
            return f"{size:.0f} {unit}" if unit == "B" or size >= 100 else f"{size:.1f} {unit}"
        size /= 1000
    raise AssertionError


def human_count(count: int, one: str = "", many: str = "") -> str:
    """1234 → 1,234; with its noun, 1 → 1 session and 2 → 2 sessions."""
    noun = one if count == 1 else many or f"{one}s"
    return f"{count:,} {noun}" if one else f"{count:,}"


def console(*, is_error: bool = False) -> Any:
    """Where `rich` draws: the terminal's width, or no limit in a pipe."""
    from rich.console import Console

    is_terminal = (sys.stderr if is_error else sys.stdout).isatty()
    has_colour = is_terminal and not os.environ.get("NO_COLOR")
    return Console(
        stderr=is_error,
        width=None if is_terminal else _UNBOUNDED,
        color_system="auto" if has_colour else None,
        highlight=False,
        markup=False,
        emoji=False,
    )


def _drawn(columns: Sequence[str], rows: Sequence[Sequence[str]], numbers: frozenset[str]) -> str:
    is_plain = all(cell.isascii() and "\n" not in cell for row in (columns, *rows) for cell in row)
    draw = _drawn_plainly if is_plain and not sys.stdout.isatty() else _drawn_richly
    return draw(columns, rows, numbers)


def _drawn_plainly(columns: Sequence[str], rows: Sequence[Sequence[str]], numbers: frozenset[str]) -> str:
    """As `rich` draws it in a pipe, for texts whose characters are all of one width; most runs then need no `rich`."""
    shape = [(max(map(len, column)), column[0] in numbers) for column in zip(columns, *rows, strict=True)]
    lines = ["  ".join(map(_placed, row, shape)).rstrip() for row in (columns, *rows)]
    return "\n".join([lines[0], "─" * (sum(width + 2 for width, _ in shape) - 2), *lines[1:], ""])


def _placed(cell: str, shape: tuple[int, bool]) -> str:
    width, is_number = shape
    return cell.rstrip().rjust(width) if is_number else cell.ljust(width)


def _drawn_richly(columns: Sequence[str], rows: Sequence[Sequence[str]], numbers: frozenset[str]) -> str:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    paper = console()
    widths = [max((len(row[place]) for row in (columns, *rows)), default=0) for place in range(len(columns))]
    has_room = sum(width + _GAP for width in widths if width <= _SHORT) <= paper.width
    for column, width in zip(columns, widths, strict=True):
        is_whole = width <= _SHORT and has_room
        table.add_column(column, justify="right" if column in numbers else "left", no_wrap=is_whole, overflow="fold")
    for row in rows:
        table.add_row(*row)
    with paper.capture() as drawn:
        paper.print(table)
    return "".join(f"{line.rstrip()}\n" for line in drawn.get().splitlines())


def _cell(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return "" if value is None else str(value).lower()
    return human_count(value) if isinstance(value, int) else clean(str(value))
