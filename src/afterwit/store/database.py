"""SQLite the safe way: opening, transactions, migrations, rows by the names of their columns, and putting a new
database in place.

WAL, a long busy timeout, every write transaction `BEGIN IMMEDIATE` (deferred ones fail under concurrent writers). The
database file is never opened, hashed or copied with ordinary file calls in a process that has it open: closing such a
handle would drop SQLite's locks. Every page has a checksum, by SQLite's own `cksumvfs`: a page that is not as it was
written is an error for whoever reads it. It is loaded before any database is opened here, since whoever writes without
it leaves pages with old sums; a database that was made without them is written anew, once.

A new database takes the place of the present one by a rename, after that was released: nobody else has it open, and its
log is written back and gone, or it would be taken for that of the new one. One that is damaged is set aside.
"""

import errno
import os
import shutil
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import apsw
import msgspec
from apsw import sqlite_extra

from afterwit.model import zstd
from afterwit.model.errors import BusyError, DamagedError, StoreError, StoreFullError
from afterwit.store.atomic import PRIVATE, rename_into, step, sync

# What a flipped byte can raise in whoever reads what was stored, besides the errors of SQLite itself.
UNREADABLE = (
    ValueError,  # UnicodeDecodeError too
    TypeError,
    LookupError,
    ArithmeticError,
    AttributeError,
    AssertionError,
    msgspec.MsgspecError,
    zstd.ZstdError,
)
BUSY_MS = 60_000
MOST_WAIT_SECONDS: ContextVar[float] = ContextVar("most_wait_seconds", default=float("inf"))  # for other programs
_CACHE_KIB = 16_384
_STATEMENTS = 512  # as many uses of others, and a statement is compiled again: a loop of one takes the usual 100
_NO_SPACE = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)
_LEAST_FREE_BYTES = 1_000_000
_WAIT_SECONDS = 10.0
_POLL_SECONDS = 0.05
_SUM_BYTES = 8  # at the end of each page
_ENVIRONMENT = (
    apsw.FullError,
    apsw.BusyError,
    apsw.LockedError,
    apsw.IOError,
    apsw.ReadOnlyError,
    apsw.PermissionsError,
    apsw.CantOpenError,
    apsw.InterruptError,
    apsw.NoMemError,
)


def connect(path: Path, *, durable: bool = False) -> apsw.Connection:
    """A writing connection. `durable` commits survive a power cut (the journal); others survive a crash."""
    _refuse_odd(path)
    try:
        path.touch(mode=0o600, exist_ok=True)
        connection = _open(path)
        has_sums = connection.reserve_bytes() == _SUM_BYTES
        connection.reserve_bytes(reserve=_SUM_BYTES)
        _configure(connection, durable=durable)
        if not has_sums and schema_version(connection):
            with suppress(apsw.FullError, apsw.BusyError, apsw.LockedError):  # then the next one tries again
                connection.execute("VACUUM")
    except (apsw.Error, OSError) as error:
        raise translate_error(error, path) from error
    return connection


def connect_readonly(path: Path) -> apsw.Connection:
    """A connection that cannot write, for commands that only look."""
    _refuse_odd(path)
    try:
        connection = _open(path, apsw.SQLITE_OPEN_READONLY)
        connection.execute("PRAGMA query_only = 1")
        connection.execute("PRAGMA schema_version")  # the first look at the file: only now is a wrong one noticed
    except (apsw.Error, OSError) as error:
        raise translate_error(error, path) from error
    return connection


def _open(path: Path, flags: int = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE) -> apsw.Connection:
    _load_checksums()
    connection = apsw.Connection(str(path), flags=flags, statementcachesize=_STATEMENTS)
    connection.set_busy_timeout(int(min(BUSY_MS, MOST_WAIT_SECONDS.get() * 1_000)))
    return connection


@cache
def _load_checksums() -> None:
    """Once for the process: databases without sums are read and written as ever."""
    with closing(apsw.Connection(":memory:")) as db:
        sqlite_extra.load(db, "cksumvfs")


def _refuse_odd(path: Path) -> None:
    """SQLite would wait for ever at a pipe, and takes no name that is not UTF-8."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        raise StoreError(
            f"SQLite cannot open {path}: the name is not UTF-8. Set AFTERWIT_HOME to a folder with another name."
        ) from None
    if path.exists() and not path.is_file():
        raise StoreError(f"{path} is no regular file. Move it away, or choose another folder with AFTERWIT_HOME.")


@cache
def columns_of(row: type[Any], *without: str, table: str = "") -> str:
    """The fields of a struct or a named tuple as the columns of a query, so that what the query gives makes one."""
    prefix = f"{table}." if table else ""
    names: tuple[str, ...] = row.__struct_fields__ if issubclass(row, msgspec.Struct) else row._fields
    return ", ".join(prefix + name for name in names if name not in without)


def insert_into(table: str, columns: str, verb: str = "INSERT") -> str:
    """The statement that adds rows with these columns, to be given as a tuple."""
    marks = ", ".join("?" for _ in columns.split(","))
    return f"{verb} INTO {table} ({columns}) VALUES ({marks})"


def json_list(values: Iterable[Any]) -> str:
    """Values for `json_each`."""
    return msgspec.json.encode(list(values)).decode()


def only_row(db: apsw.Connection, query: str, values: Any = None) -> tuple[Any, ...]:
    """The one row that a query is sure to give."""
    row: tuple[Any, ...] | None = db.execute(query, values).fetchone()
    if row is None:
        raise DamagedError(f"{db.filename}: a row is missing that should be there. Run `afterwit store verify`.")
    return row


@contextmanager
def transaction(connection: apsw.Connection) -> Iterator[None]:
    """All or nothing. Inside another transaction it is a savepoint."""
    is_nested = connection.in_transaction
    try:
        connection.execute("SAVEPOINT inner_step" if is_nested else "BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK TO inner_step; RELEASE inner_step" if is_nested else "ROLLBACK")
            raise
        _complete(connection, is_nested=is_nested)
    except apsw.Error as error:
        raise translate_error(error, Path(connection.filename)) from error


def _complete(connection: apsw.Connection, *, is_nested: bool) -> None:
    """Commits, or takes the changes back: a failed commit must not stay open for whoever comes next."""
    try:
        connection.execute("RELEASE inner_step" if is_nested else "COMMIT")
    except BaseException:
        if connection.in_transaction and not is_nested:
            connection.execute("ROLLBACK")
        raise


def translate_error(error: Exception, path: Path) -> StoreError:
    """An error of SQLite or the system as one of ours, saying what to do."""
    if isinstance(error, apsw.FullError) or getattr(error, "errno", None) in _NO_SPACE or _is_full(error, path):
        return StoreFullError(
            f"No space left for {path}: the disk is full. What was committed is safe; free some space and run the"
            " command again."
        )
    if isinstance(error, apsw.BusyError | apsw.LockedError):
        return BusyError(f"{path} is locked by another program. Try again in a moment.")
    if _is_wrong_page(error) or isinstance(
        error, apsw.CorruptError | apsw.NotADBError | apsw.TooBigError | apsw.FormatError
    ):
        return DamagedError(f"{path} is damaged ({error}). `afterwit store rebuild` makes it again from the archive.")
    if isinstance(error, apsw.IOError):
        return StoreError(f"Reading or writing {path} failed ({error}). Check the disk, then run the command again.")
    if isinstance(error, PermissionError | apsw.ReadOnlyError):
        return StoreError(f"No permission for {path}: the store is another user's, or was made read-only.")
    if isinstance(error, apsw.SQLError):
        return DamagedError(
            f"Cannot use {path}: {error}. If it was made by a version between two releases, `afterwit store rebuild`"
            " makes it again."
        )
    return StoreError(f"Cannot use {path}: {error}.")


def _is_full(error: Exception, path: Path) -> bool:
    """SQLite has no word of its own for some files that do not fit, such as the one that its readers share."""
    with suppress(OSError):
        is_vague = isinstance(error, apsw.IOError | apsw.CantOpenError)
        return is_vague and shutil.disk_usage(path.parent).free < _LEAST_FREE_BYTES
    return False


def _configure(connection: apsw.Connection, *, durable: bool) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
    connection.execute("PRAGMA mmap_size = 0")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
    connection.execute("PRAGMA journal_size_limit = 67108864")


def is_damage(error: BaseException | None) -> bool:
    """Whether it is the database's own fault, and not that of a disk, a lock or a permission."""
    return isinstance(error, apsw.Error) and (_is_wrong_page(error) or not isinstance(error, _ENVIRONMENT))


def _is_wrong_page(error: BaseException) -> bool:
    """Whether a page has not the sum that was written with it."""
    return isinstance(error, apsw.IOError) and getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_DATA


def put_in_place(new: Path, place: Path, *, is_damaged: bool) -> None:
    """The new database, which nobody has open any more, takes the place. Raises where the present one is in use, or
    where there is no room to write its log back; then it stands as it was."""
    try:
        _make_single(new)
        sync(new)
        if is_damaged or not place.exists():
            _set_aside(place)
            new.replace(place)
        else:
            _replace(new, place)
        sync(place.parent)
    except (apsw.Error, OSError) as error:
        raise translate_error(error, place) from error
    step("the new database is in place")


def remove_database(path: Path) -> None:
    """With what SQLite keeps beside it."""
    for file in (path, *_beside(path)):
        file.unlink(missing_ok=True)


def _replace(new: Path, place: Path) -> None:
    try:
        with release_database(place) as old:
            if os.name == "nt":  # where a file that is open cannot be replaced
                old.close()
            new.replace(place)
    except apsw.Error as error:
        if not is_damage(error):
            raise
        _set_aside(place)
        new.replace(place)


@contextmanager
def release_database(place: Path) -> Iterator[apsw.Connection]:
    """The present database, locked, in one file."""
    with closing(_open(place, apsw.SQLITE_OPEN_READWRITE)) as old:
        old.set_busy_timeout(0)
        deadline = time.monotonic() + _WAIT_SECONDS
        while not _is_single(old):
            if time.monotonic() > deadline:
                raise BusyError(
                    f"Another program has {place} open, maybe an MCP server that an agent started. The new"
                    " database is not put in its place. End that program and run the command again."
                )
            time.sleep(_POLL_SECONDS)
        old.execute("BEGIN EXCLUSIVE")
        yield old


def _is_single(old: apsw.Connection) -> bool:
    try:
        return bool(old.pragma("journal_mode", "delete") == "delete")
    except (apsw.BusyError, apsw.LockedError):
        return False


def _make_single(path: Path) -> None:
    with closing(_open(path)) as db:
        db.pragma("journal_mode", "delete")


def _set_aside(place: Path) -> None:
    for path in (place, *_beside(place)):
        if path.exists():
            path.replace(path.with_name(f"{path.name}.damaged"))
    step("the damaged database is set aside")


def _beside(path: Path) -> tuple[Path, ...]:
    return tuple(path.with_name(path.name + ending) for ending in ("-wal", "-shm", "-journal"))


class Migration(NamedTuple):
    number: int
    name: str
    sql: str


@cache
def migrations(folder: str = "migrations", package: str = "afterwit.store") -> list[Migration]:
    """All migrations of a database, in order."""
    all_migrations = [
        Migration(int(file.name[:4]), file.name.removesuffix(".sql"), file.read_text("utf-8"))
        for file in resources.files(package).joinpath(folder).iterdir()
        if file.name.endswith(".sql")
    ]
    return sorted(all_migrations)


def migrate(connection: apsw.Connection, steps: list[Migration], backups: Path) -> None:
    """Brings the database to the newest schema."""
    version = schema_version(connection)
    if version > steps[-1].number:
        raise StoreError(
            f"{connection.filename} was written by a newer afterwit (schema {version}, this one knows "
            f"{steps[-1].number}). Upgrade afterwit, or choose another folder with AFTERWIT_HOME."
        )
    pending = [migration for migration in steps if migration.number > version]
    if version == 0:
        with transaction(connection):  # a new database appears with all its tables at once, or not at all
            for migration in pending:
                _apply(connection, migration)
        return
    if pending:
        back_up(connection, backups / f"{Path(connection.filename).stem}-schema-{version}.db")
    for migration in pending:
        with transaction(connection):
            _apply(connection, migration)


def _apply(connection: apsw.Connection, migration: Migration) -> None:
    if schema_version(connection) < migration.number:
        connection.execute(migration.sql)
        connection.pragma("user_version", migration.number)
        step("a migration is applied, not committed")


def schema_version(connection: apsw.Connection) -> int:
    return int(connection.pragma("user_version"))


def back_up(connection: apsw.Connection, target: Path) -> None:
    """A consistent copy through SQLite itself, replacing an older copy of the same name."""
    try:
        with rename_into(target) as beside:
            connection.execute("VACUUM INTO ?", (str(beside),))
            beside.chmod(PRIVATE)
    except (apsw.Error, OSError) as error:
        raise translate_error(error, target) from error
