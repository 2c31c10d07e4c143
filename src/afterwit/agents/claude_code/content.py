"""What contents say: texts joined, pictures as placeholders, reminders cut out; and how a call ended.

The client writes tool output, reminders, echoes of slash commands, notices and compaction summaries in the role of the
user. Only what is left counts as typed: in doubt a marked text is the client's, because a text that nobody typed must
never gain a person's authority; so is the task that one agent gives another. Notices are shortened: the original keeps
the rest. Denials and cancellations are marked as errors and told by the words an output begins with, which an MCP
server could write too: they count for the client's own tools alone (`own_tools`). Linear, and never yields base64 data.
"""

from typing import Any, TypeGuard

import msgspec

from afterwit.agents import fields
from afterwit.agents.claude_code.records import Attachment, Block, ClaudeLine, ClaudeOutcome, ClaudePart
from afterwit.agents.registry import instruction_files
from afterwit.model.instruction_files import place_instruction
from afterwit.model.kinds import EventKind
from afterwit.model.readings import Result
from afterwit.model.text import regex

_HEAD_CHARS = 400
_LONGEST = 100_000_000_000
_UNWANTED = "The user doesn't want to "
_DENIED = regex(
    r"(?:<tool_use_error>|Error: )?\s*(?:"
    rf"{_UNWANTED}(?:proceed with|take) this"
    r"|The user rejected|User rejected"
    r"|Permission to use |Permission for this action (?:was|has been) denied"
    r"|Claude requested permissions? to "
    r"|[^\n]{0,200}\brequires? approval\b"
    r"|The agent proposed a plan that was rejected"
    r"|[^\n]{0,100}\bdenied by (?:the user|your permission settings|a (?:hook|permission rule))"
    r"|PreToolUse:\w+ hook error: |Hook PreToolUse:\w+ denied"
    r")"
)
_REJECTED = "User rejected tool use"  # the structured side where a person refused without a word; no error begins so
_REASON = "To tell you how to proceed, the user said:\n"
_CANCELLED = regex(
    r"(?:<tool_use_error>|Error: )?\s*(?:Sibling tool call errored|Cancelled: parallel tool call"
    r"|\[Request interrupted by user|The user interrupted|Interrupted by user|\[Tool call interrupted)"
)
_EXIT = regex(r"(?:Error: )?Exit code (-?\d{1,6})\b")
_PERSISTED = "<persisted-output>"
_SAVED_TO = regex(r"(?:Full output saved to|Output has been saved to):? ([^\n]{1,1000})")


def result_of(text: str, is_error: bool | None, outcome: object) -> Result:
    """The result of a call from its output and the structured side of its record."""
    facts = outcome if isinstance(outcome, ClaudeOutcome) else _NOTHING
    head = text[:_HEAD_CHARS] if is_error else ""
    is_rejected = is_error is True and outcome == _REJECTED
    is_denied = is_rejected or (bool(head) and _DENIED.match(head) is not None)
    reason = text.partition(_REASON)[2] if is_denied and head.startswith(_UNWANTED) else ""
    said = "" if is_rejected else reason or _answers(facts)
    stopped = facts.interrupted is True or (bool(head) and _CANCELLED.match(head) is not None)
    return Result(
        is_error=bool(is_error),
        exit_code=_exit_code(head),
        is_denied=is_denied,
        said=said,
        is_worded=bool(said) or (is_denied and not is_rejected),
        is_cancelled=stopped and not is_denied,
        is_running=bool(facts.background_task_id) or facts.is_async is True,
        running_as=facts.background_task_id if isinstance(facts.background_task_id, str) else "",
        duration_ms=_duration_ms(facts),
    )


def _answers(facts: ClaudeOutcome) -> str:
    """What a person answered to questions: what was chosen or typed, and notes; not what was asked."""
    answers, notes = (value if isinstance(value, dict) else {} for value in (facts.answers, facts.annotations))
    noted = [note.get("notes") for note in notes.values() if isinstance(note, dict)]
    return "\n".join(text for text in (*answers.values(), *noted) if isinstance(text, str) and text.strip())


def edited_file(outcome: object) -> tuple[str, str] | None:
    """The path and the whole text of an instruction file after an edit. Of other files only the change is told."""
    if not isinstance(outcome, ClaudeOutcome) or not _is_instruction(outcome.file_path):
        return None
    original, old, new = (_string(raw) for raw in (outcome.original_file, outcome.old_string, outcome.new_string))
    return (outcome.file_path, original.replace(old, new, 1)) if original and old else None


def _is_instruction(path: object) -> TypeGuard[str]:
    return isinstance(path, str) and place_instruction(path, instruction_files().in_checkouts) is not None


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


_INJECTED = regex(
    r"\s*(?:<(?:command-(?:name|message|args|contents)|local-command-[a-z]+|task-notification|system-reminder"
    r"|bash-(?:input|stdout|stderr)|user-memory-input|user-prompt-submit-hook|session-start-hook|new-diagnostics"
    r"|ide_[a-z_]+|teammate-message|channel|persisted-output|tool_use_error|fork-boilerplate|background-task-[a-z-]+"
    r"|post-tool-use-hook|environment_details)\b"
    r"|Caveat: The messages below|Base directory for this skill|Stop hook feedback:|\[SYSTEM NOTIFICATION"
    r'|\{"task_id":)'
)
_INTERRUPTED = "[Request interrupted by user"
_CONTINUED = "This session is being continued from a previous conversation"
_SLASH = regex(r"/[A-Za-z][\w:.-]*(?:\s|$)")
_NOTICE_CHARS = 8_000
_DIAGNOSTICS = 50
_OPEN = "<system-reminder>"
_CLOSE = "</system-reminder>"
_TEXT_KEYS = ("text", "content", "file", "message", "blockingError", "error")
_DEPTH = 10
_PLACEHOLDERS = {"image": "[image]", "document": "[document]"}


def without_reminders(text: str) -> str:
    """The text without the `<system-reminder>` blocks that the client puts into prompts and tool results."""
    start = text.find(_OPEN)
    if start < 0:
        return text
    kept = []
    at = 0
    while start >= 0:
        end = text.find(_CLOSE, start + len(_OPEN))
        if end < 0:
            break
        kept.append(text[at:start])
        at = end + len(_CLOSE)
        start = text.find(_OPEN, at)
    if at == 0:
        return text
    kept.append(text[at:])
    return "".join(kept).strip("\n")


def text_of_result(content: str | list[ClaudePart | str] | ClaudePart | None) -> str:
    """What a tool gave back, as the model read it, without reminders."""
    if content is None:
        return ""
    if isinstance(content, str):
        return without_reminders(content)
    parts = [content] if isinstance(content, ClaudePart) else content
    return without_reminders(fields.joined(text for part in parts if (text := _part_text(part))))


def placeholder(block: Block | ClaudePart) -> str:
    """What stands for a block that has no text, or "" if it is of no such kind."""
    return _PLACEHOLDERS.get(block.type or "", "")


def text_of_anything(value: Any, depth: int = 0) -> str:
    """The text in a loosely shaped field: a string, a list of strings or of blocks, a block, a file."""
    if isinstance(value, str):
        return value
    if depth > _DEPTH:
        return ""
    if isinstance(value, list):
        return "\n".join(text for item in value if (text := text_of_anything(item, depth + 1)))
    if isinstance(value, dict):
        stand_in = _PLACEHOLDERS.get(str(value.get("type")))
        return stand_in or next(
            (text for key in _TEXT_KEYS if (text := text_of_anything(value.get(key), depth + 1))), ""
        )
    return ""


def _part_text(part: ClaudePart | str) -> str:
    if isinstance(part, str):
        return part
    return part.text or placeholder(part) or part.tool_name or ""


def kind_of(line: ClaudeLine, text: str, *, is_child: bool) -> EventKind:
    """What a text of this user record is: prompt, notice, compaction or interrupt."""
    if line.is_compact_summary or text.startswith(_CONTINUED):
        return EventKind.COMPACTION
    if text.startswith(_INTERRUPTED):
        return EventKind.INTERRUPT
    if is_clients(line, is_child=is_child) or _INJECTED.match(text):
        return EventKind.NOTICE
    return EventKind.PROMPT


def kind_of_queued(text: str, origin: object, *, is_child: bool) -> EventKind:
    """The same for a text that waited in the queue while the agent worked."""
    if is_child or not is_humans(origin) or _INJECTED.match(text) or _SLASH.match(text):
        return EventKind.NOTICE
    return EventKind.PROMPT


def is_clients(line: ClaudeLine, *, is_child: bool) -> bool:
    """Whether the record as a whole says that nobody typed it."""
    if line.is_meta or line.is_visible_in_transcript_only or line.is_synthetic or line.prompt_source == "system":
        return True
    return not is_humans(line.origin) or (is_child and line.origin is None)


def is_humans(origin: object) -> bool:
    """A record without an origin comes from a version that did not write one."""
    return not isinstance(origin, dict) or origin.get("kind", "human") == "human"


def attachment_text(attachment: Attachment) -> str:
    if attachment.type == "diagnostics":
        return _diagnostics(attachment.files)
    head = attachment.filename or attachment.path or ""
    body = (
        text_of_anything(attachment.content)
        or attachment.snippet
        or text_of_anything(attachment.prompt)
        or text_of_anything(attachment.blocking_error)
        or attachment.stdout
        or attachment.stderr
        or attachment.condition
        or ""
    )
    return shortened("\n".join(text for text in (head, body) if text))


def loaded_file(attachment: Attachment) -> tuple[str, str] | None:
    """An instruction file that the client loaded because work came to it: path and whole text."""
    text = text_of_anything(attachment.content) if attachment.type == "nested_memory" else ""
    return (attachment.path, text) if attachment.path and text else None


def system_text(line: ClaudeLine) -> str:
    """What a system record says, or "" if it says nothing."""
    told = (line.content, line.hook_errors, line.hook_additional_context)
    return shortened("\n".join(text for value in told if (text := text_of_anything(value))))


def error_text(error: Any) -> str:
    """The telling part of a failed request: status, type, message. Headers and ids stay out."""
    status, kind, message = "", "", ""
    for _ in range(4):
        if not isinstance(error, dict):
            break
        status = status or text_of_scalar(error.get("status"))
        message = text_of_scalar(error.get("message")) or message
        kind = text_of_scalar(error.get("type")) or kind
        error = error.get("error") or error.get("cause")
    said = ": ".join(text for text in (kind, message or text_of_scalar(error)) if text)
    return shortened(" ".join(text for text in (status, said) if text))


def text_of_scalar(value: Any) -> str:
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""


def shortened(text: str) -> str:
    text = text.strip()
    return text if len(text) <= _NOTICE_CHARS else text[:_NOTICE_CHARS]


def _diagnostics(files: Any) -> str:
    lines = []
    for file in files if isinstance(files, list) else []:
        if isinstance(file, dict):
            uri, entries = text_of_scalar(file.get("uri")), file.get("diagnostics")
            entries = entries if isinstance(entries, list) else []
            lines += [f"{uri}: {_diagnostic(entry)}" for entry in entries if isinstance(entry, dict)]
    return shortened("\n".join(lines[:_DIAGNOSTICS]))


def _diagnostic(entry: dict[str, Any]) -> str:
    told = (text_of_scalar(entry.get(key)) for key in ("severity", "code", "message"))
    return " ".join(text for text in told if text)
