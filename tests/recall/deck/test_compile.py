"""From the store to what hooks read, and the shares of the hold-out."""

from pathlib import Path

import pytest
from tests.homes import Silent, hash_of, learned, world_of
from tests.knowledge_home import FACT, learnable_home

from afterwit.engine.archive.rebuild import rebuild
from afterwit.measure.experiment import set_skipping, skipping_now
from afterwit.recall.deck.reader import Deck


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return learnable_home(tmp_path / "home", 6)


@pytest.fixture
def store(tmp_path: Path, home: Path) -> Path:
    learned(home, tmp_path / "store")
    return tmp_path / "store"


def deck_of(store: Path) -> Deck:
    return Deck(str(world_of(store, store).layout.deck))


def test_a_learned_item_reaches_the_deck_as_a_block_and_as_a_line(store: Path) -> None:
    deck = deck_of(store)
    repo, _ = deck.repo_at(["/srv/orchard"])
    assert repo == "orchard"
    assert FACT in str(deck.block(repo, "codex"))
    lines = [line for _, line in deck.lines("failure", {"rtk", "make", "unrecognized", "subcommand"}, repo, "codex")]
    assert {line.advice for line in lines} == {"rtk make → make"}


def test_another_repository_gets_nothing(store: Path) -> None:
    deck = deck_of(store)
    assert deck.block("harbour", "codex") == []
    assert deck.lines("failure", {"rtk", "make", "unrecognized", "subcommand"}, "harbour", "codex") == []


def test_a_dry_run_compiles_no_deck(home: Path, tmp_path: Path) -> None:
    learned(home, tmp_path / "store", is_dry_run=True)
    assert not (tmp_path / "store").exists()


def test_a_folder_in_the_users_home_is_known_without_the_users_name(tmp_path: Path) -> None:
    home = tmp_path / "home" / "ada"
    learnable_home(home, 3, cwd=str(home / "orchard"))
    learned(home, tmp_path / "store")
    deck = deck_of(tmp_path / "store")
    assert deck.repo_at(["~/orchard"])[0] == "orchard"


def test_the_shares_are_chosen_and_survive_a_rebuild(home: Path, store: Path) -> None:
    world = world_of(home, store)
    assert (skipping_now(world).session_share, skipping_now(world).item_share) == (0.1, 0.1)
    chosen = set_skipping(world, 0.0, None)
    assert (chosen.session_share, chosen.item_share, chosen.since_ms) == (0.0, 0.1, world.now_ms)
    assert deck_of(store).share("session_share") == 0.0
    before = hash_of(store)
    rebuild(world, Silent())
    assert hash_of(store) == before
    assert skipping_now(world) == chosen


def test_a_share_that_is_not_named_stays_as_it_was(home: Path, store: Path) -> None:
    world = world_of(home, store)
    set_skipping(world, 0.3, 0.2)
    first, second = set_skipping(world, 0.4, None), set_skipping(world, None, 0.5)
    assert (first.session_share, first.item_share) == (0.4, 0.2)
    assert (second.session_share, second.item_share) == (0.4, 0.5)
