import os
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from tests.store.planted_rows import plant

from afterwit.store.checks import database_faults, foreign_permissions
from afterwit.store.database import connect
from afterwit.store.layout import Layout


def test_a_sound_database_has_no_faults(db: apsw.Connection) -> None:
    assert list(database_faults(db)) == []
    plant(db, "one", "a.jsonl")
    plant(db, "two", "b.jsonl")
    plant(db, "one", "c.jsonl")
    assert list(database_faults(db)) == []


def test_a_row_of_a_file_that_does_not_exist_is_found(db: apsw.Connection) -> None:
    plant(db)
    db.pragma("foreign_keys", 0)
    db.execute("DELETE FROM files")
    assert "row 1 of parts refers to a row of files that does not exist" in list(database_faults(db))


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
