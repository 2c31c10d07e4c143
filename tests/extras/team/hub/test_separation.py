"""By no query of their own does a member see a row of another team, or write in another's name."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from tests.extras.team.hub.teams import HubMate, HubServer, mate
from tests.extras.team.members import REPO
from tests.homes import CLAUDE, claude_records, learned, put

from afterwit.extras.team.hub.address import HubError
from afterwit.extras.team.hub.owner import add_member, init, members, revoke_member
from afterwit.extras.team.hub.sync import SyncRequest, sync

COUNT = "Run `make build` before `make check`, or counts are old."
TABLES = ("version", "hub", "teams", "members", "machines", "note_lines", "digests", "sums")
OF_TEAMS = ("teams", "members", "machines", "note_lines", "digests", "sums")
_LEAK = """CREATE FUNCTION pg_temp.leak(said text) RETURNS boolean COST 0.0000001 LANGUAGE plpgsql AS
           $$ BEGIN RAISE NOTICE 'leaked: %', said; RETURN true; END $$"""
_SHADOWS = (
    "CREATE TEMP TABLE members (role text, team text, name text, is_read_only boolean, revoked_at timestamptz)",
    "INSERT INTO members SELECT current_user, 'growers', 'ada', false, NULL",
    "CREATE FUNCTION pg_temp.same(text, text) RETURNS boolean LANGUAGE sql AS 'SELECT true'",
    "CREATE OPERATOR pg_temp.= (LEFTARG = text, RIGHTARG = text, FUNCTION = pg_temp.same)",
    "SET search_path = pg_temp, pg_catalog",
)
READING = [
    *((f"SELECT t.* FROM afterwit_hub.{table} AS t",) for table in OF_TEAMS),
    *((f"COPY afterwit_hub.{table} TO STDOUT",) for table in OF_TEAMS),
    ("COPY (SELECT row_to_json(t) FROM afterwit_hub.note_lines AS t) TO STDOUT",),
    ("SET row_security = off", "SELECT * FROM afterwit_hub.note_lines"),
    ("SET ROLE {keeper}", "SELECT * FROM afterwit_hub.note_lines"),
    ("SET ROLE {ada}", "SELECT * FROM afterwit_hub.note_lines"),
    ("SET SESSION AUTHORIZATION {ada}", "SELECT * FROM afterwit_hub.note_lines"),
    ("GRANT {ada} TO {eve}", "SET ROLE {ada}", "SELECT * FROM afterwit_hub.note_lines"),
    ("SET SESSION \"afterwit.role\" = 'ada'", "SELECT * FROM afterwit_hub.note_lines"),
    ("SELECT query_to_xml('SELECT * FROM afterwit_hub.note_lines', true, true, '')",),
    ("SELECT schema_to_xml('afterwit_hub', true, true, '')",),
    ("SELECT database_to_xml(true, true, '')",),
    ("SELECT tablename, most_common_vals, histogram_bounds FROM pg_stats WHERE schemaname = 'afterwit_hub'",),
    ("SELECT * FROM pg_statistic",),
    ("SELECT * FROM pg_stats_ext_exprs",),
    (_LEAK, "SELECT team FROM afterwit_hub.note_lines AS t WHERE pg_temp.leak(t::text)"),
    (_LEAK, "SELECT team FROM afterwit_hub.digests AS t WHERE pg_temp.leak(t::text)"),
    (_LEAK, "SELECT team FROM afterwit_hub.members AS t WHERE pg_temp.leak(t::text)"),
    (
        _LEAK,
        "CREATE TEMP VIEW seen AS SELECT * FROM afterwit_hub.note_lines WHERE pg_temp.leak(lines::text)",
        "TABLE seen",
    ),
    (*_SHADOWS, "SELECT * FROM afterwit_hub.note_lines"),
    (*_SHADOWS, "SELECT * FROM afterwit_hub.members"),
    ("BEGIN; DECLARE c CURSOR WITH HOLD FOR SELECT * FROM afterwit_hub.note_lines; COMMIT", "FETCH ALL FROM c"),
    ("PREPARE p AS SELECT * FROM afterwit_hub.note_lines", "EXECUTE p"),
    ("UPDATE afterwit_hub.note_lines SET lines = lines WHERE team = 'growers' RETURNING *",),
    ("UPDATE afterwit_hub.note_lines SET lines = lines RETURNING *",),
    ("DELETE FROM afterwit_hub.digests RETURNING *",),
    ("SELECT * FROM afterwit_hub.note_lines FOR UPDATE",),
    ("SELECT * FROM afterwit_hub.found('index | prune'::tsquery, NULL)",),
    (*_SHADOWS, "SELECT * FROM afterwit_hub.found('index | prune'::tsquery, NULL)"),
    ("SET ROLE {ada}", "SELECT * FROM afterwit_hub.found('index | prune'::tsquery, NULL)"),
    (
        "CREATE FUNCTION pg_temp.ts_rank(tsvector, tsquery) RETURNS real LANGUAGE plpgsql AS"
        " $$ BEGIN RAISE NOTICE 'leaked: %', $1; RETURN 1; END $$",
        "SET search_path = pg_temp, pg_catalog",
        "SELECT * FROM afterwit_hub.found('index | prune'::tsquery, NULL)",
    ),
    (
        "SELECT currtid2('afterwit_hub.note_lines', '(0,1)')",
        "SELECT * FROM afterwit_hub.note_lines WHERE ctid = '(0,1)'",
    ),
]
WRITING = [
    "INSERT INTO afterwit_hub.members VALUES (current_user, 'growers', 'eve')",
    "UPDATE afterwit_hub.members SET team = 'growers'",
    "DELETE FROM afterwit_hub.members",
    "INSERT INTO afterwit_hub.teams (name) VALUES ('mine')",
    "DELETE FROM afterwit_hub.note_lines",
    "TRUNCATE afterwit_hub.note_lines",
    "ALTER TABLE afterwit_hub.note_lines DISABLE ROW LEVEL SECURITY",
    "ALTER TABLE afterwit_hub.note_lines NO FORCE ROW LEVEL SECURITY",
    "ALTER TABLE afterwit_hub.note_lines DISABLE TRIGGER ALL",
    "CREATE POLICY mine ON afterwit_hub.note_lines USING (true)",
    "DROP POLICY read ON afterwit_hub.note_lines",
    "CREATE TRIGGER mine AFTER INSERT ON afterwit_hub.note_lines EXECUTE FUNCTION afterwit_hub.numbered()",
    "CREATE TEMP TABLE probe (team text, tick bigint REFERENCES afterwit_hub.note_lines (tick))",
    "CREATE OR REPLACE FUNCTION afterwit_hub.numbered() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
    "CREATE TABLE afterwit_hub.mine (said text)",
    "ALTER FUNCTION afterwit_hub.found(tsquery, bigint) SECURITY INVOKER",
    "SET session_replication_role = replica",
    "ALTER ROLE CURRENT_USER BYPASSRLS",
    "COPY afterwit_hub.note_lines (team, repo, note, member, machine, author, lines) FROM STDIN",
    "UPDATE afterwit_hub.note_lines SET tick = 1",
    "UPDATE afterwit_hub.hub SET generation = 9",
    "INSERT INTO afterwit_hub.version VALUES (99)",
]
_ADD = """INSERT INTO afterwit_hub.note_lines (team, repo, note, member, machine, author, lines)
          VALUES (%s, %s, %s, %s, %s, %s, %s)"""


@pytest.fixture
def ada(server: HubServer, tmp_path: Path) -> HubMate:
    """With a note, a digest and sums on the hub, beside eve of another team."""
    server.begins("growers", "vintners")
    ada = mate(server, tmp_path, "ada")
    home, store = ada.local.world.user_home, ada.local.world.layout.root
    put(home / CLAUDE / "11111111-aaaa-4aaa-8aaa-000000000001.jsonl", claude_records("s1"))
    learned(home, store)
    ada.local.adds(COUNT)
    assert ada.syncs(has_digests=True).digests_sent == 1
    server.joins("eve", "vintners")
    server.asked("keeper", "ANALYZE")
    return ada


def marks(ada: HubMate, server: HubServer) -> list[str]:
    """What tells that a row of the other team came out."""
    machine = server.asked("keeper", "SELECT machine FROM afterwit_hub.machines")[0][0]
    return ["growers", "make build", "Prune row", machine, server.role("ada")]


def tried(server: HubServer, name: str, statements: tuple[str, ...]) -> str:
    """All that comes back: rows, notices, and the text of an error."""
    heard: list[str] = []
    roles = {role: server.role(role) for role in ("keeper", "ada", "eve")}
    with server.connection(name) as db:
        db.add_notice_handler(lambda notice: heard.append(notice.message_primary or ""))
        for statement in statements:
            for role, real in roles.items():
                statement = statement.replace("{" + role + "}", real)
            try:
                heard += _answer(db, statement)
            except psycopg.Error as error:
                heard.append(str(error).replace(statement, ""))
    return "\n".join(heard)


def _answer(db: "psycopg.Connection[Any]", statement: str) -> Iterator[str]:
    if statement.startswith("COPY") and "TO STDOUT" in statement:
        with db.cursor().copy(statement.encode()) as copy:
            yield from (bytes(part).decode() for part in copy)
        return
    cursor = db.execute(statement.encode())
    if cursor.description is not None:
        yield from (json.dumps(row, default=str) for row in cursor.fetchall())


def test_the_rows_are_there_for_their_own_team(ada: HubMate, server: HubServer) -> None:
    """Else the tests below could not fail."""
    for table in ("members", "machines", "note_lines", "digests", "sums"):
        assert "growers" in tried(server, "ada", (f"SELECT * FROM afterwit_hub.{table}",)), table
    everything = "".join(
        tried(server, "ada", (f"SELECT * FROM afterwit_hub.{table}",)) for table in TABLES if table != "teams"
    )
    assert [mark for mark in marks(ada, server) if mark not in everything] == []


def test_no_query_of_another_team_brings_a_row_out(ada: HubMate, server: HubServer) -> None:
    wanted = marks(ada, server)
    for statements in READING:
        answer = tried(server, "eve", statements)
        named = [mark for mark in wanted if mark in answer and mark not in "".join(statements)]
        named = [mark for mark in named if mark != server.role("ada") or "{ada}" not in "".join(statements)]
        assert named == [], (statements, answer)


def test_every_table_forces_its_policies_and_few_functions_run_as_the_owner(ada: HubMate, server: HubServer) -> None:
    query = """SELECT relname, relrowsecurity, relforcerowsecurity FROM pg_class
               WHERE relnamespace = 'afterwit_hub'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f')"""
    assert sorted(server.asked("keeper", query)) == sorted((table, True, True) for table in TABLES)
    query = "SELECT proname, prosecdef FROM pg_proc WHERE pronamespace = 'afterwit_hub'::regnamespace"
    assert sorted(server.asked("keeper", query)) == [("found", True), ("numbered", True), ("take_back", True)]


def test_what_a_member_may_not_write_is_refused(ada: HubMate, server: HubServer) -> None:
    for statement in WRITING:
        with pytest.raises(psycopg.Error):
            server.asked("eve", statement)


@pytest.mark.parametrize(
    ("team", "member", "author"),
    [
        ("growers", "eve", "eve"),
        ("vintners", "ada", "eve"),
        ("vintners", "eve", "ada"),
        ("growers", "ada", "ada"),
    ],
)
def test_nobody_writes_for_another_team_or_member(
    ada: HubMate, server: HubServer, team: str, member: str, author: str
) -> None:
    row = (team, REPO, "0" * 12, server.role(member), "m", author, "[]")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        server.asked("eve", _ADD, *row)


def test_a_member_of_the_same_team_changes_no_lines_of_others(ada: HubMate, server: HubServer) -> None:
    server.joins("mallory")
    before = server.asked("ada", "SELECT * FROM afterwit_hub.note_lines")
    assert server.asked("mallory", "UPDATE afterwit_hub.note_lines SET lines = '[]' RETURNING note") == []
    (machine, session), *_ = server.asked("ada", "SELECT machine, session FROM afterwit_hub.digests")
    taking = "SELECT afterwit_hub.take_back(%s, %s, %s)"
    assert server.asked("mallory", taking, machine, REPO, [session]) == [(0,)]
    assert server.asked("mallory", "UPDATE afterwit_hub.sums SET tokens = 0 RETURNING author") == []
    assert server.asked("ada", "SELECT * FROM afterwit_hub.note_lines") == before
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        server.asked("mallory", _ADD, "growers", REPO, "0" * 12, server.role("mallory"), "m", "ada", "[]")


_ELSEWHERE = {
    "the lock of a team's writers": "SELECT pg_advisory_lock(1635149928, hashtext('growers'))",
    "the lock of the schema": "SELECT pg_advisory_lock(1634104424)",
    "a row for another team": "INSERT INTO afterwit_hub.note_lines (team, repo, note, member, machine, author, lines)"
    " VALUES ('growers', 'orchard', '000000000000', current_user, 'm', 'eve', '[]')",
    "own rows": "UPDATE afterwit_hub.note_lines SET lines = lines",
    "teams": "SELECT * FROM afterwit_hub.teams FOR UPDATE",
    **{
        f"{table}, {mode}": f"LOCK TABLE afterwit_hub.{table} IN {mode} MODE"
        for table in TABLES
        for mode in ("ROW SHARE", "ROW EXCLUSIVE", "SHARE", "EXCLUSIVE", "ACCESS EXCLUSIVE")
    },
}


def test_no_lock_of_another_team_or_an_outsider_makes_anybody_wait(ada: HubMate, server: HubServer) -> None:
    server.login("outsider")
    server.asked("keeper", f"ALTER DATABASE hub_{server.number} SET lock_timeout = '1s'")
    for name in ("eve", "outsider"):
        with server.connection(name, autocommit=False) as db:
            for statement in _ELSEWHERE.values():
                db.execute("SAVEPOINT tried")
                try:
                    db.execute(statement.encode())
                except psycopg.Error:
                    db.execute("ROLLBACK TO tried")
            ada.local.adds(f"Run `make crates` before {name} presses, or the press stops.")
            assert ada.syncs(1, has_digests=True).notes_sent == 1
            assert ada.syncs(2, has_digests=False).digests_taken_back == 1
            assert init(server.keeper, "growers").applied == []


def test_a_row_for_another_team_is_refused_at_once_while_that_team_writes(ada: HubMate, server: HubServer) -> None:
    """Else waiting would tell that there is such a team."""
    add = _ELSEWHERE["a row for another team"]
    with server.connection("ada", autocommit=False) as writing:
        writing.execute("UPDATE afterwit_hub.note_lines SET lines = lines")
        with server.connection("eve") as db:
            db.execute("SET lock_timeout = '1s'")
            refusals = []
            for team in ("growers", "no-such-team"):
                with pytest.raises(psycopg.errors.InsufficientPrivilege) as refused:
                    db.execute(add.replace("growers", team).encode())
                refusals.append(str(refused.value))
    assert refusals[0] == refusals[1]


def test_no_catalogue_that_everybody_reads_names_a_team(ada: HubMate, server: HubServer) -> None:
    server.login("outsider")
    tables = [
        name
        for (name,) in server.asked(
            "outsider",
            "SELECT relname::text FROM pg_class WHERE relnamespace = 'pg_catalog'::regnamespace"
            " AND relkind IN ('r', 'v') AND has_table_privilege(oid, 'SELECT')",
        )
    ]
    assert len(tables) > 50
    marks = {"growers", "vintners"} | {hashlib.sha256(name).hexdigest()[:16] for name in (b"growers", b"vintners")}
    for name in ("outsider", "eve"):
        for table in tables:
            answer = tried(server, name, (f"SELECT t::text FROM pg_catalog.{table} AS t",))
            own = {"vintners"} if name == "eve" and table == "pg_stats" else set()
            assert [mark for mark in marks - own if mark in answer] == [], table


def test_a_revoked_member_can_neither_read_nor_write_on_a_connection_that_is_open(
    ada: HubMate, server: HubServer
) -> None:
    with server.connection("ada") as db:
        assert db.execute("SELECT count(*) FROM afterwit_hub.note_lines").fetchone() == (1,)
        assert revoke_member(server.keeper, server.role("ada")).is_revoked
        for statement in (
            "SELECT * FROM afterwit_hub.note_lines",
            "SELECT * FROM afterwit_hub.members",
            "UPDATE afterwit_hub.note_lines SET lines = '[]'",
            "DELETE FROM afterwit_hub.digests",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                db.execute(statement.encode())
    ada.local.adds("Run `make dist` before `make bundle`, or the press stops.")
    with pytest.raises(HubError, match=r"revoked: ask its owner\."):
        ada.syncs(1)
    assert len(server.asked("keeper", "SELECT * FROM afterwit_hub.note_lines")) == 1
    add_member(server.keeper, server.role("ada"), "growers", "ada")
    assert ada.syncs(2).notes_sent == 1


def test_policies_alone_keep_a_revoked_member_out_who_still_has_grants(ada: HubMate, server: HubServer) -> None:
    server.asked("keeper", "UPDATE afterwit_hub.members SET revoked_at = now() WHERE name = 'ada'")
    for table in ("members", "machines", "note_lines", "digests", "sums"):
        assert server.asked("ada", f"SELECT * FROM afterwit_hub.{table}") == []
    assert server.asked("ada", "UPDATE afterwit_hub.note_lines SET lines = '[]' RETURNING note") == []
    with pytest.raises(HubError, match=r"is no member of the hub at .*, or was revoked"):
        ada.syncs(1)


def test_a_read_only_member_reads_and_cannot_write(ada: HubMate, server: HubServer, tmp_path: Path) -> None:
    reader = mate(server, tmp_path, "reader", is_read_only=True)
    reader.local.adds("Run `make dist` before `make bundle`, or the press stops.")
    done = reader.syncs(1, has_digests=True)
    assert [change.fact for change in done.incoming] == [COUNT]
    assert (done.outgoing, done.notes_sent, done.digests_sent, done.is_read_only) == ([], 0, 0, True)
    row = ("growers", REPO, "0" * 12, server.role("reader"), "m", "reader", "[]")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        server.asked("reader", _ADD, *row)
    grant = f"GRANT ALL ON ALL TABLES IN SCHEMA afterwit_hub TO {server.role('reader')}"
    server.asked("keeper", grant)
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
        server.asked("reader", _ADD, *row)


def test_roles_that_pass_by_the_policies_are_refused_as_members(ada: HubMate, server: HubServer) -> None:
    server.login("boss")
    with psycopg.connect(server.server.dsn, autocommit=True) as db:
        db.execute(f"GRANT {server.role('keeper')} TO {server.role('boss')}".encode())
    for role in (server.role("boss"), "owner"):  # the latter is the superuser of the server
        with pytest.raises(HubError, match="could read all teams"):
            add_member(server.keeper, role, "growers")
    with pytest.raises(HubError, match="PostgreSQL has no role 'nobody-there'"):
        add_member(server.keeper, "nobody-there", "growers")


def test_the_owner_syncs_with_the_own_team_alone(ada: HubMate, server: HubServer, tmp_path: Path) -> None:
    add_member(server.keeper, server.role("keeper"), "vintners", "keeper")
    keeper = HubMate(mate(server, tmp_path, "someone", "vintners").local, server.keeper)
    assert keeper.syncs(1).incoming == []
    assert {row.name for row in members(server.keeper)} == {"ada", "eve", "keeper", "someone"}
    done = sync(ada.local.later(2).world, ada.address, SyncRequest(repos=(REPO,)), lambda _: True)
    assert done is not None
