"""The tables of a hub: numbered, append-only migrations in a schema of their own, applied in one transaction.

What each table is for, and who may see which rows, stands in the SQL itself.
"""

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from afterwit.extras.team.hub.address import HubError, driver_of
from afterwit.store.database import Migration, migrations

if TYPE_CHECKING:
    import psycopg

# One maker of the schema at a time, by a lock that nobody gets who may only read; an advisory one could be anybody's.
_LOCK = "LOCK TABLE afterwit_hub.version IN SHARE ROW EXCLUSIVE MODE"
_BEGIN = """
CREATE SCHEMA IF NOT EXISTS afterwit_hub;
CREATE TABLE IF NOT EXISTS afterwit_hub.version (
    number integer PRIMARY KEY,
    applied_at timestamptz NOT NULL DEFAULT now()
);
"""


def hub_migrations() -> list[Migration]:
    return migrations(package="afterwit.extras.team.hub")


def newest() -> int:
    return hub_migrations()[-1].number


def schema_number(db: "psycopg.Connection[tuple[Any, ...]]") -> int:
    """0 where there is no hub."""
    driver = driver_of()
    try:
        row = db.execute("SELECT max(number) FROM afterwit_hub.version").fetchone()
    except (driver.errors.UndefinedTable, driver.errors.InvalidSchemaName):
        return 0
    return int(row[0] or 0) if row else 0


def migrate_hub(db: "psycopg.Connection[tuple[Any, ...]]", until: int | None = None) -> list[str]:
    """Brings the tables to the newest schema; the names of what was applied."""
    last = newest() if until is None else until
    errors = driver_of().errors
    with suppress(errors.UniqueViolation, errors.DuplicateSchema, errors.DuplicateTable):  # another made it just now
        db.execute(_BEGIN)
    with db.transaction():
        db.execute(_LOCK)
        number = schema_number(db)
        if number > newest():
            raise HubError(f"The hub has schema {number}, and this afterwit knows {newest()}. Upgrade afterwit.")
        pending = [migration for migration in hub_migrations() if number < migration.number <= last]
        for migration in pending:
            db.execute(migration.sql.encode())
            db.execute("INSERT INTO afterwit_hub.version (number) VALUES (%s)", (migration.number,))
    return [migration.name for migration in pending]
