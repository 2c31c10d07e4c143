"""Where tools are called: the store behind the server.

The server loads this module when it is needed, and a tool's own module when that is called. Each call sees the
settings, the clock and the store as they are then. An error of ours is the answer of a tool, in words for the model: a
store that is missing, busy or damaged, a configuration that cannot be used, a wrong argument.
"""

import re
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from afterwit.agents.registry import AGENTS
from afterwit.config.extras import extras
from afterwit.config.world import World
from afterwit.mcp.server import Code, RpcError
from afterwit.mcp.tool import Caller, Tool
from afterwit.model.errors import AfterwitError, UsageError
from afterwit.redaction.shown import Shown, complaint, ours


def agent_of(client: str) -> str:
    """The agent as Afterwit names it: the longest name that occurs as whole words; "" where none does."""
    said = re.sub(r"[\s_]+", "-", client.strip().lower())
    names = [agent.name for agent in AGENTS if re.search(rf"(?<![a-z0-9]){re.escape(agent.name)}(?![a-z0-9])", said)]
    return max(names, key=len, default="")


OWN = {
    "recall": "afterwit.mcp.recall",
    "places": "afterwit.mcp.recall",
    "blame": "afterwit.mcp.recall",
    "explain_item": "afterwit.mcp.items",
    "search_sessions": "afterwit.mcp.recall",
    "record_lesson": "afterwit.mcp.items",
    "report_item": "afterwit.mcp.items",
    "reading_next": "afterwit.mcp.reading",
    "reading_answer": "afterwit.mcp.reading",
}
MOST_WRITES = 100  # lessons and reports of one run: an agent that goes in circles must not fill the journal
_COUNTED = ("record_lesson", "report_item")
_LEFT_OUT = "The user's settings leave this folder or agent out: nothing is told or kept here. Go on without."


class StoreBackend:
    """The store behind one run of the server."""

    def __init__(self, world: Callable[[], World], folder: Path | None, run: str) -> None:
        self._world = world
        self._folder = folder
        self._run = run
        self._started_ms = 0
        self._writes = 0

    def call(self, name: str, arguments: Mapping[str, Any], client: str) -> dict[str, Any]:
        """The result of a tool. A tool that is not there is an error of the protocol."""
        if name not in tool_modules():
            there = ", ".join(tool_modules())
            raise RpcError(Code.INVALID_PARAMS, f"There is no tool {name[:80]!r}. There are: {there}.")
        try:
            return _content(self._call(name, arguments, client))
        except AfterwitError as error:
            return _content(complaint(str(error))) | {"isError": True}
        except OSError as error:
            said = f"{error.strerror or error}: {error.filename or 'no file named'}."
            return _content(complaint(said)) | {"isError": True}

    def _call(self, name: str, arguments: Mapping[str, Any], client: str) -> Shown:
        tool = tool_named(name)
        is_counted = name in _COUNTED
        if is_counted and self._writes >= MOST_WRITES:
            raise UsageError(f"This session has written {MOST_WRITES} lessons and reports. Leave it at that.")
        world = self._world()
        self._started_ms = self._started_ms or world.now_ms
        caller = Caller(world, agent_of(client), self._folder, self._run, self._started_ms)
        if not tool.is_everywhere and _is_left_out(caller, arguments):
            return ours(_LEFT_OUT)
        answer = tool.call(caller, arguments)
        self._writes += is_counted
        return answer


def _is_left_out(caller: Caller, arguments: Mapping[str, Any]) -> bool:
    """Whether the user's settings leave out the place that the agent works in, or the one that it names."""
    if not caller.world.settings.learn.exclude:
        return False
    from afterwit.recall.recall import is_left_out

    folder, repo = arguments.get("folder"), arguments.get("repo")
    named = Path(folder).expanduser() if isinstance(folder, str) and folder else caller.folder
    return is_left_out(caller.world, named, caller.agent, repo if isinstance(repo, str) else "")


def tool_modules() -> dict[str, str]:
    """All tools, each with its module: ours, then those of extras."""
    return OWN | {name: module for extra in extras() for name, module in extra.tools.items()}


def tool_named(name: str) -> Tool:
    """One of those in `tool_modules`."""
    tools: tuple[Tool, ...] = import_module(tool_modules()[name]).TOOLS
    return next(tool for tool in tools if tool.name == name)


def _content(text: Shown) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}]}
