"""Where the settings leave a place out, the MCP server tells nothing and keeps nothing."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.mcp.conftest import text_of

from afterwit.config.world import World
from afterwit.mcp.backend import StoreBackend


def desk_with(world: World, *exclude: str, folder: str = "/srv/orchard") -> StoreBackend:
    learn = msgspec.structs.replace(world.settings.learn, exclude=exclude)
    other = world._replace(settings=msgspec.structs.replace(world.settings, learn=learn))
    return StoreBackend(lambda: other, Path(folder), "mcp-1")


@pytest.mark.parametrize("entry", ["folder:/srv/orchard", "repo:orchard", "agent:claude-code"])
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("recall", {"task": "test the press"}),
        ("search_sessions", {"query": "apples"}),
        ("record_lesson", {"lesson": "Press the apples at night."}),
    ],
)
def test_tools_say_that_the_place_is_left_out(world: World, entry: str, tool: str, arguments: dict[str, Any]) -> None:
    answer = desk_with(world, entry).call(tool, arguments, "claude-code")
    assert "settings leave this folder or agent out" in text_of(answer)


@pytest.mark.parametrize("named", [{"folder": "/srv/orchard"}, {"repo": "orchard"}])
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [("recall", {"task": "test the press"}), ("record_lesson", {"lesson": "Press the apples at night."})],
)
def test_a_place_that_is_left_out_is_so_for_an_agent_that_names_it_from_elsewhere(
    world: World, tool: str, arguments: dict[str, Any], named: dict[str, str]
) -> None:
    desk = desk_with(world, "repo:orchard", folder="/srv/harbour")
    answer = desk.call(tool, arguments | named, "claude-code")
    assert "settings leave this folder or agent out" in text_of(answer)


def test_other_places_are_answered(world: World) -> None:
    answer = desk_with(world, "repo:harbour").call("recall", {"task": "test the press"}, "claude-code")
    assert "leave this folder or agent out" not in text_of(answer)
