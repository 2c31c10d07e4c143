"""The parts of a message in Google's dialect: texts, thoughts, calls, responses, data.

Gemini CLI and Qwen Code share it. Takes decoded JSON of any shape and never raises. Data becomes a placeholder.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from afterwit.agents import fields


class Call(NamedTuple):
    id: str
    tool: str
    arguments: dict[str, Any]


class Response(NamedTuple):
    """What a tool gave back; `value` is the object that the model got."""

    id: str
    value: Mapping[str, Any]


class Parts(NamedTuple):
    """A message by kinds of parts, each in order."""

    texts: list[str]
    thoughts: list[str]
    calls: list[Call]
    responses: list[Response]

    @property
    def text(self) -> str:
        return "\n".join(self.texts)


def parts_of(content: Any) -> Parts:
    """Reads a content: a text, a part, or a list of both."""
    found = Parts([], [], [], [])
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, str):
            _take_text(found.texts, part)
        elif isinstance(part, dict):
            _take(found, part)
    return found


def _take(found: Parts, part: Mapping[str, Any]) -> None:
    if call := fields.mapping(part, "functionCall"):
        name = fields.text(call, "name")
        found.calls.append(Call(fields.plain_id(call, "id"), name, fields.arguments(call.get("args"))))
    elif response := fields.mapping(part, "functionResponse"):
        found.responses.append(Response(fields.plain_id(response, "id"), fields.mapping(response, "response")))
    elif text := fields.text(part, "text"):
        _take_text(found.thoughts if part.get("thought") else found.texts, text)
    elif data := fields.mapping(part, "inlineData") or fields.mapping(part, "fileData"):
        kind = fields.text(data, "mimeType").partition("/")[0]
        found.texts.append(f"[{kind}]" if kind in ("image", "audio", "video") else "[file]")


def _take_text(texts: list[str], text: str) -> None:
    if text.strip():
        texts.append(fields.without_blobs(text))
