"""The PostgreSQL backend: entries of all users in one schema of a server that you run.

The schema is made at first use and carries a number; one with another number is refused, not guessed at. The connection
is opened at the first call, kept, and opened again after a failure. Every statement is a transaction of its own, so
that a server that goes away in the middle leaves a whole entry or none. The index holds the same words as that of the
local backend, and the best of its answers are ranked by the same rule. `psycopg` is imported when it is needed.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from afterwit.extras.memory.backend import (
    Availability,
    BackendError,
    Operation,
    RefusedError,
    RejectedError,
    UnreachableError,
    WrongSchemaError,
    is_this_machine,
)
from afterwit.model.errors import install_command
from afterwit.model.memory_entry import Entry, Hit, Write
from afterwit.store.rows.memory import search, terms_of, words_of

if TYPE_CHECKING:
    import psycopg

SCHEMA_NUMBER = 1
_LEAST_CANDIDATES = 40
_T = TypeVar("_T")
_LOCK = 0x61667465  # of PostgreSQL's advisory locks: one maker of the schema at a time
_MAKE = """
CREATE SCHEMA IF NOT EXISTS {schema};
CREATE TABLE IF NOT EXISTS {schema}.version (number integer NOT NULL);
CREATE TABLE IF NOT EXISTS {schema}.entries (
    user_name text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    value text NOT NULL,
    metadata jsonb NOT NULL,
    created_ms bigint NOT NULL,
    updated_ms bigint NOT NULL,
    words tsvector NOT NULL,
    PRIMARY KEY (user_name, key)
);
CREATE INDEX IF NOT EXISTS entries_words ON {schema}.entries USING gin (words);
INSERT INTO {schema}.version SELECT {number} WHERE NOT EXISTS (SELECT 1 FROM {schema}.version);
"""
_STORE = """
INSERT INTO {schema}.entries AS present (user_name, key, value, metadata, created_ms, updated_ms, words)
VALUES (%(user)s, %(key)s, %(value)s, %(metadata)s, %(at_ms)s, %(at_ms)s, array_to_tsvector(%(words)s))
ON CONFLICT (user_name, key) DO UPDATE
SET value = excluded.value, metadata = excluded.metadata, updated_ms = excluded.updated_ms, words = excluded.words
"""
_ONLY_LATER = "WHERE present.updated_ms <= excluded.updated_ms"
_RETRIEVE = """
SELECT key, value, metadata, created_ms, updated_ms FROM {schema}.entries
WHERE user_name = %(user)s AND key = %(key)s
"""
_QUERY = """
SELECT key, value, metadata, created_ms, updated_ms FROM {schema}.entries
WHERE user_name = %(user)s AND words @@ %(wanted)s::tsquery
ORDER BY ts_rank(words, %(wanted)s::tsquery) DESC, updated_ms DESC, key LIMIT %(limit)s
"""
_KEYS = "SELECT key FROM {schema}.entries WHERE user_name = %(user)s AND starts_with(key, %(prefix)s) ORDER BY key"
_DELETE = "DELETE FROM {schema}.entries WHERE user_name = %(user)s AND key = %(key)s"
_NOT_LATER = " AND updated_ms <= %(at_ms)s"
_CLEAR = "DELETE FROM {schema}.entries WHERE user_name = %(user)s"


class PostgresPlace(NamedTuple):
    """Where the entries are. `dsn` is as libpq has it: what it leaves out comes from the environment and ~/.pgpass."""

    dsn: str
    schema: str
    timeout_seconds: float


class PostgresBackend:
    name = "postgres"
    unsupported: Mapping[Operation, str] = {}

    def __init__(self, place: PostgresPlace) -> None:
        self._place = place
        self._db: psycopg.Connection[tuple[Any, ...]] | None = None

    @property
    def leaves_machine(self) -> bool:
        return not all(is_this_machine(host) for host in _hosts(self._place.dsn))

    @property
    def privacy(self) -> str:
        where = "on another machine" if self.leaves_machine else "on this machine"
        return f"Entries lie on a PostgreSQL server {where}; whoever administers it can read them."

    def availability(self) -> Availability:
        try:
            self._call(lambda db: db.execute("SELECT 1"))
        except BackendError as error:
            return Availability(is_available=False, reason=str(error))
        return Availability(is_available=True, reason="")

    def store(self, write: Write, *, is_late: bool = False) -> None:
        statement = _STORE + (_ONLY_LATER if is_late else "")
        self._call(lambda db: db.execute(self._sql(statement), _values(write)))

    def store_many(self, writes: Sequence[Write]) -> None:
        def send(db: "psycopg.Connection[tuple[Any, ...]]") -> None:
            with db.transaction(), db.cursor() as cursor:
                cursor.executemany(self._sql(_STORE), [_values(write) for write in writes])

        self._call(send)

    def retrieve(self, user: str, key: str) -> Entry | None:
        row = self._call(lambda db: db.execute(self._sql(_RETRIEVE), {"user": user, "key": key}).fetchone())
        return None if row is None else _entry(*row)

    def query(self, user: str, text: str, limit: int) -> list[Hit]:
        wanted = " | ".join(_quote_word(term) for term in terms_of(text))
        if not wanted:
            return []
        values = {"user": user, "wanted": wanted, "limit": max(4 * limit, _LEAST_CANDIDATES)}
        rows = self._call(lambda db: db.execute(self._sql(_QUERY), values).fetchall())
        return search([_entry(*row) for row in rows], text, limit)

    def keys(self, user: str, prefix: str = "") -> list[str]:
        rows = self._call(lambda db: db.execute(self._sql(_KEYS), {"user": user, "prefix": prefix}).fetchall())
        return [row[0] for row in rows]

    def delete(self, user: str, key: str, at_ms: int, *, is_late: bool = False) -> bool:
        statement = _DELETE + (_NOT_LATER if is_late else "")
        values = {"user": user, "key": key, "at_ms": at_ms}
        return self._call(lambda db: db.execute(self._sql(statement), values).rowcount) > 0

    def clear(self, user: str) -> int:
        return self._call(lambda db: db.execute(self._sql(_CLEAR), {"user": user}).rowcount)

    def close(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None

    def _call(self, work: Callable[["psycopg.Connection[tuple[Any, ...]]"], _T]) -> _T:
        driver = _driver()
        try:
            if self._db is None:
                self._db = self._open()
            return work(self._db)
        except driver.Error as error:
            self.close()
            raise self._translate(error) from error

    def _open(self) -> "psycopg.Connection[tuple[Any, ...]]":
        driver = _driver()
        seconds = max(2, round(self._place.timeout_seconds))
        db: psycopg.Connection[tuple[Any, ...]] = driver.connect(
            self._place.dsn, autocommit=True, connect_timeout=seconds, application_name="afterwit"
        )
        try:
            milliseconds = str(round(self._place.timeout_seconds * 1000))
            db.execute("SELECT set_config('statement_timeout', %s, false)", (milliseconds,))
            self._prepare(db)
        except BaseException:
            db.close()
            raise
        return db

    def _prepare(self, db: "psycopg.Connection[tuple[Any, ...]]") -> None:
        """Makes the schema where it is not, and refuses another one."""
        driver = _driver()
        try:
            row = db.execute(self._sql("SELECT max(number) FROM {schema}.version")).fetchone()
        except (driver.errors.UndefinedTable, driver.errors.InvalidSchemaName):
            with db.transaction():
                db.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
                db.execute(self._sql(_MAKE))
            row = (SCHEMA_NUMBER,)
        if row is None or row[0] != SCHEMA_NUMBER:
            number = row[0] if row else None
            raise WrongSchemaError(
                f"The schema {self._place.schema!r} in PostgreSQL has number {number}, and this afterwit knows"
                f" {SCHEMA_NUMBER}. Upgrade afterwit, or choose another memory.postgres_schema."
            )

    def _sql(self, statement: str) -> Any:
        """The schema's name is a setting that was checked to be an identifier; it is quoted all the same."""
        from psycopg import sql

        schema, number = sql.Identifier(self._place.schema), sql.Literal(SCHEMA_NUMBER)
        return sql.SQL(statement).format(schema=schema, number=number)

    def _translate(self, error: "psycopg.Error") -> BackendError:
        code = error.sqlstate or ""
        what = " ".join(str(error).split()) or type(error).__name__
        if code.startswith("28") or "password" in what or "no pg_hba.conf entry" in what:
            return RefusedError(f"PostgreSQL refused the login ({what}). Check the user and ~/.pgpass or PGPASSWORD.")
        if code == "42501":
            return RefusedError(f"PostgreSQL refused ({what}). Grant the user rights on {self._place.schema!r}.")
        if code.startswith("42"):
            return WrongSchemaError(
                f"The tables in the schema {self._place.schema!r} of PostgreSQL were not made by Afterwit ({what})."
                " Choose another memory.postgres_schema, or repair them."
            )
        if code.startswith(("22", "23")):
            return RejectedError(f"PostgreSQL does not take this entry ({what}).")
        if code in ("53100", "53200"):
            return UnreachableError(f"The PostgreSQL server is out of space ({what}).")
        return UnreachableError(f"PostgreSQL does not answer ({what}). Check the server and memory.postgres_dsn.")


def has_password(dsn: str) -> bool:
    """Whether a connection string holds a password. One that cannot be read holds none."""
    return bool(_parts(dsn).get("password"))


def _hosts(dsn: str) -> list[str]:
    parts = _parts(dsn)
    return str(parts.get("hostaddr") or parts.get("host") or "").split(",")


def _parts(dsn: str) -> dict[str, Any]:
    driver = _driver()
    try:
        return dict(driver.conninfo.conninfo_to_dict(dsn))
    except driver.ProgrammingError as error:
        raise UnreachableError(f"memory.postgres_dsn cannot be read ({str(error).strip()}). Correct it.") from error


def _driver() -> Any:
    try:
        import psycopg
        import psycopg.conninfo
    except ImportError as error:
        raise UnreachableError(
            f"The PostgreSQL driver is not installed ({error}). Install it: `{install_command('postgres')}`."
        ) from error
    return psycopg


def _values(write: Write) -> dict[str, Any]:
    from psycopg.types.json import Jsonb

    return {
        "user": write.user,
        "key": write.key,
        "value": write.value,
        "metadata": Jsonb(write.metadata),
        "at_ms": write.at_ms,
        "words": sorted(set(words_of(f"{write.key} {write.value}"))),
    }


def _quote_word(word: str) -> str:
    """A word of a tsquery, whatever is in it."""
    return "'" + word.replace("\\", "\\\\").replace("'", "''") + "'"


def _entry(key: str, value: str, metadata: dict[str, Any], created_ms: int, updated_ms: int) -> Entry:
    return Entry(key=key, value=value, metadata=metadata, created_ms=created_ms, updated_ms=updated_ms)
