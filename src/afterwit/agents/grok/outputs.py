"""What a finished tool call of Grok gave back: its text, and how it ended.

The update says `completed` even where a command exited with 1: the exit code stands in the raw output. How the call
ended by the events of the session (`events.jsonl`) counts most, because only they tell a refusal from a failure.
"""

from collections.abc import Mapping
from typing import Any

from afterwit.agents import fields
from afterwit.agents.chat.messages import text_of
from afterwit.agents.grok.folder import Ending
from afterwit.model.readings import Result

_DENIED = frozenset(["permission_rejected", "hook_denied"])
_CANCELLED = frozenset(["permission_cancelled", "cancelled"])
_TEXTS = ("output_for_prompt", "output", "stdout", "content", "OkayOutput", "ErrorOutput", "error", "message")
_DEPTH = 3


def output_of(update: Mapping[str, Any]) -> str:
    """The text of an update's content, or of its raw output where the content is empty."""
    parts = [part.get("content") for part in fields.mappings(update, "content") if part.get("type") == "content"]
    said = "\n".join(text for part in parts if (text := text_of(part)))
    return said if said.strip() else _raw_text(update.get("rawOutput"))


def result_of(update: Mapping[str, Any], ending: Ending | None) -> Result:
    """How the call of a finished update ended."""
    raw = fields.mapping(update, "rawOutput")
    code = fields.exit_code(raw, "exit_code", "exitCode")
    outcome = ending.outcome if ending else ""
    return Result(
        is_error=_is_error(update, raw, outcome, code),
        exit_code=code,
        is_denied=outcome in _DENIED,
        is_cancelled=outcome in _CANCELLED or update.get("status") == "cancelled",
        duration_ms=ending.duration_ms if ending else None,
    )


def _is_error(update: Mapping[str, Any], raw: Mapping[str, Any], outcome: str, code: int | None) -> bool | None:
    if outcome in _DENIED | _CANCELLED:
        return None
    if outcome == "error" or update.get("status") == "failed" or raw.get("timed_out") is True:
        return True
    if code is not None:
        return code != 0
    return False if outcome == "success" or update.get("status") == "completed" else None


def _raw_text(value: Any, depth: int = 0) -> str:
    """Raw outputs differ by tool: a text, a list of bytes, or one of these below a name or two."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        is_bytes = bool(value) and all(isinstance(each, int) and 0 <= each < 256 for each in value)
        return bytes(value).decode("utf-8", "replace") if is_bytes else text_of(value) or ""
    if not isinstance(value, Mapping) or depth > _DEPTH:
        return ""
    named = [_raw_text(value[name], depth + 1) for name in _TEXTS if name in value]
    inner = [_raw_text(each, depth + 1) for each in value.values() if isinstance(each, Mapping)]
    return next((text for text in [*named, *inner] if text.strip()), "")
