"""Prompts and calls of Kimi, with keys that are equal in a session's wire and in all of its contexts.

The files tell one story in two forms, and contexts are copied when they are rotated. None of their records has an id
that they share, and call ids such as `Bash:2` are short. So the key of a prompt is its text, the key of a call its id
and arguments, each with how often it came.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from afterwit.agents import fields
from afterwit.agents.kimi.outcomes import texts_of
from afterwit.agents.memory import Memory, mark
from afterwit.agents.places import Place
from afterwit.model.kinds import EventKind
from afterwit.model.readings import Reading

_INJECTED = re.compile(r"\s*<(?:system|system-reminder|notification|hook_result)\b")
_COMPACTED = re.compile(r"\s*<system>Previous context has been compacted")


def prompted(content: Any, place: Place, memory: Memory, *, is_child: bool) -> Iterator[Reading]:
    """What stands in the role of the user: typed by a person, or put there by the client."""
    texts = texts_of(content)
    text = "\n".join(texts)
    if not text.strip():
        return
    if _COMPACTED.match(text):
        yield place.said(EventKind.COMPACTION, "\n".join(texts[1:]) or text, f"{place.session}:compaction:{mark(text)}")
        return
    kind = EventKind.NOTICE if is_child or _INJECTED.match(text) else EventKind.PROMPT
    name = mark(text)
    yield place.said(kind, text, f"{place.session}:{kind}:{name}:{memory.nth(place.session, kind, name)}")


def called(call: Mapping[str, Any], place: Place, memory: Memory) -> Iterator[Reading]:
    """A tool call, as both forms write it: `{id, function: {name, arguments}}`."""
    function, call_id = fields.mapping(call, "function"), fields.plain_id(call, "id")
    if not call_id:
        yield place.problem("a call without an id")
        return
    arguments = fields.arguments(function.get("arguments"))
    name = f"{call_id}:{mark(repr(arguments))}"
    key = f"{place.session}:call:{name}:{memory.nth(place.session, 'call', name)}"
    yield place.call(key, call_id, fields.text(function, "name"), arguments)


def replied(part: Mapping[str, Any], place: Place) -> Iterator[Reading]:
    """A part of what the model said."""
    thought = fields.text(part, "think")
    if thought:
        yield place.said(EventKind.THOUGHT, thought)
    elif texts := texts_of([part]):
        yield place.said(EventKind.REPLY, "\n".join(texts))
