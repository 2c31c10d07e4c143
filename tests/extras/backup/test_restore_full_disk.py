"""A restore that finds the disk full, on a real small file system, changes nothing, leaves nothing, and can go on."""

import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from tests.engine.killed_runs import environment
from tests.extras.backup.backups import NO_KEYS, elsewhere, learn_more, made, restored
from tests.homes import NOW_MS, Silent, hash_of, world_of
from tests.thoroughness import STRIDE

from afterwit.config.world import World
from afterwit.engine.archive.upkeep import verify
from afterwit.extras.backup.restore import restore_snapshot
from afterwit.model.errors import StoreFullError

_MB = 1_000_000
_SIZE_MB = 70  # more than what a restore wants to be left over


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "disk"
    place.mkdir()
    mount = shutil.which("mount")
    done = mount and subprocess.run(
        [mount, "-t", "tmpfs", "-o", f"size={_SIZE_MB}m,mode=0700", "tmpfs", str(place)],
        capture_output=True,
        check=False,
    )
    if not done or done.returncode:
        pytest.skip("no file system can be mounted here; the limit on files below tests the same everywhere")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


class Filling(Silent):
    """Somebody else fills the disk after so many objects."""

    def __init__(self, disk: Path, after: int) -> None:
        self._disk = disk
        self._left = after

    def begin(self, files: int, total_bytes: int) -> None:
        assert files > self._left
        if not self._left:
            self._fill()

    def advance(self, files: int, done_bytes: int) -> None:
        self._left -= 1
        if not self._left:
            self._fill()

    def _fill(self) -> None:
        with suppress(OSError), (self._disk / "filler").open("wb", buffering=0) as filler:
            while filler.write(bytes(_MB)):
                pass
        with suppress(OSError), (self._disk / "filler").open("ab", buffering=0) as filler:
            while filler.write(b"x"):
                pass


def ask_restore(world: World, target: Path, progress: Silent) -> None:
    restore_snapshot(world, str(target), NO_KEYS, progress, lambda _planned: True, may_replace=True)


@pytest.mark.parametrize("after", [0, 1])
def test_a_disk_that_fills_up_meanwhile_changes_nothing(
    world: World, tmp_path: Path, small_disk: Path, after: int
) -> None:
    learn_more(world, *(f"more-{number}" for number in range(8)), turns=60)
    target = tmp_path / "backup"
    made(world, target)
    learn_more(world, "latest", turns=60)
    made(world, target, at_ms=NOW_MS + 1)
    there = world_of(tmp_path / "home", small_disk / "store")
    restored(there, target, snapshot=str(made(world, target, at_ms=NOW_MS + 2).snapshot))
    before = hash_of(there.layout.root)
    with pytest.raises(StoreFullError, match="free some space and run the command again"):
        ask_restore(there, target, Filling(small_disk, after))
    (small_disk / "filler").unlink()
    assert hash_of(there.layout.root) == before
    assert not (there.layout.backups / "restoring").exists()
    assert list(verify(there.layout)) == []
    restored(there, target)
    assert hash_of(there.layout.root) == hash_of(world.layout.root)


def test_a_disk_that_is_full_from_the_start_is_refused_before_anything(
    world: World, tmp_path: Path, small_disk: Path
) -> None:
    made(world, tmp_path / "backup")
    there = world_of(tmp_path / "home", small_disk / "store")
    there.layout.create()
    (small_disk / "filler").write_bytes(bytes(40 * _MB))
    with pytest.raises(StoreFullError, match="MB are free at"):
        ask_restore(there, tmp_path / "backup", Silent())
    (small_disk / "filler").unlink()
    ask_restore(there, tmp_path / "backup", Silent())
    assert hash_of(there.layout.root) == hash_of(world.layout.root)


@pytest.mark.parametrize("limit_bytes", [1 << 14, 1 << 9, 1 << 17][::STRIDE])
def test_a_limit_on_files_stops_a_restore_and_costs_nothing(world: World, tmp_path: Path, limit_bytes: int) -> None:
    learn_more(world, *(f"more-{number}" for number in range(8)), turns=60)
    target = tmp_path / "backup"
    made(world, target)
    learn_more(world, "latest")
    before = hash_of(world.layout.root)

    def limited() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, limit_bytes))

    failed = subprocess.run(
        [sys.executable, "-m", "afterwit", "store", "backup", "restore", str(target), "--replace", "--yes"],
        env=environment(world.user_home, world.layout.root, PYTHONDONTWRITEBYTECODE="1"),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        preexec_fn=limited,
    )
    assert (failed.returncode, failed.stderr.splitlines()[-1][:10]) == (1, "afterwit: ")
    assert hash_of(world.layout.root) == before
    assert not (world.layout.backups / "restoring").exists()
    restored(world, target)
    assert hash_of(world.layout.root) == hash_of(restored_elsewhere(world, target, tmp_path))


def restored_elsewhere(world: World, target: Path, tmp_path: Path) -> Path:
    other = elsewhere(world, tmp_path / "other")
    restored(other, target)
    return other.layout.root
