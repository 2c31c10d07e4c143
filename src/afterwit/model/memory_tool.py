"""The memory as a tool for agents, as it is offered: a name, a description, the actions and a JSON schema.

Plain data, so that a server and a plugin of an agent can offer the same. The user is no argument: no agent can ask for
the entries of somebody else. What a call does is left to `memory.tool`.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from afterwit.model.memory_entry import LONGEST_KEY, LONGEST_VALUE, MOST_HITS

NAME = "memory"
DESCRIPTION = (
    "Remembers what the user prefers and what holds across sessions, as entries with a key. Store what the user asks to"
    " be remembered, under a short dotted key such as editor.indent; storing again replaces. Query with a few words"
    " before asking the user what they like. Never store passwords, tokens or other secrets."
)


class Action(NamedTuple):
    needed: tuple[str, ...]
    optional: tuple[str, ...] = ()


ACTIONS: Mapping[str, Action] = {
    "store": Action(("key", "value"), ("metadata",)),
    "retrieve": Action(("key",)),
    "query": Action(("text",), ("limit",)),
    "list": Action((), ("prefix",)),
    "delete": Action(("key",)),
    "info": Action(()),
    "evaluate": Action(()),
}
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "action": {"type": "string", "enum": list(ACTIONS), "description": "What to do."},
        "key": {
            "type": "string",
            "minLength": 1,
            "maxLength": LONGEST_KEY,
            "description": "For store, retrieve, delete.",
        },
        "value": {"type": "string", "minLength": 1, "maxLength": LONGEST_VALUE, "description": "For store: the text."},
        "metadata": {
            "type": "object",
            "additionalProperties": {"type": ["string", "number", "boolean", "null"]},
            "description": "For store: plain values to keep beside the text.",
        },
        "text": {"type": "string", "minLength": 1, "description": "For query: a few words."},
        "limit": {"type": "integer", "minimum": 1, "maximum": MOST_HITS, "description": "For query: at most so many."},
        "prefix": {"type": "string", "description": "For list: only keys that begin so."},
    },
    "required": ["action"],
    "additionalProperties": False,
}
