import os
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from tests.store.planted_rows import plant

from afterwit.store.checksums import database_faults, foreign_permissions
from afterwit.store.database import connect
from afterwit.store.layout import Layout


def test_a_sound_database_has_no_faults(db: apsw.Connection) -> None:
    assert list(database_faults(db)) == []
    plant(db, "one", "a.jsonl")
    plant(db, "two", "b.jsonl")
    plant(db, "one", "c.jsonl")
    assert list(database_faults(db)) == []


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ("INSERT INTO events VALUES (999 << 24, 'reply', 1, 2, 3, 0)", "1 events belong to no part"),
        ("UPDATE actions SET id = id + (999 << 24)", "1 actions belong to no part"),
        ("UPDATE spends SET part_id = 999", "1 spends belong to no part"),
        ("INSERT INTO claims VALUES (1, 999), (2, 999)", "2 claims belong to no part"),
        ("UPDATE sessions SET actions = 5", "1 sessions count their actions wrongly"),
        ("DELETE FROM actions", "1 sessions count their actions wrongly"),
        ("DELETE FROM parts", "1 sessions have no part"),
        ("DELETE FROM files", "row 1 of parts refers to a row of files that does not exist"),
        ("DELETE FROM sessions", "row 1 of parts refers to a row of sessions that does not exist"),
    ],
)
def test_a_planted_contradiction_is_found(db: apsw.Connection, change: str, fault: str) -> None:
    plant(db)
    db.pragma("foreign_keys", 0)
    db.execute(change)
    assert fault in list(database_faults(db))


def test_a_damaged_page_is_a_fault_and_not_a_crash(db: apsw.Connection, layout: Layout) -> None:
    for number in range(60):
        plant(db, f"session {number}", f"{number}.jsonl")
    db.pragma("wal_checkpoint", "TRUNCATE")
    db.close()
    content = bytearray(layout.database.read_bytes())
    middle = len(content) // 4096 * 3 // 4 * 4096  # behind the schema, without which nothing opens
    content[middle : middle + 8192] = os.urandom(8192)
    layout.database.write_bytes(content)
    with closing(connect(layout.database)) as damaged:
        assert list(database_faults(damaged))


@pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX's")
@pytest.mark.parametrize("name", ["root", "database", "journal", "key", "archive", "spool", "backups"])
def test_what_others_may_read_is_named(layout: Layout, name: str) -> None:
    for file in (layout.database, layout.journal, layout.key):
        file.touch(mode=0o600)
    assert list(foreign_permissions(layout)) == []
    path: Path = getattr(layout, name)
    path.chmod(0o755)
    (fault,) = foreign_permissions(layout)
    assert str(path) in fault
    assert "chmod go-rwx" in fault
