"""Numbered, append-only migrations, each in one transaction, with a backup before.

`PRAGMA user_version` holds the number of the last one. A store that a later version wrote is refused, not guessed at.
A migration is never edited: a test compares each with what it was. Some were before that test, so that a database from
then has other tables than its number says.
"""

from functools import cache
from importlib import resources
from pathlib import Path
from typing import NamedTuple

import apsw

from afterwit.model.errors import StoreError
from afterwit.store.atomic import PRIVATE, renamed_into, step
from afterwit.store.database import transaction, translated


class Migration(NamedTuple):
    number: int
    name: str
    sql: str


@cache
def migrations(folder: str = "migrations") -> list[Migration]:
    """All migrations of a database, in order."""
    all_migrations = [
        Migration(int(file.name[:4]), file.name.removesuffix(".sql"), file.read_text("utf-8"))
        for file in resources.files("afterwit.store").joinpath(folder).iterdir()
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
        with renamed_into(target) as beside:
            connection.execute("VACUUM INTO ?", (str(beside),))
            beside.chmod(PRIVATE)
    except (apsw.Error, OSError) as error:
        raise translated(error, target) from error
