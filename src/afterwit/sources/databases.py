"""Gathers sessions from SQLite databases of other programs: one with a row per session and tables that belong to it
(`Database`), or one table of keys and JSON values (`KeyValues`), as said in data. Columns that are not named are
rendered all the same; one that is missing is not asked for; values that hold keys to encrypted data are never rendered.

Promises: opened read-only, beside a running writer, for a moment; nothing is written, not even beside the database; no
transaction outlives the `with`; a lock is waited for half a second. What cannot be read raises `SourceError`. A WAL
database that nobody has open has no `-wal` file, and the usual way would leave one there: it is opened as immutable,
and read again in the usual way if a writer came meanwhile.
"""

import base64
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote

import apsw
import msgspec

from afterwit.model.times import ms_from_any
from afterwit.sources.gathering import (
    Rendering,
    SourceError,
    is_rendering,
    mark_of,
    rendering_path,
    row_line,
    session_in,
)
from afterwit.sources.places import LogFile
from afterwit.store.regular_files import read_regular

_BUSY_MS = 500
_WAL_VERSION = 2
_HEADER_BYTES = 20
_MAGIC = b"SQLite format 3\0"
T = TypeVar("T")
_BESIDE = ("-wal", "-journal")


def reading(path: Path, work: Callable[[apsw.Connection], T]) -> T:
    """What `work` makes of the database, in one read transaction."""
    try:
        if _is_closed_wal(path):
            before = _stat(path)
            with _open_readonly(path, "immutable=1") as db:
                answer = work(db)
            if _is_closed_wal(path) and _stat(path) == before:
                return answer
        with _open_readonly(path, "mode=ro") as db:
            return work(db)
    except apsw.Error as error:
        raise SourceError(f"cannot be read as a database: {error}") from error


def columns_of(db: apsw.Connection, table: str) -> list[str]:
    """The columns of a table; none, if there is no such table."""
    return [row[1] for row in db.execute(f"PRAGMA table_info({quote_name(table)})")]


def tables_in(db: apsw.Connection) -> list[str]:
    """The tables that have rows of their own, by name."""
    query = (
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND sql LIKE 'CREATE TABLE%'"
    )
    return sorted(name for (name,) in db.execute(query))


def is_database(path: Path) -> bool:
    """Whether a file begins as a database of SQLite does."""
    return read_regular(path, _HEADER_BYTES).startswith(_MAGIC)


def rows_of(
    db: apsw.Connection, table: str, where: str, values: tuple[Any, ...], order: str
) -> Iterator[dict[str, Any]]:
    """Whole rows by the names of their columns. Text that is no UTF-8 is mended."""
    columns = columns_of(db, table)
    query = f"SELECT * FROM {quote_name(table)} WHERE {where} ORDER BY {order}"  # noqa: S608 - names from our own tables
    try:
        rows = list(db.execute(query, values))
    except UnicodeDecodeError:
        rows = _rows_as_text(db, table, columns, where, values, order)
    for row in rows:
        yield dict(zip(columns, row, strict=True))


def quote_name(name: str) -> str:
    escaped = name.replace('"', '""')
    return f'"{escaped}"'


@contextmanager
def _open_readonly(path: Path, mode: str) -> Iterator[apsw.Connection]:
    if not path.is_file():
        raise SourceError("it is gone")
    uri = f"file:{quote(os.fsencode(path))}?{mode}"
    with closing(apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)) as db:
        db.set_busy_timeout(_BUSY_MS)
        db.execute("PRAGMA query_only = 1")
        db.execute("BEGIN")
        yield db


def _is_closed_wal(path: Path) -> bool:
    if path.with_name(path.name + "-wal").exists():
        return False
    header = read_regular(path, _HEADER_BYTES)
    return header.startswith(_MAGIC) and header[18:19] == bytes([_WAL_VERSION])


def _stat(path: Path) -> tuple[int, int, int]:
    about = path.stat()
    return about.st_size, about.st_mtime_ns, about.st_ino


def _rows_as_text(
    db: apsw.Connection, table: str, columns: list[str], where: str, values: tuple[Any, ...], order: str
) -> list[tuple[Any, ...]]:
    """The same rows, with text taken as bytes."""
    parts = [
        f"typeof({name}), CASE typeof({name}) WHEN 'text' THEN CAST({name} AS BLOB) ELSE {name} END"
        for name in map(quote_name, columns)
    ]
    query = f"SELECT {', '.join(parts)} FROM {quote_name(table)} WHERE {where} ORDER BY {order}"  # noqa: S608
    return [
        tuple(
            value.decode("utf-8", "replace") if kind == "text" and isinstance(value, bytes) else value
            for kind, value in zip(row[::2], row[1::2], strict=True)
        )
        for row in db.execute(query, values)
    ]


class DatabaseFiles:
    """The part of `gathering.Gatherer` that is the same for all databases. `names` is a pattern for the file's name."""

    def __init__(self, names: str) -> None:
        self._names = re.compile(names)

    def collection(self, path: PurePosixPath) -> PurePosixPath | None:
        name = path.name
        for ending in _BESIDE:
            name = name.removesuffix(ending)
        return path.with_name(name) if self._names.fullmatch(name) else None

    def renders(self, path: PurePosixPath) -> bool:
        return is_rendering(path) and self._names.fullmatch(path.parent.name) is not None

    def sessions(self, home: Path, collection: PurePosixPath, files: Sequence[LogFile]) -> list[LogFile]:
        mtime_ns = max((file.mtime_ns for file in files), default=0)
        return reading(home / collection, partial(self._list, collection, mtime_ns))

    def render(self, home: Path, path: PurePosixPath) -> Rendering:
        return reading(home / path.parent, partial(self._render, home, path))

    def _list(self, collection: PurePosixPath, mtime_ns: int, db: apsw.Connection) -> list[LogFile]:
        """The sessions of an open database."""
        raise NotImplementedError

    def _render(self, home: Path, path: PurePosixPath, db: apsw.Connection) -> Rendering:
        raise NotImplementedError


PLACE = "(database)"  # the table of the line that says in which folder the database lies
PARENT = "(parent)"  # the table of the line with the row of the parent
_ROW_BYTES = 2048  # a guess, for progress and batches


class DatabaseTable(NamedTuple):
    """A table with rows that belong to a session."""

    name: str
    session: str  # the column that names the session; of a table inside another: that names the outer row
    order: tuple[str, ...] = ("rowid",)
    changed: str = ""  # the column that says when a row changed
    without: frozenset[str] = frozenset()  # columns left out: they change with every message and say nothing new
    inner: tuple["DatabaseTable", ...] = ()  # each row is followed by its rows of these
    outer: str = "id"  # the column of this table that inner rows name


class Database(NamedTuple):
    """What an agent's database looks like."""

    names: str  # a pattern for the name of the file
    sessions: DatabaseTable
    tables: tuple[DatabaseTable, ...]
    updated: str = ""  # the column of `sessions` with the time of the last change
    has_place: bool = False  # whether the folder of the database belongs to what it says
    marks: tuple[DatabaseTable, ...] = ()  # further tables whose rows change a session; asked for their number only
    before: tuple[DatabaseTable, ...] = ()  # tables whose rows come before that of the session
    merged: str = ""  # a column of all tables by which their rows are put into one order
    parent: str = ""  # the column of `sessions` that names another session, whose row comes first of all
    parent_columns: tuple[str, ...] = ()  # what of that row is told


class DatabaseGatherer(DatabaseFiles):
    """The sessions of databases of one kind, by the shape of `gathering.Gatherer`."""

    def __init__(self, database: Database) -> None:
        self._about = database
        super().__init__(database.names)

    def _list(self, collection: PurePosixPath, mtime_ns: int, db: apsw.Connection) -> list[LogFile]:
        self._check(db)
        about = self._about.sessions
        counts = [_counts(db, table) for table in self._tables_counted(db)]
        rows = rows_of(db, about.name, "1", (), _order(db, about))
        return [
            self._found(collection, mtime_ns, row, [part.get(row[about.session]) for part in counts]) for row in rows
        ]

    def _render(self, home: Path, path: PurePosixPath, db: apsw.Connection) -> Rendering:
        collection, session, mtime_ns = path.parent, session_in(path), (home / path.parent).stat().st_mtime_ns
        self._check(db)
        about = self._about.sessions
        where = f"CAST({quote_name(about.session)} AS TEXT) = ?"
        row = next(rows_of(db, about.name, where, (session,), _order(db, about)), None)
        if row is None:
            raise SourceError("the session is gone from the database")
        own = row[about.session]
        counts = [_counts(db, table, own).get(own) for table in self._tables_counted(db)]
        file = self._found(collection, mtime_ns, row, counts)
        lines = list(self._head(db, home / collection, row))
        lines.append(row_line(about.name, _plain(about, row)))
        lines.extend(self._body(db, own))
        return Rendering(file, b"".join(lines))

    def _head(self, db: apsw.Connection, path: Path, row: dict[str, Any]) -> Iterator[bytes]:
        about = self._about
        if about.has_place:
            yield row_line(PLACE, {"folder": str(path.parent.absolute())})
        if row.get(about.parent):
            column = quote_name(about.sessions.session)
            for parent in rows_of(db, about.sessions.name, f"{column} = ?", (row[about.parent],), "1"):
                yield row_line(PARENT, {name: plain_value(parent.get(name)) for name in about.parent_columns})
        yield from _lines(db, _present(db, about.before), row[about.sessions.session])

    def _body(self, db: apsw.Connection, session: Any) -> Iterator[bytes]:
        tables = _present(db, self._about.tables)
        if not self._about.merged:
            return _lines(db, tables, session)
        rows = [(table, row) for table in tables for row in _rows(db, table, session)]
        rows.sort(key=lambda tabled: str(tabled[1].get(self._about.merged)))
        return (row_line(table.name, _plain(table, row)) for table, row in rows)

    def _tables_counted(self, db: apsw.Connection) -> list[DatabaseTable]:
        return _present(db, (*self._about.before, *self._about.tables, *self._about.marks))

    def _check(self, db: apsw.Connection) -> None:
        about = self._about.sessions
        needed = [about, *self._about.tables[:1]]
        for table in needed:
            if table.session not in columns_of(db, table.name):
                raise SourceError(f"a database of another kind: it has no {table.name}.{table.session}")

    def _found(self, collection: PurePosixPath, mtime_ns: int, row: dict[str, Any], counts: list[Any]) -> LogFile:
        path = rendering_path(collection, str(row[self._about.sessions.session]))
        updated_ms = ms_from_any(row.get(self._about.updated))
        rows = 1 + sum(count[0] for count in counts if count)
        mtime_ns = mtime_ns if updated_ms is None else updated_ms * 1_000_000
        return LogFile(path, rows * _ROW_BYTES, mtime_ns, mark_of(sorted(row.items(), key=str), counts))


def _counts(db: apsw.Connection, table: DatabaseTable, session: Any = None) -> dict[Any, tuple[Any, ...]]:
    """How many rows each session has in this table, and when the last of them changed."""
    changed = table.changed if table.changed in columns_of(db, table.name) else ""
    latest = f"max({quote_name(changed)})" if changed else "0"
    column = quote_name(table.session)
    where, values = ("1", ()) if session is None else (f"{column} = ?", (session,))
    query = f"SELECT {column}, count(*), {latest} FROM {quote_name(table.name)} WHERE {where} GROUP BY {column}"  # noqa: S608
    return {row[0]: row[1:] for row in db.execute(query, values)}


def _lines(db: apsw.Connection, tables: Sequence[DatabaseTable], owner: Any) -> Iterator[bytes]:
    for table in tables:
        inner = _present(db, table.inner)
        for row in _rows(db, table, owner):
            yield row_line(table.name, _plain(table, row))
            yield from _lines(db, inner, row.get(table.outer))


def _rows(db: apsw.Connection, table: DatabaseTable, owner: Any) -> Iterator[dict[str, Any]]:
    return rows_of(db, table.name, f"{quote_name(table.session)} = ?", (owner,), _order(db, table))


def _present(db: apsw.Connection, tables: Sequence[DatabaseTable]) -> list[DatabaseTable]:
    return [table for table in tables if table.session in columns_of(db, table.name)]


def _plain(table: DatabaseTable, row: dict[str, Any]) -> dict[str, Any]:
    kept = ((name, value) for name, value in row.items() if name not in table.without)
    return {name: plain_value(value) for name, value in kept}


def plain_value(value: Any) -> Any:
    """A value as JSON can hold it."""
    return {"base64": base64.b64encode(value).decode()} if isinstance(value, bytes) else value


def _order(db: apsw.Connection, table: DatabaseTable) -> str:
    columns = columns_of(db, table.name)
    return ", ".join(quote_name(name) for name in table.order if name in columns or name == "rowid") or "1"


class KeyValues(NamedTuple):
    """What such a database looks like."""

    names: str  # a pattern for the name of the file
    table: str
    session: str  # begins the keys of sessions
    item: str  # begins the keys of items; the id of the session and a colon follow
    order: str  # the field of a session that lists its items
    item_id: str  # the field of such an entry that names the item
    updated: str  # the field with the time of the last change
    inline: str = ""  # the field of older sessions that holds the items themselves
    secrets: frozenset[str] = frozenset()  # fields that are left out


class KeyValueGatherer(DatabaseFiles):
    """The sessions of databases of one kind, by the shape of `gathering.Gatherer`."""

    def __init__(self, about: KeyValues) -> None:
        self._about = about
        super().__init__(about.names)

    def _list(self, collection: PurePosixPath, mtime_ns: int, db: apsw.Connection) -> list[LogFile]:
        self._check(db)
        files = []
        for key, raw in self._values(db, self._about.session):
            session = key.removeprefix(self._about.session)
            value = _decode_object(raw)
            if session and self._entries(value):
                files.append(self._found(rendering_path(collection, session), mtime_ns, raw, value))
        return files

    def _render(self, home: Path, path: PurePosixPath, db: apsw.Connection) -> Rendering:
        self._check(db)
        session, about, mtime_ns = session_in(path), self._about, (home / path.parent).stat().st_mtime_ns
        raw = self._value(db, about.session + session)
        value = _decode_object(raw)
        if raw is None or not value:
            raise SourceError("the session is gone from the database")
        head = {name: inner for name, inner in value.items() if name not in (about.order, about.inline)}
        lines = [row_line(about.session.rstrip(":"), self._plain(head))]
        for entry in self._entries(value):
            lines.extend(self._item(db, session, entry))
        return Rendering(self._found(path, mtime_ns, raw, value), b"".join(lines))

    def _entries(self, value: dict[str, Any]) -> list[Any]:
        for name in (self._about.order, self._about.inline):
            entries = value.get(name)
            if isinstance(entries, list) and entries:
                return entries
        return []

    def _item(self, db: apsw.Connection, session: str, entry: Any) -> Iterator[bytes]:
        """What the entry says itself, and what the item that it names says."""
        about = self._about
        name = entry.get(about.item_id) if isinstance(entry, dict) else None
        if isinstance(name, str):
            own = _decode_object(self._value(db, f"{about.item}{session}:{name}"))
            yield row_line(about.item.rstrip(":"), self._plain({**entry, **own, about.item_id: name}))

    def _plain(self, value: dict[str, Any]) -> dict[str, Any]:
        return {name: inner for name, inner in value.items() if name not in self._about.secrets}

    def _found(self, path: PurePosixPath, mtime_ns: int, raw: Any, value: dict[str, Any]) -> LogFile:
        updated_ms = ms_from_any(value.get(self._about.updated))
        mtime_ns = mtime_ns if updated_ms is None else updated_ms * 1_000_000
        return LogFile(path, len(raw), mtime_ns, mark_of(raw))

    def _check(self, db: apsw.Connection) -> None:
        if not {"key", "value"} <= set(columns_of(db, self._about.table)):
            raise SourceError(f"a database of another kind: it has no table {self._about.table}")

    def _values(self, db: apsw.Connection, prefix: str) -> Iterator[tuple[str, Any]]:
        table = quote_name(self._about.table)
        query = f"SELECT key, CAST(value AS BLOB) FROM {table} WHERE key >= ? AND key < ? ORDER BY key"  # noqa: S608
        yield from db.execute(query, (prefix, prefix[:-1] + chr(ord(prefix[-1]) + 1)))

    def _value(self, db: apsw.Connection, key: str) -> Any:
        query = f"SELECT CAST(value AS BLOB) FROM {quote_name(self._about.table)} WHERE key = ?"  # noqa: S608
        row = db.execute(query, (key,)).fetchone()
        return row[0] if row else None


def _decode_object(raw: Any) -> dict[str, Any]:
    try:
        value = msgspec.json.decode(raw) if isinstance(raw, bytes) else None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
