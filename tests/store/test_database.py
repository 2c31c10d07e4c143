import errno
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from tests.every import for_every

from afterwit.model.errors import BusyError, DamagedError, StoreError, StoreFullError
from afterwit.store import database
from afterwit.store.database import connect, connect_readonly, only_row, transaction, translate_error


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "some.db"


@pytest.fixture
def connection(path: Path) -> apsw.Connection:
    found = connect(path)
    found.execute("CREATE TABLE things (name TEXT PRIMARY KEY)")
    return found


def names(connection: apsw.Connection) -> list[str]:
    return [row[0] for row in connection.execute("SELECT name FROM things ORDER BY name")]


def put(connection: apsw.Connection, name: str) -> None:
    connection.execute("INSERT INTO things VALUES (?)", (name,))


def put_and_fail(connection: apsw.Connection, name: str, error: BaseException) -> None:
    put(connection, name)
    raise error


@pytest.mark.parametrize("error", [apsw.IOError("disk I/O error"), apsw.CantOpenError("unable to open database file")])
def test_a_full_disk_is_called_so_whatever_sqlite_calls_it(
    path: Path, monkeypatch: pytest.MonkeyPatch, error: apsw.Error
) -> None:
    assert not isinstance(translate_error(error, path), StoreFullError)
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("Usage", (), {"free": 4096}))
    full = translate_error(error, path)
    assert isinstance(full, StoreFullError)
    assert f"No space left for {path}: the disk is full" in str(full)
    assert "free some space and run the command again" in str(full)


@pytest.mark.parametrize(("is_durable", "synchronous"), [(False, 1), (True, 2)])
def test_a_connection_is_configured_the_safe_way(path: Path, is_durable: bool, synchronous: int) -> None:
    connection = connect(path, durable=is_durable)
    found = {name: connection.pragma(name) for name in ("journal_mode", "synchronous", "foreign_keys", "mmap_size")}
    assert found == {"journal_mode": "wal", "synchronous": synchronous, "foreign_keys": 1, "mmap_size": 0}
    assert path.stat().st_mode & 0o777 == 0o600


def test_opening_an_existing_database_does_not_open_it_as_a_file(
    path: Path, connection: apsw.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbidden(*_: object) -> int:
        raise AssertionError("closing this handle would drop SQLite's locks")

    monkeypatch.setattr("os.open", forbidden)
    monkeypatch.setattr("io.open", forbidden)
    connect(path).close()


def test_a_transaction_is_kept_whole(connection: apsw.Connection) -> None:
    with transaction(connection):
        put(connection, "a")
    assert names(connection) == ["a"]
    assert not connection.in_transaction


def test_a_transaction_that_fails_leaves_nothing(connection: apsw.Connection) -> None:
    with pytest.raises(KeyboardInterrupt), transaction(connection):
        put_and_fail(connection, "a", KeyboardInterrupt())
    assert names(connection) == []
    assert not connection.in_transaction


def test_a_nested_transaction_rolls_back_alone(connection: apsw.Connection) -> None:
    with transaction(connection):
        put(connection, "a")
        with pytest.raises(RuntimeError), transaction(connection):
            put_and_fail(connection, "b", RuntimeError())
        with transaction(connection):
            put(connection, "c")
    assert names(connection) == ["a", "c"]


def test_the_outer_transaction_takes_the_nested_one_with_it(connection: apsw.Connection) -> None:
    def put_within_and_fail() -> None:
        with transaction(connection):
            put(connection, "a")
        raise RuntimeError

    with pytest.raises(RuntimeError), transaction(connection):
        put_within_and_fail()
    assert names(connection) == []


def test_a_commit_that_fails_does_not_leave_its_transaction_open(connection: apsw.Connection) -> None:
    connection.execute("CREATE TABLE parts (of_thing TEXT REFERENCES things (name) DEFERRABLE INITIALLY DEFERRED)")
    with pytest.raises(StoreError, match="FOREIGN KEY"), transaction(connection):
        connection.execute("INSERT INTO parts VALUES ('nothing')")
    assert not connection.in_transaction
    with transaction(connection):
        put(connection, "a")
    assert names(connection) == ["a"]


def test_a_write_transaction_is_taken_at_its_beginning(path: Path, connection: apsw.Connection) -> None:
    with closing(connect(path)) as other, transaction(connection):
        other.set_busy_timeout(1)
        with pytest.raises(BusyError, match=r"some\.db is locked"), transaction(other):
            pytest.fail("two writers at once")


def test_a_full_disk_is_called_so_and_keeps_what_was_committed(connection: apsw.Connection) -> None:
    put(connection, "kept")
    connection.pragma("max_page_count", connection.pragma("page_count") + 2)
    with pytest.raises(StoreFullError, match="No space left"), transaction(connection):
        connection.executemany("INSERT INTO things VALUES (?)", ((f"{n}" * 500,) for n in range(1_000)))
    assert names(connection) == ["kept"]
    assert not connection.in_transaction


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EFBIG, errno.EDQUOT])
def test_a_full_file_system_is_a_full_store(number: int) -> None:
    assert isinstance(translate_error(OSError(number, "full"), Path("x")), StoreFullError)


@for_every(
    "error, kind, says",
    [
        (apsw.BusyError("busy"), BusyError, "Try again"),
        (apsw.LockedError("locked"), BusyError, "Try again"),
        (apsw.CorruptError("malformed"), DamagedError, "afterwit store rebuild"),
        (apsw.NotADBError("no database"), DamagedError, "afterwit store rebuild"),
        (apsw.IOError("disk I/O error"), StoreError, "Check the disk"),
        (apsw.CantOpenError("unable"), StoreError, "Cannot use"),
        (PermissionError(errno.EACCES, "Permission denied"), StoreError, "No permission"),
        (apsw.ReadOnlyError("attempt to write"), StoreError, "made read-only"),
    ],
)
def test_every_error_says_what_where_and_what_to_do(error: Exception, kind: type[StoreError], says: str) -> None:
    found = translate_error(error, Path("here.db"))
    assert type(found) is kind
    assert says in str(found)
    assert "here.db" in str(found)


@pytest.mark.parametrize("open_it", [connect, connect_readonly])
def test_a_file_that_is_no_database_is_damaged(path: Path, open_it: Callable[[Path], apsw.Connection]) -> None:
    path.write_bytes(b"certainly not a database, " * 200)
    with pytest.raises(DamagedError, match=r"some\.db"):
        open_it(path)


def test_a_damaged_page_is_found_inside_a_transaction(path: Path, connection: apsw.Connection) -> None:
    with transaction(connection):
        for number in range(2_000):
            put(connection, f"name {number}")
    connection.close()
    content = bytearray(path.read_bytes())
    content[4_096 : len(content)] = b"\x5a" * (len(content) - 4_096)
    path.write_bytes(content)
    with closing(connect(path)) as damaged, pytest.raises(DamagedError), transaction(damaged):
        names(damaged)


def test_a_reader_cannot_write(path: Path, connection: apsw.Connection) -> None:
    put(connection, "a")
    with closing(connect_readonly(path)) as reader:
        assert names(reader) == ["a"]
        with pytest.raises(apsw.ReadOnlyError):
            put(reader, "b")


def test_reading_a_database_that_is_not_there_does_not_make_it(path: Path) -> None:
    with pytest.raises(StoreError, match="Cannot use"):
        connect_readonly(path)
    assert not path.exists()


def test_a_row_that_must_be_there_is_missed_loudly(connection: apsw.Connection) -> None:
    assert only_row(connection, "SELECT 1, 'two'") == (1, "two")
    with pytest.raises(DamagedError, match="a row is missing"):
        only_row(connection, "SELECT 1 WHERE 0")


def test_writers_wait_for_each_other_for_long() -> None:
    assert database.BUSY_MS >= 30_000
