"""`afterwit demo`, as a newcomer calls it."""

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.cli.conftest import Run
from tests.thoroughness import STRIDE

from afterwit.cli.main import afterwit
from afterwit.extras.demo.cli import TRIES


def test_it_shows_the_report_and_what_to_try(run: Run, tmp_path: Path) -> None:
    done = run("demo", "--to", str(tmp_path / "demo"))
    assert (done.returncode, done.stderr) == (0, "")
    assert "The store holds 21 sessions and 5 notes in use." in done.stdout
    assert "  - When `pytest` is not found here, call `uv run pytest …`." in done.stdout
    assert f"  cd {tmp_path / 'demo'}\n  ./afterwit sessions list " in done.stdout
    assert max(len(line) for line in done.stdout.splitlines() if "./afterwit" in line) <= 80
    assert f"afterwit demo --remove {tmp_path / 'demo'}" in done.stdout


def test_the_own_store_stays_untouched(run: Run, tmp_path: Path) -> None:
    run("demo", "--to", str(tmp_path / "demo"))
    assert not (tmp_path / "store").exists()


def test_without_a_folder_it_takes_a_temporary_one(run: Run, tmp_path: Path) -> None:
    (tmp_path / "temporary").mkdir()
    shape = json.loads(run("demo", "--json", TMPDIR=str(tmp_path / "temporary")).stdout)
    assert set(shape) == {"folder", "home", "store", "script", "report"}
    assert Path(shape["folder"]).parent == tmp_path / "temporary"


@pytest.mark.skipif(os.name != "posix", reason="a shell script")
@pytest.mark.parametrize("arguments", [arguments for arguments, _ in TRIES][::STRIDE])
def test_what_it_offers_works(demo: Path, environ: dict[str, str], arguments: str) -> None:
    command = [str(demo / "afterwit"), *shlex.split(arguments)]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    assert (done.returncode, done.stdout != "") == (0, True), done.stderr


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    assert CliRunner().invoke(afterwit, ["demo", "--to", str(folder)]).exit_code == 0
    return folder


def test_it_can_be_removed(run: Run, tmp_path: Path) -> None:
    run("demo", "--to", str(tmp_path / "demo"))
    assert run("demo", "--remove", str(tmp_path / "demo")).stdout == f"Removed {tmp_path / 'demo'}.\n"
    assert not (tmp_path / "demo").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--to", "{tmp}"], "not empty"),
        (["--remove", "{tmp}"], "nothing was removed"),
        (["--to", "a", "--remove", "b"], "exclude each other"),
        (["--day", "May"], "--day"),
    ],
)
def test_wrong_use_is_said(run: Run, tmp_path: Path, arguments: list[str], said: str) -> None:
    done = run("demo", *(argument.format(tmp=tmp_path) for argument in arguments))
    assert done.returncode == 2
    assert said in done.stderr


def test_a_machine_without_logs_is_offered_it(run: Run, tmp_path: Path) -> None:
    assert "`afterwit demo`" in run("learn", HOME=str(tmp_path / "bare")).stderr
