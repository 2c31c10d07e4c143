"""The run of a tool in Amp: what it gave back, and how it ended."""

from collections.abc import Mapping
from typing import Any

import msgspec

from afterwit.agents import fields
from afterwit.agents.chat.messages import text_of
from afterwit.model.readings import Result

_RUNNING = frozenset(["in-progress", "queued", "running"])
_TEXTS = ("output", "content", "text", "message", "diff")


def output_of(run: Mapping[str, Any]) -> str:
    """The text of a result, of the error, or of why a person refused it."""
    return next((text for name in ("result", "error", "reason") if (text := _text(run.get(name)))), "")


def result_of(run: Mapping[str, Any], flag: bool | None) -> Result:
    """How a run ended. A command that exits with another number than 0 is `done` all the same."""
    status = fields.text(run, "status")
    code = fields.exit_code(fields.mapping(run, "result"), "exitCode", "exit_code")
    is_failed = status == "error" or (code is not None and code != 0)
    return Result(
        is_error=True if is_failed else False if status == "done" else flag,
        exit_code=code,
        is_denied=status.startswith("rejected"),
        is_cancelled=status.startswith("cancel"),
        is_running=status in _RUNNING,
    )


def _text(value: Any) -> str:
    if isinstance(value, Mapping):
        named = next((text for name in _TEXTS if (text := text_of(value.get(name)))), "")
        return named or (msgspec.json.encode(value).decode() if value else "")
    return text_of(value) or ""
