"""Folders and files whose names are no UTF-8: read, or refused in plain words."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import claude_session, command, furnish

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="other file systems refuse such names"),
]

COMMANDS = (
    "learn",
    "learn --json",
    "doctor --json",
    "store verify",
    "store stat --json",
    "sessions list --json",
    "config show --json",
    "connect claude-code --yes",
    "connect status --json",
    "recall",
)


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    """A home with such a name, and a transcript with one."""
    home = tmp_path / os.fsdecode(b"h\xff\xe9me")
    furnish(home)
    folder = home / ".claude/projects" / os.fsdecode(b"-srv-\xfe")
    folder.mkdir()
    text = claude_session("5ea50009", "Count the pears", "make pears")
    (folder / os.fsdecode(b"5ea5\xff.jsonl")).write_text(text, encoding="utf-8")
    return home


def ended(home: Path, store: Path, words: str) -> "subprocess.CompletedProcess[str]":
    environ = {"PATH": os.environ["PATH"], "HOME": str(home), "AFTERWIT_HOME": str(store)}
    done = subprocess.run(
        command(words.split()),
        env=environ,
        cwd=home,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=60,
    )
    assert "Traceback" not in done.stderr, words
    assert "fault of Afterwit" not in done.stderr, words
    return done


def test_a_home_that_is_no_utf_8_is_learned_from(odd: Path, tmp_path: Path) -> None:
    for words in COMMANDS:
        assert ended(odd, tmp_path / "store", words).returncode == 0, words
    listed = ended(odd, tmp_path / "store", "sessions list").stdout
    assert "Count the pears" in listed
    again = ended(odd, tmp_path / "store", "learn").stdout
    assert "The store holds 6 sessions." in again


def test_a_store_cannot_have_such_a_name_and_that_is_said(odd: Path) -> None:
    for words in ("learn", "doctor", "sessions list"):
        done = ended(odd, odd / "store", words)
        assert done.returncode == 1
        assert (
            "Set AFTERWIT_HOME to a folder with another name." in done.stderr or "Run `afterwit learn`" in done.stderr
        )
    assert ended(odd, odd / "store", "config show").returncode == 0
