"""A store that has learned from a few invented sessions, a checkout to stand in, and a desk and a server before it."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.homes import learned, world_of
from tests.measure.histories import HOUR_S, Log

from afterwit.config.world import World
from afterwit.knowledge.door.list import all_items, item_row
from afterwit.mcp.backend import StoreBackend
from afterwit.mcp.server import Server
from afterwit.measure.experiment import set_skipping
from afterwit.model.knowledge import Authority, Belief, Category, Channel, Item, ItemStatus
from afterwit.store.rows.items import put_item
from afterwit.store.store import open_store

ORCHARD = "/srv/orchard"
_UNKNOWN = "Exit code 2\nerror: unrecognized subcommand 'cargo'"

Call = Callable[..., str]


def wrong_wrapper(number: int) -> Log:
    """A wrapper before a program that it does not wrap, mended at once."""
    log = Log(number, number * HOUR_S).prompt(f"Press the apples of row {number}")
    log.shell("wrapit cargo test", _UNKNOWN, fails=True).shell("cargo test", "test result: ok. 12 passed")
    return log.edit("src/press.rs").shell("cargo test", "test result: ok. 12 passed")


@pytest.fixture(scope="session")
def learned_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("learned")
    for number in range(3):
        wrong_wrapper(number).put(folder / "home")
    learned(folder / "home", folder / "store")
    set_skipping(world_of(folder / "home", folder / "store"), 0.0, 0.0)
    return folder


@pytest.fixture
def world(learned_store: Path, tmp_path: Path) -> World:
    shutil.copytree(learned_store, tmp_path / "own")
    return world_of(tmp_path / "own" / "home", tmp_path / "own" / "store", {"USER": "ada"})


@pytest.fixture
def desk(world: World) -> StoreBackend:
    return StoreBackend(lambda: world, Path(ORCHARD), "mcp-1")


@pytest.fixture
def call(desk: StoreBackend) -> Call:
    """Calls a tool that is meant to answer, and gives its text."""

    def calls(name: str, **arguments: Any) -> str:
        result = desk.call(name, arguments, "claude-code")
        assert "isError" not in result, result
        return text_of(result)

    return calls


@pytest.fixture
def refused(desk: StoreBackend) -> Call:
    """Calls a tool that is meant to refuse, and gives its words."""

    def calls(name: str, **arguments: Any) -> str:
        result = desk.call(name, arguments, "claude-code")
        assert result.get("isError") is True, result
        return text_of(result)

    return calls


@pytest.fixture
def server(desk: StoreBackend) -> Server:
    return Server(lambda: desk)


def put_items(world: World, sentences: Sequence[str], *, categories: Sequence[Category] = (Category.FACT,)) -> None:
    """Active items of the orchard, as if they had been settled, with the categories in turn."""
    with open_store(world.layout) as store:
        pattern = next(iter(all_items(store.db)))
        for number, sentence in enumerate(sentences):
            item = Item(
                id=f"{number:012x}",
                harvester="invented",
                scope=pattern.scope,
                category=categories[number % len(categories)],
                sentence=sentence,
                status=ItemStatus.ACTIVE,
                authority=Authority.GUIDANCE,
                channel=Channel.OUTCOME,
                belief=Belief(9, 1),
                evidence=pattern.evidence * 20,
            )
            put_item(store.db, item_row(item), sentence)


def text_of(result: dict[str, Any]) -> str:
    (block,) = result["content"]
    assert block["type"] == "text"
    text: str = block["text"]
    return text
