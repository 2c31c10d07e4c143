"""Searching a hub goes by an index of the own team, under the policies, and finds nothing of others."""

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from tests.extras.team.hub.teams import HubServer

from afterwit.extras.team.hub import rows
from afterwit.extras.team.hub.owner import init, revoke_member, search

_FILL_NOTES = """
    INSERT INTO afterwit_hub.note_lines (team, repo, note, member, machine, author, lines)
    SELECT %(team)s, 'orchard', substr(md5(number::text), 1, 12), current_user, 'm', %(name)s, jsonb_build_array(
        jsonb_build_object('words', jsonb_build_object('fact', 'Prune tree ' || mod(number, 500) || ' before spring')))
    FROM generate_series(1, %(count)s) AS number ON CONFLICT DO NOTHING"""
_FILL_DIGESTS = """
    INSERT INTO afterwit_hub.digests (team, repo, session, member, machine, author, body)
    SELECT %(team)s, 'orchard', substr(md5(number::text), 1, 16), current_user, 'm', %(name)s, jsonb_build_object(
        'task', 'Water tree ' || mod(number, 500), 'failures', jsonb_build_array(jsonb_build_object('signature',
        'pump-' || mod(number, 700))), 'rules', jsonb_build_array('dry-' || mod(number, 900)), 'files', '[]'::jsonb)
    FROM generate_series(1, %(count)s) AS number"""
_EXPLAINING = (
    "LOAD 'auto_explain'",
    "SET auto_explain.log_min_duration = 0",
    "SET auto_explain.log_nested_statements = on",
    "SET auto_explain.log_level = notice",
)
_ROWS = 4_000


@pytest.fixture(scope="module")
def filled(common_server: HubServer) -> HubServer:
    """Two teams with many notes and digests of the same words."""
    fill(common_server, _ROWS)
    return common_server


def fill(server: HubServer, count: int) -> None:
    server.begins("growers", "vintners")
    for name, team in (("ada", "growers"), ("eve", "vintners")):
        server.joins(name, team)
        with server.connection(name) as db:
            for query in (_FILL_NOTES, _FILL_DIGESTS):
                db.execute(query, {"team": team, "name": name, "count": count})
    server.asked("keeper", "VACUUM ANALYZE afterwit_hub.note_lines, afterwit_hub.digests")


def plans(server: HubServer, name: str, words: str) -> tuple[list[rows.HubHit], str]:
    """What a member finds, and the plans of all that ran for it, within functions, too."""
    said: list[str] = []
    options = {**server.address("keeper").options, "user": "owner"}
    with psycopg.connect(make_conninfo(**options), autocommit=True) as db:
        try:
            for statement in _EXPLAINING:
                db.execute(statement)
        except psycopg.errors.UndefinedFile:
            pytest.skip("auto_explain, which shows plans within functions, is not installed")
        db.execute(f"SET SESSION AUTHORIZATION {server.role(name)}".encode())
        db.add_notice_handler(lambda notice: said.append(notice.message_primary or ""))
        hits = rows.search(db, "growers", words, 50)
    return hits, "\n".join(said)


@pytest.mark.parametrize(
    ("words", "kind", "count"),
    [("spring 77", "note", 8), ("water 77", "session", 8), ("pump-77", "session", 6), ("dry-77", "session", 5)],
)
def test_words_are_found_by_the_index_of_the_team(filled: HubServer, words: str, kind: str, count: int) -> None:
    hits, plan = plans(filled, "ada", words)
    assert [(hit.kind, hit.by) for hit in hits] == [(kind, "ada")] * count
    table = "note_lines" if kind == "note" else "digests"
    ((own,), *others) = filled.asked(
        "keeper",
        f"SELECT indexname::text FROM pg_indexes WHERE tablename = '{table}' AND indexname LIKE '%\\_words\\_%'"
        " ORDER BY indexname NOT LIKE '%\\_' || (SELECT number FROM afterwit_hub.teams WHERE name = 'growers')",
    )
    assert len(others) == 1
    assert f"Bitmap Index Scan on {own}" in plan
    assert "Seq Scan" not in plan
    assert others[0][0] not in plan


def test_without_the_function_no_index_of_words_is_used(filled: HubServer) -> None:
    """The reason for it. Where PostgreSQL learns to do this, the function can go."""
    query = "EXPLAIN SELECT 1 FROM afterwit_hub.note_lines WHERE team = 'growers' AND words @@ 'spring & 77'::tsquery"
    assert "_words_" not in "\n".join(line for (line,) in filled.asked("ada", query))


def test_what_a_member_asks_the_function_itself_is_of_their_team(filled: HubServer) -> None:
    count = "SELECT count(*), count(DISTINCT member) FROM afterwit_hub.found('spring'::tsquery, NULL)"
    assert filled.asked("ada", count) == [(_ROWS, 1)]
    assert filled.asked("eve", "SELECT DISTINCT member FROM afterwit_hub.found('spring'::tsquery, NULL)") == [
        (filled.role("eve"),)
    ]
    shadowed = """CREATE TEMP TABLE members AS SELECT current_user AS role, 'growers' AS team, NULL::timestamptz AS
                  revoked_at; SET search_path = pg_temp, pg_catalog"""
    with filled.connection("eve") as db:
        db.execute(shadowed)
        rows_seen = db.execute("SELECT DISTINCT member FROM afterwit_hub.found('spring'::tsquery, NULL)").fetchall()
    assert rows_seen == [(filled.role("eve"),)]


def test_who_is_revoked_or_no_member_finds_nothing(server: HubServer) -> None:
    fill(server, 3)
    asked = "SELECT * FROM afterwit_hub.found('spring'::tsquery, NULL)"
    with server.connection("ada") as db:
        revoke_member(server.keeper, server.role("ada"))
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            db.execute(asked)
    server.login("nobody")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        server.asked("nobody", asked)
    assert server.asked("keeper", asked) == []  # an owner who belongs to no team
    server.asked("keeper", f"GRANT EXECUTE ON FUNCTION afterwit_hub.found(tsquery, bigint) TO {server.role('ada')}")
    server.asked("keeper", f"GRANT USAGE ON SCHEMA afterwit_hub TO {server.role('ada')}")
    assert server.asked("ada", asked) == []


def test_a_team_that_comes_later_has_its_indexes_and_making_it_twice_makes_no_more(server: HubServer) -> None:
    fill(server, 3)
    asked = "SELECT count(*) FROM pg_indexes WHERE schemaname = 'afterwit_hub' AND indexdef LIKE '%USING gin%'"
    assert server.asked("keeper", asked) == [(4,)]
    for _ in range(2):
        init(server.keeper, "cidermakers")
    assert server.asked("keeper", asked) == [(6,)]


def test_words_that_are_no_words_find_nothing(filled: HubServer) -> None:
    for words in ("", "!!!", '"', "spring -spring", "' OR 1=1 --", "\\"):
        assert search(filled.address("ada"), words, 5) == []
