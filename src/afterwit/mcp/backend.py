"""Where tools are called and resources read: the store behind the server.

The server loads this module when it is needed, and a tool's own module when that is called. Each call sees the
settings, the clock and the store as they are then. An error of ours is the answer of a tool, in words for the model: a
store that is missing, busy or damaged, a configuration that cannot be used, a wrong argument.

Items are resources too, `afterwit://item/<id>`. Clients ask for the list unasked and may show it to a model. So it
names items and does not tell them: what an item says is given when it is read, and noted then.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any

import apsw

from afterwit.agents.registry import AGENTS
from afterwit.config.extras import extras
from afterwit.config.world import World
from afterwit.knowledge.door.list import find_item
from afterwit.knowledge.door.listeners import listener_here
from afterwit.mcp.notes import repo_of, tell_by_id
from afterwit.mcp.server import PREFIX, Code, NoResourceError, RpcError
from afterwit.mcp.tool import Caller, Tool
from afterwit.model.errors import AfterwitError, UsageError
from afterwit.model.knowledge import Item
from afterwit.recall.recall import speaking_items
from afterwit.recall.situation import Situation, holding
from afterwit.redaction.shown import Shown, complaint, ours
from afterwit.store.store import readonly_database


def agent_of(client: str) -> str:
    """The agent as Afterwit names it: the longest name that occurs as whole words; "" where none does."""
    said = re.sub(r"[\s_]+", "-", client.strip().lower())
    names = [agent.name for agent in AGENTS if re.search(rf"(?<![a-z0-9]){re.escape(agent.name)}(?![a-z0-9])", said)]
    return max(names, key=len, default="")


OWN = {
    "recall": "afterwit.mcp.recall",
    "places": "afterwit.mcp.recall",
    "explain_item": "afterwit.mcp.items",
    "search_sessions": "afterwit.mcp.recall",
    "record_lesson": "afterwit.mcp.items",
    "report_item": "afterwit.mcp.items",
    "open_questions": "afterwit.mcp.recall",
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

    def resources(self, cursor: str, client: str) -> dict[str, Any]:
        """A page of items; an empty one where there is no store yet, because clients ask for it unasked."""
        with _protocol_errors():
            caller = self._caller(client)
            if not caller.world.layout.exists() or _is_left_out(caller):
                return {"resources": []}
            with readonly_database(caller.world.layout) as db:
                return list_resources(db, caller, cursor)

    def read(self, uri: str, client: str) -> list[dict[str, Any]]:
        with _protocol_errors():
            caller = self._caller(client)
            with readonly_database(caller.world.layout) as db:
                return read_resource(db, caller, uri)

    def _call(self, name: str, arguments: Mapping[str, Any], client: str) -> Shown:
        tool = tool_named(name)
        is_counted = name in _COUNTED
        if is_counted and self._writes >= MOST_WRITES:
            raise UsageError(f"This session has written {MOST_WRITES} lessons and reports. Leave it at that.")
        caller = self._caller(client)
        if not tool.is_everywhere and _is_left_out(caller, arguments):
            return ours(_LEFT_OUT)
        answer = tool.call(caller, arguments)
        self._writes += is_counted
        return answer

    def _caller(self, client: str) -> Caller:
        world = self._world()
        self._started_ms = self._started_ms or world.now_ms
        return Caller(world, agent_of(client), self._folder, self._run, self._started_ms)


def _is_left_out(caller: Caller, arguments: Mapping[str, Any] = MappingProxyType({})) -> bool:
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


@contextmanager
def _protocol_errors() -> Iterator[None]:
    """Resources have no errors of their own, so ours become those of the protocol."""
    try:
        yield
    except AfterwitError as error:
        raise RpcError(Code.INTERNAL, complaint(str(error))) from error


PAGE = 50


def list_resources(db: apsw.Connection, caller: Caller, cursor: str) -> dict[str, Any]:
    """A page of the items that hold here."""
    start = _start(cursor)
    situation = Situation(repo_of(db, caller, {}), caller.agent)
    here = holding(speaking_items(db, listener_here(db, caller.world), situation.scopes()), situation)
    page: dict[str, Any] = {"resources": [_resource(item) for item in here[start : start + PAGE]]}
    return page | ({"nextCursor": str(start + PAGE)} if start + PAGE < len(here) else {})


def read_resource(db: apsw.Connection, caller: Caller, uri: str) -> list[dict[str, Any]]:
    """The contents of a resource. Raises NoResourceError where there is none."""
    name = uri.removeprefix(PREFIX)
    if not uri.startswith(PREFIX) or not name.isalnum():
        raise NoResourceError(f"There is no resource {uri[:200]!r}. Notes are {PREFIX}<id>.")
    try:
        item = find_item(db, name, names_only=True)
    except UsageError as error:
        raise NoResourceError(str(error)) from error
    return [{"uri": f"{PREFIX}{item.id}", "mimeType": "text/plain", "text": tell_by_id(db, caller, item)}]


def _start(cursor: str) -> int:
    if cursor and not (cursor.isascii() and cursor.isdigit() and len(cursor) < 10):
        raise RpcError(Code.INVALID_PARAMS, "`cursor` is none that this server gave.")
    return int(cursor or 0)


def _resource(item: Item) -> dict[str, Any]:
    return {
        "uri": f"{PREFIX}{item.id}",
        "name": item.id,
        "title": f"{item.category} {item.id}",
        "mimeType": "text/plain",
    }
