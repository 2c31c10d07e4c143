"""`afterwit connect schedule` and `status`, with schedulers that are scripts of the test."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.fake_schedulers import FakeSchedulers

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the schedulers of the test are shell scripts")
Done = subprocess.CompletedProcess[str]


@pytest.fixture
def fakes(tmp_path: Path) -> FakeSchedulers:
    return FakeSchedulers(tmp_path / "fakes", "crontab")


@pytest.fixture
def connect(run: Run, fakes: FakeSchedulers) -> Run:
    def runs(*arguments: str, **more: str) -> Done:
        return run("connect", *arguments, PATH=str(fakes.path), **more)

    return runs


needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="the command itself looks for launchd on macOS")


@needs_linux
def test_a_dry_run_shows_the_lines_and_does_nothing(connect: Run, fakes: FakeSchedulers) -> None:
    done = connect("schedule", "--dry-run")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] == "run crontab -"
    assert " +30 12 * * * nice -n 10 env AFTERWIT_HOME=" in done.stdout
    assert not fakes.crontab.exists()


@needs_linux
def test_it_is_set_up_shown_and_removed(connect: Run, fakes: FakeSchedulers) -> None:
    fakes.crontab.write_bytes(b"5 4 * * * backup\n")
    done = connect("schedule", "--daily", "7:45", "--yes")
    assert done.returncode == 0
    assert done.stdout.endswith("runs every day at 07:45, by cron. `afterwit connect schedule --off` removes it.\n")
    shown = connect("status").stdout
    assert shown.splitlines()[0] == "`learn` runs every day at 07:45, by cron:"
    assert "It is set up already" in connect("schedule", "--daily", "07:45").stdout
    assert connect("schedule", "--off", "--yes").stdout.endswith("The schedule is removed.\n")
    assert fakes.crontab.read_bytes() == b"5 4 * * * backup\n"
    assert connect("schedule", "--off").stdout == "There is no schedule.\n"
    assert connect("status").stdout.splitlines()[0] == "No schedule. `afterwit connect schedule` sets one up."


@needs_linux
def test_the_scheduled_line_really_learns(connect: Run, fakes: FakeSchedulers, run: Run) -> None:
    connect("schedule", "--hourly", "--yes")
    line = fakes.crontab.read_text(encoding="utf-8").splitlines()[1]
    command = line.removeprefix("17 * * * * ").replace("\\%", "%")
    subprocess.run(["/bin/sh", "-c", command], env={"PATH": "/usr/bin:/bin"}, check=True)
    assert json.loads(run("store", "stat", "--json").stdout)["rows"]["sessions"] == 5


@needs_linux
def test_the_setting_says_when(connect: Run, tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    config = tmp_path / "store" / "config.toml"
    config.write_text('[schedule]\ncadence = "hourly"\n', encoding="utf-8")
    assert json.loads(connect("schedule", "--yes", "--json").stdout)["cadence"] == "hourly"
    config.write_text('[schedule]\ncadence = "06:00"\n', encoding="utf-8")
    assert "The setting schedule.cadence is 06:00" in connect("status").stderr


@needs_linux
def test_nothing_is_done_where_nobody_can_be_asked(connect: Run, fakes: FakeSchedulers) -> None:
    done = connect("schedule")
    assert done.returncode == 2
    assert "add --yes" in done.stderr
    assert not fakes.crontab.exists()


@needs_linux
def test_their_json_has_the_documented_shape(connect: Run) -> None:
    shape = json.loads(connect("schedule", "--yes", "--json").stdout)
    assert set(shape) == {
        *("label", "scheduler", "cadence", "command", "environment", "steps", "is_dry_run", "is_applied"),
    }
    assert [set(step) for step in shape["steps"]] == [{"action", "lines"}]
    assert (shape["scheduler"], shape["is_applied"]) == ("cron", True)
    assert json.loads(connect("status", "--json").stdout) == {
        "schedule": {
            "is_installed": True,
            "scheduler": "cron",
            "cadence": "12:30",
            "is_running": True,
            "places": ["crontab"],
            "configured_cadence": "12:30",
        },
        "agents": [],
    }


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--daily", "noon"], "'noon' is no time like 07:45."),
        (["--daily", "24:00"], "is no time like 07:45."),
        (["--daily", "07:45", "--hourly"], "exclude each other"),
        (["--off", "--hourly"], "exclude each other"),
    ],
)
def test_wrong_use_is_said(connect: Run, arguments: list[str], said: str) -> None:
    done = connect("schedule", *arguments)
    assert done.returncode == 2
    assert said in done.stderr


def test_a_wrong_setting_is_said_with_its_key(connect: Run, tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "config.toml").write_text('[schedule]\ncadence = "often"\n', encoding="utf-8")
    done = connect("schedule", "--dry-run")
    assert done.returncode == 2
    assert "schedule.cadence" in done.stderr
