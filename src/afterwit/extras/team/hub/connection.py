"""A connection to a hub: opened, checked for its schema, and known to belong to a member of a team; and the schema
itself.

The tables are made by numbered, append-only migrations in a schema of their own, applied in one transaction; what each
table is for, and who may see which rows, stands in the SQL. Names of tables are always written with their schema, and
nothing is looked up along a path that others may have filled. What PostgreSQL says goes into the error, with what to do
next. A schema that is newer than this version is refused.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from afterwit.extras.team.hub import rows
from afterwit.extras.team.hub.address import HubAddress, HubError, driver_of
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


if TYPE_CHECKING:
    import psycopg

_CONNECT_SECONDS = "10"
_STATEMENT_MS = "120000"
_STAYS = "Nothing is lost: what you decided goes with the next `afterwit store sync`."
_OFFLINE_CODES = ("08", "57", "53")


class OfflineError(HubError):
    """The hub does not answer now."""


class Hub(NamedTuple):
    """An open hub, and as whom."""

    db: "psycopg.Connection[tuple[Any, ...]]"
    id: str
    generation: int
    team: str
    role: str
    name: str  # of the member
    is_read_only: bool

    @property
    def key(self) -> str:
        """What this machine keeps of the hub is kept under this."""
        return f"{self.id}:{self.generation}:{self.team}:{self.role}"

    def source(self, repo: str) -> str:
        """How the journal calls what comes from here."""
        return f"{self.team}@{self.id[:8]}/{repo}"


@contextmanager
def connect(address: HubAddress) -> Iterator["psycopg.Connection[tuple[Any, ...]]"]:
    """A connection to the server, whoever one is there."""
    driver = driver_of()
    options = {"connect_timeout": _CONNECT_SECONDS, **address.options}
    try:
        with driver.connect(**options, autocommit=True, application_name="afterwit") as db:
            rows.prepare_session(db, _STATEMENT_MS)
            yield db
    except driver.Error as error:
        raise _translate(error, address) from error


@contextmanager
def join_hub(address: HubAddress) -> Iterator[Hub]:
    """The hub, as a member of one of its teams."""
    with connect(address) as db:
        refuse_other_schema(db)
        identity, member = rows.hub_identity(db), rows.own_membership(db)
        if identity is None or member is None:
            raise HubError(
                f"{rows.current_role(db)} is no member of the hub at {address.in_words}, or was revoked. Its owner can"
                " say `afterwit store hub members add`."
            )
        yield Hub(db, *identity, member.team, member.role, member.name, member.is_read_only)


def refuse_other_schema(db: "psycopg.Connection[tuple[Any, ...]]") -> None:
    """Raises where the tables are not those of this version."""
    number = schema_number(db)
    if number == 0:
        raise HubError("There is no hub in this database. `afterwit store hub init` makes one.")
    if number > newest():
        raise HubError(
            f"The hub has schema {number}, and this afterwit knows {newest()}. Upgrade afterwit; until then"
            " the hub is left alone."
        )
    if number < newest():
        raise HubError(
            f"The hub has schema {number}, and this afterwit needs {newest()}. Its owner brings it there with"
            " `afterwit store hub init`."
        )


def _translate(error: Any, address: HubAddress) -> HubError:
    code = error.sqlstate or ""
    what = " ".join(str(error).split()) or type(error).__name__
    if code.startswith("28") or "password" in what or "no pg_hba.conf entry" in what:
        return HubError(
            f"The hub at {address.in_words} refused the login ({what}). Check the user, and ~/.pgpass or PGPASSWORD."
        )
    if code == "42501":
        return HubError(
            f"The hub at {address.in_words} refused ({what}). You are no member of a team there, may only read, or were"
            " revoked: ask its owner."
        )
    if "certificate" in what or "SSL" in what:
        return HubError(f"The hub at {address.in_words} did not prove who it is ({what}). {_STAYS}")
    if not code or code.startswith(_OFFLINE_CODES):
        return OfflineError(f"The hub at {address.in_words} does not answer ({what}). {_STAYS}")
    return HubError(f"The hub at {address.in_words} failed ({what}). {_STAYS}")
