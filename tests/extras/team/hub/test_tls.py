"""A real handshake: beyond this machine a hub proves its name by an authority that is trusted, or is told nothing.

The servers are on the loopback interface, under a name from elsewhere: `hostaddr` says where, `host` who it has to be.
"""

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.certificates import Authority, authority, has_openssl
from tests.extras.memory import postgres_server
from tests.extras.memory.postgres_server import PostgresServer
from tests.extras.team.hub.teams import HubMate, HubServer, mate
from tests.extras.team.hub.test_commands import run
from tests.extras.team.members import REPO

from afterwit.extras.team.hub.address import HubAddress, HubError, address_of
from afterwit.extras.team.hub.connection import connect

HOST = "db.orchard.example"
COUNT = "Run `make build` before `make check`, or counts are old."
PASSWORD = "apples-and-pears"
_numbers = itertools.count(1)


@pytest.fixture(scope="module")
def orchard(postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> Authority:
    if not has_openssl():
        pytest.skip("openssl, which makes certificates, is not installed")
    return authority(tmp_path_factory.mktemp("authorities"), "orchard")


@pytest.fixture(scope="module")
def proven(orchard: Authority) -> Iterator[PostgresServer]:
    """A server with a certificate for the name."""
    with postgres_server.running(orchard.certificate_for(HOST)) as server:
        yield server


@pytest.fixture
def hub(proven: PostgresServer) -> HubServer:
    return HubServer.made(proven, next(_numbers))


def begun(hub: HubServer, folder: Path, monkeypatch: pytest.MonkeyPatch) -> HubMate:
    """Somebody with a note to share and a password."""
    hub.begins("growers")
    ada = mate(hub, folder, "ada")
    hub.asked("ada", f"ALTER ROLE CURRENT_USER PASSWORD '{PASSWORD}'")
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    ada.local.adds(COUNT)
    return ada


def named(hub: HubServer, host: str = HOST, **more: object) -> str:
    """The server under a name."""
    place = f"host={host} hostaddr=127.0.0.1 port={hub.server.port} user={hub.role('ada')} dbname=hub_{hub.number}"
    return " ".join((place, *(f"{name}={value}" for name, value in more.items())))


def away(ada: HubMate, text: str) -> HubMate:
    return ada._replace(address=address_of(text, {}, ada.local.world.user_home))


def is_encrypted(address: HubAddress) -> bool:
    with connect(address) as db:
        row = db.execute("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()").fetchone()
        return row is not None and bool(row[0])


def sent(hub: HubServer) -> int:
    return len(hub.asked("ada", "SELECT note FROM afterwit_hub.note_lines"))


def test_a_server_that_proves_its_name_is_synced_with_and_encrypted(
    hub: HubServer, orchard: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = away(begun(hub, tmp_path, monkeypatch), named(hub, sslrootcert=orchard.root))
    assert (ada.address.options["sslmode"], ada.address.warning) == ("verify-full", "")
    assert is_encrypted(ada.address)
    assert ada.syncs().notes_sent == 1
    assert sent(hub) == 1


def test_the_roots_in_the_users_own_folder_are_found_by_the_command(
    hub: HubServer, orchard: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = begun(hub, tmp_path, monkeypatch)
    arguments = ("store", "sync", named(hub), "--repo", REPO, "--yes")
    refused = run(ada, *arguments, PGPASSWORD=PASSWORD)
    assert (refused.returncode, "did not prove who it is" in refused.stderr) == (1, True), refused.stderr
    roots = ada.local.world.user_home / ".postgresql" / "root.crt"
    roots.parent.mkdir()
    roots.write_bytes(orchard.root.read_bytes())
    done = run(ada, *arguments, PGPASSWORD=PASSWORD)
    assert (done.returncode, sent(hub)) == (0, 1), done.stderr


def test_a_service_is_checked_by_the_roots_that_it_names(
    hub: HubServer, orchard: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = begun(hub, tmp_path, monkeypatch)
    lines = (*named(hub, sslrootcert=orchard.root, sslmode="disable").split(" "), "")
    (tmp_path / "services").write_text("[hub]\n" + "\n".join(lines), encoding="utf-8")
    monkeypatch.setenv("PGSERVICEFILE", str(tmp_path / "services"))
    assert is_encrypted(away(ada, "service=hub").address)
    assert away(ada, "service=hub").syncs().notes_sent == 1


@pytest.mark.parametrize("host", ["db.vineyard.example", "orchard.example", f"eu.{HOST}"])
def test_another_name_than_that_of_the_certificate_is_refused(
    hub: HubServer, orchard: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    ada = away(begun(hub, tmp_path, monkeypatch), named(hub, host, sslrootcert=orchard.root))
    with pytest.raises(HubError, match=rf"{host}/hub.* did not prove who it is .*does not match host name"):
        ada.syncs()
    assert sent(hub) == 0


def test_a_certificate_of_another_authority_is_refused(
    hub: HubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vineyard = authority(tmp_path, "vineyard")
    ada = begun(hub, tmp_path, monkeypatch)
    for text in (named(hub, sslrootcert=vineyard.root), named(hub)):  # and one that the system does not know
        with pytest.raises(HubError, match=r"did not prove who it is .*certificate verify failed"):
            away(ada, text).syncs()
    assert sent(hub) == 0


def test_a_server_without_encryption_is_told_nothing(
    server: HubServer, orchard: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = begun(server, tmp_path, monkeypatch)
    with pytest.raises(HubError, match=r"did not prove who it is .*server does not support SSL"):
        away(ada, named(server, sslrootcert=orchard.root)).syncs()
    assert sent(server) == 0
    open_way = away(ada, named(server, sslmode="disable"))
    assert "others may read along" in open_way.address.warning
    assert open_way.syncs().notes_sent == 1  # so it was the handshake that failed


def test_what_stays_on_this_machine_needs_no_certificate(
    hub: HubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = begun(hub, tmp_path, monkeypatch)
    here = away(ada, named(hub, "localhost"))
    assert here.address.warning == ""
    assert here.syncs().notes_sent == 1
