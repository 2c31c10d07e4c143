from collections.abc import Iterator

import apsw
import pytest
from tests.every import for_every
from tests.store.planted_rows import plant

from afterwit.store.checks import content_hash
from afterwit.store.database import migrations
from afterwit.store.rows import files, parts, repos, sessions

UNSEEN = {
    "sessions": {"id", "is_digested"},
    "events": {"id"},
    "actions": {"id"},
    "spends": {"part_id"},
    "problems": {"file_id"},
    "aliases": set[str](),
    "pins": set[str](),
    "files": {
        *("id", "path", "is_live", "state", "error", "size_bytes", "mtime_ns", "inode", "companions", "resume"),
        *("capture_version", "dropped_ms", "checksum", "is_sifted"),
    },
}


def fresh() -> apsw.Connection:
    db = apsw.Connection(":memory:")
    for migration in migrations():
        db.execute(migration.sql)
    return db


def filled(*names: str) -> apsw.Connection:
    db = fresh()
    for name in names:
        plant(db, name, f"{name}.jsonl")
    repos.put_alias(db, "repo", "old", "new")
    files.put_pin(db, "codex", "t1")
    return db


def columns() -> Iterator[tuple[str, str, str]]:
    """(table, column, type) of all that the hash covers."""
    db = fresh()
    for table in UNSEEN:
        for _, name, kind, *_ in db.execute(f"PRAGMA table_info({table})"):
            yield table, name, kind


SEEN = [(table, name, kind) for table, name, kind in columns() if name not in UNSEEN[table]]
BLIND = [(table, name, kind) for table, name, kind in columns() if name in UNSEEN[table] - {"id", "part_id", "file_id"}]


def change(db: apsw.Connection, table: str, column: str, kind: str) -> None:
    value = {"TEXT": "'changed'", "BLOB": "x'00ff'", "REAL": "99.5", "INTEGER": f"ifnull({column}, 0) + 1"}[kind]
    db.execute(f"UPDATE {table} SET {column} = {value} WHERE rowid = (SELECT min(rowid) FROM {table})")


def change_keyed(db: apsw.Connection, table: str, column: str, kind: str) -> None:
    """The same for tables without row ids."""
    value = {"TEXT": "'changed'", "REAL": "99.5", "INTEGER": f"ifnull({column}, 0) + 1"}[kind]
    db.execute(f"UPDATE {table} SET {column} = {value}")


@for_every("table, column, kind", SEEN)
def test_the_hash_sees_every_column_that_carries_knowledge(table: str, column: str, kind: str) -> None:
    db = filled("one")
    before = content_hash(db)
    (change_keyed if table in ("spends", "problems", "aliases", "pins") else change)(db, table, column, kind)
    assert content_hash(db) != before


@for_every("table, column, kind", BLIND)
def test_the_hash_does_not_see_when_and_how_a_file_was_read(table: str, column: str, kind: str) -> None:
    db = filled("one")
    before = content_hash(db)
    change(db, table, column, kind)
    assert content_hash(db) == before


def test_the_hash_does_not_depend_on_the_order_of_learning_or_on_row_ids() -> None:
    other = filled("three", "gone", "one", "two")
    session = sessions.session_id(other, "claude-code", "gone")
    (part,) = parts.parts_of_session(other, session)
    parts.delete_part(other, part.id)
    files.delete_file(other, part.file_id)
    sessions.refresh_session(other, session)
    assert content_hash(filled("one", "two", "three")) == content_hash(other)


def test_an_empty_store_has_a_hash_of_its_own() -> None:
    assert content_hash(fresh()) == content_hash(fresh()) != content_hash(filled())


@pytest.mark.parametrize(
    ("column", "table"),
    [("first_prompt", "sessions"), ("target", "actions"), ("error", "actions"), ("model", "spends")],
)
def test_the_hash_sees_the_type_of_a_placeholder_and_not_its_suffix(table: str, column: str) -> None:
    hashes = []
    for text in ("use ‹aws-key:3f9c2a› now", "use ‹aws-key:000000› now", "use ‹github-token:3f9c2a› now"):
        db = filled("one")
        db.execute(f"UPDATE {table} SET {column} = ?", (text,))
        hashes.append(content_hash(db))
    assert hashes[0] == hashes[1] != hashes[2]


def test_a_missing_row_changes_the_hash() -> None:
    for table in ("events", "actions", "spends", "problems", "aliases"):
        db = filled("one")
        before = content_hash(db)
        key = {"events": "id = (SELECT max(id) FROM events)"}.get(table, "1")
        db.execute(f"DELETE FROM {table} WHERE {key}")
        assert content_hash(db) != before


def test_a_file_that_was_not_kept_does_not_count() -> None:
    db = filled("one")
    before = content_hash(db)
    files.add_file(db, "codex", files.file_key("codex", "empty.jsonl"), 0, "empty.jsonl", "transcript")
    assert content_hash(db) == before
