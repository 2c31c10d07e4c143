"""Checks of a whole store: the content hash, which compares stores, checksums, by which `verify` notices rows that were
lost or changed, every text that the database holds, and who may read the store.

The content hash is one number for what a store knows of sessions, whatever the order in which files were learned, on
whichever day, however often, and on any machine: it covers sessions, events, actions, spends, problems, archived bytes,
aliases and pins by their natural keys, and sees only the type of a redaction placeholder. Row ids, times of reading and
time stamps of files are not part of it; nor is what was harvested from it all (drafts, items). Giving an original up
changes it, because events lose their places; deriving again from the remains does not.

Checksums hold for one database alone (ids are part of them). There is one for each transcript, over its row, its
problems and all rows of its parts, made in the transaction that writes them. Over all that was harvested there is a sum
of the hashes of its rows, which is kept as rows come and go. A file that was derived before there were checksums has
none until it is sealed.

For an audit that must not miss a text, packed values are unpacked first: compressed ones, and the strings inside
MessagePack. Full-text indexes hold single words and are left out, but not the texts that some keep beside them.
"""

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import apsw
import msgspec

from afterwit.model import zstd
from afterwit.redaction.markers import unkeyed
from afterwit.store.database import UNREADABLE, find_broken_blocks
from afterwit.store.layout import Layout
from afterwit.store.rows.parts import OF_ACTIONS, OF_EVENTS, OF_SPENDS, part_content, span
from afterwit.store.rows.sessions import find_broken_sessions

_SESSION = """agent, native_id, user, cwd, root, remote, repo, branch, versions, models, origin, provider, parent,
    relation, parent_call, started_ms, ended_ms, title, first_prompt, task, prompts, replies, events, actions, failures,
    denials, interrupts, compactions, model_errors, tokens_input, tokens_cache_read, tokens_cache_write,
    tokens_output, tokens_reasoning, is_partial, outcome, task_type"""
_FILE = """SELECT agent, key, generation, role, path, held_bytes, dropped_bytes, dropped_ms, sha256, cursor, resume,
           known, unknown, capture_version FROM files WHERE id = ?"""
_PROBLEMS = "SELECT offset, length, reason FROM problems WHERE file_id = ? ORDER BY offset, reason"
_COPIES = "SELECT owner_file_id FROM copies WHERE file_id = ? ORDER BY owner_file_id"
_PARTS = "SELECT id, session_id, precedence, facts FROM parts WHERE file_id = ? ORDER BY id"
_OF_PART = (
    OF_EVENTS.format(id="id, "),
    OF_ACTIONS.format(id="id, "),
    "SELECT id, sz FROM texts_docsize WHERE id >= :first AND id < :end ORDER BY id",
    OF_SPENDS,
    """SELECT notes.kind, place, at_ms, notes.text, shared_texts.text FROM notes
       LEFT JOIN shared_texts ON shared_texts.key = notes.shared WHERE part_id = :part ORDER BY notes.kind, place""",
)
_HARVEST = {
    "sightings": "SELECT harvester, matter, is_telling, at_ms, session_id, ordinal, body FROM sightings",
    "drafts": "SELECT id, harvester, matter, scope, about, is_general, body FROM drafts",
    "items": "SELECT id, scope, category, harvester, status, confidence, last_ms, body FROM items",
    "rejections": "SELECT id, reason, harvester, scope, sentence FROM rejections",
    "doubles": "SELECT one, other FROM doubles",
}
_SUM_BYTES = 16
_encode = msgspec.msgpack.Encoder().encode


def seal(db: apsw.Connection, file_ids: Iterable[int]) -> None:
    """Keeps the checksums of files whose rows are as they should be."""
    for file_id in sorted(file_ids):
        db.execute("UPDATE files SET checksum = ? WHERE id = ?", (_checksum(db, file_id), file_id))


def files_without_checksum(db: apsw.Connection) -> list[int]:
    """Transcripts without a checksum."""
    query = """SELECT id FROM files WHERE role = 'transcript' AND checksum = x''
               AND (held_bytes > 0 OR dropped_ms IS NOT NULL) ORDER BY id"""
    return [row[0] for row in db.execute(query)]


def find_broken_files(db: apsw.Connection) -> Iterator[str]:
    """Of which transcripts rows were changed or lost since they were sealed."""
    for _, path in find_broken_rows(db):
        yield f"rows of {path} are gone, or are not those that were written"


def find_broken_rows(db: apsw.Connection) -> Iterator[tuple[int, str]]:
    """The ids and paths of these."""
    for file_id, path, checksum in db.execute("SELECT id, path, checksum FROM files WHERE checksum <> x'' ORDER BY id"):
        if _checksum(db, file_id) != checksum:
            yield file_id, path


def digest_checksum(body: bytes, outcome: str, task_type: str) -> bytes:
    """Of a digest, with what lists show of it."""
    return _hash([body, outcome, task_type])


def find_broken_digests(db: apsw.Connection) -> Iterator[str]:
    query = """SELECT native_id, body, outcome, task_type, digests.checksum FROM sessions
               LEFT JOIN digests ON digests.session_id = sessions.id WHERE is_digested = 1 ORDER BY sessions.id"""
    for native_id, body, outcome, task_type, checksum in db.execute(query):
        if body is None or (checksum and digest_checksum(body, outcome, task_type) != checksum):
            yield f"the digest of session {native_id} is gone, or is not the one that was written"


def add_up(db: apsw.Connection, table: str, gone: Iterable[Sequence[Any]], new: Iterable[Sequence[Any]]) -> None:
    """Keeps the sum over all that was harvested: of rows that go and rows that come, in the transaction in which they
    do. A sum is what it is whatever the order, so that a change costs what it changes."""
    change = sum(_addend(table, row) for row in new) - sum(_addend(table, row) for row in gone)
    row = db.execute("SELECT total FROM knowledge_sum").fetchone() if change else None
    if row:
        db.execute("UPDATE knowledge_sum SET total = ?", (_total(int.from_bytes(row[0]) + change),))


def seal_knowledge(db: apsw.Connection) -> None:
    """Sums up what was harvested, where that was never done."""
    if db.execute("SELECT 1 FROM knowledge_sum").fetchone() is None:
        db.execute("INSERT INTO knowledge_sum VALUES (1, ?)", (_knowledge(db),))


def find_broken_knowledge(db: apsw.Connection) -> Iterator[str]:
    row = db.execute("SELECT total FROM knowledge_sum").fetchone()
    if row and row[0] != _knowledge(db):
        yield "rows of what was learned are gone, or are not those that were written"


def _knowledge(db: apsw.Connection) -> bytes:
    return _total(sum(_addend(table, row) for table, query in _HARVEST.items() for row in db.execute(query)))


def _addend(table: str, row: Sequence[Any]) -> int:
    return int.from_bytes(_hash([table, *row]))


def _total(number: int) -> bytes:
    return (number % (1 << 8 * _SUM_BYTES)).to_bytes(_SUM_BYTES)


def _checksum(db: apsw.Connection, file_id: int) -> bytes:
    rows: list[Any] = [db.execute(query, (file_id,)).fetchall() for query in (_FILE, _PROBLEMS, _COPIES, _PARTS)]
    for part_id, *_ in rows[-1]:
        rows += [db.execute(query, span(part_id)).fetchall() for query in _OF_PART]
    return _hash(rows)


def _hash(values: list[Any]) -> bytes:
    return hashlib.blake2b(_encode(values), digest_size=_SUM_BYTES).digest()


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
_ORPHANS = {
    "events belong to no part": "SELECT count(*) FROM events WHERE id >> 24 NOT IN (SELECT id FROM parts)",
    "actions belong to no part": "SELECT count(*) FROM actions WHERE id >> 24 NOT IN (SELECT id FROM parts)",
    "spends belong to no part": "SELECT count(*) FROM spends WHERE part_id NOT IN (SELECT id FROM parts)",
    "claims belong to no part": "SELECT count(*) FROM claims WHERE part_id NOT IN (SELECT id FROM parts)",
    "sessions were digested and will never be looked at": """SELECT count(*) FROM digests
        WHERE session_id NOT IN (SELECT session_id FROM harvested)""",
    "places count their sessions wrongly": """SELECT count(*) FROM (SELECT 1 FROM (
        SELECT agent, repo, root, remote, count(*) AS sessions, sum(parent = '') AS stories, sum(events) AS events,
            sum(actions) AS actions FROM sessions GROUP BY agent, repo, root, remote
        UNION ALL SELECT agent, repo, root, remote, sessions, stories, events, actions FROM session_places)
        GROUP BY agent, repo, root, remote, sessions, stories, events, actions HAVING count(*) <> 2)""",
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
        yield from find_broken_files(db)
        yield from find_broken_digests(db)
        yield from find_broken_sessions(db)
        yield from find_broken_knowledge(db)
        yield from find_broken_blocks(db)
    except (apsw.CorruptError, apsw.NotADBError) as error:
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
