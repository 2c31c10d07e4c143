"""Other programs' SQLite databases: told by name, opened read-only, beside a running writer, for a moment.

Promises: nothing is written, not even beside the database; no transaction outlives the `with`; a lock is waited for no
longer than half a second. What cannot be read raises `SourceError`.

A database in WAL mode that nobody has open has no `-wal` file, and opening it read-only in the usual way would leave
one there. It is opened as immutable instead, and if a writer came in the meantime, what was read is read again in the
usual way.
"""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar
from urllib.parse import quote

import apsw

from afterwit.sources.discovery import LogFile
from afterwit.sources.gathering import SourceError, is_rendering
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
            with _opened(path, "immutable=1") as db:
                answer = work(db)
            if _is_closed_wal(path) and _stat(path) == before:
                return answer
        with _opened(path, "mode=ro") as db:
            return work(db)
    except apsw.Error as error:
        raise SourceError(f"cannot be read as a database: {error}") from error


def columns_of(db: apsw.Connection, table: str) -> list[str]:
    """The columns of a table; none, if there is no such table."""
    return [row[1] for row in db.execute(f"PRAGMA table_info({quoted(table)})")]


def rows_of(
    db: apsw.Connection, table: str, where: str, values: tuple[Any, ...], order: str
) -> Iterator[dict[str, Any]]:
    """Whole rows by the names of their columns. Text that is no UTF-8 is mended."""
    columns = columns_of(db, table)
    query = f"SELECT * FROM {quoted(table)} WHERE {where} ORDER BY {order}"  # noqa: S608 - names from our own tables
    try:
        rows = list(db.execute(query, values))
    except UnicodeDecodeError:
        rows = _mended_rows(db, table, columns, where, values, order)
    for row in rows:
        yield dict(zip(columns, row, strict=True))


def quoted(name: str) -> str:
    escaped = name.replace('"', '""')
    return f'"{escaped}"'


@contextmanager
def _opened(path: Path, mode: str) -> Iterator[apsw.Connection]:
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


def _mended_rows(
    db: apsw.Connection, table: str, columns: list[str], where: str, values: tuple[Any, ...], order: str
) -> list[tuple[Any, ...]]:
    """The same rows, with text taken as bytes."""
    parts = [
        f"typeof({name}), CASE typeof({name}) WHEN 'text' THEN CAST({name} AS BLOB) ELSE {name} END"
        for name in map(quoted, columns)
    ]
    query = f"SELECT {', '.join(parts)} FROM {quoted(table)} WHERE {where} ORDER BY {order}"  # noqa: S608
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

    def _list(self, collection: PurePosixPath, mtime_ns: int, db: apsw.Connection) -> list[LogFile]:
        """The sessions of an open database."""
        raise NotImplementedError
