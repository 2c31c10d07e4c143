"""The parts of a chat message, read from whatever shape they have.

Takes decoded JSON and never raises: what has an unusable shape comes back empty. Pictures become "[image]", and so do
base64 data URLs inside of texts. Knows the dialects of OpenAI (chat completions, responses, the old `function_call`)
and Anthropic's names of token counts; leaves roles, sessions and order to the reader.

What the output of a tool says about how its call ended. Chat logs have no error flag. The output is often the text of a
JSON object, and that may say it: a non-empty `error`, `success`, `status`, an exit code. Where nothing is said,
`is_error` is None; a number other than 0 alone does not decide it, because for some programs that is an answer. An
object that is a mere frame around its output is taken off. That a person refused is taken from the field of such an
object alone, and only of tools that do not write it themselves (`own_tools`): any other output can say so too.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from afterwit.agents import fields
from afterwit.model.readings import Result, Usage

_FRAME = frozenset(
    [
        *("output", "stdout", "stderr", "error", "success", "status"),
        *("exit_code", "returncode", "return_code", "duration_ms", "duration_seconds"),
    ]
)
_FAILED = frozenset(["error", "failed", "failure", "timeout"])
_FINE = frozenset(["success", "succeeded", "ok"])
_DENIED = frozenset(["denied", "rejected", "blocked", "not_approved"])
_CANCELLED = frozenset(["cancelled", "canceled", "interrupted", "aborted"])
_RUNNING = frozenset(["running", "background", "in_progress"])
_HEAD = 300
_CANCELLED_WORDS = re.compile(
    r"\b(?:cancell?ed|interrupted|aborted) by (?:the )?user\b|\buser (?:cancell?ed|interrupted|aborted)\b"
    r"|\[command interrupted\]|\btool (?:call|execution) (?:was )?(?:cancell?ed|skipped)\b",
    re.IGNORECASE,
)
_PLACEHOLDERS = {"image": "[image]", "audio": "[audio]", "file": "[file]", "video": "[video]"}
_MOST_TOKENS = 1 << 40


class ChatOutcome(NamedTuple):
    """The output without its frame, and what it says."""

    text: str
    result: Result


def outcome_of(text: str) -> ChatOutcome:
    """Reads the output of one call."""
    said = _object(text)
    if said is None:
        return ChatOutcome(text, Result(is_cancelled=_is_cancelled(text)))
    status = said.get("status")
    status = status.lower() if isinstance(status, str) else ""
    error = _error_text(said.get("error"))
    result = Result(
        is_error=_is_error(said, status, error),
        exit_code=_whole(said, "exit_code", "returncode", "return_code"),
        is_denied=status in _DENIED,
        is_worded=status in _DENIED,
        is_cancelled=status in _CANCELLED or _is_cancelled(error),
        is_running=status in _RUNNING,
        duration_ms=_duration_ms(said),
    )
    return ChatOutcome(_unframed(said, error) or text, result)


def _object(text: str) -> Mapping[str, Any] | None:
    value = fields.decoded_text(text) if text.lstrip().startswith("{") else None
    return value if isinstance(value, dict) else None


def _is_error(said: Mapping[str, Any], status: str, error: str) -> bool | None:
    if error or said.get("success") is False or status in _FAILED:
        return True
    if said.get("success") is True or status in _FINE:
        return False
    return None


def _error_text(error: Any) -> str:
    if isinstance(error, str):
        return error.strip()
    if isinstance(error, Mapping) and isinstance(error.get("message"), str):
        return str(error["message"])
    return "error" if error else ""


def _unframed(said: Mapping[str, Any], error: str) -> str:
    """The output alone, if the object holds nothing else worth keeping."""
    if not _FRAME.issuperset(said):
        return ""
    parts = [said.get(name) for name in ("output", "stdout", "stderr")]
    texts = [part for part in parts if isinstance(part, str) and part]
    return "\n".join([*texts, error] if isinstance(said.get("error"), str) and error else texts)


def _whole(said: Mapping[str, Any], *names: str) -> int | None:
    for name in names:
        value = said.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 32:
            return value
    return None


def _duration_ms(said: Mapping[str, Any]) -> int | None:
    for name, factor in (("duration_ms", 1), ("duration_seconds", 1000)):
        value = said.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e9:
            return round(value * factor)
    return None


def _is_cancelled(text: str) -> bool:
    return _CANCELLED_WORDS.search(text[:_HEAD]) is not None


class ToolCall(NamedTuple):
    """A call as the message has it; `id` is "" where it has none."""

    id: str
    tool: str
    arguments: dict[str, Any]


def text_of(content: Any) -> str | None:
    """The text of a message's content, or None where it has no usable shape."""
    if isinstance(content, str):
        return fields.without_blobs(content)
    if isinstance(content, Mapping):
        return _part_text(content)
    if isinstance(content, list):
        return fields.joined(text for part in content if (text := _part_text(part)))
    return "" if content is None else None


def calls_of(message: Mapping[str, Any]) -> list[ToolCall]:
    """The tool calls that an assistant's message asks for."""
    calls = [_call(stated, stated) for stated in _list(message.get("tool_calls")) if isinstance(stated, Mapping)]
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
    name = fields.text(function, "name")
    return ToolCall(fields.text(outer, "id", "call_id"), name, fields.arguments(function.get("arguments")))


def _list(value: Any) -> list[Any]:
    """A list, which a database export may hold as JSON text."""
    if isinstance(value, str):
        value = fields.decoded_text(value)
    return value if isinstance(value, list) else []


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
