"""The text of message contents: blocks joined, pictures as placeholders, injected reminders cut out.

Every function is linear in its input and never yields base64 data.
"""

from typing import Any

from afterwit.agents.claude_code.records import Block, Part

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


def text_of_result(content: str | list[Part | str] | Part | None) -> str:
    """What a tool gave back, as the model read it, without reminders."""
    if content is None:
        return ""
    if isinstance(content, str):
        return without_reminders(content)
    parts = [content] if isinstance(content, Part) else content
    return without_reminders("\n".join(text for part in parts if (text := _part_text(part))))


def placeholder(block: Block | Part) -> str:
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


def _part_text(part: Part | str) -> str:
    if isinstance(part, str):
        return part
    return part.text or placeholder(part) or part.tool_name or ""
