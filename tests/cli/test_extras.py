"""The core without extras, and an extra that another package brings."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Run

_ORCHARD = """
import click

from afterwit.config.extras import Extra, Subcommand

EXTRA = Extra(
    commands={
        "orchard": Subcommand("orchard_extra:orchard", "Count the trees."),
        "store orchard": Subcommand("orchard_extra:orchard", "Count the stored trees."),
    },
    after_learn="orchard_extra:after_learn",
)


@click.command()
def orchard():
    click.echo("42 trees")


def after_learn(world, options, progress, *, is_json):
    return ["The orchard was looked at."]
"""
_BARE = """
import sys
from afterwit.config.extras import OWN
OWN.clear()
from afterwit.cli.main import main
try:
    main()
finally:
    assert not [name for name in sys.modules if name.startswith("afterwit.extras")]
"""
_LISTED = """
import sys
from afterwit.cli.main import main
try:
    main()
finally:
    print(*sorted(name for name in sys.modules if name.startswith("afterwit.extras")))
"""
Script = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def script(environ: dict[str, str]) -> Script:
    def ran(program: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-c", program, *arguments]
        return subprocess.run(command, env=environ, capture_output=True, text=True, timeout=120, check=False)

    return ran


@pytest.fixture
def site(tmp_path: Path) -> str:
    """A folder for the path of Python with a package that brings one extra that works and one that does not."""
    about = tmp_path / "site" / "orchard_extra-1.0.dist-info"
    about.mkdir(parents=True)
    (tmp_path / "site" / "orchard_extra.py").write_text(_ORCHARD)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: orchard-extra\nVersion: 1.0\n")
    points = "[afterwit.extras]\norchard = orchard_extra:EXTRA\nfelled = orchard_extra:NOTHING\n"
    (about / "entry_points.txt").write_text(points)
    return str(tmp_path / "site")


def test_an_extra_of_another_package_brings_commands_and_is_called_after_learn(run: Run, site: str) -> None:
    assert run("orchard", PYTHONPATH=site).stdout == "42 trees\n"
    assert run("store", "orchard", PYTHONPATH=site).stdout == "42 trees\n"
    assert "Count the trees." in run("help", PYTHONPATH=site).stdout
    assert "The orchard was looked at." in run("learn", PYTHONPATH=site).stdout
    assert "No such command 'orchard'" in run("orchard").stderr


def test_an_extra_that_cannot_be_loaded_is_said_by_the_doctor_and_stops_nothing(learned: Run, site: str) -> None:
    assert learned("sessions", "list", PYTHONPATH=site).returncode == 0
    assert "The extra 'felled' cannot be loaded (AttributeError" in learned("doctor", PYTHONPATH=site).stdout


def test_the_core_works_without_any_extra(script: Script, tmp_path: Path) -> None:
    for arguments in (["learn"], ["sessions", "list"], ["recall"], ["status"], ["doctor"], ["store", "stat"]):
        done = script(_BARE, *arguments)
        assert done.returncode == 0, (arguments, done.stderr)
    assert "No such command 'demo'" in script(_BARE, "demo").stderr


def test_help_loads_of_extras_what_names_their_commands_alone(script: Script) -> None:
    assert script(_LISTED, "--version").stdout.splitlines()[-1] == ""
    assert script(_LISTED, "--help").stdout.splitlines()[-1] == "afterwit.extras afterwit.extras.descriptors"
