"""A client that cannot be installed is named, with the reason, and stops no other."""

import sys
from pathlib import Path

import pytest
from tests.e2e.clients import CLIENTS, NODE, Client
from tests.e2e.install import install_all, obstacle

pytestmark = pytest.mark.e2e


@pytest.fixture
def bin_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder with programs, on a machine without any client."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("AFTERWIT_CLIENTS", str(tmp_path / "clients"))
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    monkeypatch.setattr("sys.executable", str(folder / "python"))
    return folder


def of_npm() -> list[Client]:
    return [client for client in CLIENTS if client.npm]


def test_a_machine_without_npm_says_so_of_each_client(bin_folder: Path) -> None:
    install_all()
    reason = f"needs Node: {NODE.label} cannot be installed: npm is missing on this machine"
    assert [obstacle(client) for client in of_npm()] == [f"{client.label} {reason}" for client in of_npm()]


def test_a_client_that_the_registry_refuses_stops_no_other(bin_folder: Path) -> None:
    refused, *others = of_npm()
    commands = {client.name: client.command for client in (NODE, *others)}
    npm = f"""#!{sys.base_prefix}/bin/python3
import pathlib, sys
folder = pathlib.Path(sys.argv[sys.argv.index("--prefix") + 1])
if folder.name == {refused.name!r}:
    sys.exit("npm error code E404")
programs = folder / "node_modules/.bin"
programs.mkdir(parents=True)
(programs / {commands}[folder.name]).touch()
"""
    (bin_folder / "npm").write_text(npm, encoding="utf-8")
    (bin_folder / "npm").chmod(0o755)
    install_all()
    assert obstacle(refused) == f"{refused.label} cannot be installed: npm error code E404"
    assert [obstacle(client) for client in others] == [""] * len(others)


def test_a_machine_without_the_python_that_a_client_needs_says_so(bin_folder: Path) -> None:
    install_all()
    for client in CLIENTS:
        if client.python and not sys.version.startswith(f"{client.python}."):
            reason = f"it needs Python {client.python}, which is not on this machine"
            assert obstacle(client) == f"{client.label} cannot be installed: {reason}"
