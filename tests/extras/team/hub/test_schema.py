"""An older hub is brought to the newest schema by its owner, and a newer one is left alone."""

from pathlib import Path

import pytest
from tests.extras.team.hub.teams import HubMate, HubServer, mate
from tests.extras.team.members import member

from afterwit.extras.team.hub.address import HubError
from afterwit.extras.team.hub.connection import connect, hub_migrations, migrate_hub, newest
from afterwit.extras.team.hub.owner import init
from afterwit.extras.team.hub.rows import put_identity, put_member, put_team

COUNT = "Run `make build` before `make check`, or counts are old."


def test_numbers_of_migrations_follow_each_other() -> None:
    assert [migration.number for migration in hub_migrations()] == list(range(1, newest() + 1))


@pytest.mark.parametrize("number", range(1, newest()))
def test_every_earlier_schema_is_brought_to_the_newest_with_its_rows_and_members(
    server: HubServer, tmp_path: Path, number: int
) -> None:
    server.login("early")
    with connect(server.keeper) as db:
        migrate_hub(db, until=number)
        put_identity(db, "0" * 32)
        put_team(db, "growers")
        put_member(db, server.role("early"), "growers", "early", is_read_only=False)
        db.execute(
            """INSERT INTO afterwit_hub.note_lines (team, repo, note, member, machine, author, lines)
               VALUES ('growers', 'orchard', 'aaaaaaaaaaaa', %s, 'm', 'early', '[]')""",
            (server.role("early"),),
        )
        db.execute(f"GRANT USAGE ON SCHEMA afterwit_hub TO {server.role('early')}".encode())
        db.execute(f"GRANT SELECT ON afterwit_hub.version TO {server.role('early')}".encode())
    ada = HubMate(member(tmp_path, "early"), server.address("early"))
    with pytest.raises(HubError, match=f"has schema {number}, and this afterwit needs {newest()}"):
        ada.syncs()
    made = init(server.keeper, "growers")
    assert (made.schema, len(made.applied), made.is_new_team) == (newest(), newest() - number, False)
    ada.local.adds(COUNT)
    assert ada.syncs().notes_sent == 1
    assert len(server.asked("early", "SELECT * FROM afterwit_hub.note_lines")) == 2


def test_a_newer_schema_is_refused_and_left_alone(server: HubServer, tmp_path: Path) -> None:
    server.begins("growers")
    ada = mate(server, tmp_path, "ada")
    ada.local.adds(COUNT)
    server.asked("keeper", "INSERT INTO afterwit_hub.version (number) VALUES (99)")
    with pytest.raises(HubError, match=r"has schema 99, and this afterwit knows .* Upgrade afterwit"):
        ada.syncs()
    with pytest.raises(HubError, match="Upgrade afterwit"):
        init(server.keeper, "growers")
    assert server.asked("ada", "SELECT * FROM afterwit_hub.note_lines") == []


def test_a_database_without_a_hub_says_how_to_make_one(server: HubServer, tmp_path: Path) -> None:
    server.login("ada")
    ada = HubMate(member(tmp_path, "ada"), server.address("ada"))
    with pytest.raises(HubError, match="`afterwit store hub init` makes one"):
        ada.syncs()


def test_making_a_hub_twice_changes_nothing(server: HubServer) -> None:
    first = init(server.keeper, "growers")
    second = init(server.keeper, "growers")
    assert (first.is_new_team, second.is_new_team, second.applied, second.hub) == (True, False, [], first.hub)
