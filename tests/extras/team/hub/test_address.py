"""The way to a hub: protected where it leaves the machine, and without passwords in the address."""

from pathlib import Path

import pytest
from tests.extras.team.hub.teams import HubServer, mate

from afterwit.extras.team.hub.address import HubError, address_of
from afterwit.model.errors import UsageError


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://ada@db.example.org/hub",
        "postgresql://ada@10.1.2.3/hub",
        "postgresql://ada@localhost,db.example.org/hub",
        "host=db.example.org dbname=hub",
        "host=db.example.org hostaddr=127.0.0.1",
        "host=localhost hostaddr=10.1.2.3",
    ],
)
def test_what_leaves_the_machine_is_encrypted_and_checked(text: str, tmp_path: Path) -> None:
    address = address_of(text, {}, tmp_path)
    assert (address.options["sslmode"], address.options["sslrootcert"]) == ("verify-full", "system")
    assert address.warning == ""


def test_a_service_counts_as_elsewhere_and_may_name_its_own_roots(tmp_path: Path) -> None:
    for text, environ in (
        ("service=hub", {}),
        ("host=localhost service=hub", {}),
        ("dbname=hub", {"PGSERVICE": "hub"}),
    ):
        options = address_of(text, environ, tmp_path).options
        assert (options["sslmode"], "sslrootcert" in options) == ("verify-full", False)


def test_a_host_from_the_environment_counts(tmp_path: Path) -> None:
    assert address_of("dbname=hub", {"PGHOST": "db.example.org"}, tmp_path).options["sslmode"] == "verify-full"
    away = {"PGHOSTADDR": "10.1.2.3"}
    assert address_of("host=localhost", away, tmp_path).options["sslmode"] == "verify-full"
    assert "sslmode" not in address_of("dbname=hub", {}, tmp_path).options


@pytest.mark.parametrize(
    "text",
    ["postgresql://ada@localhost/hub", "postgresql://ada@127.0.0.1:5433/hub", "host=/run/postgresql", "dbname=hub"],
)
def test_on_this_machine_nothing_is_changed(text: str, tmp_path: Path) -> None:
    address = address_of(text, {}, tmp_path)
    assert "sslmode" not in address.options
    assert address.warning == ""


@pytest.mark.parametrize("mode", ["disable", "prefer", "require", "verify-ca"])
def test_another_mode_is_used_with_a_warning(mode: str, tmp_path: Path) -> None:
    address = address_of(f"postgresql://ada@db.example.org/hub?sslmode={mode}", {}, tmp_path)
    assert address.options["sslmode"] == mode
    assert f"sslmode={mode} leaves the connection to the hub open to attack" in address.warning


def test_certificates_of_ones_own_go_before_those_of_the_system(tmp_path: Path) -> None:
    (tmp_path / ".postgresql").mkdir()
    (tmp_path / ".postgresql" / "root.crt").touch()
    assert "sslrootcert" not in address_of("host=db.example.org", {}, tmp_path).options


@pytest.mark.parametrize("text", ["postgresql://ada:sesame@db.example.org/hub", "host=db.example.org password=sesame"])
def test_a_password_is_refused_and_not_repeated(text: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"~/\.pgpass or PGPASSWORD") as refusal:
        address_of(text, {}, tmp_path)
    assert "sesame" not in str(refusal.value)


def test_what_is_no_address_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no address of a hub"):
        address_of("orchard", {}, tmp_path)


def test_a_server_that_cannot_prove_its_name_gets_nothing(server: HubServer, tmp_path: Path) -> None:
    server.begins("growers")
    ada = mate(server, tmp_path, "ada")
    ada.local.adds("Run `make build` before `make check`, or counts are old.")
    wary = ada.address._replace(options={**ada.address.options, "host": "127.0.0.1", "sslmode": "verify-full"})
    with pytest.raises(HubError, match="did not prove who it is"):
        ada._replace(address=wary).syncs()
    assert server.asked("ada", "SELECT * FROM afterwit_hub.note_lines") == []
