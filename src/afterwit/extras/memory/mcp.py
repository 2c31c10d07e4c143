"""`memory`: what the user prefers, across sessions. What it does stands in `extras.memory.tool`."""

from collections.abc import Mapping
from typing import Any

from afterwit.config.world import World
from afterwit.extras.memory.tool import MemoryTool
from afterwit.knowledge.shown_items import remembered
from afterwit.mcp.notes import notes
from afterwit.mcp.tool import Caller, Tool
from afterwit.model.memory_entry import TOOL_DESCRIPTION, TOOL_NAME, TOOL_SCHEMA, is_persons
from afterwit.redaction.shown import Shown

_LONGEST = 24_000  # the longest value there can be, and what stands around it


def memory(caller: Caller, arguments: Mapping[str, Any]) -> Shown:
    return answer(caller.world, arguments, caller.agent)


def answer(world: World, arguments: Mapping[str, Any], agent: str) -> Shown:
    """What the model reads: the result as JSON, between the markers."""
    result = MemoryTool(world, agent=agent).call(arguments)
    return notes(remembered(result, is_persons), _LONGEST)


MEMORY = Tool(
    name=TOOL_NAME,
    title="User memory",
    description=TOOL_DESCRIPTION,
    properties=TOOL_SCHEMA["properties"],
    needed=tuple(TOOL_SCHEMA["required"]),
    run=memory,
    changes=True,
    destroys=True,
    is_everywhere=True,
    checks_itself=True,
)

TOOLS = (MEMORY,)
