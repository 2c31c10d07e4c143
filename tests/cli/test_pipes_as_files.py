"""A named pipe or a folder in the place of a file that Afterwit reads: no command waits for it or trips over it."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.conftest import command, furnish

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")]

SECONDS = 60  # a command that waits for a pipe waits for ever
STORE = (
    "config.toml",
    "redaction.key",
    "learn.lock",
    "deck.db",
    "afterwit.db",
    "journal.db",
    "archive.mark",
    "journal.heads",
)
HOME = (
    ".gitconfig",
    ".claude/settings.json",
    ".claude/CLAUDE.md",
    ".claude/history.jsonl",
    ".claude/projects/-home-ada-src-orchard/5ea50001.jsonl",
    ".codex/config.toml",
    ".codex/AGENTS.md",
)
LOOKING = ("learn", "doctor", "store verify")
CONNECTING = ("connect claude-code --dry-run", "connect codex --dry-run")
SOME_ENDS = (0, 1, 2, 3)


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home and a store that was learned from it."""
    place = tmp_path_factory.mktemp("learned")
    furnish(place / "home")
    assert ended(place, "learn").returncode == 0
    return place


@pytest.fixture
def place(learned: Path, tmp_path: Path) -> Iterator[Path]:
    own = tmp_path / "own"
    shutil.copytree(learned, own)
    yield own
    shutil.rmtree(own)


def ended(place: Path, words: str) -> "subprocess.CompletedProcess[str]":
    kept = {name: os.environ[name] for name in ("PATH",) if name in os.environ}
    environ = kept | {"HOME": str(place / "home"), "AFTERWIT_HOME": str(place / "store")}
    return subprocess.run(
        command(words.split()),
        env=environ,
        cwd=place,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )


def put(path: Path, kind: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    os.mkfifo(path) if kind == "pipe" else path.mkdir()


def assert_all_end(place: Path, commands: tuple[str, ...] = LOOKING) -> None:
    for words in commands:
        done = ended(place, words)
        assert done.returncode in SOME_ENDS, words
        assert "Traceback" not in done.stderr, words
        assert "fault of Afterwit" not in done.stderr, words


@pytest.mark.parametrize("name", STORE)
def test_a_pipe_in_the_place_of_a_file_of_the_store_stops_nobody(place: Path, name: str) -> None:
    put(place / "store" / name, "pipe")
    assert_all_end(place)


def test_pipes_in_the_places_of_files_of_agents_stop_nobody(place: Path) -> None:
    for name in HOME:
        put(place / "home" / name, "pipe")
    assert_all_end(place, (*LOOKING, *CONNECTING))


def test_folders_in_the_places_of_files_of_agents_stop_nobody(place: Path) -> None:
    for name in HOME:
        put(place / "home" / name, "folder")
    assert_all_end(place, (*LOOKING, *CONNECTING))


def test_pipes_in_the_places_of_archived_objects_are_alarms(place: Path) -> None:
    for path in sorted((place / "store" / "archive").glob("*/*")):
        put(path, "pipe")
    assert ended(place, "store verify").returncode == 1
    assert ended(place, "doctor").returncode == 1


def test_a_hook_answers_with_pipes_in_the_places_of_its_files(place: Path) -> None:
    put(place / "store" / "deck.db", "pipe")
    put(place / ".git", "pipe")
    done = ended(place, "hook claude-code start")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("kind", ["pipe", "folder"])
@pytest.mark.parametrize("name", ["archive.mark", "journal.heads"])
def test_a_mark_that_is_no_file_is_one_alarm_until_the_next_run_writes_it_again(
    place: Path, name: str, kind: str
) -> None:
    path = place / "store" / name
    path.unlink(missing_ok=True)
    put(path, kind)
    verified = ended(place, "store verify")
    assert (verified.returncode, len(verified.stdout.splitlines())) == (1, 1)
    assert name in verified.stdout
    assert "`afterwit learn` writes it again" in verified.stdout
    assert name in ended(place, "doctor").stdout
    assert ended(place, "learn").returncode == 0
    assert path.is_file()
    assert ended(place, "store verify").returncode == 0
