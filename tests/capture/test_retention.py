"""What agents will delete, by their own settings, and that `learn` takes it first."""

import os
from pathlib import Path

import apsw
import pytest
from tests.homes import CLAUDE, CODEX, NOW_MS, THREAD, claude_records, codex_records, put, world_of

from afterwit.agents.registry import DAY_MS, RetentionPeriod
from afterwit.capture.logs import Home, retention_in
from afterwit.capture.plan import Pending, homes, plan
from afterwit.capture.tasks import soonest_first
from afterwit.store.layout import Layout
from afterwit.store.store import open_store


def aged(path: Path, days: float) -> None:
    moment = (NOW_MS - days * DAY_MS) / 1000
    os.utime(path, (moment, moment))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for name, days in (("a", 3), ("b", 29)):
        aged(put(tmp_path / "home" / CLAUDE / f"{name}.jsonl", claude_records(name, 1)), days)
    rollout = f"rollout-2026-05-01T10-00-00-{THREAD}.jsonl"
    aged(put(tmp_path / "home" / CODEX / rollout, codex_records(THREAD, 1)), 200)
    return tmp_path / "home"


def pending(home: Path, db: apsw.Connection) -> list[Pending]:
    world = world_of(home, home / "store")
    return [one for part in plan(db, homes(world.settings, home)) for one in part.pending]


def test_what_vanishes_soonest_comes_first_and_what_stays_last(home: Path, tmp_path: Path) -> None:
    with open_store(Layout(tmp_path / "store")) as store:
        names = [one.unit.transcript.path.name[:7] for one in soonest_first(pending(home, store.db))]
    assert names == ["b.jsonl", "a.jsonl", "rollout"]


def test_the_settings_of_the_home_itself_count(home: Path) -> None:
    folder = home / ".claude"
    assert retention_in(Home("claude-code", folder)) == RetentionPeriod(30, "default")
    put(folder / "settings.json", b'{"cleanupPeriodDays": 90}')
    assert retention_in(Home("claude-code", folder)) == RetentionPeriod(90, "settings.json")


def test_settings_that_cannot_be_opened_leave_the_default(home: Path) -> None:
    (home / ".claude" / "settings.json").mkdir()
    assert retention_in(Home("claude-code", home / ".claude")) == RetentionPeriod(30, "default")
