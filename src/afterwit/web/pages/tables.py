"""Pages that are tables of plain values: what the command of the same name prints, with links where there is more."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from afterwit.web.answering import Ask, WebAnswer, shown


class CellLink(NamedTuple):
    """A value that leads somewhere."""

    text: str
    path: str


class ShownTable(NamedTuple):
    """A table of plain values; those of a column that ends in # are numbers."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    nothing: str = "Nothing yet."


MORE = CellLink("More", "/more")


def tables_page(
    ask: Ask,
    title: str,
    words: str,
    tables: Sequence[ShownTable],
    note: str = "",
    crumbs: Sequence[CellLink] = (MORE,),
) -> WebAnswer:
    """A page of one or more tables. `crumbs` are the pages above it."""
    return shown(ask, "tables.html", title=title, words=words, tables=tables, note=note, crumbs=crumbs)
