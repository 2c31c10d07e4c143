"""The last resort: what nobody foresaw is said to be our fault, reported in a file, and ends with 1."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import Run

from afterwit.engine import faults

SECRET = "hunter2-orchard-gate"
BROKEN = """
import sys
from afterwit.engine.archive import upkeep
from afterwit.cli.main import main

def stat(layout):
    secret = "hunter2-orchard-gate"
    raise KeyError("the log said " + secret)

upkeep.stat = stat
main()
"""
IN_A_WORKER = """
import sys
from afterwit.cli.main import main
from afterwit.engine.archive import upkeep
from afterwit.capture.workers import Workers

def work(task):
    raise LookupError("the log said " + task)

def stat(layout):
    with Workers(2) as workers:
        list(workers.spread(["hunter2-orchard-gate"] * 2, work, is_much=True))

if __name__ == "__main__":
    upkeep.stat = stat
    main()
"""


def failing(environ: dict[str, str], program: str, *words: str) -> "subprocess.CompletedProcess[str]":
    arguments = [sys.executable, "-c", program, *words]
    return subprocess.run(arguments, env=environ, capture_output=True, text=True, check=False, timeout=60)


def reports(store: Path) -> list[Path]:
    return sorted((store / "faults").glob("*.txt"))


def test_a_fault_is_said_in_plain_words_with_the_place_of_its_report(environ: dict[str, str], tmp_path: Path) -> None:
    done = failing(environ, BROKEN, "store", "stat")
    [report] = reports(tmp_path / "store")
    assert done.returncode == 1
    assert "This is a fault of Afterwit (KeyError)" in done.stderr
    assert str(report) in done.stderr
    assert "Traceback" not in done.stderr


def test_the_report_holds_places_and_kinds_and_nothing_that_was_said(environ: dict[str, str], tmp_path: Path) -> None:
    failing(environ, BROKEN, "store", "stat", "--profile=default", "--config", "/nowhere/ada.toml")
    failing(environ, BROKEN, "store", "stat", "--profile", "default")
    text = "".join(report.read_text(encoding="utf-8") for report in reports(tmp_path / "store"))
    assert "afterwit/cli/store/upkeep.py:" in text
    assert "builtins.KeyError" in text
    assert "command   afterwit store stat --profile …" in text
    for word in (SECRET, "nowhere", "ada", str(tmp_path), str(Path.home())):
        assert word not in text


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_only_the_user_can_read_a_report(environ: dict[str, str], tmp_path: Path) -> None:
    failing(environ, BROKEN, "store", "stat")
    [report] = reports(tmp_path / "store")
    assert (report.stat().st_mode & 0o777, report.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_only_so_many_reports_are_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AFTERWIT_HOME", str(tmp_path))
    written = [faults.write_report(ValueError(), "afterwit learn") for _ in range(faults.MOST_KEPT + 3)]
    assert len(reports(tmp_path)) == faults.MOST_KEPT
    assert written[-1].exists()


def test_where_no_report_can_be_written_that_is_said(environ: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "faults").write_text("a file in the place of the folder", encoding="utf-8")
    done = failing(environ, BROKEN, "store", "stat")
    assert done.returncode == 1
    assert "No report could be written" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_fault_in_a_worker_is_reported_with_its_place_there(environ: dict[str, str], tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(IN_A_WORKER, encoding="utf-8")
    arguments = [sys.executable, str(program), "store", "stat"]
    done = subprocess.run(arguments, env=environ, capture_output=True, text=True, check=False, timeout=60)
    [report] = reports(tmp_path / "store")
    text = report.read_text(encoding="utf-8")
    assert (done.returncode, "Traceback" in done.stderr) == (1, False)
    assert "builtins.LookupError" in text
    assert " in work" in text
    assert SECRET not in text


def test_known_errors_leave_no_report(run: Run, tmp_path: Path) -> None:
    assert run("store", "stat").returncode == 1
    assert reports(tmp_path / "store") == []
