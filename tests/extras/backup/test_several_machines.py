"""Two machines back up to one target and prune it, at the same moment: nobody waits, and nobody loses anything."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.engine.killed_runs import environment
from tests.extras.backup.backups import (
    NO_KEYS,
    age_objects,
    elsewhere,
    learn_more,
    made,
    objects_at,
    refusal,
    restored,
    snapshots_at,
    vault_at,
)
from tests.extras.backup.test_prune import DAY_MS, ONE_DAY, later, pruned
from tests.homes import NOW_MS, Silent, hash_of, world_of
from tests.processes import COMMAND, run_text

from afterwit.config.world import World
from afterwit.extras.backup.create import make_snapshot
from afterwit.extras.backup.look import list_snapshots, verify_backup
from afterwit.extras.backup.prune import KeepRule, PrunedBackup, prune_backup
from afterwit.extras.backup.vault import UNNAMED_MS

_ROUNDS = 3


@pytest.fixture
def other(world: World, tmp_path: Path) -> World:
    """Another machine, with sessions of its own."""
    second = world_of(tmp_path / "second/home", tmp_path / "second/store")
    learn_more(second, *(f"elsewhere-{number}" for number in range(4)), turns=30)
    return second


def begun(machine: World, *arguments: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "afterwit", "store", "backup", *arguments]
    environ = environment(machine.user_home, machine.layout.root)
    return subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def ended(*runs: "subprocess.Popen[str]") -> list[tuple[int, str]]:
    said = [run.communicate(timeout=120)[1] for run in runs]
    return [(run.returncode, text) for run, text in zip(runs, said, strict=True) if run.returncode]


def newest(target: Path) -> dict[str, str]:
    """The content hash of the newest snapshot of each machine."""
    listed = list_snapshots(world_of(target, target / "none"), str(target), NO_KEYS).snapshots
    return {snapshot.machine: snapshot.content_hash for snapshot in reversed(listed)}


@pytest.mark.slow
def test_two_processes_that_back_up_and_prune_at_once_lose_nothing(world: World, other: World, tmp_path: Path) -> None:
    target = tmp_path / "backup"
    rule = ("--keep-daily", "1", "--keep-weekly", "0", "--keep-monthly", "0", "--yes")
    for number in range(_ROUNDS):
        creating = [begun(machine, "create", str(target)) for machine in (world, other)]
        pruning = [begun(world, "prune", str(target), *rule)] if number else []
        assert ended(*creating, *pruning) == []
        assert verify_backup(world, str(target), NO_KEYS, Silent()).faults == []
        assert set(newest(target).values()) == {hash_of(machine.layout.root) for machine in (world, other)}
        age_objects(target)
        learn_more(world, f"more-{number}")
        learn_more(other, f"further-{number}")
    assert ended(*(begun(machine, "prune", str(target), *rule) for machine in (world, other))) == []
    assert (len(snapshots_at(target)), len(newest(target))) == (2, 2)
    assert verify_backup(world, str(target), NO_KEYS, Silent()).faults == []


def test_each_machine_builds_on_its_own_and_sends_nothing_again(world: World, other: World, tmp_path: Path) -> None:
    target = tmp_path / "backup"
    for minute, machine in enumerate((world, other)):
        assert made(machine, target, at_ms=NOW_MS + minute).is_first
    for minute, machine in enumerate((world, other, world, other), start=2):
        again = made(machine, target, at_ms=NOW_MS + minute)
        assert (again.is_first, again.sent_objects) == (False, 0)


def test_the_rule_keeps_the_last_of_each_day_for_each_machine(world: World, other: World, tmp_path: Path) -> None:
    target = tmp_path / "backup"
    for day in range(3):
        for minute, machine in enumerate((world, other)):
            made(machine, target, at_ms=NOW_MS + day * DAY_MS + minute)
    assert pruned(later(world, 2), target, ONE_DAY).removed == 4
    assert set(newest(target).values()) == {hash_of(machine.layout.root) for machine in (world, other)}


def test_a_machine_whose_clock_is_far_ahead_takes_nothing_away_from_the_others(
    world: World, other: World, tmp_path: Path
) -> None:
    target = tmp_path / "backup"
    made(other, target, at_ms=NOW_MS + 10_000 * DAY_MS)
    for day in range(3):
        made(world, target, at_ms=NOW_MS + day * DAY_MS)
    listed = list_snapshots(later(world, 2), str(target), NO_KEYS).snapshots
    assert [snapshot.created_ms for snapshot in listed][:3] == [NOW_MS + day * DAY_MS for day in (2, 1, 0)]
    assert pruned(later(world, 2), target, KeepRule(3, 0, 0)).removed == 0
    assert pruned(later(world, 2), target, KeepRule(2, 0, 0)).removed == 1


def test_what_another_machine_is_just_sending_is_not_pruned(world: World, other: World, tmp_path: Path) -> None:
    target = tmp_path / "backup"
    made(world, target)
    environ = environment(other.user_home, other.layout.root, AFTERWIT_KILL_AT_STEP="2")
    killed = run_text(COMMAND, ("store", "backup", "create", str(target)), environ)
    assert "an object of a backup is stored" in killed.stderr
    assert killed.returncode == -signal.SIGKILL
    objects = objects_at(target)
    kept = pruned(world, target)
    assert (kept.removed_objects, kept.young_objects, objects_at(target)) == (0, 1, objects)
    age_objects(target)
    assert pruned(world, target).removed_objects == 1
    assert made(other, target, at_ms=NOW_MS + 1).sent_objects > 0
    assert verify_backup(world, str(target), NO_KEYS, Silent()).faults == []


def test_what_was_sent_too_long_ago_is_sent_again(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing names it, so that others may be removing it at this moment."""
    target = tmp_path / "backup"
    monkeypatch.setattr("afterwit.extras.backup.create._read_back", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        made(world, target)
    monkeypatch.undo()
    sent = len(objects_at(target))
    assert made(world, target, at_ms=NOW_MS + UNNAMED_MS // 2 + 1).sent_objects == sent
    assert made(world, target, at_ms=NOW_MS + UNNAMED_MS).sent_objects == 0


def test_a_prune_between_sending_and_the_list_is_noticed(world: World, other: World, tmp_path: Path) -> None:
    """With clocks that are wrong by more than a week."""
    target = tmp_path / "backup"
    made(world, target)
    learn_more(world, *(f"more-{number}" for number in range(6)), turns=60)
    late = other._replace(now_ms=NOW_MS * 2)

    class Pruning(Silent):
        def stage(self, name: str, total: int, unit: str) -> None:
            if name == "reading back":
                prune_backup(late, str(target), NO_KEYS, ONE_DAY, lambda _planned: True)

    said = refusal(lambda: make_snapshot(world._replace(now_ms=NOW_MS + 1), str(target), NO_KEYS, Pruning()))
    assert "is missing at" in said
    assert len(snapshots_at(target)) == 1
    made(world, target, at_ms=NOW_MS + 2)
    assert verify_backup(world, str(target), NO_KEYS, Silent()).faults == []


def test_what_another_machine_sends_while_a_prune_waits_for_its_answer_stays(
    world: World, other: World, tmp_path: Path
) -> None:
    """The same bytes have the same name, and may be among what was to go."""
    target = tmp_path / "backup"
    for day, text in enumerate(("# apples", "# pears")):
        (world.layout.root / "config.toml").write_text(text)
        made(world, target, at_ms=NOW_MS + day * DAY_MS)
    age_objects(target)

    def agree(planned: PrunedBackup) -> bool:
        (other.layout.root / "config.toml").write_text("# apples")
        made(other, target, at_ms=NOW_MS + DAY_MS)
        return planned.removed_objects == 1

    assert prune_backup(later(world, 2), str(target), NO_KEYS, ONE_DAY, agree) is not None
    assert len(snapshots_at(target)) == 2
    assert verify_backup(world, str(target), NO_KEYS, Silent()).faults == []


def test_restoring_takes_what_is_of_this_machine_or_asks(world: World, other: World, tmp_path: Path) -> None:
    target = tmp_path / "backup"
    own = made(world, target)
    made(other, target, at_ms=NOW_MS + 1)
    assert restored(world, target).snapshot == own.snapshot
    said = refusal(lambda: restored(elsewhere(world, tmp_path / "new"), target))
    assert "Snapshots of 2 machines lie at" in said
    assert own.snapshot in said
    assert restored(elsewhere(world, tmp_path / "new"), target, snapshot=own.snapshot).content_hash == own.content_hash
    assert vault_at(target).named("").id != own.snapshot
