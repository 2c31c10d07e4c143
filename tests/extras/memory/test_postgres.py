"""PostgreSQL in trouble: gone in the middle, wrong password, wrong schema, no space; each said clearly."""

import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from tests.extras.memory.postgres_server import PostgresServer

from afterwit.extras.memory.backend import RefusedError, UnreachableError, WrongSchemaError
from afterwit.extras.memory.postgres import PostgresBackend, PostgresPlace, has_password
from afterwit.model.memory_entry import Write

psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed: pip install 'afterwit[postgres]'")
FISH = Write(user="ada", key="shell", value="fish", at_ms=1)


def test_the_schema_is_made_at_first_use_and_left_alone_afterwards(postgres_place: PostgresPlace) -> None:
    for value in ("bash", "fish"):
        with closing(PostgresBackend(postgres_place)) as backend:
            backend.store(Write(user="ada", key="shell", value=value, at_ms=1))
    with psycopg.connect(postgres_place.dsn) as db:
        assert db.execute(f"SELECT number FROM {postgres_place.schema}.version").fetchall() == [(1,)]
        assert db.execute(f"SELECT key, value FROM {postgres_place.schema}.entries").fetchall() == [("shell", "fish")]


def test_a_server_that_goes_away_in_the_middle_leaves_the_entry_whole_or_absent(
    postgres: PostgresServer, postgres_place: PostgresPlace
) -> None:
    with closing(PostgresBackend(postgres_place)) as backend:
        backend.store(FISH)
        postgres.stop(signal.SIGQUIT)
        try:
            with pytest.raises(UnreachableError, match="PostgreSQL does not answer"):
                backend.store(Write(user="ada", key="editor", value="vi", at_ms=2))
            assert not backend.availability().is_available
        finally:
            postgres.start()
        assert backend.keys("ada") == ["shell"]
        backend.store(Write(user="ada", key="editor", value="vi", at_ms=2), is_late=True)
        assert backend.keys("ada") == ["editor", "shell"]


def test_a_connection_that_the_server_ends_is_opened_again(postgres_place: PostgresPlace) -> None:
    with (
        closing(PostgresBackend(postgres_place)) as backend,
        psycopg.connect(postgres_place.dsn, autocommit=True) as db,
    ):
        backend.store(FISH)
        db.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'afterwit'")
        with pytest.raises(UnreachableError):
            backend.retrieve("ada", "shell")
        assert backend.retrieve("ada", "shell") is not None


def test_a_wrong_password_is_refused_with_what_to_do(
    postgres: PostgresServer, postgres_place: PostgresPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = postgres_place._replace(dsn=postgres.over_tcp())
    monkeypatch.setenv("PGPASSWORD", "wrong")
    with closing(PostgresBackend(place)) as backend, pytest.raises(RefusedError, match=r"~/.pgpass or PGPASSWORD"):
        backend.store(FISH)
    monkeypatch.setenv("PGPASSWORD", " ".join(("open", "sesame")))
    with closing(PostgresBackend(place)) as backend:
        backend.store(FISH)
        assert backend.leaves_machine is False


def test_a_user_without_rights_is_refused(postgres: PostgresServer, postgres_place: PostgresPlace) -> None:
    with psycopg.connect(postgres.dsn, autocommit=True) as db:
        db.execute("DROP ROLE IF EXISTS guest")
        db.execute("CREATE ROLE guest LOGIN")
    place = postgres_place._replace(dsn=postgres.dsn.replace("user=owner", "user=guest"))
    with closing(PostgresBackend(place)) as backend, pytest.raises(RefusedError, match="Grant the user rights"):
        backend.store(FISH)


def test_a_schema_of_another_version_is_refused(postgres_place: PostgresPlace) -> None:
    with closing(PostgresBackend(postgres_place)) as backend:
        backend.store(FISH)
    with psycopg.connect(postgres_place.dsn, autocommit=True) as db:
        db.execute(f"UPDATE {postgres_place.schema}.version SET number = 7")
    with closing(PostgresBackend(postgres_place)) as backend, pytest.raises(WrongSchemaError, match="has number 7"):
        backend.retrieve("ada", "shell")


def test_tables_that_are_not_ours_are_refused_and_left_alone(postgres_place: PostgresPlace) -> None:
    with psycopg.connect(postgres_place.dsn, autocommit=True) as db:
        db.execute(f"CREATE SCHEMA {postgres_place.schema}")
        db.execute(f"CREATE TABLE {postgres_place.schema}.entries (apples integer)")
        with (
            closing(PostgresBackend(postgres_place)) as backend,
            pytest.raises(WrongSchemaError, match="not made by Afterwit"),
        ):
            backend.store(FISH)
        assert db.execute(f"SELECT count(*) FROM {postgres_place.schema}.entries").fetchone() == (0,)


def test_a_server_without_space_keeps_what_it_had(postgres_place: PostgresPlace) -> None:
    """As PostgreSQL reports a full disk: the statement fails with 53100 and is taken back."""
    with closing(PostgresBackend(postgres_place)) as backend:
        backend.store(FISH)
        with psycopg.connect(postgres_place.dsn, autocommit=True) as db:
            db.execute(
                f"""CREATE FUNCTION {postgres_place.schema}.full() RETURNS trigger LANGUAGE plpgsql AS
                    $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left' USING ERRCODE = '53100'; END $$"""
            )
            db.execute(
                f"""CREATE TRIGGER full_disk AFTER INSERT OR UPDATE ON {postgres_place.schema}.entries
                    FOR EACH ROW EXECUTE FUNCTION {postgres_place.schema}.full()"""
            )
        with pytest.raises(UnreachableError, match="out of space"):
            backend.store(Write(user="ada", key="shell", value="bash", at_ms=2))
        entry = backend.retrieve("ada", "shell")
        assert entry is not None
        assert entry.value == "fish"


def test_many_processes_make_one_schema(postgres_place: PostgresPlace) -> None:
    code = f"""
from afterwit.extras.memory.postgres import PostgresBackend, PostgresPlace
from afterwit.model.memory_entry import Write
import sys
backend = PostgresBackend(PostgresPlace({postgres_place.dsn!r}, {postgres_place.schema!r}, 20))
backend.store(Write(user="ada", key=sys.argv[1], value="fish", at_ms=1))
"""
    started = [
        subprocess.Popen([sys.executable, "-c", code, f"k{number}"], stderr=subprocess.PIPE, text=True)
        for number in range(5)
    ]
    said = [process.communicate(timeout=120)[1] for process in started]
    assert [process.returncode for process in started] == [0] * 5, said
    with closing(PostgresBackend(postgres_place)) as backend:
        assert backend.keys("ada") == [f"k{number}" for number in range(5)]


@pytest.mark.parametrize(
    ("dsn", "leaves"),
    [
        ("", False),
        ("host=/run/postgresql dbname=x", False),
        ("postgresql://me@localhost/x", False),
        ("host=127.0.0.1,::1", False),
        ("postgresql://me@db.example.org/x", True),
        ("host=localhost,db.example.org", True),
    ],
)
def test_data_leave_the_machine_unless_every_host_is_this_one(dsn: str, leaves: bool) -> None:
    assert PostgresBackend(PostgresPlace(dsn, "memory", 5)).leaves_machine is leaves


def test_a_password_in_a_connection_string_is_noticed() -> None:
    assert has_password("postgresql://me:hush@localhost/x")
    assert not has_password("postgresql://me@localhost/x")


def test_without_the_driver_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(UnreachableError, match=r"pip install 'afterwit\[postgres\]'"):
        PostgresBackend(PostgresPlace("", "memory", 5)).retrieve("ada", "shell")
