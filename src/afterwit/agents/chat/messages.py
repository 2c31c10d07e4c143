"""The parts of a chat message, read from whatever shape they have.

Takes decoded JSON and never raises: what has an unusable shape comes back empty. Pictures become "[image]", and so do
base64 data URLs inside of texts. Knows the dialects of OpenAI (chat completions, responses, the old `function_call`)
and Anthropic's names of token counts; leaves roles, sessions and order to the reader.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from afterwit.model.readings import Usage

_BLOB = re.compile(r"data:[\w.+-]{1,60}/[\w.+-]{1,60};base64,[A-Za-z0-9+/=_-]+")
_PLACEHOLDERS = {"image": "[image]", "audio": "[audio]", "file": "[file]", "video": "[video]"}
_MOST_TOKENS = 1 << 40


class ToolCall(NamedTuple):
    """A call as the message has it; `id` is "" where it has none."""

    id: str
    tool: str
    arguments: dict[str, Any]


def text_of(content: Any) -> str | None:
    """The text of a message's content, or None where it has no usable shape."""
    if isinstance(content, str):
        return _BLOB.sub("[image]", content) if ";base64," in content else content
    if isinstance(content, Mapping):
        return _part_text(content)
    if isinstance(content, list):
        texts = [text for part in content if (text := _part_text(part))]
        return "\n".join(texts)
    return "" if content is None else None


def calls_of(message: Mapping[str, Any]) -> list[ToolCall]:
    """The tool calls that an assistant's message asks for."""
    calls = [_call(each, each) for each in _list(message.get("tool_calls")) if isinstance(each, Mapping)]
    old = message.get("function_call")
    if isinstance(old, Mapping):
        calls.append(_call({}, old))
    return [call for call in calls if call.tool]


def reasoning_of(message: Mapping[str, Any]) -> str:
    """What the model thought, where the log has it in the clear."""
    for name in ("reasoning", "reasoning_content"):
        text = text_of(message.get(name))
        if text and text.strip():
            return text
    return ""


def usage_of(usage: Any) -> Usage | None:
    """The tokens of one response. OpenAI counts cached tokens as part of the input, Anthropic does not."""
    if not isinstance(usage, Mapping):
        return None
    is_openai = "prompt_tokens" in usage or "input_tokens_details" in usage
    given = _tokens(usage, "prompt_tokens", "input_tokens")
    cached = _tokens(_detail(usage, "prompt_tokens_details", "input_tokens_details"), "cached_tokens")
    cached = cached or _tokens(usage, "cache_read_input_tokens", "cache_read_tokens")
    counted = Usage(
        input=max(given - cached, 0) if is_openai else given,
        cache_read=cached,
        cache_write=_tokens(usage, "cache_creation_input_tokens", "cache_write_tokens"),
        output=_tokens(usage, "completion_tokens", "output_tokens"),
        reasoning=_tokens(_detail(usage, "completion_tokens_details", "output_tokens_details"), "reasoning_tokens"),
    )
    return None if counted == Usage() else counted


def first_text(record: Mapping[str, Any], *names: str) -> str:
    """The first of these fields that holds text."""
    for name in names:
        value = record.get(name)
        if isinstance(value, str) and value.strip():
            return value
    return ""


def _part_text(part: Any) -> str:
    if isinstance(part, str):
        return text_of(part) or ""
    if not isinstance(part, Mapping):
        return ""
    kind = part.get("type")
    if isinstance(kind, str):
        for name, placeholder in _PLACEHOLDERS.items():
            if name in kind:
                return placeholder
    text = part.get("text", part.get("refusal"))
    return (text_of(text) or "") if isinstance(text, str) else ""


def _call(outer: Mapping[str, Any], inner: Mapping[str, Any]) -> ToolCall:
    function = inner.get("function")
    if not isinstance(function, Mapping):
        function = inner
    name = first_text(function, "name")
    return ToolCall(first_text(outer, "id", "call_id"), name, _arguments(function.get("arguments")))


def _arguments(value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    if value is None or value == "":
        return {}
    decoded = _decoded(value) if isinstance(value, str) else None
    return decoded if isinstance(decoded, dict) else {"raw": value}


def _list(value: Any) -> list[Any]:
    """A list, which a database export may hold as JSON text."""
    if isinstance(value, str):
        value = _decoded(value)
    return value if isinstance(value, list) else []


def _decoded(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None


def _detail(usage: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    for name in names:
        detail = usage.get(name)
        if isinstance(detail, Mapping):
            return detail
    return {}


def _tokens(counts: Mapping[str, Any], *names: str) -> int:
    for name in names:
        value = counts.get(name)
        if isinstance(value, str) and value.isdecimal() and len(value) < 16:
            value = int(value)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < _MOST_TOKENS:
            return int(value)
    return 0
