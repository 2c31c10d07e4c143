"""Gathers sessions from tables with one row per tool call, such as other memories keep in a database of their own.

Such a table is known by its columns, whatever it and its file are called: one names the session, one the tool, and one
or more hold what went in or came out. Each row becomes a line of JSON by the names of its columns, in the order in
which rows were added, so that the same description reads lines and tables. A database without such a table has no
sessions here; it is no fault of it.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import apsw
import msgspec

from afterwit.sources.databases import (
    DatabaseFiles,
    columns_of,
    is_database,
    plain_value,
    quote_name,
    rows_of,
    tables_in,
)
from afterwit.sources.gathering import Gatherer, Rendering, SourceError, mark_of, rendering_path, session_in
from afterwit.sources.places import LogFile

SESSION = ("session", "session_id", "sessionId", "session_key")
TOOL = ("tool", "tool_name", "toolName")
SAYING = (
    *("input", "input_summary", "tool_input", "tool_input_summary", "args", "arguments"),
    *("output", "output_summary", "tool_output", "tool_output_summary", "tool_response", "result", "result_summary"),
)
_NAMES = r".+\.(?:db|sqlite|sqlite3)"
_ROW_BYTES = 512  # a guess, for progress and batches


class ToolTable(NamedTuple):
    """A table of calls, and the column that names the session."""

    name: str
    session: str


class ToolTableGatherer(DatabaseFiles):
    """The sessions of such tables, by the shape of `gathering.Gatherer`."""

    def sessions(self, home: Path, collection: PurePosixPath, files: Sequence[LogFile]) -> list[LogFile]:
        return super().sessions(home, collection, files) if is_database(home / collection) else []

    def _list(self, collection: PurePosixPath, mtime_ns: int, db: apsw.Connection) -> list[LogFile]:
        counts: Counter[str] = Counter()
        for table in _tool_tables(db):
            column = quote_name(table.session)
            query = f"SELECT {column}, count(*) FROM {quote_name(table.name)} WHERE {column} <> '' GROUP BY {column}"  # noqa: S608
            counts.update({str(session): count for session, count in db.execute(query)})
        return [_file(collection, session, count, mtime_ns) for session, count in sorted(counts.items())]

    def _render(self, home: Path, path: PurePosixPath, db: apsw.Connection) -> Rendering:
        session, mtime_ns = session_in(path), (home / path.parent).stat().st_mtime_ns
        lines = [line for table in _tool_tables(db) for line in _lines(db, table, session)]
        if not lines:
            raise SourceError("the session is gone from the database")
        return Rendering(_file(path.parent, session, len(lines), mtime_ns), b"".join(lines))


def _tool_tables(db: apsw.Connection) -> list[ToolTable]:
    tables = ((name, frozenset(columns_of(db, name))) for name in tables_in(db))
    return [
        ToolTable(name, next(column for column in SESSION if column in columns))
        for name, columns in tables
        if not (columns.isdisjoint(SESSION) or columns.isdisjoint(TOOL) or columns.isdisjoint(SAYING))
    ]


def _lines(db: apsw.Connection, table: ToolTable, session: str) -> Iterator[bytes]:
    where = f"CAST({quote_name(table.session)} AS TEXT) = ?"
    for row in rows_of(db, table.name, where, (session,), "rowid"):
        yield msgspec.json.encode({name: plain_value(value) for name, value in row.items()}) + b"\n"


def _file(collection: PurePosixPath, session: str, rows: int, mtime_ns: int) -> LogFile:
    return LogFile(rendering_path(collection, session), rows * _ROW_BYTES, mtime_ns, mark_of(session, rows))


def gatherers() -> tuple[Gatherer, ...]:
    return (ToolTableGatherer(_NAMES),)
