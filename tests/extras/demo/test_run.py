"""The demo as a whole: written, learned from, removed."""

import datetime as dt
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.homes import NOW_MS, Silent, hash_of, rows

from afterwit.extras.demo.run import SESSIONS, DemoPlace, demo_of, learn_demo, remove_demo, script_text, write_demo
from afterwit.extras.demo.script import Delegate
from afterwit.model.errors import UsageError
from afterwit.model.learn_run import Report

DAY = dt.date(2026, 5, 1)
COMMAND = (sys.executable, "-m", "afterwit")


def written(folder: Path) -> DemoPlace:
    place = DemoPlace(folder, sys.platform)
    write_demo(place, DAY, COMMAND)
    return place


def learned(place: DemoPlace) -> Report:
    return learn_demo(demo_of(place, NOW_MS), Silent())


@pytest.fixture
def place(tmp_path: Path) -> DemoPlace:
    found = written(tmp_path / "demo")
    learned(found)
    return found


def test_every_session_is_read_without_a_problem(tmp_path: Path) -> None:
    place = written(tmp_path / "demo")
    report = learned(place)
    subagents = sum(isinstance(step, Delegate) for session in SESSIONS for step in session.steps)
    assert report.sessions == len(SESSIONS) + subagents
    assert sum(agent.problems + agent.failed + agent.empty for agent in report.agents) == 0
    assert {agent.agent: agent.no_reader for agent in report.agents if agent.no_reader} == {"codex": 1}


def test_a_second_run_reads_nothing(place: DemoPlace) -> None:
    before = hash_of(place.store)
    assert sum(agent.read for agent in learned(place).agents) == 0
    assert hash_of(place.store) == before


def test_there_are_three_repositories_whatever_their_folders_are_called(place: DemoPlace) -> None:
    found = rows(place.store, "SELECT DISTINCT repo FROM sessions ORDER BY repo")
    assert found == [("almanac",), ("github.com/acme/harbour",), ("github.com/acme/orchard",)]


def test_copied_history_is_counted_once(place: DemoPlace) -> None:
    found = rows(place.store, "SELECT title, prompts, compactions FROM sessions WHERE relation = 'fork' ORDER BY title")
    assert found == [("Harvest report as a table", 1, 0), ("Tides, cached", 1, 0)]
    assert rows(place.store, "SELECT count(*) - count(DISTINCT call_id) FROM actions WHERE tool != 'terminal'") == [
        (0,)
    ]


def test_failures_denials_and_subagents_are_seen(place: DemoPlace) -> None:
    sums = "sum(denials), sum(interrupts), sum(compactions), sum(model_errors)"
    assert rows(place.store, f"SELECT {sums} FROM sessions") == [(2, 1, 1, 1)]
    assert rows(place.store, "SELECT count(*) FROM sessions WHERE relation = 'subagent'") == [(3,)]
    assert rows(place.store, "SELECT count(*) FROM actions WHERE status = 'failed' AND exit_code = 127") == [(7,)]


def test_no_secret_reaches_the_database(place: DemoPlace) -> None:
    (prompt,) = rows(place.store, "SELECT first_prompt FROM sessions WHERE title = 'Staging is down'")[0]
    assert "GITHUB_TOKEN=‹github-token:" in prompt
    assert b"ghp_" not in (place.store / "afterwit.db").read_bytes()


def test_the_users_own_surroundings_do_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = tmp_path / "real"
    for name in ("HOME", "AFTERWIT_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.setenv(name, str(real))
    place = written(tmp_path / "demo")
    assert learned(place).sessions > len(SESSIONS)
    assert not real.exists()


@pytest.mark.skipif(os.name != "posix", reason="a shell script")
def test_its_script_runs_commands_on_the_demo_alone(place: DemoPlace, tmp_path: Path) -> None:
    surroundings = {"PATH": os.defpath, "HOME": str(tmp_path), "CODEX_HOME": str(tmp_path), "AFTERWIT_PROFILE": "x"}
    done = subprocess.run([place.script, "store", "stat"], env=surroundings, capture_output=True, text=True, check=True)
    assert str(place.store) in done.stdout
    assert not (place.store / "profiles").exists()


def test_the_script_for_windows_sets_and_clears_the_same() -> None:
    text = script_text(DemoPlace(Path("demo"), "win32"), ("C:\\tools\\afterwit.exe",))
    assert '@set "CODEX_HOME="\r\n' in text
    assert f'@set "AFTERWIT_HOME={Path("demo", "store")}"\r\n@C:\\tools\\afterwit.exe %*\r\n' in text


def test_a_folder_in_use_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError, match="not empty"):
        written(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["mine"]


def test_a_demo_can_be_removed(place: DemoPlace) -> None:
    remove_demo(place.folder)
    assert not place.folder.exists()


def test_another_folder_cannot_be_removed(tmp_path: Path, place: DemoPlace) -> None:
    (tmp_path / "link").symlink_to(place.folder, target_is_directory=True)
    for folder in (tmp_path, place.home, tmp_path / "nowhere", tmp_path / "link"):
        with pytest.raises(UsageError, match="nothing was removed"):
            remove_demo(folder)
    assert place.folder.exists()
