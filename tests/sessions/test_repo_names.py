"""A repository that nobody knows is refused everywhere in the same words, with the nearest that are known."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.homes import learned, world_of
from tests.knowledge_home import learnable_home

from afterwit.config.world import World
from afterwit.engine.curation.files import export
from afterwit.engine.curation.undo import ForgetRequest, forget
from afterwit.knowledge.door.list import ItemFilter, listed, searched
from afterwit.model.errors import UsageError
from afterwit.recall.recall import recalled
from afterwit.sessions import filters as repo_names
from afterwit.sessions.filters import Filter, fits_repo, known_repo
from afterwit.sessions.list import Order, list_sessions


@pytest.fixture
def world(tmp_path: Path) -> World:
    learned(learnable_home(tmp_path / "home"), tmp_path / "store")
    return world_of(tmp_path / "home", tmp_path / "store")


ASKED: dict[str, Callable[[World, str], object]] = {
    "add": known_repo,
    "list": lambda world, name: listed(world, ItemFilter(repos=(name,))),
    "search": lambda world, name: searched(world, "make", ItemFilter(repos=(name,))),
    "export": lambda world, name: export(world, world.layout.root / "out", ItemFilter(repos=(name,))),
    "forget": lambda world, name: forget(world, ForgetRequest(repo=name), lambda _: True),
    "recall": lambda world, name: recalled(world, world.user_home, name, "", "", None),
    "sessions": lambda world, name: list_sessions(world, Filter(repos=(name,)), Order.START, 0),
}


@pytest.mark.parametrize("asked", ASKED)
def test_an_unknown_repository_is_refused_with_the_nearest(world: World, asked: str) -> None:
    with pytest.raises(UsageError) as refused:
        ASKED[asked](world, "orchad")
    assert str(refused.value) == ("No repository 'orchad'. Did you mean orchard? `afterwit sessions repos` shows all.")


def test_where_nothing_is_near_the_few_there_are_are_named(world: World) -> None:
    with pytest.raises(UsageError, match=r"No repository 'x9'\. Known: orchard\."):
        known_repo(world, "x9")


def test_a_pattern_that_fits_nothing_is_refused(world: World) -> None:
    assert listed(world, ItemFilter(repos=("orch*",))).total == 1
    with pytest.raises(UsageError, match=r"No repository 'harb\*'"):
        listed(world, ItemFilter(repos=("harb*",)))


def test_capital_letters_do_not_matter(world: World) -> None:
    assert known_repo(world, "Orchard") == "orchard"


def test_of_two_names_that_differ_in_capital_letters_the_one_that_is_written_so_is_meant(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repo_names, "known_repos", lambda _: ["Orchard", "orchard"])
    assert [known_repo(world, name) for name in ("orchard", "Orchard")] == ["orchard", "Orchard"]
    with pytest.raises(UsageError, match="Several repositories are called 'ORCHARD'"):
        known_repo(world, "ORCHARD")


def test_a_pattern_means_the_whole_name_or_its_last_part() -> None:
    assert fits_repo("example.org/acme/orchard", ("orch*",))
    assert fits_repo("example.org/acme/orchard", ("example.org/*",))
    assert not fits_repo("example.org/acme/orchard", ("acme",))
