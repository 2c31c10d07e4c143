"""The memory as a tool for agents: what `model.memory_entry` describes, a function to call, and the MCP server's tool.

Called by the MCP server, and by `afterwit memory call` for the plugin of an agent. The user is fixed when the tool is
made, so that no agent can ask for the entries of somebody else; so is the agent, whose name its entries keep. What is
wrong with a call is raised as a `ToolError` or another of our errors; the text says what to do and is meant for the
agent.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from afterwit.config.world import World
from afterwit.extras.memory.api import Memory, info, memory
from afterwit.extras.memory.evaluate import evaluate
from afterwit.knowledge.shown_items import remembered
from afterwit.mcp.notes import notes
from afterwit.mcp.tool import Caller, Tool
from afterwit.model.errors import UsageError, did_you_mean
from afterwit.model.memory_entry import STORED_BY, TOOL_ACTIONS, TOOL_DESCRIPTION, TOOL_NAME, TOOL_SCHEMA, is_persons
from afterwit.redaction.shown import Shown

_EVALUATED_ENTRIES = (1_000,)


class ToolError(UsageError):
    """The arguments of a call are wrong."""


_TYPES: Mapping[str, tuple[type, str]] = {
    "key": (str, "a text"),
    "value": (str, "a text"),
    "text": (str, "a text"),
    "prefix": (str, "a text"),
    "metadata": (dict, "an object"),
    "limit": (int, "a whole number"),
}


class MemoryTool:
    def __init__(self, world: World, user: str | None = None, agent: str = "") -> None:
        self._world = world
        self._agent = f"agent {agent}".strip()  # no name that a client gives itself is that of a person
        self._user = user

    def call(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The result as JSON has it: an object."""
        _check(arguments)
        action = arguments["action"]
        if action == "info":
            return _plain(info(self._world, self._user))
        if action == "evaluate":
            return _plain(evaluate(self._world, sizes=_EVALUATED_ENTRIES))
        with memory(self._world, self._user) as mine:
            return _plain(_run_action(mine, action, arguments, self._agent))


def _run_action(mine: Memory, action: str, arguments: Mapping[str, Any], agent: str) -> Any:
    match action:
        case "store":
            return mine.store(arguments["key"], arguments["value"], {**arguments.get("metadata", {}), STORED_BY: agent})
        case "retrieve":
            return mine.retrieve(arguments["key"])
        case "query":
            return mine.query(arguments["text"], arguments.get("limit", 10))
        case "list":
            return mine.keys(arguments.get("prefix", ""))
        case _:
            return mine.delete(arguments["key"])


def _check(arguments: Mapping[str, Any]) -> None:
    action = arguments.get("action")
    if not isinstance(action, str) or action not in TOOL_ACTIONS:
        raise ToolError(f"`action` must be one of {', '.join(TOOL_ACTIONS)}; it is {action!r}.")
    needed, optional = TOOL_ACTIONS[action]
    for name in needed:
        if name not in arguments:
            raise ToolError(f"`{action}` needs `{name}`. Give it {_TYPES[name][1]}.")
    for name, value in arguments.items():
        if name != "action":
            _check_argument(action, name, value, (*needed, *optional))


def _check_argument(action: str, name: str, value: Any, names: tuple[str, ...]) -> None:
    if name not in names:
        takes = f"It takes {', '.join(f'`{name}`' for name in names)}." if names else "It takes nothing else."
        raise ToolError(f"`{action}` does not take `{name}`. " + (did_you_mean(name, names, "`{}`".format) or takes))
    kind, words = _TYPES[name]
    if not isinstance(value, kind) or isinstance(value, bool):
        raise ToolError(f"`{name}` must be {words}; it is {type(value).__name__}.")


def _plain(result: Any) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(result)
    return plain


_OF_INFO = ("backend", "source", "privacy", "unsupported")  # words of ours
_LONGEST = 24_000  # the longest value there can be, and what stands around it


def _run(caller: Caller, arguments: Mapping[str, Any]) -> Shown:
    return answer(caller.world, arguments, caller.agent)


def answer(world: World, arguments: Mapping[str, Any], agent: str) -> Shown:
    """What the model reads: the result as JSON, between the markers."""
    result = MemoryTool(world, agent=agent).call(arguments)
    own = _OF_INFO if arguments["action"] == "info" else ()
    return notes(remembered(result, is_persons, own), _LONGEST)


MEMORY = Tool(
    name=TOOL_NAME,
    title="User memory",
    description=TOOL_DESCRIPTION,
    properties=TOOL_SCHEMA["properties"],
    needed=tuple(TOOL_SCHEMA["required"]),
    run=_run,
    changes=True,
    destroys=True,
    is_everywhere=True,
    checks_itself=True,
)

TOOLS = (MEMORY,)
