"""What a call is: the tool's name as the agent uses it, and its arguments as a plain object."""

from typing import Any

import msgspec

from afterwit.agents.codex.records import Payload

_UNNAMED = {
    "image_generation_call": "image_generation",
    "local_shell_call": "local_shell",
    "tool_search_call": "tool_search",
    "web_search_call": "web_search",
}
_ARGUMENTS = msgspec.json.Decoder(dict[str, Any])


def tool_of(item: Payload) -> str:
    """The name, after its namespace if it has one: `mcp__server.tool`."""
    name = item.name or _UNNAMED.get(item.type or "", "?")
    return f"{item.namespace}.{name}" if item.namespace else name


def arguments_of(item: Payload) -> dict[str, Any]:
    match item.type:
        case "custom_tool_call":
            return item.input if isinstance(item.input, dict) else {"input": item.input or ""}
        case "local_shell_call" | "web_search_call":
            return _action(item)
        case "image_generation_call":
            return {"prompt": item.revised_prompt} if item.revised_prompt else {}
        case _:
            return _decoded(item.arguments)


def _action(item: Payload) -> dict[str, Any]:
    action = dict(item.action or {})
    if item.query and "query" not in action:
        action["query"] = item.query
    return action


def _decoded(arguments: str | dict[str, Any] | None) -> dict[str, Any]:
    """The object in a JSON string; {"raw": text} if there is none."""
    if isinstance(arguments, dict):
        return arguments
    if not arguments:
        return {}
    try:
        return _ARGUMENTS.decode(arguments)
    except (msgspec.DecodeError, RecursionError):
        return {"raw": arguments}
