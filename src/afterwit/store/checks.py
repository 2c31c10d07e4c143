"""Looks through a whole database: checks of it against itself, every text that it holds, and who may read the store.

For an audit that must not miss a text, packed values are unpacked first: compressed ones, and the strings inside
MessagePack. Full-text indexes hold single words and are left out, but not the texts that some keep beside them.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import apsw
import msgspec
import zstandard

from afterwit.store.checksums import broken_digests, broken_files, broken_knowledge
from afterwit.store.database import UNREADABLE
from afterwit.store.layout import Layout
from afterwit.store.rows.sessions import broken_sessions

_ZSTD = b"\x28\xb5\x2f\xfd"
_TABLES = """SELECT name FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'
             AND (type = 'table' OR type = 'shadow' AND name LIKE '%~_content' ESCAPE '~') ORDER BY name"""
_ORPHANS = {
    "events belong to no part": "SELECT count(*) FROM events WHERE id >> 24 NOT IN (SELECT id FROM parts)",
    "actions belong to no part": "SELECT count(*) FROM actions WHERE id >> 24 NOT IN (SELECT id FROM parts)",
    "spends belong to no part": "SELECT count(*) FROM spends WHERE part_id NOT IN (SELECT id FROM parts)",
    "claims belong to no part": "SELECT count(*) FROM claims WHERE part_id NOT IN (SELECT id FROM parts)",
    "sessions have no part": "SELECT count(*) FROM sessions WHERE id NOT IN (SELECT session_id FROM parts)",
    "sessions count their actions wrongly": """SELECT count(*) FROM (
        SELECT sessions.id FROM sessions JOIN parts ON parts.session_id = sessions.id
        LEFT JOIN actions ON actions.id >= parts.id << 24 AND actions.id < (parts.id + 1) << 24
        GROUP BY sessions.id HAVING count(actions.id) <> sessions.actions)""",
}


class RowTexts(NamedTuple):
    """The texts of one row, and how to find it: by its number where it has one, else by its place in the table."""

    table: str
    place: str
    texts: tuple[str, ...]


def database_faults(db: apsw.Connection, *, is_quick: bool = False) -> Iterator[str]:
    """What is wrong, one by one: who needs only the first stops there. A quick look leaves out what compares every
    index with its table."""
    try:
        for row in db.execute("PRAGMA quick_check(1)" if is_quick else "PRAGMA integrity_check"):
            if row[0] != "ok":
                yield str(row[0])
        for table, rowid, parent, _ in db.execute("PRAGMA foreign_key_check"):
            yield f"row {rowid} of {table} refers to a row of {parent} that does not exist"
        for what, query in _ORPHANS.items():
            count = db.execute(query).get
            if count:
                yield f"{count} {what}"
        yield from broken_files(db)
        yield from broken_digests(db)
        yield from broken_sessions(db)
        yield from broken_knowledge(db)
    except (apsw.CorruptError, apsw.NotADBError) as error:
        yield f"{error}; `afterwit store rebuild` derives it again"
    except UNREADABLE as error:
        yield f"a row cannot be read ({error}); `afterwit store rebuild` derives it again"


def foreign_permissions(layout: Layout) -> Iterator[str]:
    """Files and folders of the store that others may read."""
    if os.name != "posix":
        return
    for path in (
        layout.root,
        layout.database,
        layout.journal,
        layout.key,
        layout.archive,
        layout.spool,
        layout.backups,
    ):
        if path.exists() and path.stat().st_mode & 0o077:
            yield f"{path} can be read by others; `chmod go-rwx` it"


def rows_with_texts(db: apsw.Connection) -> Iterator[RowTexts]:
    """All rows that hold a text, table by table."""
    for table in [str(name) for (name,) in db.execute(_TABLES)]:
        quoted = table.replace('"', '""')
        cursor = db.execute(f'SELECT * FROM "{quoted}"')  # noqa: S608 - a name from the schema; all columns are wanted
        columns: list[str] = []
        for ordinal, row in enumerate(cursor, start=1):
            columns = columns or [str(column[0]) for column in cursor.description]
            texts = tuple(text for value in row for text in texts_in(value))
            if texts:
                place = f"{columns[0]} {row[0]}" if isinstance(row[0], int) else f"row {ordinal}"
                yield RowTexts(table, place, texts)


def texts_in(value: Any) -> Iterator[str]:
    """The strings in a value of a column, or in what it unpacks to."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, bytes):
        yield from _texts_in_bytes(value)
    elif isinstance(value, dict):
        yield from texts_in([element for item in value.items() for element in item])
    elif isinstance(value, list | tuple):
        for element in value:
            yield from texts_in(element)


def _texts_in_bytes(packed: bytes) -> Iterator[str]:
    if packed.startswith(_ZSTD):
        with suppress(zstandard.ZstdError):
            packed = zstandard.ZstdDecompressor().decompressobj().decompress(packed)
    try:
        value = msgspec.msgpack.decode(packed)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        value = packed.decode("utf-8", "replace")
    yield from texts_in(value)
