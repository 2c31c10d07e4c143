"""The tool for agents: its schema says what it takes, and a wrong call is answered so that an agent can mend it."""

from pathlib import Path

import pytest
from tests.homes import world_of

from afterwit.config.world import World
from afterwit.extras.memory.api import memory
from afterwit.extras.memory.tool import MemoryTool, ToolError
from afterwit.model.memory_entry import TOOL_ACTIONS, TOOL_NAME, TOOL_SCHEMA, EntryError


@pytest.fixture
def world(tmp_path: Path) -> World:
    return world_of(tmp_path, tmp_path / "store", {"USER": "ada"})


@pytest.fixture
def tool(world: World) -> MemoryTool:
    return MemoryTool(world)


def test_the_schema_names_the_actions_and_what_they_take() -> None:
    schema = TOOL_SCHEMA
    assert TOOL_NAME == "memory"
    assert schema["required"] == ["action"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["action"]["enum"] == list(TOOL_ACTIONS)
    assert list(TOOL_ACTIONS) == ["store", "retrieve", "query", "list", "delete", "info", "evaluate"]
    named = {name for action in TOOL_ACTIONS.values() for name in (*action.needed, *action.optional)}
    assert named | {"action"} == set(schema["properties"])
    assert "user" not in schema["properties"]


def test_every_action_does_what_its_name_says(tool: MemoryTool) -> None:
    assert tool.call({"action": "store", "key": "shell", "value": "fish", "metadata": {"n": 1}}) == {
        "key": "shell",
        "is_waiting": False,
        "reason": "",
    }
    entry = tool.call({"action": "retrieve", "key": "shell"})["entry"]
    assert (entry["value"], entry["metadata"]) == ("fish", {"n": 1, "stored_by": "agent"})
    assert tool.call({"action": "query", "text": "fish", "limit": 1})["hits"][0]["entry"] == entry
    assert tool.call({"action": "list", "prefix": "s"})["keys"] == ["shell"]
    assert tool.call({"action": "info"})["backend"] == "local"
    assert tool.call({"action": "delete", "key": "shell"})["is_deleted"] is True
    assert tool.call({"action": "retrieve", "key": "shell"})["entry"] is None


def test_the_tool_of_one_user_does_not_reach_another(world: World, tool: MemoryTool) -> None:
    with memory(world, "grace") as hers:
        hers.store("shell", "zsh")
    assert tool.call({"action": "list"})["keys"] == []
    with pytest.raises(ToolError, match="does not take `user`"):
        tool.call({"action": "list", "user": "grace"})


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ({}, "`action` must be one of store, retrieve"),
        ({"action": "remember"}, "it is 'remember'"),
        ({"action": ["store"]}, "must be one of"),
        ({"action": "store", "key": "a"}, "`store` needs `value`. Give it a text"),
        ({"action": "store", "key": 1, "value": "x"}, "`key` must be a text; it is int"),
        ({"action": "query", "text": "x", "limit": True}, "`limit` must be a whole number"),
        ({"action": "query", "text": "x", "limits": 3}, "Did you mean `limit`"),
        ({"action": "retrieve", "key": "a", "value": "b"}, "does not take `value`"),
        ({"action": "info", "key": "a"}, "It takes nothing else"),
        ({"action": "store", "key": "a", "value": "x", "metadata": "y"}, "must be an object"),
    ],
)
def test_a_wrong_call_is_answered_with_what_to_do(tool: MemoryTool, arguments: dict[str, object], what: str) -> None:
    with pytest.raises(ToolError, match=what):
        tool.call(arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        {"action": "store", "key": "a", "value": "x" * 20_001},
        {"action": "query", "text": "x", "limit": 0},
        {"action": "store", "key": "a\nb", "value": "x"},
    ],
)
def test_what_cannot_be_kept_is_an_error_too(tool: MemoryTool, arguments: dict[str, object]) -> None:
    with pytest.raises(EntryError):
        tool.call(arguments)
