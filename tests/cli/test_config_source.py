"""`afterwit config source`."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run, lines

TOML = """
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
SOURCE = ("config", "source")


@pytest.fixture
def described(tmp_path: Path) -> str:
    file = tmp_path / "tinker.toml"
    file.write_text(TOML)
    return str(file)


@pytest.fixture
def log(home: Path) -> Path:
    file = home / ".tinker" / "logs" / "monday.jsonl"
    file.parent.mkdir(parents=True)
    said = {"type": "user", "sid": "mon-1", "message": "Water the beds"}
    file.write_text(lines({"type": "hello", "sid": "mon-1"}, said))
    return file


def test_a_source_is_tried_added_listed_learned_and_removed(
    run: Run, log: Path, described: str, tmp_path: Path
) -> None:
    tried = run(*SOURCE, "check", described, "--try", str(log))
    assert tried.returncode == 0, tried.stderr
    assert "1 session: 1 prompt\n  mon-1: Water the beds" in tried.stdout
    assert "unknown records: 1 hello" in tried.stdout
    assert not (tmp_path / "store").exists()

    file = tmp_path / "store" / "sources" / "tinker.toml"
    assert run(*SOURCE, "add", described).stdout.startswith(f"Wrote {file}.")
    assert run(*SOURCE, "add", described).returncode == 2
    assert run(*SOURCE, "add", described, "--replace").returncode == 0
    listed = json.loads(run("config", "source", "list", "--json").stdout)
    assert [(one["name"], one["transcripts"], one["file"]) for one in listed] == [
        ("tinker", ["logs/*.jsonl"], str(file))
    ]
    assert "tinker" in run("learn", "--source", "tinker").stdout
    assert json.loads(run("sessions", "list", "--agent", "tinker", "--json").stdout)["sessions"]

    removed = json.loads(run("config", "source", "remove", "tinker", "--json").stdout)
    assert removed == {"name": "tinker", "file": f"{file}.removed"}
    assert "No log is described yet" in run("config", "source", "list").stderr


def test_a_description_is_checked(run: Run, log: Path, described: str, tmp_path: Path) -> None:
    assert "is sound" in run(*SOURCE, "check", described).stdout
    tried = json.loads(run(*SOURCE, "check", described, "--try", str(log), "--json").stdout)
    assert tried["events"] == {"prompt": 1}
    odd = tmp_path / "odd.toml"
    odd.write_text(TOML.replace("prompt", "promt"))
    checked = run("config", "source", "check", str(odd))
    assert checked.returncode == 2
    assert f"{odd}: event[1].kind: 'promt' is not allowed. Allowed are: prompt" in checked.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("config", "source", "remove", "nobody"), "There is no source named 'nobody'"),
        (("sessions", "list", "--agent", "nobody"), "no agent named 'nobody'"),
    ],
)
def test_wrong_use_is_said(run: Run, arguments: tuple[str, ...], said: str) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert said in done.stderr


def test_a_name_that_an_agent_has_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "codex.toml").write_text(TOML.replace("tinker", "codex"))
    assert "there is an agent named 'codex' already" in run(*SOURCE, "add", str(tmp_path / "codex.toml")).stderr
