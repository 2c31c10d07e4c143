"""Every text that a database holds, whatever its tables: for an audit that must not miss one.

Packed values are unpacked first: compressed ones, and the strings inside MessagePack. Full-text indexes hold single
words and are left out, but not the texts that some keep beside them.
"""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import apsw
import msgspec
import zstandard

_ZSTD = b"\x28\xb5\x2f\xfd"
_TABLES = """SELECT name FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'
             AND (type = 'table' OR type = 'shadow' AND name LIKE '%~_content' ESCAPE '~') ORDER BY name"""


class HeldRow(NamedTuple):
    """The texts of one row, and how to find it: by its number where it has one, else by its place in the table."""

    table: str
    place: str
    texts: tuple[str, ...]


def held_rows(db: apsw.Connection) -> Iterator[HeldRow]:
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
                yield HeldRow(table, place, texts)


def texts_in(value: Any) -> Iterator[str]:
    """The strings in a value of a column, or in what it unpacks to."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, bytes):
        yield from _texts_in_bytes(value)
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from texts_in(key)
            yield from texts_in(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from texts_in(one)


def _texts_in_bytes(packed: bytes) -> Iterator[str]:
    if packed.startswith(_ZSTD):
        with suppress(zstandard.ZstdError):
            packed = zstandard.ZstdDecompressor().decompressobj().decompress(packed)
    try:
        value = msgspec.msgpack.decode(packed)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        value = packed.decode("utf-8", "replace")
    yield from texts_in(value)
