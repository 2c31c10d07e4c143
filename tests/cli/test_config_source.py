"""`afterwit config source`."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run, lines

TOML = """\
name = "tinker"
homes = ["~/.tinker"]
transcripts = ["logs/*.jsonl"]
sniff = { type = "hello" }
session = "sid"

[[event]]
when = { type = "user" }
kind = "prompt"
text = "message"
"""


@pytest.fixture
def log(home: Path) -> Path:
    file = home / ".tinker" / "logs" / "monday.jsonl"
    file.parent.mkdir(parents=True)
    said = {"type": "user", "sid": "mon-1", "message": "Water the beds"}
    file.write_text(lines({"type": "hello", "sid": "mon-1"}, said))
    return file


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The description, where it is in use."""
    file = tmp_path / "store" / "sources" / "tinker.toml"
    file.parent.mkdir(parents=True)
    file.write_text(TOML)
    return file


def test_a_description_is_tried_and_used(run: Run, log: Path, file: Path) -> None:
    tried = run("config", "source", str(file), "--try", str(log))
    assert tried.returncode == 0, tried.stderr
    assert "1 session: 1 prompt\n  mon-1: Water the beds" in tried.stdout
    assert "unknown records: 1 hello" in tried.stdout
    assert not (file.parents[1] / "afterwit.db").exists()
    assert "tinker" in run("learn", "--source", "tinker").stdout
    assert json.loads(run("sessions", "list", "--agent", "tinker", "--json").stdout)["sessions"]


def test_a_description_is_checked(run: Run, log: Path, file: Path, tmp_path: Path) -> None:
    assert "is sound" in run("config", "source", str(file)).stdout
    tried = json.loads(run("config", "source", str(file), "--try", str(log), "--json").stdout)
    assert tried["events"] == {"prompt": 1}
    odd = tmp_path / "odd.toml"
    odd.write_text(TOML.replace("prompt", "promt"))
    checked = run("config", "source", str(odd))
    assert checked.returncode == 2
    assert f"{odd}: event[1].kind: 'promt' is not allowed. Allowed are: prompt" in checked.stderr


@pytest.mark.usefixtures("file")
def test_an_agent_that_nobody_described_is_refused(run: Run) -> None:
    done = run("sessions", "list", "--agent", "nobody")
    assert done.returncode == 2
    assert "no agent named 'nobody'" in done.stderr
