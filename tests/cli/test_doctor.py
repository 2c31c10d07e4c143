"""`afterwit doctor`: what it prints, and its exit code."""

import json
import shutil
from pathlib import Path

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


def test_an_alarm_says_what_to_do_and_fails(run: Run, home: Path) -> None:
    run("learn")
    shutil.rmtree(home / ".codex")
    done = run("doctor")
    assert done.returncode == 1
    *_, alarm, count = done.stdout.splitlines()
    assert alarm.startswith("alarm: codex: ")
    assert "enabled = false" in alarm
    assert count == "1 alarm."


def test_the_shape_is_the_documented_one(run: Run) -> None:
    run("learn")
    found = json.loads(run("doctor", "--json").stdout)
    assert set(found) == {"store", "agents", "findings"}
    assert set(found["store"]) == {
        *("root", "sqlite_version", "schema_version", "check", "is_sound", "database_bytes", "archive_bytes"),
        *("free_bytes", "journal_entries", "lease", "lease_process", "last_run_ms", "spool_files", "spool_bytes"),
    }
    claude = found["agents"][0]
    assert set(claude) == {
        *("agent", "evidence", "homes", "files_on_disk", "files_without_reader", "files_in_store", "files_pending"),
        *("files_empty", "files_failed", "files_unclaimed", "sessions", "partial_sessions", "events", "actions"),
        *("unknown_share", "unknown_types", "last_ms", "newest_error", "versions", "retention"),
    }
    assert set(claude["versions"][0]) == {
        *("version", "files", "sessions", "events", "actions", "unknown_share", "last_ms")
    }
    assert set(claude["retention"]) == {"days", "source", "horizons"}
    assert [one["days"] for one in claude["retention"]["horizons"]] == [1, 7, 30]
    assert set(claude["retention"]["horizons"][0]) == {"days", "vanishing", "unarchived"}
    assert found["findings"] == []


def test_a_finding_has_the_documented_shape(run: Run, home: Path) -> None:
    run("learn")
    shutil.rmtree(home / ".codex")
    (finding,) = json.loads(run("doctor", "--json").stdout)["findings"]
    assert set(finding) == {"level", "code", "agent", "what"}
    assert (finding["level"], finding["code"], finding["agent"]) == ("alarm", "folder-empty", "codex")


def test_the_full_check_reads_every_byte(run: Run) -> None:
    run("learn")
    assert "check     full: sound" in run("doctor", "--full").stdout


def test_without_a_store_it_says_what_to_do(run: Run) -> None:
    done = run("doctor")
    assert done.returncode == 1
    assert "Run `afterwit learn` first" in done.stderr
