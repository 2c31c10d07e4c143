"""Gathers sessions from a database that is one table of keys and JSON values.

A session is the value of one key; its items are the values of keys that begin with its id. The session lists its items
in their order (`order`); items that it does not list are left out, because it has dropped them. Keys are asked for by
range, so that a database of any size is read no further than it has to be. Values that hold keys to encrypted data
(`secrets`) are never read into a rendering.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import apsw
import msgspec

from afterwit.model.times import ms_from_any
from afterwit.sources.databases import DatabaseFiles, columns_of, quoted, reading
from afterwit.sources.gathering import Rendering, SourceError, mark_of, rendering_path, row_line, session_in
from afterwit.sources.log_files import LogFile


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

    def render(self, home: Path, path: PurePosixPath) -> Rendering:
        mtime_ns = (home / path.parent).stat().st_mtime_ns
        return reading(home / path.parent, partial(self._render, path, mtime_ns))

    def _list(self, collection: PurePosixPath, mtime_ns: int, db: apsw.Connection) -> list[LogFile]:
        self._check(db)
        files = []
        for key, raw in self._values(db, self._about.session):
            session = key.removeprefix(self._about.session)
            value = _decoded(raw)
            if session and self._entries(value):
                files.append(self._found(rendering_path(collection, session), mtime_ns, raw, value))
        return files

    def _render(self, path: PurePosixPath, mtime_ns: int, db: apsw.Connection) -> Rendering:
        self._check(db)
        session, about = session_in(path), self._about
        raw = self._value(db, about.session + session)
        value = _decoded(raw)
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
            own = _decoded(self._value(db, f"{about.item}{session}:{name}"))
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
        table = quoted(self._about.table)
        query = f"SELECT key, CAST(value AS BLOB) FROM {table} WHERE key >= ? AND key < ? ORDER BY key"  # noqa: S608
        yield from db.execute(query, (prefix, prefix[:-1] + chr(ord(prefix[-1]) + 1)))

    def _value(self, db: apsw.Connection, key: str) -> Any:
        query = f"SELECT CAST(value AS BLOB) FROM {quoted(self._about.table)} WHERE key = ?"  # noqa: S608
        row = db.execute(query, (key,)).fetchone()
        return row[0] if row else None


def _decoded(raw: Any) -> dict[str, Any]:
    try:
        value = msgspec.json.decode(raw) if isinstance(raw, bytes) else None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
