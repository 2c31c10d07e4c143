"""`afterwit config source`."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run, lines

ADD = (
    *("config", "source", "add", "tinker", "--home", "~/.tinker", "--glob", "logs/*.jsonl", "--sniff", "type=hello"),
    *("--map", "session=sid", "--map", "prompt type==user text=message"),
)


@pytest.fixture
def log(home: Path) -> Path:
    file = home / ".tinker" / "logs" / "monday.jsonl"
    file.parent.mkdir(parents=True)
    said = {"type": "user", "sid": "mon-1", "message": "Water the beds"}
    file.write_text(lines({"type": "hello", "sid": "mon-1"}, said))
    return file


def test_a_source_is_tried_added_listed_learned_and_removed(run: Run, log: Path, tmp_path: Path) -> None:
    tried = run(*ADD, "--try", str(log))
    assert tried.returncode == 0, tried.stderr
    assert '[[event]]\nwhen = { type = "user" }\nkind = "prompt"\ntext = "message"' in tried.stdout
    assert "1 session: 1 prompt\n  mon-1: Water the beds" in tried.stdout
    assert "unknown records: 1 hello" in tried.stdout
    assert not (tmp_path / "store").exists()

    file = tmp_path / "store" / "sources" / "tinker.toml"
    assert run(*ADD).stdout.startswith(f"Wrote {file}.")
    assert run(*ADD).returncode == 2
    listed = json.loads(run("config", "source", "list", "--json").stdout)
    assert [(one["name"], one["transcripts"], one["file"]) for one in listed] == [
        ("tinker", ["logs/*.jsonl"], str(file))
    ]
    assert "tinker" in run("learn", "--source", "tinker").stdout
    assert json.loads(run("sessions", "list", "--agent", "tinker", "--json").stdout)["sessions"]

    removed = json.loads(run("config", "source", "remove", "tinker", "--json").stdout)
    assert removed == {"name": "tinker", "file": f"{file}.removed"}
    assert "No log is described yet" in run("config", "source", "list").stderr


def test_a_relative_home_is_one_below_the_present_folder(run: Run, tmp_path: Path) -> None:
    added = run(*ADD, "--home", "logs", "--json")
    assert added.returncode == 0, added.stderr
    text = (tmp_path / "store" / "sources" / "tinker.toml").read_text()
    assert f'homes = ["~/.tinker", "{Path("logs").absolute()}"]' in text


def test_a_description_is_checked(run: Run, log: Path, tmp_path: Path) -> None:
    run(*ADD)
    file = tmp_path / "store" / "sources" / "tinker.toml"
    assert "is sound" in run("config", "source", "check", str(file)).stdout
    tried = json.loads(run("config", "source", "check", str(file), "--try", str(log), "--json").stdout)
    assert tried["events"] == {"prompt": 1}
    odd = tmp_path / "odd.toml"
    odd.write_text(file.read_text().replace("prompt", "promt"))
    checked = run("config", "source", "check", str(odd))
    assert checked.returncode == 2
    assert f"{odd}: event[1].kind: 'promt' is not allowed. Allowed are: prompt" in checked.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((*ADD, "--map", "sing text=a"), "begin with one of prompt"),
        ((*ADD[:3], "codex", *ADD[4:]), "there is an agent named 'codex' already"),
        (("config", "source", "remove", "nobody"), "There is no source named 'nobody'"),
        (("sessions", "list", "--agent", "nobody"), "no agent named 'nobody'"),
    ],
)
def test_wrong_use_is_said(run: Run, arguments: tuple[str, ...], said: str) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert said in done.stderr
