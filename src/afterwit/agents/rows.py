"""The lines into which gathered sessions are rendered: `{"table": …, "row": {…}}` and `{"file": …, "content": …}`.

Decodes one and says what it is; what its columns mean is left to the readers, which derive from `RowsReading`. A column
that holds the text of a JSON value is decoded with `column`.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import msgspec

from afterwit.agents.fields import decoded_text
from afterwit.agents.places import Place
from afterwit.agents.reading import LinesReading, ReadingMemory, resumed
from afterwit.model.readings import Reading
from afterwit.sources.framing import Record
from afterwit.sources.gathering import session_in

_NATIVE = re.compile(r"[\w.:/@#+$=~%-]{1,300}")


class Row(NamedTuple):
    """One row of a table, or one file. Both names are "" where the line is of another kind."""

    table: str
    file: str
    values: Mapping[str, Any]


def row_in(raw: bytes) -> Row:
    """The row that a line holds. Raises msgspec.DecodeError if it is no JSON object."""
    return row_of(msgspec.json.decode(raw, type=dict[str, Any]))


def row_of(line: Mapping[str, Any]) -> Row:
    table, file = line.get("table"), line.get("file")
    values = line.get("row" if isinstance(table, str) else "content")
    if not isinstance(values, dict):
        return Row("", "", {})
    return Row(table if isinstance(table, str) else "", file if isinstance(file, str) else "", values)


def column(row: Mapping[str, Any], name: str) -> Any:
    """The value of a column, decoded if it is the text of a JSON value."""
    value = row.get(name)
    return decoded_text(value) if isinstance(value, str) else value


def native_id(value: Any) -> str:
    """A session's id, which may go into the state; "" where it is none."""
    return value if isinstance(value, str) and _NATIVE.fullmatch(value) else ""


class RowsState(ReadingMemory):
    session: str = ""
    is_child: bool = False  # another agent started the session
    model: str = ""


class RowsReading(LinesReading[RowsState]):
    """The reading of a rendered session. A reader says what it makes of a row; None if it does not know the table."""

    def __init__(self, path: PurePosixPath, saved: bytes | None) -> None:
        super().__init__(resumed(RowsState, saved))
        self._state.session = self._state.session or native_id(session_in(path)) or "unnamed"

    def feed(self, record: Record) -> list[Reading]:
        row = row_in(record.raw)
        readings = self.take(record, row)
        if readings is None:
            self._state.count(row.table or row.file.partition("/")[0], is_known=False)
        return [] if readings is None else list(readings)

    def take(self, record: Record, row: Row) -> Iterable[Reading] | None:
        raise NotImplementedError

    def noted(self, name: str, *, is_known: bool = True) -> None:
        self._state.count(name, is_known=is_known)

    def place(self, record: Record, at_ms: int | None) -> Place:
        return Place.of(self._state.session, record, at_ms)
