import stat
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from afterwit.model.errors import StoreError
from afterwit.store.database import Migration, connect, migrate, migrations, schema_version

STEPS = [
    Migration(1, "0001_things", "CREATE TABLE things (name TEXT PRIMARY KEY) STRICT;"),
    Migration(2, "0002_size", "ALTER TABLE things ADD COLUMN size INTEGER NOT NULL DEFAULT 7;"),
    Migration(3, "0003_loud", "UPDATE things SET name = upper(name); CREATE INDEX by_size ON things (size);"),
]
BROKEN = Migration(4, "0004_broken", "CREATE TABLE more (name TEXT); INSERT INTO nowhere VALUES (1);")


@pytest.fixture
def backups(tmp_path: Path) -> Path:
    folder = tmp_path / "backups"
    folder.mkdir()
    return folder


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[apsw.Connection]:
    with closing(connect(tmp_path / "some.db")) as found:
        yield found


def schema(connection: apsw.Connection) -> list[str]:
    return [row[0] for row in connection.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")]


@pytest.mark.parametrize("folder", ["migrations", "journal_migrations"])
def test_migrations_are_numbered_without_gaps_and_say_what_they_are(folder: str) -> None:
    found = migrations(folder)
    assert [migration.number for migration in found] == list(range(1, len(found) + 1))
    assert all(migration.name == f"{migration.number:04d}_{migration.name[5:]}" for migration in found)
    assert all(migration.sql.strip() for migration in found)


@pytest.mark.parametrize("folder", ["migrations", "journal_migrations"])
def test_the_real_migrations_lead_from_every_version_to_the_newest(folder: str, tmp_path: Path, backups: Path) -> None:
    steps = migrations(folder)
    schemas = []
    for version in range(len(steps) + 1):
        with closing(connect(tmp_path / f"from-{version}.db")) as connection:
            if version:
                migrate(connection, steps[:version], backups)
            migrate(connection, steps, backups)
            schemas.append(schema(connection))
            assert schema_version(connection) == len(steps)
            assert connection.pragma("integrity_check") == "ok"
    assert all(found == schemas[0] for found in schemas)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_rows_survive_from_every_version(connection: apsw.Connection, backups: Path, version: int) -> None:
    migrate(connection, STEPS[:version], backups)
    connection.execute("INSERT INTO things (name) VALUES ('a')")
    migrate(connection, STEPS, backups)
    expected = ("a" if version == 3 else "A", 7)
    assert list(connection.execute("SELECT name, size FROM things")) == [expected]


def test_a_backup_is_made_before_and_holds_the_old_schema(connection: apsw.Connection, backups: Path) -> None:
    migrate(connection, STEPS[:1], backups)
    assert list(backups.iterdir()) == []
    connection.execute("INSERT INTO things VALUES ('a')")
    migrate(connection, STEPS, backups)
    (copy,) = backups.iterdir()
    assert copy.name == "some-schema-1.db"
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    with closing(connect(copy)) as old:
        assert schema_version(old) == 1
        assert list(old.execute("SELECT name FROM things")) == [("a",)]


def test_migrating_again_changes_nothing(connection: apsw.Connection, backups: Path) -> None:
    migrate(connection, STEPS, backups)
    before = schema(connection)
    migrate(connection, STEPS, backups)
    assert schema(connection) == before
    assert list(backups.iterdir()) == []


def test_a_newer_store_is_refused_with_what_to_do(connection: apsw.Connection, backups: Path) -> None:
    migrate(connection, STEPS, backups)
    with pytest.raises(StoreError, match=r"newer afterwit \(schema 3, this one knows 1\)\. Upgrade afterwit"):
        migrate(connection, STEPS[:1], backups)
    assert schema_version(connection) == 3


def test_a_migration_that_fails_leaves_the_schema_before_it(connection: apsw.Connection, backups: Path) -> None:
    migrate(connection, STEPS[:2], backups)
    with pytest.raises(StoreError, match="nowhere"):
        migrate(connection, [*STEPS, BROKEN], backups)
    assert schema_version(connection) == 3
    assert not any("more" in sql for sql in schema(connection))
    assert not connection.in_transaction


def test_a_backup_that_cannot_be_made_stops_the_migration(connection: apsw.Connection, tmp_path: Path) -> None:
    migrate(connection, STEPS[:1], tmp_path)
    with pytest.raises(StoreError, match="some-schema-1"):
        migrate(connection, STEPS, tmp_path / "nowhere")
    assert schema_version(connection) == 1


def test_the_rest_of_a_killed_backup_is_no_hindrance(connection: apsw.Connection, backups: Path) -> None:
    migrate(connection, STEPS[:1], backups)
    (backups / "some-schema-1.db").write_bytes(b"an older copy")
    migrate(connection, STEPS, backups)
    assert (backups / "some-schema-1.db").read_bytes().startswith(b"SQLite format 3")


def test_two_that_migrate_at_once_apply_each_step_once(
    tmp_path: Path, backups: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(connect(tmp_path / "some.db")) as one, closing(connect(tmp_path / "some.db")) as other:
        migrate(one, STEPS[:1], backups)
        monkeypatch.setattr("afterwit.store.database.back_up", _first_let(one, backups, monkeypatch))
        migrate(other, STEPS, backups)
        assert schema_version(one) == schema_version(other) == 3


def _first_let(
    one: apsw.Connection, backups: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[apsw.Connection, Path], None]:
    """A backup during which another process migrates."""

    def backed_up(connection: apsw.Connection, target: Path) -> None:
        monkeypatch.undo()
        migrate(one, STEPS, backups)

    return backed_up
