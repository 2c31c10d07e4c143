"""What `.ci/audit.py` makes of the answers of pip-audit; a stand-in module answers in its place."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

_AUDIT = Path(__file__).parents[2] / ".ci" / "audit.py"


def _audit(folder: Path, answer: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    stand_in = folder / "pip_audit.py"
    stand_in.write_text(f"import sys\nsys.stdout.write({answer!r})\nsys.stderr.write('fault')\nsys.exit({code})\n")
    return subprocess.run(
        [sys.executable, _AUDIT, "lock.txt"],
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def _answer(*packages: dict[str, Any]) -> str:
    return json.dumps({"dependencies": packages})


_SOUND = {"name": "pear", "version": "1.0", "vulns": []}
_UNKNOWN = {"name": "plum", "skip_reason": "not found"}
_BAD = {"name": "quince", "version": "2.0", "vulns": [{"id": "PYSEC-1", "fix_versions": ["2.1"], "aliases": []}]}


def test_sound_dependencies_pass_and_are_counted(tmp_path: Path) -> None:
    ran = _audit(tmp_path, _answer(_SOUND, _UNKNOWN))
    assert (ran.returncode, ran.stdout) == (0, "Dependencies: 1 of 2 audited, 0 with advisories.\n")


def test_an_advisory_fails_and_says_which_version_mends_it(tmp_path: Path) -> None:
    ran = _audit(tmp_path, _answer(_SOUND, _BAD), code=1)
    assert ran.returncode == 1
    assert "quince 2.0: PYSEC-1, mended in 2.1\n" in ran.stdout


@pytest.mark.parametrize("answer", ["", "no json", "{}", _answer(_UNKNOWN)])
def test_where_no_database_answers_it_says_so_and_passes(tmp_path: Path, answer: str) -> None:
    ran = _audit(tmp_path, answer, code=1)
    assert ran.returncode == 0
    assert "NOT audited" in ran.stdout
