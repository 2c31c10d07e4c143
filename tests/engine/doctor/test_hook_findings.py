"""A hook that fails in silence, a program that is gone, and an agent that never calls are seen by `doctor`."""

import os
from pathlib import Path
from typing import Any

import pytest
from tests.edits.surroundings import AT
from tests.homes import NOW_MS, codex_records, learned, mixed_home, put, world_of

from afterwit.agents.registry import DAY_MS
from afterwit.connect.plan import Machine, apply, plan_connection, plan_file, plan_removal
from afterwit.engine.doctor.doctor import examine
from afterwit.engine.doctor.findings import DoctorFinding, Level, hooks_missing, silent_hooks
from afterwit.engine.faults import LEARN
from afterwit.model.times import ms_from_any
from afterwit.store.layout import Layout
from afterwit.store.rows.hooks import CallRow, FaultRow, put_calls, put_faults
from afterwit.store.store import open_store


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """With programs that are there."""
    program, server = tmp_path / "bin" / "afterwit-hook", tmp_path / "bin" / "afterwit"
    program.parent.mkdir()
    program.touch(0o755)
    server.touch(0o755)
    home = tmp_path / "home"
    (home / "src/orchard").mkdir(parents=True)
    at = AT._replace(user_home=home, project=home / "src/orchard", hook=(str(program),), server=(str(server), "mcp"))
    return Machine(Layout(tmp_path / "store"), at, lambda agent, project: f"notes for {agent}", NOW_MS)


def connected(machine: Machine, *agents: str) -> None:
    for agent in agents:
        apply(machine, plan_connection(machine, agent))


def fault(number: int, **more: Any) -> FaultRow:
    row = FaultRow(b"%d" % number, "codex", "after", NOW_MS - number, "Error", "/recall/deck/reader.py:7", "")
    return row._replace(**more)


def faulty(tmp_path: Path, *faults: FaultRow) -> list[DoctorFinding]:
    """What `doctor` finds in a healthy store to which hooks told these."""
    mixed_home(tmp_path / "home")
    learned(tmp_path / "home", tmp_path / "store")
    with open_store(Layout(tmp_path / "store")) as store:
        put_faults(store.db, faults)
    return examine(world_of(tmp_path / "home", tmp_path / "store")).findings


def test_faults_of_the_last_days_are_a_warning_with_the_latest_of_them(tmp_path: Path) -> None:
    old = fault(3, at_ms=NOW_MS - 8 * DAY_MS, error="OldError")
    latest = fault(1, error="PermissionError", said="Permission denied")
    one, two = faulty(tmp_path, fault(2), latest, old, fault(4, agent="pi", event="start"))
    assert (one.level, one.code, one.agent) == (Level.WARNING, "hook-fault", "pi")
    assert "failed once in the last 7 days" in one.what
    assert (two.code, two.agent) == ("hook-fault", "codex")
    assert "failed 2 times in the last 7 days" in two.what
    assert "at after, PermissionError (Permission denied) in /recall/deck/reader.py:7. Run `afterwit learn`" in two.what


def test_faults_of_long_ago_are_no_matter(tmp_path: Path) -> None:
    assert faulty(tmp_path, fault(1, at_ms=NOW_MS - 8 * DAY_MS)) == []


def test_a_connected_agent_whose_program_is_there_is_fine(machine: Machine) -> None:
    connected(machine, "claude-code", "hermes")
    assert list(hooks_missing(machine)) == []


def test_a_connected_agent_that_calls_a_program_which_is_gone_is_an_alarm(machine: Machine) -> None:
    connected(machine, "claude-code", "hermes", "aider", "cursor")
    apply(machine, plan_file(machine, Path(machine.at.project) / "AGENTS.md"))
    program = Path(machine.at.hook[0])
    program.unlink()
    elsewhere = machine._replace(at=machine.at._replace(hook=("/opt/new/bin/afterwit-hook",)))
    for seen in (machine, elsewhere):
        found = list(hooks_missing(seen))
        assert [(one.level, one.code, one.agent) for one in found] == [
            (Level.ALARM, "hook-missing", "claude-code"),
            (Level.ALARM, "hook-missing", "hermes"),
        ]
        assert f"calls {program}, which does not exist any more" in found[0].what
        assert "Run `afterwit connect claude-code`, or `afterwit disconnect claude-code`." in found[0].what
    apply(machine, plan_removal(machine, "hermes"))
    assert [one.agent for one in hooks_missing(machine)] == ["claude-code"]


def test_an_agent_that_was_connected_by_another_store_is_seen_in_its_files(machine: Machine, tmp_path: Path) -> None:
    connected(machine, "codex")
    Path(machine.at.hook[0]).unlink()
    other = machine._replace(layout=Layout(tmp_path / "other"))
    assert [one.agent for one in hooks_missing(other)] == ["codex"]


def test_what_cannot_be_read_says_nothing(machine: Machine) -> None:
    connected(machine, "claude-code", "hermes")
    Path(machine.at.hook[0]).unlink()
    settings = machine.home / ".claude/settings.json"
    settings.unlink()
    settings.mkdir()
    assert [one.agent for one in hooks_missing(machine)] == ["hermes"]
    machine.layout.journal.write_bytes(b"no database" * 100)
    assert list(hooks_missing(machine)) == []


def test_what_hooks_start_is_told_apart_from_hooks(tmp_path: Path) -> None:
    one, two = faulty(tmp_path, fault(1, agent=LEARN, event="end"), fault(2, agent=LEARN, event="end"), fault(3))
    assert (one.level, one.code, one.agent) == (Level.WARNING, "learn-fault", "")
    assert "failed 2 times in the last 7 days. Latest: 2026-05-28T20:26Z, at end, Error" in one.what
    assert two.code == "hook-fault"


HOUR_MS = 3_600_000
CONNECTED_MS = ms_from_any("2026-05-01T11:00:00Z") or 0


@pytest.fixture
def silent(machine: Machine) -> Machine:
    """A machine on which Codex was connected at eleven, with sessions at ten, at twelve and at one."""
    made = machine._replace(now_ms=CONNECTED_MS)
    connected(made, "codex")
    for hour in (0, 2, 3):
        path = machine.home / f".codex/sessions/2026/05/01/rollout-{hour}.jsonl"
        put(path, codex_records(f"thread-{hour}", start=hour * 3_600))
    learned(machine.home, machine.layout.root)
    return made


def called(machine: Machine, agent: str, at_ms: int) -> None:
    path = machine.layout.spool / f"{agent}.called"
    path.touch()
    os.utime(path, (at_ms / 1000, at_ms / 1000))


def test_sessions_that_come_in_while_no_hook_calls_are_a_warning_with_what_the_user_can_do(silent: Machine) -> None:
    (one,) = silent_hooks(silent)
    assert (one.level, one.code, one.agent) == (Level.WARNING, "hook-silent", "codex")
    assert one.what.startswith("codex: 2 sessions have come in since it was connected (2026-05-01T11:00Z)")
    assert "Codex skips new and changed hooks until you trust them. Start `codex`" in one.what


def test_a_call_before_its_session_or_in_it_is_heard(silent: Machine) -> None:
    called(silent, "codex", CONNECTED_MS + 2 * HOUR_MS - 300_000)
    assert list(silent_hooks(silent)) == []


def test_an_agent_that_has_stopped_to_call_is_seen(silent: Machine) -> None:
    called(silent, "codex", CONNECTED_MS + HOUR_MS)
    (one,) = silent_hooks(silent)
    assert one.what.startswith("codex: 1 session has come in since its hooks called last (2026-05-01T12:00Z)")


def test_what_hooks_recorded_tells_that_they_called(silent: Machine) -> None:
    with open_store(silent.layout) as store:
        at_ms = CONNECTED_MS + 2 * HOUR_MS
        put_calls(store.db, [CallRow(b"1", "codex", "thread-3", "", at_ms, "", "Bash", "ls", "succeeded", "")])
    assert list(silent_hooks(silent)) == []


def test_an_agent_that_is_not_connected_any_more_need_not_call(silent: Machine) -> None:
    apply(silent, plan_removal(silent, "codex"))
    assert list(silent_hooks(silent)) == []


def test_without_a_store_nobody_is_silent(machine: Machine) -> None:
    assert list(silent_hooks(machine)) == []
    connected(machine, "codex")
    assert list(silent_hooks(machine)) == []
