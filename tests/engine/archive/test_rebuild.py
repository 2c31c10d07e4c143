"""Rebuilding, verifying, compacting: everything derived can be derived again."""

import shutil
from pathlib import Path

import pytest
from tests.engine.killed_runs import run
from tests.engine.test_learn import copying_home
from tests.homes import CLAUDE, Silent, claude_records, hash_of, learned, lines, mixed_home, put, rows, world_of

from afterwit.engine.archive import upkeep
from afterwit.engine.archive.rebuild import rebuild
from afterwit.engine.archive.upkeep import verify
from afterwit.model.errors import StoreError, UsageError
from afterwit.sessions import identities
from afterwit.store.layout import Layout


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = mixed_home(tmp_path / "home")
    copying_home(home)
    return home


@pytest.fixture
def store(tmp_path: Path, home: Path) -> Path:
    learned(home, tmp_path / "store")
    return tmp_path / "store"


def remove_database(store: Path) -> None:
    for path in store.glob("afterwit.db*"):
        path.unlink()


def test_a_rebuilt_store_has_the_same_content_hash(home: Path, store: Path) -> None:
    before = hash_of(store)
    done = rebuild(world_of(home, store), Silent())
    assert (done.before, done.after, done.faults) == (before, before, [])
    assert hash_of(store) == before
    assert learned(home, store).agents[0].read == 0
    assert hash_of(store) == before


@pytest.mark.parametrize("is_damaged", [False, True])
def test_a_lost_or_damaged_database_comes_back(home: Path, store: Path, is_damaged: bool) -> None:
    before = hash_of(store)
    remove_database(store)
    if is_damaged:
        (store / "afterwit.db").write_bytes(b"this is no database" * 1000)
    done = rebuild(world_of(home, store), Silent())
    assert (done.before, done.after) == ("", before)
    assert list(verify(Layout(store))) == []


def test_both_generations_of_a_truncated_file_are_rebuilt(home: Path, store: Path) -> None:
    path = min((home / CLAUDE).glob("*.jsonl"))
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[5:]))
    learned(home, store)
    before = hash_of(store)
    assert rebuild(world_of(home, store), Silent()).after == before


def test_decisions_survive_a_lost_database(home: Path, store: Path) -> None:
    world = world_of(home, store)
    identities.merge(world, "repo", "git.example/fruit/orchard", "git.example/fruit/garden")
    before = hash_of(store)
    assert {row.repo for row in identities.repos(world) if row.root} == {"git.example/fruit/garden"}
    remove_database(store)
    assert rebuild(world, Silent()).after == before


def test_a_merge_can_be_undone(home: Path, store: Path) -> None:
    world, before = world_of(home, store), hash_of(store)
    identities.merge(world, "repo", "orchard", "git.example/fruit/garden")
    assert hash_of(store) != before
    identities.unmerge(world, "repo", "orchard")
    assert hash_of(store) == before
    with pytest.raises(UsageError, match="was not merged"):
        identities.unmerge(world, "repo", "orchard")


def test_a_flipped_byte_in_the_archive_is_found_and_the_rest_is_rebuilt(home: Path, store: Path) -> None:
    path = min((store / "archive").rglob("*.zst"))
    content = bytearray(path.read_bytes())
    content[-20] ^= 0xFF
    path.write_bytes(content)
    assert [finding.where for finding in verify(Layout(store))] == ["archive"]
    done = rebuild(world_of(home, store), Silent(), accepts_archive=True)
    assert len(done.faults) == 1
    assert done.after != done.before


def test_verify_finds_a_missing_archive_object_and_a_foreign_one(home: Path, store: Path) -> None:
    path = min((store / "archive").rglob("*.zst"))
    moved = path.with_name("00" * 16 + "-0.zst")
    path.rename(moved)
    found = [finding.what for finding in verify(Layout(store))]
    assert len(found) == 2
    assert "missing" in found[0]
    assert "in another folder than 00" in found[1]


@pytest.mark.slow
def test_compact_joins_the_frames_of_many_appends(tmp_path: Path) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    path = put(home / CLAUDE / "s1.jsonl", b"")
    for record in claude_records("s1", 12):
        with path.open("ab") as file:
            file.write(lines([record]))
        learned(home, store)
    before, size = hash_of(store), upkeep.stat(Layout(store)).archive_bytes
    assert upkeep.compact(Layout(store)).gained_bytes > 0
    assert upkeep.stat(Layout(store)).archive_bytes < size / 2
    assert hash_of(store) == before
    assert list(verify(Layout(store))) == []
    with path.open("ab") as file:
        file.write(lines(claude_records("s1", 13)[-5:]))
    learned(home, store)
    assert list(verify(Layout(store))) == []


def test_stat_tells_sizes_counts_and_the_hash(store: Path) -> None:
    sizes = upkeep.stat(Layout(store))
    assert sizes.content_hash == hash_of(store)
    assert (sizes.rows.sessions, sizes.rows.files) == (5, 5)
    assert sizes.archive_bytes < sizes.original_bytes


def test_without_a_store_the_user_is_told_what_to_do(tmp_path: Path) -> None:
    for look in (upkeep.stat, lambda layout: list(verify(layout)), upkeep.compact):
        with pytest.raises(StoreError, match="afterwit learn"):
            look(Layout(tmp_path / "nowhere"))
    assert not (tmp_path / "nowhere").exists()


def test_a_store_can_be_copied_elsewhere_and_goes_on(home: Path, store: Path, tmp_path: Path) -> None:
    shutil.copytree(store, tmp_path / "moved")
    assert hash_of(tmp_path / "moved") == hash_of(store)
    assert rows(tmp_path / "moved", "SELECT count(*) FROM sessions") == [(5,)]
    learned(home, tmp_path / "moved")
    assert hash_of(tmp_path / "moved") == hash_of(store)


def test_a_file_emptied_after_it_was_learned_is_rebuilt_the_same(home: Path, store: Path) -> None:
    min((home / CLAUDE).glob("*.jsonl")).write_bytes(b"")
    learned(home, store)
    before = hash_of(store)
    assert rebuild(world_of(home, store), Silent()).after == before
    learned(home, store)
    assert hash_of(store) == before


@pytest.mark.parametrize("number", range(1, 7))
def test_a_rewrite_that_was_killed_and_rebuilt_ends_like_one_that_was_not(tmp_path: Path, number: int) -> None:
    def rewritten(name: str) -> tuple[Path, Path]:
        home, store = tmp_path / f"home{name}", tmp_path / f"store{name}"
        path = put(home / CLAUDE / "s1.jsonl", claude_records("s1"))
        learned(home, store)
        path.write_bytes(lines([{"type": "mode", "mode": "normal"}]) + path.read_bytes())
        return home, store

    home, store = rewritten("-alone")
    learned(home, store)
    expected = hash_of(store)
    home, store = rewritten("-killed")
    assert run(home, store, AFTERWIT_KILL_AT_STEP=str(number)).returncode != 0
    rebuild(world_of(home, store), Silent())
    learned(home, store)
    assert hash_of(store) == expected


def test_a_cut_file_that_grows_back_is_rebuilt_the_same(tmp_path: Path) -> None:
    """The earlier generation goes as soon as the present one holds all of it, not only when the file is rewritten."""
    home, store = tmp_path / "home", tmp_path / "store"
    for turns in (4, 2, 4, 1, 3, 5):
        put(home / CLAUDE / "s1.jsonl", claude_records("s1", turns))
        learned(home, store)
        before = hash_of(store)
        assert rebuild(world_of(home, store), Silent()).after == before
    assert rows(store, "SELECT count(*) FROM files") == [(1,)]
