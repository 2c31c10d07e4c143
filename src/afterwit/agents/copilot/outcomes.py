"""How a tool call of Copilot ended: from the flags of its record, and from the line that a shell's output ends with.

A command that exits with 2 is a success to Copilot; only its exit code tells. The code stands in `shellExecution`, in
older versions in a line of Copilot's own at the end of the output.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from afterwit.agents import fields
from afterwit.model.readings import Result

_TAIL_CHARS = 300
_EXITED = re.compile(r"<(?:[^<>\n]{0,120} )?(?:exited|completed) with exit code (-?\d{1,10})>\s*\Z")
_RUNNING = re.compile(r"<(?:command|shell)[^<>\n]{0,200}\b(?:still running|started in)\b[^<>\n]{0,200}>\s*\Z")
_SHELL = re.compile(r"\bshellId: ([\w-]{1,60})")
_DENIED_CODES = frozenset({"denied", "rejected"})
_CANCELLED_CODES = frozenset({"aborted", "cancelled", "canceled", "interrupted"})
_DENIED_WORDS = re.compile(
    r"\s*(?:The user (?:rejected|denied|declined)|Permission denied and could not request permission|Denied by )"
)


class Outcome(NamedTuple):
    """What a call gave back, and what is said about it."""

    text: str
    result: Result


def outcome_of(data: Mapping[str, Any], *, was_denied: bool = False) -> Outcome:
    """Reads the data of a `tool.execution_complete`."""
    error = fields.mapping(data, "error")
    message, code = fields.text(error, "message") or fields.text(data, "error"), fields.text(error, "code")
    given = fields.mapping(data, "result")
    text = fields.text(given, "content", "detailedContent") or fields.text(data, "result") or message
    is_success = fields.flag(data, "success")
    is_denied = was_denied or code in _DENIED_CODES or (is_success is False and bool(_DENIED_WORDS.match(message)))
    tail = text[-_TAIL_CHARS:]
    running = _RUNNING.search(tail)
    result = Result(
        is_error=None if is_success is None else not is_success,
        exit_code=_exit_code(data, tail),
        is_denied=is_denied,
        is_cancelled=not is_denied and code in _CANCELLED_CODES,
        is_running=running is not None,
        running_as=_shell_in(running[0]) if running else "",
    )
    return Outcome(fields.without_blobs(text), result)


def _shell_in(notice: str) -> str:
    """The name of the shell that a notice about a running command speaks of."""
    named = _SHELL.search(notice)
    return named[1] if named else ""


def _exit_code(data: Mapping[str, Any], tail: str) -> int | None:
    stated = fields.exit_code(fields.mapping(data, "shellExecution"), "exitCode")
    if stated is not None:
        return stated
    found = _EXITED.search(tail)
    return fields.exit_code({"code": int(found[1])}, "code") if found else None
