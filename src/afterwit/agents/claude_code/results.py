"""How a tool call ended, as far as the transcript says so.

Claude Code marks denials and cancellations as errors and tells them apart only by their text. The texts are the
client's own, at the beginning of an error's output, so that a tool's ordinary output cannot pass for one.
"""

import re
from typing import TypeGuard

import msgspec

from afterwit.agents.claude_code.records import ClaudeOutcome
from afterwit.agents.registry import instruction_files
from afterwit.model.instruction_files import placed
from afterwit.model.readings import Result

_HEAD_CHARS = 400
_LONGEST = 100_000_000_000
_DENIED = re.compile(
    r"(?:<tool_use_error>|Error: )?\s*(?:"
    r"The user doesn't want to (?:proceed with|take) this"
    r"|The user rejected|User rejected"
    r"|Permission to use |Permission for this action (?:was|has been) denied"
    r"|Claude requested permissions? to "
    r"|[^\n]{0,200}\brequires? approval\b"
    r"|The agent proposed a plan that was rejected"
    r"|[^\n]{0,100}\bdenied by (?:the user|your permission settings|a (?:hook|permission rule))"
    r"|PreToolUse:\w+ hook error: |Hook PreToolUse:\w+ denied"
    r")"
)
_CANCELLED = re.compile(
    r"(?:<tool_use_error>|Error: )?\s*(?:Sibling tool call errored|Cancelled: parallel tool call"
    r"|\[Request interrupted by user|The user interrupted|Interrupted by user|\[Tool call interrupted)"
)
_EXIT = re.compile(r"(?:Error: )?Exit code (-?\d{1,6})\b")
_PERSISTED = "<persisted-output>"
_SAVED_TO = re.compile(r"(?:Full output saved to|Output has been saved to):? ([^\n]{1,1000})")


def result_of(text: str, is_error: bool | None, outcome: object) -> Result:
    """The result of a call from its output and the structured side of its record."""
    facts = outcome if isinstance(outcome, ClaudeOutcome) else _NOTHING
    head = text[:_HEAD_CHARS] if is_error else ""
    is_denied = bool(head) and _DENIED.match(head) is not None
    stopped = facts.interrupted is True or (bool(head) and _CANCELLED.match(head) is not None)
    return Result(
        is_error=bool(is_error),
        exit_code=_exit_code(head),
        is_denied=is_denied,
        is_cancelled=stopped and not is_denied,
        is_running=bool(facts.background_task_id) or facts.is_async is True,
        running_as=facts.background_task_id if isinstance(facts.background_task_id, str) else "",
        duration_ms=_duration_ms(facts),
    )


def edited_file(outcome: object) -> tuple[str, str] | None:
    """The path and the whole text of an instruction file after an edit. Of other files only the change is told."""
    if not isinstance(outcome, ClaudeOutcome) or not _is_instruction(outcome.file_path):
        return None
    original, old, new = (_string(raw) for raw in (outcome.original_file, outcome.old_string, outcome.new_string))
    return (outcome.file_path, original.replace(old, new, 1)) if original and old else None


def _is_instruction(path: object) -> TypeGuard[str]:
    return isinstance(path, str) and placed(path, instruction_files().in_checkouts) is not None


def _string(raw: object) -> str:
    """The text of a field. Where the record was read loosely it is one already."""
    try:
        text = msgspec.json.decode(raw) if isinstance(raw, msgspec.Raw) and bytes(raw) else raw
    except msgspec.DecodeError:
        return ""
    return text if isinstance(text, str) else ""


def stated_spill(text: str, outcome: object) -> str | None:
    """The path under which the client saved the whole output ("" if it names none), or None if this text is whole."""
    path = outcome.persisted_output_path if isinstance(outcome, ClaudeOutcome) else None
    if isinstance(path, str) and path:
        return path
    if not text.startswith(_PERSISTED):
        return None
    saved = _SAVED_TO.search(text, 0, 2000)
    return saved.group(1).strip() if saved else ""


_NOTHING = ClaudeOutcome()


def _exit_code(head: str) -> int | None:
    exited = _EXIT.match(head) if head else None
    return int(exited.group(1)) if exited else None


def _duration_ms(facts: ClaudeOutcome) -> int | None:
    for value, factor in ((facts.total_duration_ms, 1), (facts.duration_ms, 1), (facts.duration_seconds, 1000)):
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < _LONGEST:
            return round(value * factor)
    return None
