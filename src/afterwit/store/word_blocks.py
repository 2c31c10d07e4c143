"""Checksums of full-text indexes, block by block: nothing else can tell what should stand in them.

SQLite says which rows of a connection change. Before a transaction is committed its indexes write down what they still
hold back, and the sums of the blocks that changed are kept with them, in the same transaction.
"""

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any
from weakref import WeakKeyDictionary

import apsw
import msgspec

INDEXES = ("texts", "item_words", "memory_words")
_LARGE = "texts"  # the one of all sessions
_REST = 0  # stands for what is no block
_TABLES = {f"{name}_{part}": (name, part == "data") for name in INDEXES for part in ("data", "docsize")}
_WRITTEN: WeakKeyDictionary[apsw.Connection, set[tuple[str, int]]] = WeakKeyDictionary()


def watch(connection: apsw.Connection) -> None:
    """From here on it is noted which blocks the connection writes, and of which indexes anything at all."""
    written = _WRITTEN[connection] = set()

    def note(_kind: int, _schema: str, table: str, row: int) -> None:
        if table in _TABLES:
            name, is_block = _TABLES[table]
            written.update([(name, _REST), (name, row)] if is_block else [(name, _REST)])

    connection.set_update_hook(note)


def seal_written(connection: apsw.Connection) -> None:
    """Before a commit: the sums of what it writes."""
    written = _WRITTEN.get(connection)
    if not written:
        return
    if connection.table_exists("main", "index_sums"):  # else it is on its way through older schemas
        for name in {name for name, _ in written}:
            connection.execute(f"INSERT INTO {name} ({name}) VALUES ('flush')")  # noqa: S608
        _seal(connection, written)
    written.clear()


def seal_all(connection: apsw.Connection) -> None:
    """The sums of all blocks, where there are none yet; and of the rest of the large index, which takes as long as that
    is large, where something was written since."""
    is_new = connection.execute("SELECT 1 FROM index_sums LIMIT 1").fetchone() is None
    for name in INDEXES if is_new else ():
        blocks: list[Any] = connection.execute(f"SELECT id FROM {name}_data").fetchall()  # noqa: S608
        _seal(connection, [(name, block) for (block,) in [(_REST,), *blocks]])
    if connection.execute("SELECT 1 FROM index_sums WHERE name = ? AND id = ?", (_LARGE, _REST)).fetchone() is None:
        _put(connection, _LARGE, _REST, _rest(connection, _LARGE))


def broken_blocks(connection: apsw.Connection) -> Iterator[str]:
    """Which indexes are not as they were written."""
    for name in INDEXES:
        sums = dict(connection.execute("SELECT id, sum FROM index_sums WHERE name = ?", (name,)))
        rest, is_sealed = sums.pop(_REST, None), bool(sums)
        blocks = connection.execute(f"SELECT id, block FROM {name}_data")  # noqa: S608
        is_whole = all(sums.pop(block, None) == _sum(content) for block, content in blocks) and not sums
        if (is_sealed and not is_whole) or rest not in (None, _rest(connection, name)):
            yield f"the full-text index {name} is not as it was written; `afterwit store rebuild` makes it again"


def _seal(connection: apsw.Connection, blocks: Iterable[tuple[str, int]]) -> None:
    for name, block in sorted(blocks):
        row = connection.execute(f"SELECT block FROM {name}_data WHERE id = ?", (block,)).fetchone()  # noqa: S608
        total = _sum(row[0]) if row else _rest(connection, name) if block == _REST and name != _LARGE else None
        _put(connection, name, block, total)


def _put(connection: apsw.Connection, name: str, block: int, total: int | None) -> None:
    connection.execute("DELETE FROM index_sums WHERE name = ? AND id = ?", (name, block))
    if total is not None:
        connection.execute("INSERT INTO index_sums VALUES (?, ?, ?)", (name, block, total))


def _rest(connection: apsw.Connection, name: str) -> int:
    """Of what stands beside the blocks. How long the texts of sessions are is summed up with their files."""
    queries = [
        f"SELECT segid, term, pgno FROM {name}_idx ORDER BY segid, term",  # noqa: S608
        f"SELECT k, v FROM {name}_config ORDER BY k",  # noqa: S608
        f"SELECT count(*), sum(origin) FROM {name}_docsize",  # noqa: S608
        f"SELECT id, sz FROM {name}_docsize ORDER BY id",  # noqa: S608
    ]
    rows = [connection.execute(query).fetchall() for query in queries[: 3 if name == _LARGE else 4]]
    return _sum(msgspec.msgpack.encode(rows))


def _sum(content: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), signed=True)
