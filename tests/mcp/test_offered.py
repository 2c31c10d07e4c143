"""The tools as clients see them."""

import json

from afterwit.mcp.desk import TOOLS, tool_named
from afterwit.mcp.offered import offered


def test_the_file_says_what_the_tools_say() -> None:
    """If not: `python -m tests.mcp.write_offered`."""
    assert offered() == json.loads(json.dumps([tool_named(name).definition() for name in TOOLS]))


def test_every_tool_says_what_it_takes_and_whether_it_writes() -> None:
    tools = {tool["name"]: tool for tool in offered()}
    assert [name for name, tool in tools.items() if not tool["annotations"]["readOnlyHint"]] == [
        "record_lesson",
        "report_item",
        "memory",
    ]
    for tool in tools.values():
        schema = tool["inputSchema"]
        assert schema["additionalProperties"] is False
        assert set(schema["required"]) <= set(schema["properties"])
        assert all(one["description"] for one in schema["properties"].values())


def test_the_list_costs_a_model_little() -> None:
    assert len(json.dumps(offered())) < 8_000
