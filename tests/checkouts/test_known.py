"""Which checkouts are looked at, and which of them may be read."""

from pathlib import Path

import pytest
from tests.homes import learned, world_of
from tests.measure.histories import Log
from tests.sources.test_checkout import checkout, linked

from afterwit.checkouts.known import Checkout, checkouts, every_checkout, first_checkouts, readable_checkouts
from afterwit.config.world import World
from afterwit.store.store import opened

REPO = "github.com/acme/rocket"


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A session in a checkout, with a work tree beside it in which nobody worked."""
    main = checkout(tmp_path / "home" / "rocket")
    linked(main, tmp_path / "home" / "branch")
    Log(0, 0, str(main)).prompt("Count the trees").shell("make count").put(tmp_path / "home")
    learned(tmp_path / "home", tmp_path / "store")
    return world_of(tmp_path / "home", tmp_path / "store")


def places(world: World) -> list[str]:
    with opened(world.layout) as store:
        return [place.root.name for place in every_checkout(store, world)]


def test_linked_work_trees_are_asked_beside_those_that_sessions_ran_in(world: World) -> None:
    with opened(world.layout) as store:
        assert [place.root.name for place in checkouts(store, world)] == ["rocket"]
    assert places(world) == ["rocket", "branch"]


@pytest.mark.parametrize("settings", ["[repositories]\nread = false\n", f'[learn]\nexclude = ["repo:{REPO}"]\n'])
def test_where_nothing_may_be_read_no_work_tree_is_looked_for(world: World, settings: str) -> None:
    world.layout.root.joinpath("config.toml").write_text(settings, "utf-8")
    assert places(world_of(world.user_home, world.layout.root)) == ["rocket"]


def test_a_folder_that_is_left_out_is_not_read(world: World) -> None:
    world.layout.root.joinpath("config.toml").write_text('[learn]\nexclude = ["folder:~/private"]\n', "utf-8")
    world = world_of(world.user_home, world.layout.root)
    open_one, private = (Checkout(REPO, world.user_home / name) for name in ("rocket", "private"))
    assert readable_checkouts(world, (open_one, private)) == [open_one]


def test_of_many_checkouts_the_first_are_read() -> None:
    many = [Checkout(repo, Path(f"/srv/{number}")) for repo in ("orchard", "mill") for number in range(9)]
    assert [place.root.name for place in first_checkouts(many)] == ["0", "1", "2", "3"] * 2
