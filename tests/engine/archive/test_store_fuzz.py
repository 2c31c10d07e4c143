"""Random flips, cuts, swaps and kills: no archived byte and no decision is lost, and only our own errors are raised.

Seeded, so that a failure comes again. AFTERWIT_FUZZ_ROUNDS asks for more than the usual rounds.
"""

import os
import random
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from tests.engine.archive.store_faults import copied, flip, killed_at, lost, originals, prepared
from tests.engine.killed_runs import environment
from tests.homes import CLAUDE, Silent, claude_records, hash_of, learned, put, rows, world_of
from tests.thoroughness import STRIDE

from afterwit.engine.archive import upkeep
from afterwit.engine.archive.evict import evict
from afterwit.engine.archive.rebuild import rebuild
from afterwit.engine.archive.upkeep import verify
from afterwit.engine.doctor.doctor import examine
from afterwit.model.errors import AfterwitError, StoreFullError
from afterwit.store.database import connect, migrate, migrations
from afterwit.store.journal import Journal
from afterwit.store.layout import Layout

ROUNDS = int(os.environ.get("AFTERWIT_FUZZ_ROUNDS") or 6)
MOST_STEPS = 60


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    home, store = prepared(tmp_path_factory.mktemp("made"))
    with connect(store / "afterwit.db") as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return home, store


@pytest.fixture(scope="module")
def expected(made: tuple[Path, Path]) -> str:
    return hash_of(made[1])


def entries(store: Path) -> list[object]:
    layout = Layout(store)
    with closing(Journal(layout.journal, layout.backups)) as journal:
        return list(journal.entries())


def tried(call: Callable[[], object]) -> object:
    """What a command says; errors of ours are answers too. Anything else would be a traceback."""
    try:
        return call()
    except AfterwitError as error:
        return error


def is_noticed(store: Path) -> bool:
    answer = tried(lambda: [finding for finding in verify(Layout(store)) if not finding.is_harmless])
    return bool(answer)


@pytest.mark.parametrize("seed", range(ROUNDS)[::STRIDE])
def test_flipped_bytes_of_the_database_are_noticed_or_harmless_and_rebuild_cures_them(
    made: tuple[Path, Path], expected: str, tmp_path: Path, seed: int
) -> None:
    home, store = made[0], copied(made[1], tmp_path / "store")
    before, decided, world = originals(store), entries(store), world_of(made[0], store)
    chance = random.Random(seed)
    flip(store / "afterwit.db", chance, count=chance.choice((1, 3, 40)))
    was_noticed, now = is_noticed(store), tried(lambda: hash_of(store))
    assert was_noticed or now == expected
    looks: tuple[Callable[[], object], ...] = (
        lambda: learned(home, store),
        lambda: examine(world),
        lambda: upkeep.stat(world.layout),
    )
    tried(looks[seed % 3])
    done = tried(lambda: rebuild(world, Silent()))
    if isinstance(done, AfterwitError):  # the number of the schema was hit: that of a newer version, for all we know
        assert "newer afterwit" in str(done)
        return
    assert hash_of(store) == expected
    assert (lost(before, store), entries(store)[: len(decided)]) == ([], decided)
    assert not is_noticed(store)


@pytest.mark.parametrize("seed", range(ROUNDS)[::STRIDE])
def test_flips_cuts_and_swaps_in_archive_and_journal_cost_no_more_than_they_hit(
    made: tuple[Path, Path], tmp_path: Path, seed: int
) -> None:
    home, store = made[0], copied(made[1], tmp_path / "store")
    world, chance = world_of(home, store), random.Random(1000 + seed)
    objects = sorted((store / "archive").rglob("*.zst"))
    hit = {chance.choice(objects)}
    if seed % 3 == 0:
        flip(min(hit), chance, 2)
    elif seed % 3 == 1:
        path = min(hit)
        path.write_bytes(path.read_bytes()[: chance.randrange(path.stat().st_size)])
    else:
        hit.add(chance.choice(objects))
        one, other = min(hit), max(hit)
        content = one.read_bytes()
        one.write_bytes(other.read_bytes())
        other.write_bytes(content)
    if seed % 2:
        (store / "afterwit.db").write_bytes(b"")
    whole = {path.stem for path in objects if path not in hit}
    before = {name: content for name, content in originals(made[1]).items() if name in whole}
    if seed % 4 == 3:
        flip(store / "journal.db", chance)
    for call in (
        lambda: rebuild(world, Silent()),
        lambda: learned(home, store),
        lambda: upkeep.compact(world.layout),
        lambda: examine(world),
        lambda: list(verify(world.layout)),
        lambda: evict(world, lambda _: False, soft_cap_bytes=0),
    ):
        tried(call)
    archived = {path.stem for path in (store / "archive").rglob("*.zst")}
    assert whole <= archived
    damaged = store / "archive"
    for name, content in before.items():
        assert originals_of(damaged, name).startswith(content)


def originals_of(archive: Path, name: str) -> bytes:
    from afterwit.store.archive import Archive, ArchiveName

    return b"".join(Archive(archive).read(ArchiveName(name)))


@pytest.mark.slow
def test_a_rebuild_killed_at_any_step_leaves_a_whole_database(
    made: tuple[Path, Path], expected: str, tmp_path: Path
) -> None:
    reached: list[str] = []
    for is_damaged in (False, True):
        names: list[str] = []
        for number in steps_of(
            lambda store: rebuild(world_of(made[0], store), Silent()), made[1], tmp_path, is_damaged
        ):
            store = damaged_copy(made[1], tmp_path / f"{is_damaged}{number}", is_damaged=is_damaged)
            before, world = originals(store), world_of(made[0], store)
            name = killed_at(number, lambda world=world: rebuild(world, Silent()))  # type: ignore[misc]
            names.append(name or "")
            now = tried(lambda store=store: hash_of(store))  # type: ignore[misc]
            assert now == expected or is_damaged or isinstance(now, AfterwitError)
            assert tried(lambda world=world: rebuild(world, Silent()).after) == expected  # type: ignore[misc]
            assert lost(before, store) == []
            assert not is_noticed(store)
            shutil.rmtree(store)
        reached += names
    assert {
        "the new database is complete, beside the old one",
        "the new database is in place",
        "the damaged database is set aside",
    } <= set(reached)


def damaged_copy(store: Path, target: Path, *, is_damaged: bool) -> Path:
    copied(store, target)
    if is_damaged:
        content = bytearray((target / "afterwit.db").read_bytes())
        content[:100] = bytes(100)
        (target / "afterwit.db").write_bytes(content)
    return target


def steps_of(call: Callable[[Path], object], store: Path, tmp_path: Path, is_damaged: bool = False) -> Iterator[int]:
    """A few steps of a command's way, the last ones among them: those where it puts things in their places."""
    target = damaged_copy(store, tmp_path / f"steps{is_damaged}", is_damaged=is_damaged)
    seen = counted(lambda: call(target))
    shutil.rmtree(target)
    wanted = {1, seen // 2, *range(max(1, seen - 2), seen + 1)}
    yield from sorted(wanted)


def counted(call: Callable[[], object]) -> int:
    """How many steps a call takes."""
    from afterwit.store import atomic

    atomic._KILL_AT, atomic._reached = 1 << 30, 0
    try:
        call()
        return atomic._reached
    finally:
        atomic._KILL_AT = 0


@pytest.mark.slow
def test_a_compaction_or_an_eviction_killed_at_any_step_loses_nothing(
    made: tuple[Path, Path], expected: str, tmp_path: Path
) -> None:
    for number in range(1, MOST_STEPS):
        store = copied(made[1], tmp_path / f"compact{number}")
        before = originals(store)
        name = killed_at(number, lambda store=store: upkeep.compact(Layout(store)))  # type: ignore[misc]
        assert (originals(store), hash_of(store)) == (before, expected)
        assert not is_noticed(store)
        if name is None:
            break
    store = copied(made[1], tmp_path / "evict")
    world = world_of(made[0], store)
    known = rows(store, "SELECT native_id, prompts, actions FROM sessions ORDER BY 1")
    assert killed_at(4, lambda: evict(world, lambda _: True, soft_cap_bytes=0))
    tried(lambda: rebuild(world, Silent()))
    assert rows(store, "SELECT native_id, prompts, actions FROM sessions ORDER BY 1") == known
    assert not is_noticed(store)


@pytest.mark.slow
def test_a_migration_killed_at_any_step_is_completed_by_the_next(tmp_path: Path) -> None:
    steps = migrations()
    for number in range(1, len(steps) + 2):
        path = tmp_path / f"{number}.db"
        with closing(connect(path)) as db:
            migrate(db, steps[:1], tmp_path)
            db.execute("INSERT INTO aliases VALUES ('repo', 'a', 'b')")

        def upgrade(path: Path = path) -> None:
            with closing(connect(path)) as db:
                migrate(db, steps, tmp_path)

        name = killed_at(number, upgrade)
        upgrade()
        with closing(connect(path)) as db:
            assert list(db.execute("SELECT name, target FROM aliases")) == [("a", "b")]
            assert db.pragma("integrity_check") == "ok"
        if name is None:
            return
    pytest.fail("the migrations never end")


@pytest.mark.parametrize(("limit_bytes", "is_damaged"), [(1 << 12, True), (1 << 17, False), (200_000, True)][::STRIDE])
def test_a_rebuild_on_a_full_disk_is_said_and_costs_nothing(
    made: tuple[Path, Path], expected: str, tmp_path: Path, limit_bytes: int, is_damaged: bool
) -> None:
    store = damaged_copy(made[1], tmp_path / "store", is_damaged=is_damaged)
    before = originals(store)

    def limited() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, limit_bytes))

    failed = subprocess.run(
        (sys.executable, "-m", "afterwit", "store", "rebuild"),
        env=environment(made[0], store, PYTHONDONTWRITEBYTECODE="1"),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        preexec_fn=limited,
    )
    assert failed.returncode == 1, failed.stderr
    assert failed.stderr.splitlines()[-1].startswith("afterwit: ")
    assert "Traceback" not in failed.stderr
    assert not list(store.glob("*.damaged"))
    assert is_damaged or hash_of(store) == expected
    assert rebuild(world_of(made[0], store), Silent()).after == expected
    assert lost(before, store) == []


def test_learning_after_a_killed_first_run_needs_no_word_from_anyone(tmp_path: Path) -> None:
    home = tmp_path / "home"
    put(home / CLAUDE / "s1.jsonl", claude_records("s1", 2))
    for number in range(2, 8, 2):
        store = tmp_path / f"store{number}"
        assert killed_at(number, lambda store=store: learned(home, store))  # type: ignore[misc]
        learned(home, store)
        assert list(verify(Layout(store))) == []
        assert rows(store, "SELECT generation FROM files WHERE held_bytes > 0") == [(0,)]


@pytest.mark.slow
def test_runs_that_are_killed_at_the_same_step_again_and_again_lock_nobody_out(
    made: tuple[Path, Path], tmp_path: Path
) -> None:
    home = copied(made[0], tmp_path / "home")
    put(home / CLAUDE / "new.jsonl", claude_records("new", 3))
    reached = set()
    for number in range(1, MOST_STEPS):
        store = copied(made[1], tmp_path / f"store{number}")
        for times in (1, 2, 3):
            name = killed_at(number, lambda store=store: learned(home, store))  # type: ignore[misc]
            reached.add(name)
            if name == "a batch is about to be committed" and times > 1:
                learned(home, copied(store, tmp_path / f"after{times}"))
        learned(home, store)
        assert not is_noticed(store)
        shutil.rmtree(store)
        if "a batch is committed" in reached:
            break
    assert {"a batch is about to be committed", "a batch is committed"} <= reached


def test_a_disk_that_is_full_again_and_again_locks_nobody_out(
    made: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, store = copied(made[0], tmp_path / "home"), copied(made[1], tmp_path / "store")
    put(home / CLAUDE / "new.jsonl", claude_records("new", 3))

    def full(name: str) -> None:
        if name == "a batch is about to be committed":
            raise apsw.FullError("database or disk is full")

    monkeypatch.setattr("afterwit.engine.sweep.step", full)
    for _ in range(3):
        with pytest.raises(StoreFullError):
            learned(home, store)
    monkeypatch.undo()
    learned(home, store)
    assert rows(store, "SELECT count(*) FROM sessions WHERE native_id = 'new'") == [(1,)]
    assert not is_noticed(store)
