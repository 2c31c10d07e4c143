"""What a tool is: a name, words and a schema for the model, and a function that gives the text of its answer.

Arguments are checked against the schema before the function sees them. A wrong call is a `UsageError` whose text says
what to do, so that a model can mend it.

Clients keep some names for themselves among the parameters of every tool. OpenHands 1.16 makes a class of each tool: a
parameter named `kind`, or like some methods of the class, is an error, and other names hide a method. It also adds two
parameters of its own, Gemini CLI 0.61 one. No tool of ours may have such a parameter: a test compares. Those that are
added are not looked at in a call.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from afterwit.agents.registry import AGENTS
from afterwit.config.world import World
from afterwit.model.errors import UsageError, did_you_mean
from afterwit.redaction.shown import Shown

_ALL_ADDED = frozenset().union(*(client.reserved.added for client in AGENTS))


def without_added(arguments: Mapping[str, object]) -> dict[str, object]:
    """The arguments of a call without those that a client put in for itself."""
    return {name: value for name, value in arguments.items() if name not in _ALL_ADDED}


Schema = Mapping[str, Any]
_LONGEST_TEXT = 4_000


class Caller(NamedTuple):
    """Who calls, and where."""

    world: World
    agent: str  # as Afterwit names it; "" where the client is none that it knows
    folder: Path | None  # that the server runs in
    session: str  # one for each run of the server
    started_ms: int


class Tool(NamedTuple):
    """One tool."""

    name: str
    title: str
    description: str
    properties: Mapping[str, Schema]
    run: Callable[[Caller, Mapping[str, Any]], Shown]
    needed: tuple[str, ...] = ()
    changes: bool = False  # whether it writes anything
    destroys: bool = False  # whether it may take away what was there
    is_everywhere: bool = False  # whether it also answers in places that the user's settings leave out
    checks_itself: bool = False  # whether arguments go to `run` as they come

    def definition(self) -> dict[str, Any]:
        """As MCP lists a tool."""
        schema = {
            "type": "object",
            "properties": dict(self.properties),
            "required": list(self.needed),
            "additionalProperties": False,
        }
        hints = {"title": self.title, "readOnlyHint": not self.changes, "openWorldHint": False}
        if self.changes:
            hints |= {"destructiveHint": self.destroys, "idempotentHint": False}
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": schema,
            "annotations": hints,
        }

    def call(self, caller: Caller, arguments: Mapping[str, Any]) -> Shown:
        """The text of the answer."""
        arguments = without_added(arguments)
        if not self.checks_itself:
            self._check_all(arguments)
        return self.run(caller, arguments)

    def _check_all(self, arguments: Mapping[str, Any]) -> None:
        for name, value in arguments.items():
            self._check(name, value)
        for name in self.needed:
            if name not in arguments:
                raise UsageError(f"`{self.name}` needs `{name}`: {self.properties[name]['description']}")

    def _check(self, name: str, value: Any) -> None:
        if name not in self.properties:
            names = tuple(self.properties)
            advice = did_you_mean(name, names, "`{}`".format) or f"It takes {', '.join(names) or 'nothing'}."
            raise UsageError(f"`{self.name}` does not take `{name[:80]}`. {advice}")
        fault = _fault(value, self.properties[name])
        if fault:
            raise UsageError(f"`{name}` {fault}.")


def text(description: str, longest: int = _LONGEST_TEXT) -> Schema:
    return {"type": "string", "minLength": 1, "maxLength": longest, "description": description}


def texts(description: str, most: int) -> Schema:
    items = {"type": "string", "minLength": 1, "maxLength": 400}
    return {"type": "array", "items": items, "maxItems": most, "description": description}


def choice(description: str, values: tuple[str, ...]) -> Schema:
    return {"type": "string", "enum": list(values), "description": description}


def number(description: str, most: int) -> Schema:
    return {"type": "integer", "minimum": 1, "maximum": most, "description": description}


def _fault(value: Any, schema: Schema) -> str:
    """What is wrong with a value, in words; "" if nothing is."""
    match schema["type"]:
        case "integer":
            lowest, highest = schema["minimum"], schema["maximum"]
            is_whole = isinstance(value, int) and not isinstance(value, bool)
            return "" if is_whole and lowest <= value <= highest else f"must be a number from {lowest} to {highest}"
        case "array":
            return _list_fault(value, schema)
    if not isinstance(value, str):
        return f"must be a text; it is {type(value).__name__}"
    if "enum" in schema:
        return "" if value in schema["enum"] else f"must be one of {', '.join(schema['enum'])}"
    if not value.strip():
        return "must not be empty"
    return "" if len(value) <= schema["maxLength"] else f"has more than {schema['maxLength']} characters"


def _list_fault(value: Any, schema: Schema) -> str:
    if not isinstance(value, list) or len(value) > schema["maxItems"]:
        return f"must be a list of at most {schema['maxItems']} texts"
    faults = (_fault(item, schema["items"]) for item in value)
    return next((f"holds a text that {fault}" for fault in faults if fault), "")
