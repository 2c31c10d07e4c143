"""How a tool call of Gemini CLI or Qwen Code ended, and its output without the client's frame.

A command that exits with 2 has the status "success"; its exit code stands in the frame around the output, in newer
versions only if it is not 0. The frame is taken off: what is left is what the command printed.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from afterwit.agents import fields
from afterwit.model.readings import Result

_WRAPPED = re.compile(r"\s*<untrusted_context>\n(.*)\n</untrusted_context>\s*", re.DOTALL)
_HEAD = re.compile(r"(?:Command: .*?\nDirectory: [^\n]*\n)?(?:Output|Stdout): ", re.DOTALL)
_LABELS = frozenset({"Error", "Stderr", "Exit Code", "Signal", "Background PIDs", "Process Group PGID"})
_NONE = frozenset({"(none)", "(empty)", ""})
_DENIED = re.compile(
    r"User did not allow|User (?:denied|rejected|declined)|denied by policy|denied by (?:the )?(?:user|hook)"
    r"|requires user confirmation|requires permission|blocked by (?:a )?hook",
    re.IGNORECASE,
)
_HEAD_CHARS = 400
_EXIT = re.compile(r"-?\d{1,10}")


class Outcome(NamedTuple):
    """The output of a call, and what is said about its end."""

    text: str
    result: Result


def outcome_of(status: str, response: Mapping[str, Any], display: Any = None) -> Outcome:
    """The outcome of a call with this status and response; `display` is what the person saw of it."""
    error = fields.text(response, "error")
    text = error or fields.text(response, "output") or _shown(display) or _encoded(response)
    is_denied = status != "success" and _DENIED.search(text[:_HEAD_CHARS]) is not None
    text, exit_code = unframed(fields.without_blobs(text))
    is_cancelled = status == "cancelled" and not is_denied
    is_error = {"success": bool(error), "error": True, "cancelled": True}.get(status, True if error else None)
    return Outcome(text, Result(is_error=is_error, exit_code=exit_code, is_denied=is_denied, is_cancelled=is_cancelled))


def unframed(text: str) -> tuple[str, int | None]:
    """What a command printed, and its exit code where the frame states it. Other texts come back as they are."""
    wrapped = _WRAPPED.fullmatch(text)
    body = wrapped[1] if wrapped else text
    head = _HEAD.match(body)
    if head is None:
        return body, None
    body, labels = _without_labels(body)
    code = labels.get("Exit Code", "")
    errors = [f"{name}: {labels[name]}" for name in ("Stderr", "Error") if labels.get(name, "") not in _NONE]
    printed = body[head.end() :]
    lines = errors if printed in _NONE else [printed, *errors]
    return "\n".join(lines), fields.exit_code({"code": int(code)}, "code") if _EXIT.fullmatch(code) else None


def _without_labels(body: str) -> tuple[str, dict[str, str]]:
    """The lines of the frame behind the output, each at most once, and what is left before them."""
    labels: dict[str, str] = {}
    while True:
        before, _, last = body.rpartition("\n")
        name, _, value = last.partition(": ")
        if name not in _LABELS or name in labels:
            return body, labels
        body, labels[name] = before, value.strip()


def _shown(display: Any) -> str:
    if isinstance(display, dict):
        return fields.text(display, "fileDiff", "content", "text")
    return display if isinstance(display, str) else ""


def _encoded(response: Mapping[str, Any]) -> str:
    try:
        return msgspec.json.encode(response).decode() if response else ""
    except (RecursionError, msgspec.EncodeError):
        return ""
