"""Which checkouts are looked at, and which of them may be read."""

from pathlib import Path

import pytest
from tests.homes import learned, world_of
from tests.measure.histories import Log
from tests.sources.checkouts import worked
from tests.sources.test_checkout import checkout, linked

from afterwit.capture.checkouts import (
    Checkout,
    checkouts,
    every_checkout,
    first_checkouts,
    git_checkouts,
    readable_checkouts,
)
from afterwit.config.world import World
from afterwit.store.store import open_store

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
    with open_store(world.layout) as store:
        return [place.root.name for place in every_checkout(store, world)]


def test_linked_work_trees_are_asked_beside_those_that_sessions_ran_in(world: World) -> None:
    with open_store(world.layout) as store:
        assert [place.root.name for place in checkouts(store, world)] == ["rocket"]
    assert places(world) == ["rocket", "branch"]


@pytest.mark.parametrize("settings", ["[repositories]\nread = false\n", f'[learn]\nexclude = ["repo:{REPO}"]\n'])
def test_where_nothing_may_be_read_no_work_tree_is_looked_for(world: World, settings: str) -> None:
    world.layout.root.joinpath("config.toml").write_text(settings, "utf-8")
    assert places(world_of(world.user_home, world.layout.root)) == ["rocket"]


@pytest.mark.parametrize(("name", "repo"), [("rocket", REPO), (REPO, REPO), ("sleigh", "sleigh")])
def test_settings_name_a_repository_by_the_last_part_of_its_name(world: World, name: str, repo: str) -> None:
    elsewhere = world.user_home / "elsewhere"
    elsewhere.mkdir()
    settings = f'[repositories.checkouts]\n"{name}" = "{elsewhere}"\n'
    world.layout.root.joinpath("config.toml").write_text(settings, "utf-8")
    with open_store(world.layout) as store:
        assert Checkout(repo, elsewhere) in checkouts(store, world_of(world.user_home, world.layout.root))


def test_a_folder_that_is_left_out_is_not_read(world: World) -> None:
    world.layout.root.joinpath("config.toml").write_text('[learn]\nexclude = ["folder:~/private"]\n', "utf-8")
    world = world_of(world.user_home, world.layout.root)
    open_one, private = (Checkout(REPO, world.user_home / name) for name in ("rocket", "private"))
    assert readable_checkouts(world, (open_one, private)) == [open_one]


def test_of_many_checkouts_the_first_are_read() -> None:
    many = [Checkout(repo, Path(f"/srv/{number}")) for repo in ("orchard", "mill") for number in range(9)]
    assert [place.root.name for place in first_checkouts(many)] == ["0", "1", "2", "3"] * 2


def _read_by_git(world: World) -> dict[str, tuple[str, str]]:
    with open_store(world.layout) as store:
        found = git_checkouts(store, world)
    return {
        repo: (str(root.relative_to(world.user_home)), str(git_dir.relative_to(world.user_home)))
        for repo, root, git_dir in found
    }


def test_git_reads_the_top_of_a_checkout_and_no_folder_inside(tmp_path: Path) -> None:
    home = tmp_path / "home"
    place = worked(home / "orchard")
    place.commit({"field/ladder.py": "rungs"}, "Plant")
    Log(0, 0, str(place.root / "field")).prompt("Count the rungs").edit("ladder.py").put(home)
    learned(home, tmp_path / "store")
    assert _read_by_git(world_of(home, tmp_path / "store")) == {}
    Log(1, 99, str(place.root)).prompt("Count the rungs").edit("field/ladder.py").put(home)
    learned(home, tmp_path / "store")
    assert _read_by_git(world_of(home, tmp_path / "store")) == {"orchard": ("orchard", "orchard/.git")}


def test_git_reads_a_linked_work_tree_as_it_is(tmp_path: Path) -> None:
    home = tmp_path / "home"
    place = worked(home / "orchard")
    place.commit({"press.py": "quince"}, "Plant")
    place.git("worktree", "add", "-q", "-b", "mill", str(home / "mill"))
    Log(0, 0, str(home / "mill")).prompt("Turn the mill").edit("press.py").put(home)
    learned(home, tmp_path / "store")
    ((root, git_dir),) = _read_by_git(world_of(home, tmp_path / "store")).values()
    assert (root, git_dir) == ("mill", "orchard/.git/worktrees/mill")


def test_a_checkout_of_the_settings_comes_before_those_of_sessions(tmp_path: Path) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    for name in ("orchard", "grove"):
        worked(home / name).commit({"press.py": "quince"}, "Plant")
    Log(0, 0, str(home / "orchard")).prompt("Turn the press").edit("press.py").put(home)
    store.mkdir()
    (store / "config.toml").write_text(f'[repositories.checkouts]\norchard = "{home / "grove"}"\n', "utf-8")
    learned(home, store)
    assert _read_by_git(world_of(home, store)) == {"orchard": ("grove", "grove/.git")}
