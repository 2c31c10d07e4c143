"""Checks of a whole store: the content hash, which compares stores, faults of the database, every text that it holds,
and who may read the store.

The content hash covers sessions, events, actions, spends, problems, archived bytes, aliases and pins by their natural
keys, and sees only the type of a redaction placeholder: it is the same whatever the order in which files were learned,
on whichever day, and on any machine. Giving an original up changes it, because events lose their places.
"""

import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import apsw
import msgspec

from afterwit.model import zstd
from afterwit.redaction.markers import unkeyed
from afterwit.store.database import UNREADABLE, is_damage
from afterwit.store.layout import Layout
from afterwit.store.rows.parts import part_content

_SESSION = """agent, native_id, user, cwd, root, remote, repo, branch, versions, models, origin, provider, parent,
    relation, parent_call, started_ms, ended_ms, title, first_prompt, task, prompts, replies, events, actions, failures,
    denials, interrupts, compactions, model_errors, tokens_input, tokens_cache_read, tokens_cache_write,
    tokens_output, tokens_reasoning, is_partial, outcome, task_type"""


def content_hash(db: apsw.Connection) -> str:
    """SHA-256, as hexadecimal digits."""
    whole = hashlib.sha256()
    for name, digests in (
        ("sessions", _sessions(db)),
        ("files", _files(db)),
        ("aliases", _aliases(db)),
        ("pins", _pins(db)),
    ):
        whole.update(name.encode())
        for digest in sorted(digests):
            whole.update(digest)
    return whole.hexdigest()


def _sessions(db: apsw.Connection) -> Iterator[bytes]:
    query = f"SELECT id, {_SESSION} FROM sessions"  # noqa: S608
    for session, *values in db.execute(query):
        digest = hashlib.sha256(_line(values))
        for part in _parts(db, session):
            digest.update(part)
        yield digest.digest()


def _parts(db: apsw.Connection, session: int) -> list[bytes]:
    query = """SELECT parts.id, files.key, files.generation FROM parts JOIN files ON files.id = parts.file_id
               WHERE parts.session_id = ? ORDER BY files.key, files.generation"""
    digests = []
    for part_id, key, generation in db.execute(query, (session,)):
        digest = hashlib.sha256(_line([key.hex(), generation]))
        for row in part_content(db, part_id):
            digest.update(_line(row))
        digests.append(digest.digest())
    return digests


def _files(db: apsw.Connection) -> Iterator[bytes]:
    query = """SELECT id, agent, key, generation, role, held_bytes, dropped_bytes, sha256, cursor, known, unknown
               FROM files WHERE held_bytes > 0 OR (dropped_ms IS NOT NULL AND role = 'transcript')"""
    for file_id, agent, key, *values in db.execute(query):
        digest = hashlib.sha256(_line([agent, key.hex(), *values]))
        problems = "SELECT offset, length, reason FROM problems WHERE file_id = ? ORDER BY offset, reason"
        for row in db.execute(problems, (file_id,)):
            digest.update(_line(row))
        yield digest.digest()


def _aliases(db: apsw.Connection) -> Iterator[bytes]:
    for row in db.execute("SELECT subject, name, target FROM aliases"):
        yield _line(row)


def _pins(db: apsw.Connection) -> Iterator[bytes]:
    for row in db.execute("SELECT agent, native_id FROM pins"):
        yield _line(row)


def _line(values: Iterable[Any]) -> bytes:
    return unkeyed(msgspec.json.encode(list(values)).decode()).encode()


_ZSTD = b"\x28\xb5\x2f\xfd"
_TABLES = """SELECT name FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'
             AND (type = 'table' OR type = 'shadow' AND name LIKE '%~_content' ESCAPE '~') ORDER BY name"""


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
    except apsw.Error as error:
        if not is_damage(error):
            raise
        yield f"{error}; `afterwit store rebuild` makes it again"
    except UNREADABLE as error:
        yield f"a row cannot be read ({error}); `afterwit store rebuild` makes it again"


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
        with suppress(zstd.ZstdError):
            packed = zstd.unpack(packed)
    try:
        value = msgspec.msgpack.decode(packed)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        value = packed.decode("utf-8", "replace")
    yield from texts_in(value)
