"""A template as messages: a task, calls with their results in pairs, and a closing word, in four wire formats.

OpenAI's chat completions and responses, Anthropic's messages, Gemini's contents. The messages begin with the user's
turn and end with the model's, so that whatever the caller's list goes on with, roles alternate as the strictest of the
four wants it; each call is followed by its one result, and ids are unique and say that they are ours. A provider takes
calls of tools only beside a list of tools that it is offered: that is the caller's. Pure.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any

from afterwit.model.templates import Template, ToolExample
from afterwit.model.text import regex
from afterwit.redaction.markers import marked

Message = dict[str, Any]

_NOT_IN_NAMES = regex(r"[^A-Za-z0-9_-]+")
_LONGEST_TOOL = 64  # characters that all providers take
_SYSTEM = ("system", "developer")
_ASKED = (
    "This is an example from an earlier session, not a part of the present task: how a task of this kind was done, by"
    " calls that worked. Dead ends are left out, and long texts are cut. The task was: {task}"
)
_DONE = "That is how the earlier session did it. The example ends here."
_SILENT = "(no output)"


class WireFormat(StrEnum):
    """How messages for a model are written down."""

    CHAT = "chat"  # OpenAI chat completions, and the many that speak it
    RESPONSES = "responses"  # OpenAI responses
    ANTHROPIC = "anthropic"  # Anthropic messages
    GEMINI = "gemini"  # Gemini contents


def template_messages(template: Template, wire: WireFormat | str = WireFormat.CHAT) -> list[Message]:
    """The example as messages, to be put before those of a session."""
    write = {
        WireFormat.CHAT: _chat,
        WireFormat.RESPONSES: _responses,
        WireFormat.ANTHROPIC: _anthropic,
        WireFormat.GEMINI: _gemini,
    }[WireFormat(wire)]
    asked = marked(_ASKED.format(task=template.task or template.description))
    return list(write(template, asked))


def seeded(
    messages: Sequence[Mapping[str, Any]], template: Template, wire: WireFormat | str = WireFormat.CHAT
) -> list[Message]:
    """The messages of a session with the example after the system messages that they begin with. A list that holds an
    example already stays as it is: one is enough, and a second would be taken for the session's own work."""
    own = [dict(message) for message in messages]
    if any(_ID in json.dumps(message, default=str) for message in own):
        return own
    at = next((place for place, message in enumerate(own) if message.get("role") not in _SYSTEM), len(own))
    return [*own[:at], *template_messages(template, wire), *own[at:]]


_ID = "afterwit_example_"


def _id(template: Template, number: int) -> str:
    return f"{_ID}{template.id}_{number}"


def _tool(example: ToolExample) -> str:
    name = _NOT_IN_NAMES.sub("_", example.tool)[:_LONGEST_TOOL].strip("_")
    return name if name[:1].isalpha() else f"tool_{name}"[:_LONGEST_TOOL].rstrip("_")


def _output(example: ToolExample) -> str:
    return example.result or _SILENT


def _encode(example: ToolExample) -> str:
    return json.dumps(example.arguments, ensure_ascii=False)


def _chat(template: Template, asked: str) -> Iterator[Message]:
    yield {"role": "user", "content": asked}
    for number, example in enumerate(template.examples):
        name = f"call_{_id(template, number)}"
        function = {"name": _tool(example), "arguments": _encode(example)}
        call = {"id": name, "type": "function", "function": function}
        yield {"role": "assistant", "content": None, "tool_calls": [call]}
        yield {"role": "tool", "tool_call_id": name, "content": _output(example)}
    yield {"role": "assistant", "content": _DONE}


def _responses(template: Template, asked: str) -> Iterator[Message]:
    yield {"type": "message", "role": "user", "content": [{"type": "input_text", "text": asked}]}
    for number, example in enumerate(template.examples):
        name = f"call_{_id(template, number)}"
        yield {"type": "function_call", "call_id": name, "name": _tool(example), "arguments": _encode(example)}
        yield {"type": "function_call_output", "call_id": name, "output": _output(example)}
    yield {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": _DONE}]}


def _anthropic(template: Template, asked: str) -> Iterator[Message]:
    yield {"role": "user", "content": asked}
    for number, example in enumerate(template.examples):
        name = f"toolu_{_id(template, number)}"
        use = {"type": "tool_use", "id": name, "name": _tool(example), "input": example.arguments}
        result = {"type": "tool_result", "tool_use_id": name, "content": _output(example)}
        yield {"role": "assistant", "content": [use]}
        yield {"role": "user", "content": [result]}
    yield {"role": "assistant", "content": [{"type": "text", "text": _DONE}]}


def _gemini(template: Template, asked: str) -> Iterator[Message]:
    yield {"role": "user", "parts": [{"text": asked}]}
    for number, example in enumerate(template.examples):
        name = _id(template, number)
        call = {"id": name, "name": _tool(example), "args": example.arguments}
        result = {"id": name, "name": _tool(example), "response": {"output": _output(example)}}
        yield {"role": "model", "parts": [{"functionCall": call}]}
        yield {"role": "user", "parts": [{"functionResponse": result}]}
    yield {"role": "model", "parts": [{"text": _DONE}]}
