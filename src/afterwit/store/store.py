"""A store, open: the database, the archive, the journal and the spool of one folder.

Here damage of the store is told from faults of the program. A flipped byte can make SQLite fail, a text that is none, a
body that does not unpack, or a value that nobody expects. SQLite's own errors say what they are. The others could as
well be a mistake of ours: so the databases are looked at before anyone is told that they are damaged, and where they
are sound the error goes on as it is.
"""

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import apsw

from afterwit.model.errors import AfterwitError, DamagedError, StoreError
from afterwit.store.archive import Archive
from afterwit.store.database import UNREADABLE, connect, connect_readonly, transaction, translated
from afterwit.store.journal import Journal, applied, refuse_missing, seen_heads
from afterwit.store.layout import Layout, redaction_key
from afterwit.store.marks import note_owner
from afterwit.store.migrate import migrate, migrations, schema_version
from afterwit.store.replacing import refuse_half_replaced
from afterwit.store.word_blocks import seal_all


class Store:
    """What a command needs to read or write. Made by `opened` or `rehearsed`."""

    def __init__(self, layout: Layout, db: apsw.Connection, archive: Archive, journal: Journal) -> None:
        self.layout = layout
        self.db = db
        self.archive = archive
        self.journal = journal
        self.key = redaction_key(layout)
        note_owner(db, self.key, journal.machine)


@contextmanager
def opened(layout: Layout) -> Iterator[Store]:
    """The store, made if it is not there, with its schema up to date."""
    refuse_half_replaced(layout)
    layout.create()
    if layout.has_archive() and not layout.database.exists():
        raise DamagedError(
            f"{layout.database} is gone, but not what was archived. `afterwit store rebuild` makes it again."
        )
    with damage_as_errors(layout), closing(connect(layout.database)) as db:
        migrate(db, migrations(), layout.backups)
        if db.execute("SELECT 1 FROM index_sums LIMIT 1").fetchone() is None:
            with transaction(db):
                seal_all(db)
        refuse_missing(layout, seen_heads(layout, applied(db)))
        with closing(Journal(layout.journal, layout.backups)) as journal:
            yield Store(layout, db, Archive(layout.archive), journal)


@contextmanager
def rehearsed(layout: Layout) -> Iterator[Store]:
    """The store for a dry run: the same code writes, and all of it is thrown away at the end.

    Database changes are one transaction that is rolled back, and archived bytes go to a temporary folder. A store that
    does not exist yet is made in a temporary folder.
    """
    with ExitStack() as stack:
        beside = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="afterwit-")))
        store = stack.enter_context(opened(layout if layout.exists() else Layout(beside / "store")))
        store.archive = Archive(store.layout.archive, overlay=beside / "archive")
        try:
            with transaction(store.db):
                yield store
                raise _RehearsalOverError
        except _RehearsalOverError:
            return


class _RehearsalOverError(Exception):
    """Rolls the rehearsal's transaction back."""


def require(layout: Layout) -> None:
    """For commands that look at what was learned: says what to do where nothing was."""
    refuse_half_replaced(layout)
    if not layout.exists():
        raise StoreError(f"There is no store at {layout.root} yet. Run `afterwit learn` first.")


@contextmanager
def readonly_database(layout: Layout) -> Iterator[apsw.Connection]:
    """For commands that only look. Damage that shows while they look is an error of ours too."""
    require(layout)
    with damage_as_errors(layout), closing(connect_readonly(layout.database)) as db:
        if schema_version(db) != migrations()[-1].number:
            raise StoreError(
                f"{layout.database} has another schema than this afterwit. Run `afterwit learn` to upgrade it."
            )
        yield db


@contextmanager
def damage_as_errors(layout: Layout) -> Iterator[None]:
    """Errors of SQLite, and what damage does to those who read, become errors of ours that say what to do."""
    try:
        yield
    except (apsw.Error, StoreError) as error:
        cause = error.__cause__ if isinstance(error, StoreError) else error
        if isinstance(cause, apsw.SQLError) and _has_other_tables(layout):
            raise DamagedError(
                f"{layout.database} was made by a version between two releases, and has other tables than this one"
                f" expects ({cause}). `afterwit store rebuild` makes it again from the archive and the journal."
            ) from cause
        if isinstance(error, StoreError):
            raise
        raise translated(error, layout.database) from error
    except UNREADABLE as error:
        fault = _first_fault(layout)
        if not fault:
            raise
        raise DamagedError(f"A row cannot be read ({error}), because the store is damaged. {fault}") from error


def _has_other_tables(layout: Layout) -> bool:
    """Whether its tables and indexes are others than the migrations make that its number stands for."""
    query = "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name"
    with closing(connect_readonly(layout.database)) as db, closing(apsw.Connection(":memory:")) as made:
        migrate(made, [step for step in migrations() if step.number <= schema_version(db)], Path())
        return list(made.execute(query)) != list(db.execute(query))


def _first_fault(layout: Layout) -> str:
    """What is wrong with the databases, and what to do; "" if they are sound."""
    from afterwit.store.checksums import database_faults  # brings in much that a glance does not need

    try:
        with closing(connect_readonly(layout.database)) as db:
            for fault in database_faults(db, is_quick=True):
                return f"{layout.database}: {fault}. `afterwit store rebuild` makes it again from the archive."
        with closing(Journal(layout.journal, layout.backups)) as journal:
            for fault in journal.verify():
                return f"{layout.journal}: {fault}. Nothing else holds it: restore it from a backup."
    except AfterwitError as error:
        return str(error)
    except apsw.Error as error:
        return str(translated(error, layout.database))
    return ""
