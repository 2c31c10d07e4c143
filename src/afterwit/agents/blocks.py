"""The content of messages in Anthropic's manner: text, thinking, tool_use and tool_result blocks, or a plain string.

Takes decoded JSON and never raises. Several agents keep their messages in this form; who speaks, ids and times are
left to their readers, and so is what a result of an odd shape says: `Answered` carries its whole block.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import msgspec

from afterwit.agents import fields
from afterwit.agents.chat.messages import outcome_of, text_of
from afterwit.model.readings import Result

_ATTACHMENTS = {"image": "[image]", "document": "[document]", "file": "[file]", "audio": "[audio]"}
_THOUGHTS = frozenset(["thinking", "redacted_thinking", "reasoning"])


class SaidBlock(NamedTuple):
    text: str


class Thought(NamedTuple):
    text: str


class Asked(NamedTuple):
    """A tool call; `id` is "" where the log has none."""

    id: str
    tool: str
    arguments: dict[str, Any]


class Answered(NamedTuple):
    """The result of a call."""

    id: str
    text: str
    is_error: bool | None
    block: Mapping[str, Any]


class Other(NamedTuple):
    """A block of a type that is not known here."""

    type: str


Block = SaidBlock | Thought | Asked | Answered | Other


def blocks_of(content: Any) -> list[Block]:
    """The blocks of a message, in order, without those that say nothing."""
    if isinstance(content, str):
        return [SaidBlock(text_of(content) or "")] if content.strip() else []
    if isinstance(content, Mapping):
        content = [content]
    if not isinstance(content, list):
        return []
    return [block for piece in content if (block := _block(piece)) is not None]


def ended(text: str, is_error: bool | None) -> Result:
    """How a call ended by its flag; the words of an error tell whether it was stopped."""
    if not is_error or text.lstrip().startswith("{"):
        return Result(is_error=is_error)
    return msgspec.structs.replace(outcome_of(text).result, is_error=True)


def without_tags(text: str, *names: str, to_last: bool = False) -> tuple[str, str]:
    """The text without what stands between these tags, and what stood there. A tag that is not closed goes on to the
    end; one around foreign text, which may close it, `to_last` of its closing tags."""
    removed: list[str] = []
    for name in names:
        pieces = _cut(text, name, to_last=to_last)
        text = "".join(pieces[::2])
        removed += pieces[1::2]
    return text.strip() if removed else text, "\n".join(removed)


def inside_tags(text: str, *names: str) -> str:
    """What stands between these tags, without them."""
    tagged = [piece for name in names for piece in _cut(text, name)[1::2]]
    inner = [piece.partition(">")[2].rpartition("</")[0] or piece.partition(">")[2] for piece in tagged]
    return "\n".join(piece.strip() for piece in inner if piece.strip())


def _cut(text: str, name: str, *, to_last: bool = False) -> list[str]:
    """The text in pieces, every second of which stands between tags of this name."""
    closing = f"</{name}>"
    pieces, at = list[str](), 0
    opening = _opening(name)
    while match := opening.search(text, at):
        end = text.rfind(closing, match.end()) if to_last else text.find(closing, match.end())
        end = len(text) if end < 0 else end + len(closing)
        pieces += [text[at : match.start()], text[match.start() : end]]
        at = end
    return [*pieces, text[at:]]


@cache
def _opening(name: str) -> re.Pattern[str]:
    return re.compile(rf"<{re.escape(name)}(?: [^<>\n]{{0,500}})?>")


def _block(block: Any) -> Block | None:
    if isinstance(block, str):
        return SaidBlock(text_of(block) or "") if block.strip() else None
    if not isinstance(block, Mapping):
        return None
    kind = block.get("type")
    if kind == "text" or (kind is None and isinstance(block.get("text"), str)):
        text = text_of(block.get("text")) or ""
        return SaidBlock(text) if text.strip() else None
    if kind == "tool_use":
        return _asked(block)
    if kind == "tool_result":
        return _answered(block)
    if isinstance(kind, str) and kind in _THOUGHTS:
        thought = text_of(block.get("thinking") or block.get("text")) or ""
        return Thought(thought) if thought.strip() else None
    if isinstance(kind, str) and kind in _ATTACHMENTS:
        return SaidBlock(_ATTACHMENTS[kind])
    return Other(kind if isinstance(kind, str) else "")


def _asked(block: Mapping[str, Any]) -> Block:
    tool = fields.text(block, "name")
    if not tool:
        return Other("tool_use")
    return Asked(fields.plain_id(block, "id"), tool, fields.arguments(block.get("input")))


def _answered(block: Mapping[str, Any]) -> Answered:
    call_id = fields.plain_id(block, "tool_use_id", "toolUseID")
    return Answered(call_id, text_of(block.get("content")) or "", fields.flag(block, "is_error"), block)
