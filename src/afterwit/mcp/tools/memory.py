"""`memory`: what the user prefers, across sessions. What it does stands in `usecases.memory_tool`."""

import json
from collections.abc import Mapping
from typing import Any

from afterwit.knowledge.shown import Shown
from afterwit.knowledge.shown_items import remembered
from afterwit.mcp.quoting import notes
from afterwit.mcp.tool import Caller, Tool
from afterwit.memory.definition import DESCRIPTION, NAME, SCHEMA
from afterwit.usecases.memory_tool import MemoryTool
from afterwit.usecases.world import World

_LONGEST = 24_000  # the longest value there can be, and what stands around it


def memory(caller: Caller, arguments: Mapping[str, Any]) -> Shown:
    return answer(caller.world, arguments)


def answer(world: World, arguments: Mapping[str, Any]) -> Shown:
    """What the model reads: the result as JSON, between the markers."""
    result = MemoryTool(world).call(arguments)
    return notes(map(remembered, json.dumps(result, ensure_ascii=False, indent=1).splitlines()), _LONGEST)


TOOL = Tool(
    name=NAME,
    title="User memory",
    description=DESCRIPTION,
    properties=SCHEMA["properties"],
    needed=tuple(SCHEMA["required"]),
    run=memory,
    changes=True,
    destroys=True,
    checks_itself=True,
)
