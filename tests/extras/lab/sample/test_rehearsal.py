"""The store as the next `learn` would leave it, looked at and thrown away."""

from pathlib import Path

import pytest
from tests.homes import CLAUDE, Silent, claude_records, hash_of, learned, mixed_home, put, world_of

from afterwit.extras.lab.sample.sample import rehearsal
from afterwit.store.checks import content_hash
from afterwit.store.store import hold_lease


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return mixed_home(tmp_path / "home")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


def rehearsed_hash(home: Path, store: Path) -> str:
    with rehearsal(world_of(home, store), Silent()) as seen:
        assert seen.has_pending
        return content_hash(seen.db)


def test_what_is_rehearsed_is_what_is_learned_afterwards(home: Path, store: Path) -> None:
    learned(home, store)
    before = hash_of(store)
    put(home / CLAUDE / "new.jsonl", claude_records("new"))
    rehearsed = rehearsed_hash(home, store)
    assert hash_of(store) == before != rehearsed
    learned(home, store)
    assert hash_of(store) == rehearsed == rehearsed_hash(home, store)


def test_without_a_store_none_is_made(home: Path, store: Path) -> None:
    with rehearsal(world_of(home, store), Silent()) as seen:
        assert (len(seen.pending), seen.has_pending) == (4, True)
    assert not store.exists()


def test_while_another_run_holds_the_lease_the_store_is_shown_as_it_is(home: Path, store: Path) -> None:
    learned(home, store)
    put(home / CLAUDE / "new.jsonl", claude_records("new"))
    world = world_of(home, store)
    with hold_lease(world.layout.lease), rehearsal(world, Silent()) as seen:
        assert (len(seen.pending), seen.has_pending) == (1, False)
        content = content_hash(seen.db)
    assert content == hash_of(store)


def test_an_error_of_whoever_looks_is_passed_on_and_leaves_the_store_alone(home: Path, store: Path) -> None:
    learned(home, store)
    before = hash_of(store)
    put(home / CLAUDE / "new.jsonl", claude_records("new"))
    with pytest.raises(ZeroDivisionError), rehearsal(world_of(home, store), Silent()):
        raise ZeroDivisionError
    assert hash_of(store) == before
