"""Every alarm of `doctor` is provoked here, and a healthy store has none."""

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.homes import CLAUDE, CODEX, NOW_MS, THREAD, claude_records, codex_records, learned, mixed_home, put, world_of
from tests.store.vm_steps import counted_steps

from afterwit.agents import registry
from afterwit.agents.registry import DAY_MS
from afterwit.engine.doctor.doctor import Examination, examine
from afterwit.engine.doctor.findings import Level
from afterwit.model.errors import StoreError
from afterwit.store import spool
from afterwit.store.layout import Layout
from afterwit.store.store import hold_lease

CORPUS = os.environ.get("AFTERWIT_CORPUS", "")
Records = list[dict[str, Any]]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


def examined(home: Path, store: Path, *, is_full: bool = False) -> Examination:
    return examine(world_of(home, store), is_full=is_full)


def alarms(found: Examination) -> list[str]:
    return [finding.code for finding in found.findings if finding.level is Level.ALARM]


def warnings(found: Examination) -> list[str]:
    return [finding.code for finding in found.findings if finding.level is Level.WARNING]


def write(
    home: Path, sessions: int, *, hour: int = 0, change: Callable[[Records], Records] = lambda same: same
) -> None:
    """Sessions of Claude Code, one every minute from that hour on, in a format that `change` makes of the present."""
    for number in range(sessions):
        name = f"s{hour}-{number}"
        put(home / CLAUDE / f"{name}.jsonl", change(claude_records(name, start=hour * 3600 + number * 60)))


def aged(folder: Path, *, days: float, only: str = "*") -> None:
    """As if nothing below the folder had changed for so long."""
    moment = (NOW_MS - days * DAY_MS) / 1000
    for file in folder.rglob(only):
        os.utime(file, (moment, moment))


def renamed(records: Records) -> Records:
    """The next version calls its records something else."""
    return [{**record, "type": f"{record['type']}_turn", "version": "3.0.0"} for record in records]


def retooled(records: Records) -> Records:
    """The next version calls the blocks of a message something else, as far as they are calls and results."""
    for record in records:
        content = record["message"]["content"]
        for block in content if isinstance(content, list) else ():
            block["type"] = {"tool_use": "invocation", "tool_result": "outcome"}.get(block["type"], block["type"])
        record["version"] = "3.0.0"
    return records


def test_a_healthy_store_has_neither_alarms_nor_warnings(home: Path, store: Path) -> None:
    mixed_home(home)
    learned(home, store)
    found = examined(home, store)
    assert found.findings == []
    assert [(agent.agent, agent.files_on_disk, agent.sessions) for agent in found.agents] == [
        ("claude-code", 2, 2),
        ("codex", 1, 1),
        ("hermes", 1, 1),
    ]
    assert (found.store.is_sound, found.store.check, found.store.lease) == (True, "quick", "free")


def test_the_full_check_of_a_healthy_store_finds_nothing(home: Path, store: Path) -> None:
    mixed_home(home)
    learned(home, store)
    assert examined(home, store, is_full=True).findings == []


def test_figures_are_given_per_agent_and_version(home: Path, store: Path) -> None:
    mixed_home(home)
    learned(home, store)
    claude = examined(home, store).agents[0]
    assert (claude.evidence, claude.events, claude.actions, claude.unknown_share) == ("real data", 25, 5, 0.0)
    assert [(one.version, one.files, one.sessions, one.actions) for one in claude.versions] == [("2.1.150", 2, 2, 5)]
    assert claude.last_ms == claude.versions[0].last_ms


def test_without_a_store_it_says_what_to_do(home: Path, store: Path) -> None:
    with pytest.raises(StoreError, match="afterwit learn"):
        examined(home, store)


def test_logs_of_an_agent_without_a_reader_are_shown_and_are_no_alarm(
    home: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = registry.reader_for
    monkeypatch.setattr(registry, "reader_for", lambda name, *more: None if name == "codex" else known(name, *more))
    mixed_home(home)
    learned(home, store)
    found = examined(home, store)
    codex = next(agent for agent in found.agents if agent.agent == "codex")
    assert (codex.files_without_reader, codex.evidence) == (1, "")
    assert alarms(found) == []


def test_files_without_any_session_are_an_alarm(home: Path, store: Path) -> None:
    write(home, 2, change=renamed)
    learned(home, store)
    found = examined(home, store)
    assert alarms(found) == ["reader-blind"]
    assert "2 transcripts were read, and there is no session" in found.findings[0].what


def test_a_format_that_changed_overnight_is_an_alarm(home: Path, store: Path) -> None:
    write(home, 12)
    learned(home, store)
    assert alarms(examined(home, store)) == []
    write(home, 2, hour=2, change=renamed)
    learned(home, store)
    found = examined(home, store)
    assert alarms(found) == ["format-changed"]
    assert "100% of the records in the newest 2 transcripts" in found.findings[0].what
    assert "user_turn" in found.findings[0].what
    assert "store rebuild" in found.findings[0].what


def test_transcripts_that_stopped_giving_sessions_are_an_alarm(home: Path, store: Path) -> None:
    write(home, 12)
    write(home, 2, hour=2, change=lambda records: renamed(records)[:2])
    learned(home, store)
    found = examined(home, store)
    assert alarms(found) == ["format-changed"]
    assert "the newest 2 transcripts gave no session; of the 12 before, 12 did" in found.findings[0].what


def test_a_reader_that_finds_text_but_no_actions_is_an_alarm(home: Path, store: Path) -> None:
    write(home, 5)
    write(home, 3, hour=2, change=retooled)
    learned(home, store)
    found = examined(home, store)
    assert alarms(found) == ["no-actions"]
    assert "claude-code 3.0.0: the newest 3 transcripts have text and not a single action" in found.findings[0].what


def test_an_emptied_folder_is_an_alarm(home: Path, store: Path) -> None:
    mixed_home(home)
    learned(home, store)
    for file in (home / CLAUDE).iterdir():
        file.unlink()
    found = examined(home, store)
    assert alarms(found) == ["folder-empty"]
    assert "has no transcript any more; 2 were read from it" in found.findings[0].what


def test_transcripts_emptied_of_their_content_are_an_alarm(home: Path, store: Path) -> None:
    mixed_home(home)
    learned(home, store)
    for file in (home / CLAUDE).iterdir():
        file.write_bytes(b"")
    learned(home, store)
    found = examined(home, store)
    assert alarms(found) == ["folder-empty"]
    assert "has empty transcripts only" in found.findings[0].what


def test_a_folder_that_is_gone_is_an_alarm(home: Path, store: Path) -> None:
    mixed_home(home)
    learned(home, store)
    (home / ".codex").rename(home / "moved")
    found = examined(home, store)
    assert alarms(found) == ["folder-empty"]
    assert ".codex is gone; 1 was read" in found.findings[0].what


def test_an_agent_that_is_switched_off_is_not_missed(home: Path, store: Path) -> None:
    mixed_home(home)
    learned(home, store)
    (home / ".codex").rename(home / "moved")
    (store / "config.toml").write_text("[agents.codex]\nenabled = false\n")
    assert examined(home, store).findings == []


def test_logs_read_once_from_another_folder_are_not_missed(home: Path, store: Path, tmp_path: Path) -> None:
    write(tmp_path / "elsewhere", 2)
    put(home / CODEX / f"rollout-2026-05-01T10-00-00-{THREAD}.jsonl", codex_records(THREAD))
    learned(home, store)
    learned(home, store, folder=tmp_path / "elsewhere")
    found = examined(home, store)
    assert [agent.agent for agent in found.agents] == ["claude-code", "codex"]
    assert alarms(found) == []


@pytest.mark.skipif(sys.platform == "win32", reason="modes of folders mean nothing here")
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file_is_an_alarm(home: Path, store: Path) -> None:
    mixed_home(home)
    (home / CLAUDE / "11111111-aaaa-4aaa-8aaa-000000000001.jsonl").chmod(0)
    learned(home, store)
    assert alarms(examined(home, store)) == ["unreadable"]


def test_a_file_that_could_not_be_opened_is_an_alarm(home: Path, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mixed_home(home)
    name, open_file = "11111111-aaaa-4aaa-8aaa-000000000001.jsonl", os.open

    def refused(path: Any, *arguments: Any, **options: Any) -> Any:
        if str(path).endswith(name):
            raise PermissionError(13, "Permission denied", str(path))
        return open_file(path, *arguments, **options)

    monkeypatch.setattr(os, "open", refused)
    learned(home, store)
    found = examined(home, store)
    assert alarms(found) == ["unreadable"]
    assert f"{name}: Permission denied" in found.findings[0].what
    (home / CLAUDE / name).unlink()
    assert alarms(examined(home, store)) == []


def test_a_folder_that_cannot_be_entered_is_an_alarm(home: Path, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mixed_home(home)
    learned(home, store)
    scandir = os.scandir

    def refused(place: Any) -> Any:
        if str(place).endswith(CODEX):
            raise PermissionError(13, "Permission denied", str(place))
        return scandir(place)

    monkeypatch.setattr(os, "scandir", refused)
    assert "unreadable" in alarms(examined(home, store))


@pytest.mark.skipif(sys.platform == "win32", reason="modes of folders mean nothing here")
def test_a_store_that_others_can_read_is_an_alarm(home: Path, store: Path) -> None:
    mixed_home(home)
    learned(home, store)
    store.chmod(0o755)
    assert alarms(examined(home, store)) == ["permissions"]


def test_a_damaged_database_is_an_alarm_and_the_rest_is_still_reported(home: Path, store: Path) -> None:
    mixed_home(home)
    learned(home, store)
    (store / "afterwit.db").write_bytes(b"not a database, whatever it was before" * 100)
    found = examined(home, store)
    assert alarms(found) == ["damaged"]
    assert "store rebuild" in found.findings[0].what
    assert (found.store.is_sound, found.store.schema_version) == (False, None)
    assert [agent.files_on_disk for agent in found.agents] == [2, 1, 1]


def test_damaged_pages_of_the_database_are_an_alarm(home: Path, store: Path) -> None:
    write(home, 12)
    learned(home, store)
    database = store / "afterwit.db"
    content = bytearray(database.read_bytes())
    for page in range(4096 * 8, len(content), 4096):
        content[page : page + 64] = b"\xff" * 64
    database.write_bytes(content)
    assert "damaged" in alarms(examined(home, store))


def test_the_quick_look_reads_nothing_that_grows_with_what_sessions_did(home: Path, store: Path) -> None:
    mixed_home(home)
    learned(home, store)
    with counted_steps() as steps:
        examined(home, store)
    asked = " ".join(query for _, query in steps.statements)
    assert "FROM parts" in asked
    assert not re.search(r"(FROM|JOIN)\s+(events|actions|texts|spends|notes|claims|digests)\b", asked)


def test_a_missing_file_of_the_archive_is_an_alarm(home: Path, store: Path) -> None:
    mixed_home(home)
    learned(home, store)
    min((store / "archive").glob("*/*.zst")).unlink()
    found = examined(home, store)
    assert alarms(found) == ["damaged"]
    assert found.findings[0].what.startswith("archive: 1 file is missing")


def test_damaged_bytes_of_the_archive_are_found_by_the_full_check(home: Path, store: Path) -> None:
    mixed_home(home)
    learned(home, store)
    packed = min((store / "archive").glob("*/*.zst"))
    packed.write_bytes(packed.read_bytes()[:-1] + b"?")
    assert alarms(examined(home, store)) == []
    assert alarms(examined(home, store, is_full=True)) == ["damaged"]


def test_a_damaged_journal_is_an_alarm(home: Path, store: Path) -> None:
    mixed_home(home)
    learned(home, store)
    (store / "journal.db").write_bytes(b"no journal" * 1000)
    for beside in store.glob("journal.db-*"):
        beside.unlink()
    found = examined(home, store)
    assert alarms(found) == ["damaged"]
    assert "journal.db" in found.findings[0].what


def test_logs_that_wait_while_nobody_learns_are_an_alarm(home: Path, store: Path) -> None:
    mixed_home(home)
    learned(home, store)
    moment = (NOW_MS - 9 * DAY_MS) / 1000
    os.utime(Layout(store).lease, (moment, moment))
    assert alarms(examined(home, store)) == []
    write(home, 1, hour=3)
    found = examined(home, store)
    assert alarms(found) == ["learn-overdue"]
    assert found.findings[0].what == "No run for 9 days, and 1 transcript is new or changed. Run `afterwit learn`."


def test_sessions_about_to_vanish_unread_are_a_warning(home: Path, store: Path) -> None:
    write(home, 3)
    learned(home, store)
    write(home, 2, hour=3)
    for number, file in enumerate(sorted((home / CLAUDE).iterdir())):
        moment = (NOW_MS - (1 if number == 0 else 25) * DAY_MS) / 1000
        os.utime(file, (moment, moment))
    learned(home, store, since_ms=NOW_MS - 10 * DAY_MS)
    found = examined(home, store)
    kept = found.agents[0].retention
    assert kept is not None
    assert (kept.days, kept.source) == (30, "default")
    assert [(one.days, one.vanishing, one.unarchived) for one in kept.horizons] == [(1, 0, 0), (7, 4, 4), (30, 5, 4)]
    assert warnings(found) == ["vanishing"]
    assert "will delete 4 within 7 days, 5 within 30 days. Not archived yet: 4 within 7 days" in found.findings[0].what
    learned(home, store)
    assert examined(home, store).findings == []


def test_sessions_that_vanish_today_are_told_apart(home: Path, store: Path) -> None:
    write(home, 3)
    learned(home, store)
    for age_days, file in zip((31, 29.5, 20), sorted((home / CLAUDE).iterdir()), strict=True):
        moment = (NOW_MS - age_days * DAY_MS) / 1000
        os.utime(file, (moment, moment))
    found = examined(home, store)
    kept = found.agents[0].retention
    assert kept is not None
    assert [(one.days, one.vanishing) for one in kept.horizons] == [(1, 2), (7, 2), (30, 3)]
    assert "2 today, 2 within 7 days, 3 within 30 days" in found.findings[0].what


def test_logs_in_a_folder_that_no_reader_knows_are_an_alarm_though_the_old_ones_remain(home: Path, store: Path) -> None:
    write(home, 3)
    learned(home, store)
    put(home / ".claude/conversations/c1/log.jsonl", renamed(claude_records("c1", start=9_000)))
    aged(home / CLAUDE, days=2)
    found = examined(home, store)
    assert alarms(found) == ["unread-logs"]
    assert "1 file looks like transcripts" in found.findings[0].what
    assert "conversations/c1/log.jsonl, newer than every transcript that is read" in found.findings[0].what
    assert found.agents[0].files_unclaimed == 1


def test_logs_under_an_ending_that_no_reader_knows_are_an_alarm(home: Path, store: Path) -> None:
    write(home, 3)
    learned(home, store)
    for name in ("n1.cbor", "n2.jsonl.gz", "CLAUDE.md", "n3.cbor.tmp"):
        put(home / CLAUDE / name, b"\xa1\x01\x02 no text")
    aged(home / CLAUDE, days=2, only="*.jsonl")
    found = examined(home, store)
    assert alarms(found) == ["unread-logs"]
    assert "2 files look like transcripts" in found.findings[0].what


def test_old_logs_that_nobody_reads_are_a_warning(home: Path, store: Path) -> None:
    write(home, 3)
    put(home / ".claude/conversations/c1.jsonl", claude_records("c1"))
    aged(home / ".claude/conversations", days=9)
    learned(home, store)
    found = examined(home, store)
    assert (alarms(found), warnings(found)) == ([], ["unread-logs"])


def test_other_data_beside_the_logs_is_left_alone(home: Path, store: Path) -> None:
    mixed_home(home)
    put(home / ".claude/telemetry/events.jsonl", [{"event": "start", "type": "counter", "value": 1}])
    put(home / ".claude/notes.jsonl", b"not json\n")
    put(home / ".claude/projects/empty.jsonl", b"")
    learned(home, store)
    assert examined(home, store).findings == []


def test_logs_of_another_agent_in_the_same_home_are_claimed(home: Path, store: Path) -> None:
    mixed_home(home)
    learned(home, store)
    put(home / ".claude/nested/sessions/rollout-2026-05-02.jsonl", codex_records(THREAD))
    assert alarms(examined(home, store)) == ["unread-logs"]
    (store / "config.toml").write_text(f'[agents.codex]\nhomes = ["{home}/.codex", "{home}/.claude/nested"]\n')
    assert alarms(examined(home, store)) == []


def test_a_new_file_that_cannot_be_opened_is_an_alarm_before_it_is_learned(
    home: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mixed_home(home)
    learned(home, store)
    write(home, 1, hour=5)
    open_file = os.open

    def refused(path: Any, *arguments: Any, **options: Any) -> Any:
        if str(path).endswith("s5-0.jsonl"):
            raise PermissionError(13, "Permission denied", str(path))
        return open_file(path, *arguments, **options)

    monkeypatch.setattr(os, "open", refused)
    found = examined(home, store)
    assert alarms(found) == ["unreadable"]
    assert "s5-0.jsonl: Permission denied" in found.findings[0].what


def test_a_single_new_file_that_gives_nothing_is_a_warning(home: Path, store: Path) -> None:
    write(home, 6)
    put(home / CLAUDE / "new.jsonl", b"no record\n" * 3)
    learned(home, store)
    found = examined(home, store)
    assert (alarms(found), warnings(found)) == ([], ["odd-transcript"])
    assert "new.jsonl is new and gave no session; of the 6 others, 6 did" in found.findings[0].what


def test_the_agents_own_setting_says_what_vanishes(home: Path, store: Path) -> None:
    mixed_home(home)
    put(home / ".claude/settings.json", b'{"cleanupPeriodDays": 0}')
    learned(home, store)
    found = examined(home, store)
    assert (alarms(found), warnings(found)) == ([], ["keeps-nothing"])


def test_a_run_at_work_is_named_and_a_killed_one_too(home: Path, store: Path) -> None:
    mixed_home(home)
    learned(home, store)
    with hold_lease(Layout(store).lease):
        found = examined(home, store).store
        assert (found.lease, found.lease_process) == ("held", os.getpid())
    Layout(store).lease.write_text("999999999\n")
    found = examined(home, store).store
    assert (found.lease, found.lease_process) == ("stale", 999999999)


def test_what_waits_in_the_spool_is_counted(home: Path, store: Path) -> None:
    mixed_home(home)
    learned(home, store)
    spool.append(Layout(store).spool, "codex", "s1", {"shown": "x" * 100})
    found = examined(home, store)
    assert (found.store.spool_files, found.store.spool_bytes > 100, found.findings) == (1, True, [])
    spool.append(Layout(store).spool, "codex", "s2", {"shown": "x" * 11_000_000})
    assert warnings(examined(home, store)) == ["spool"]


def test_a_disk_that_is_nearly_full_is_a_warning(home: Path, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Usage:
        free = 50_000_000

    mixed_home(home)
    learned(home, store)
    monkeypatch.setattr("afterwit.engine.doctor.findings.shutil.disk_usage", lambda _: Usage)
    found = examined(home, store)
    assert (alarms(found), warnings(found)) == ([], ["disk"])


def test_the_newest_error_is_shown(home: Path, store: Path) -> None:
    mixed_home(home)
    file = home / CLAUDE / "11111111-aaaa-4aaa-8aaa-000000000001.jsonl"
    file.write_bytes(b"not json\n" + file.read_bytes())
    learned(home, store)
    found = examined(home, store)
    assert found.agents[0].newest_error.startswith("not a JSON object, in projects/")
    assert found.findings == []


@pytest.mark.skipif(not CORPUS, reason="AFTERWIT_CORPUS names no home folder with real transcripts")
def test_real_transcripts_cause_no_alarm(corpus_copy: Path) -> None:
    found = examined(Path(CORPUS).absolute(), corpus_copy)
    assert [finding.what for finding in found.findings if finding.level is Level.ALARM] == []
    assert {"claude-code", "codex"} <= {agent.agent for agent in found.agents if agent.sessions}
    assert [agent.agent for agent in found.agents if agent.evidence and not agent.sessions] == []
