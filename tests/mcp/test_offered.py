"""The tools as clients see them."""

import json
from typing import Any

import pytest

from afterwit.agents.registry import AGENTS
from afterwit.mcp.backend import tool_modules, tool_named
from afterwit.mcp.server import offered_tools
from afterwit.mcp.tool import without_added


def test_the_file_says_what_the_tools_say() -> None:
    """If not: `python -m tests.mcp.write_offered`."""
    assert offered_tools() == json.loads(json.dumps([tool_named(name).definition() for name in tool_modules()]))


def test_every_tool_says_what_it_takes_and_whether_it_writes() -> None:
    tools = {tool["name"]: tool for tool in offered_tools()}
    assert [name for name, tool in tools.items() if not tool["annotations"]["readOnlyHint"]] == [
        "record_lesson",
        "report_item",
        "reading_next",
        "reading_answer",
        "memory",
    ]
    for tool in tools.values():
        schema = tool["inputSchema"]
        assert schema["additionalProperties"] is False
        assert set(schema["required"]) <= set(schema["properties"])
        assert all(one["description"] for one in schema["properties"].values())


def test_the_list_costs_a_model_little() -> None:
    assert len(json.dumps(offered_tools())) < 10_200


def reserve(parameter: str) -> list[str]:
    """The clients that keep this name for themselves."""
    kept = [(client.name, client.reserved) for client in AGENTS]
    return sorted(
        name for name, own in kept if parameter in own.added | own.taken or parameter.startswith(own.beginnings)
    )


@pytest.mark.parametrize("tool", offered_tools(), ids=lambda tool: str(tool["name"]))
def test_no_parameter_has_a_name_that_a_client_keeps_for_itself(tool: dict[str, Any]) -> None:
    reserved = {name: reserve(name) for name in tool["inputSchema"]["properties"]}
    assert {name: clients for name, clients in reserved.items() if clients} == {}


def test_names_that_clients_keep_for_themselves_are_known() -> None:
    names = ("kind", "summary", "model_config", "_private", "wait_for_previous", "query")
    assert [reserve(name) for name in names] == [*([["openhands"]] * 4), ["gemini"], []]


def test_what_a_client_adds_to_every_call_is_not_looked_at() -> None:
    added = {"wait_for_previous": True, "security_risk": "LOW", "summary": "Looks for the press"}
    assert without_added({"query": "press", **added}) == {"query": "press"}
