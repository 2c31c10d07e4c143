"""What is asked most takes the same work with ten times the sessions: counted in steps of SQLite."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.homes import world_of
from tests.store.planted_rows import plant
from tests.store.vm_steps import counted_steps

from afterwit.config.world import World
from afterwit.sessions.filters import Filter, find_repo
from afterwit.sessions.list import Order, list_sessions
from afterwit.store.database import transaction
from afterwit.store.store import open_store, readonly_database

FEW, MANY = 200, 2_000
MOST_GROWTH = 1.3


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> tuple[World, World]:
    """Stores with a few and with many sessions, in the same few repositories."""
    folder = tmp_path_factory.mktemp("growth")
    few, many = (_filled(folder, count) for count in (FEW, MANY))
    return few, many


def _filled(folder: Path, count: int) -> World:
    world = world_of(folder / f"home-{count}", folder / f"store-{count}")
    with open_store(world.layout) as store, transaction(store.db):
        for number in range(count):
            plant(store.db, f"{number:08x}-fig", f"{number}.jsonl")
        store.db.execute("UPDATE sessions SET started_ms = id * 1000, repo = 'orchard-' || (id % 5)")
    return world


def _list(world: World, **options: object) -> None:
    list_sessions(world, Filter(**options), Order.START, 20)  # type: ignore[arg-type]


def _find(world: World) -> None:
    with readonly_database(world.layout) as db:
        find_repo(db, "orchard-3", world.settings)


@pytest.mark.parametrize(
    "asked",
    [
        pytest.param(_list, id="list"),
        pytest.param(lambda world: _list(world, repos=("orchard-3",)), id="list of a repository"),
        pytest.param(
            lambda world: _list(world, since_ms=1_000 * (FEW - 50), until_ms=1_000 * FEW), id="list of a time"
        ),
        pytest.param(_find, id="a repository by its name"),
    ],
)
def test_the_work_does_not_grow_with_the_sessions(worlds: tuple[World, World], asked: Callable[[World], None]) -> None:
    steps = []
    for world in worlds:
        with counted_steps() as counted:
            asked(world)
        steps.append(counted.total)
    assert 0 < steps[1] <= MOST_GROWTH * steps[0]
