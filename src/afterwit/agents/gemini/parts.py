"""The parts of a message in Google's dialect: texts, thoughts, calls, responses, data.

Gemini CLI and Qwen Code share it. Takes decoded JSON of any shape and never raises. Data becomes a placeholder.

How a tool call of Gemini CLI or Qwen Code ended, and its output without the client's frame. A command that exits with 2
has the status "success"; its exit code stands in the frame around the output (`unframed`), in newer versions only if it
is not 0. The frame is taken off: what is left is what the command printed.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from afterwit.agents import fields
from afterwit.agents.gemini import unframed
from afterwit.model.readings import Result

_DENIED = re.compile(
    r"User did not allow|User (?:denied|rejected|declined)|denied by policy|denied by (?:the )?(?:user|hook)"
    r"|requires user confirmation|requires permission|blocked by (?:a )?hook",
    re.IGNORECASE,
)
_HEAD_CHARS = 400


class GeminiOutcome(NamedTuple):
    """The output of a call, and what is said about its end."""

    text: str
    result: Result


def outcome_of(status: str, response: Mapping[str, Any], display: Any = None) -> GeminiOutcome:
    """The outcome of a call with this status and response; `display` is what the person saw of it."""
    error = fields.text(response, "error")
    text = error or fields.text(response, "output") or _shown(display) or _encoded(response)
    is_denied = status != "success" and _DENIED.search(text[:_HEAD_CHARS]) is not None
    text, stated = unframed(fields.without_blobs(text))
    exit_code = fields.exit_code({"code": stated}, "code")
    is_cancelled = status == "cancelled" and not is_denied
    is_error = {"success": bool(error), "error": True, "cancelled": True}.get(status, True if error else None)
    return GeminiOutcome(
        text, Result(is_error=is_error, exit_code=exit_code, is_denied=is_denied, is_cancelled=is_cancelled)
    )


def _shown(display: Any) -> str:
    if isinstance(display, dict):
        return fields.text(display, "fileDiff", "content", "text")
    return display if isinstance(display, str) else ""


def _encoded(response: Mapping[str, Any]) -> str:
    try:
        return msgspec.json.encode(response).decode() if response else ""
    except (RecursionError, msgspec.EncodeError):
        return ""


class GeminiCall(NamedTuple):
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
    calls: list[GeminiCall]
    responses: list[Response]

    @property
    def text(self) -> str:
        return "\n".join(self.texts)


def parts_of(content: Any) -> Parts:
    """Reads a content: a text, a part, or a list of both."""
    parts = Parts([], [], [], [])
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, str):
            _take_text(parts.texts, part)
        elif isinstance(part, dict):
            _take(parts, part)
    return parts


def _take(parts: Parts, part: Mapping[str, Any]) -> None:
    if call := fields.mapping(part, "functionCall"):
        name = fields.text(call, "name")
        parts.calls.append(GeminiCall(fields.plain_id(call, "id"), name, fields.arguments(call.get("args"))))
    elif response := fields.mapping(part, "functionResponse"):
        parts.responses.append(Response(fields.plain_id(response, "id"), fields.mapping(response, "response")))
    elif text := fields.text(part, "text"):
        _take_text(parts.thoughts if part.get("thought") else parts.texts, text)
    elif data := fields.mapping(part, "inlineData") or fields.mapping(part, "fileData"):
        kind = fields.text(data, "mimeType").partition("/")[0]
        parts.texts.append(f"[{kind}]" if kind in ("image", "audio", "video") else "[file]")


def _take_text(texts: list[str], text: str) -> None:
    if text.strip():
        texts.append(fields.without_blobs(text))
