"""`afterwit doctor`: what it prints, and its exit code."""

import json
import re
import shutil
from pathlib import Path

import pytest
from tests.cli.conftest import Run


def test_a_healthy_store_is_shown_agent_by_agent(run: Run) -> None:
    run("learn")
    done = run("doctor")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "claude-code: 2 files on the disk, 2 in the store, 2 sessions"
    assert lines[1] == "  reader written on real data"
    assert "  the agent deletes its logs after 30 days (default): 2 within 30 days" in lines
    assert lines[-1] == "No alarms."
    assert max(len(line) for line in lines if not line.startswith("store")) <= 80


@pytest.mark.usefixtures("learned")
def test_an_alarm_says_what_to_do_and_fails(run: Run, home: Path) -> None:
    shutil.rmtree(home / ".codex")
    done = run("doctor")
    assert done.returncode == 1
    *_, alarm, count = done.stdout.splitlines()
    assert alarm.startswith("alarm: codex: ")
    assert "enabled = false" in alarm
    assert count == "1 alarm."


@pytest.mark.usefixtures("learned")
def test_the_shape_is_the_documented_one(run: Run) -> None:
    found = json.loads(run("doctor", "--json").stdout)
    assert set(found) == {"store", "agents", "findings"}
    assert set(found["store"]) == {
        *(
            "root",
            "sqlite_version",
            "schema_version",
            "check",
            "unchecked",
            "is_sound",
            "database_bytes",
            "archive_bytes",
        ),
        *("free_bytes", "journal_entries", "lease", "lease_process", "last_run_at", "spool_files", "spool_bytes"),
    }
    claude = found["agents"][0]
    assert set(claude) == {
        *("agent", "evidence", "homes", "files_on_disk", "files_without_reader", "files_in_store", "files_pending"),
        *(
            "files_empty",
            "files_failed",
            "files_unclaimed",
            "files_orphaned",
            "sessions",
            "partial_sessions",
            "events",
            "actions",
        ),
        *("unknown_share", "unknown_types", "last_at", "newest_error", "versions", "retention"),
    }
    assert set(claude["versions"][0]) == {
        *("version", "files", "sessions", "events", "actions", "unknown_share", "last_at")
    }
    assert set(claude["retention"]) == {"days", "source", "horizons"}
    assert [one["days"] for one in claude["retention"]["horizons"]] == [1, 7, 30]
    assert set(claude["retention"]["horizons"][0]) == {"days", "vanishing", "unarchived"}
    assert found["findings"] == []


@pytest.mark.usefixtures("learned")
def test_a_finding_has_the_documented_shape(run: Run, home: Path) -> None:
    shutil.rmtree(home / ".codex")
    (finding,) = json.loads(run("doctor", "--json").stdout)["findings"]
    assert set(finding) == {"level", "code", "agent", "what"}
    assert (finding["level"], finding["code"], finding["agent"]) == ("alarm", "folder-empty", "codex")


@pytest.mark.usefixtures("learned")
def test_the_full_check_reads_every_byte(run: Run) -> None:
    full, quick = run("doctor", "--full").stdout, run("doctor").stdout
    assert "check     full: sound" in full
    assert "unchecked" not in full
    assert (
        "check     quick: sound\nunchecked database pages and rows, archived bytes (`afterwit doctor --full`)\n"
        in quick
    )


def test_without_a_store_it_says_what_to_do(run: Run) -> None:
    done = run("doctor")
    assert done.returncode == 1
    assert "Run `afterwit learn` first" in done.stderr


@pytest.mark.usefixtures("learned")
@pytest.mark.usefixtures("learned")
def test_an_agent_that_calls_a_program_which_is_gone_is_an_alarm(run: Run, home: Path) -> None:
    settings = home / ".claude" / "settings.json"
    run("connect", "claude-code", "--yes")
    assert run("doctor").returncode == 0
    connected = settings.read_text(encoding="utf-8")
    moved, count = re.subn(r"(?<= )/\S+/afterwit-hook(?= )", "/nowhere/afterwit-hook", connected)
    assert count
    settings.write_text(moved, encoding="utf-8")
    done = run("doctor")
    assert done.returncode == 1
    assert "alarm: claude-code: it calls /nowhere/afterwit-hook" in done.stdout
