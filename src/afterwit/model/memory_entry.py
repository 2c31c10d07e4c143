"""Entries: what a user or an agent wants to be remembered across sessions, under a key.

An entry belongs to one user. Its value is text, its metadata a flat table of plain values, its times are those of the
first and the latest write. The limits are such that every backend can keep every entry. The metadata `stored_by` say
who wrote it: only what a person stored at the command line is given to agents as it stands.

The memory as a tool for agents is described here too, so that a server and a plugin of an agent can offer the same: a
name, the actions and a JSON schema. The user is no argument. What a call does is left to `extras.memory.tool`.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from afterwit.model.errors import UsageError
from afterwit.model.text import regex

LONGEST_USER = 200
LONGEST_KEY = 200
LONGEST_VALUE = 20_000
MOST_METADATA = 50
LONGEST_METADATA = 2_000
MOST_HITS = 100

STORED_BY = "stored_by"  # a name of metadata
PERSON = "person"
Plain = str | int | float | bool | None
_CONTROL = regex(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_UNENCODABLE = regex("[\x00\ud800-\udfff]")
_LARGEST = 2**53  # beyond it, a number changes on its way through JSON


class EntryError(UsageError):
    """The entry itself cannot be kept by any backend: a key too long, a value with a NUL character …"""


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    key: str
    value: str
    metadata: dict[str, Plain] = msgspec.field(default_factory=dict)
    created_ms: int
    updated_ms: int


def is_persons(metadata: Mapping[str, Plain]) -> bool:
    """Whether a person stored the entry that has these, or stored it again."""
    return metadata.get(STORED_BY) == PERSON


class Write(msgspec.Struct, frozen=True, kw_only=True):
    """An entry on its way to a backend."""

    user: str
    key: str
    value: str
    metadata: dict[str, Plain] = msgspec.field(default_factory=dict)
    at_ms: int


class Hit(msgspec.Struct, frozen=True):
    """An answer to a query. Scores compare within one answer only; higher is better."""

    entry: Entry
    score: float


def check_write(write: Write) -> Write:
    """The same, if every backend can keep it; else EntryError."""
    check_user(write.user)
    check_key(write.key)
    if not write.value.strip():
        raise EntryError("The value is empty. Say what is to be remembered, or delete the key.")
    if len(write.value) > LONGEST_VALUE:
        raise EntryError(f"The value has {len(write.value):,} characters; {LONGEST_VALUE:,} is the most. Shorten it.")
    _check_text(write.value, "The value")
    _check_metadata(write.metadata)
    return write


def check_user(user: str) -> None:
    _check_name(user, "user", LONGEST_USER)


def check_key(key: str) -> None:
    _check_name(key, "key", LONGEST_KEY)


def check_limit(limit: int) -> None:
    if not 1 <= limit <= MOST_HITS:
        raise EntryError(f"The limit is {limit}; it must be 1 to {MOST_HITS}.")


def _check_name(name: str, what: str, longest: int) -> None:
    if not name or name != name.strip():
        raise EntryError(f"The {what} {name!r} is empty or has space at an end. Use a name such as editor.indent.")
    if len(name) > longest:
        raise EntryError(f"The {what} has {len(name)} characters; {longest} is the most. Shorten it.")
    if _CONTROL.search(name):
        raise EntryError(f"The {what} {name!r} has a control character or a line break. Remove it.")
    _check_text(name, f"The {what}")


def _check_text(text: str, what: str) -> None:
    if _UNENCODABLE.search(text):
        raise EntryError(f"{what} has a NUL or half a character (a lone surrogate). Remove it.")


def _check_metadata(metadata: Mapping[str, Plain]) -> None:
    if len(metadata) > MOST_METADATA:
        raise EntryError(f"There are {len(metadata)} metadata; {MOST_METADATA} is the most.")
    for name, value in metadata.items():
        _check_name(name, "name of metadata", LONGEST_KEY)
        if isinstance(value, str):
            _check_text(value, f"The metadata {name!r}")
            if len(value) > LONGEST_METADATA:
                raise EntryError(f"The metadata {name!r} has more than {LONGEST_METADATA:,} characters. Shorten it.")
        elif isinstance(value, float):
            if not -_LARGEST <= value <= _LARGEST:
                raise EntryError(f"The metadata {name!r} is not a number that JSON can hold.")
        elif isinstance(value, int) and abs(value) > _LARGEST:
            raise EntryError(f"The metadata {name!r} is too large a number. Store it as text.")
        elif value is not None and not isinstance(value, int):
            raise EntryError(f"The metadata {name!r} is not a text, a number, true, false or null.")


TOOL_NAME = "memory"
TOOL_DESCRIPTION = (
    "Remembers what the user prefers and what holds across sessions, as entries with a key. Store what the user asks to"
    " be remembered, under a short dotted key such as editor.indent; storing again replaces. Query with a few words"
    " before asking the user what they like. Never store passwords, tokens or other secrets."
)


class ToolAction(NamedTuple):
    needed: tuple[str, ...]
    optional: tuple[str, ...] = ()


TOOL_ACTIONS: Mapping[str, ToolAction] = {
    "store": ToolAction(("key", "value"), ("metadata",)),
    "retrieve": ToolAction(("key",)),
    "query": ToolAction(("text",), ("limit",)),
    "list": ToolAction((), ("prefix",)),
    "delete": ToolAction(("key",)),
    "info": ToolAction(()),
    "evaluate": ToolAction(()),
}
TOOL_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "action": {"type": "string", "enum": list(TOOL_ACTIONS), "description": "What to do."},
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
