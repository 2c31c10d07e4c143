"""What the output of a tool says about how its call ended.

Chat logs have no error flag. The output is often the text of a JSON object, and that may say it: a non-empty `error`,
`success`, `status`, an exit code. Where nothing is said, `is_error` is None; a number other than 0 alone does not
decide it, because for some programs that is an answer. An object that is a mere frame around its output is taken off.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from afterwit.model.readings import Result

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
_DENIED_WORDS = re.compile(
    r"\b(?:denied|rejected|declined|blocked) by (?:the )?(?:user|policy|hook)|\buser (?:denied|rejected|declined)\b"
    r"|\bnot approved by\b|^BLOCKED\b",
    re.IGNORECASE,
)
_CANCELLED_WORDS = re.compile(
    r"\b(?:cancell?ed|interrupted|aborted) by (?:the )?user\b|\buser (?:cancell?ed|interrupted|aborted)\b"
    r"|\[command interrupted\]|\btool (?:call|execution) (?:was )?(?:cancell?ed|skipped)\b",
    re.IGNORECASE,
)


class Outcome(NamedTuple):
    """The output without its frame, and what it says."""

    text: str
    result: Result


def outcome_of(text: str) -> Outcome:
    """Reads the output of one call."""
    said = _object(text)
    if said is None:
        return Outcome(text, Result(is_denied=_is_denied(text), is_cancelled=_is_cancelled(text)))
    status = said.get("status")
    status = status.lower() if isinstance(status, str) else ""
    error = _error_text(said.get("error"))
    result = Result(
        is_error=_is_error(said, status, error),
        exit_code=_whole(said, "exit_code", "returncode", "return_code"),
        is_denied=status in _DENIED or _is_denied(error),
        is_cancelled=status in _CANCELLED or _is_cancelled(error),
        is_running=status in _RUNNING,
        duration_ms=_duration_ms(said),
    )
    return Outcome(_unframed(said, error) or text, result)


def _object(text: str) -> Mapping[str, Any] | None:
    if not text.lstrip().startswith("{"):
        return None
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
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


def _is_denied(text: str) -> bool:
    return _DENIED_WORDS.search(text[:_HEAD]) is not None


def _is_cancelled(text: str) -> bool:
    return _CANCELLED_WORDS.search(text[:_HEAD]) is not None
