"""What the content of a Goose message says: texts, thoughts, requests and responses of tools.

Takes decoded JSON and never raises. Responses of tools ride in messages of the user. A text that people do not see is
the summary of a compaction if the model says it, else a notice.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from afterwit.agents import fields
from afterwit.agents.places import Place
from afterwit.model.kinds import EventKind
from afterwit.model.readings import Reading, Result

SILENT = frozenset(("image", "redactedThinking", "toolConfirmationRequest", "actionRequired", "summarizationRequested"))
_DENIED = ("user has declined", "declined to run this tool", "user denied")
_CANCELLED = ("interrupted by the user", "tool call was cancelled")


class Speaker(NamedTuple):
    """Who says it, and who sees it."""

    role: str
    is_seen: bool  # by people
    is_person: bool  # in a session that another agent started nobody types
    key: str  # "" where the message has no id


def readings_of(place: Place, block: Mapping[str, Any], speaker: Speaker, calls: str) -> Iterator[Reading] | None:
    """What one block says; None if its type is not known. `calls` begins the keys of short call ids."""
    match block.get("type"):
        case "text":
            return _text(place, fields.without_blobs(fields.text(block, "text")), speaker)
        case "thinking":
            return _said(place, EventKind.THOUGHT, fields.text(block, "thinking"))
        case "toolRequest" | "frontendToolRequest":
            return _request(place, block, calls)
        case "toolResponse":
            return _response(place, block, calls)
        case "systemNotification":
            return _said(place, EventKind.NOTICE, fields.text(block, "msg"))
        case "contextLengthExceeded":
            return _said(place, EventKind.MODEL_ERROR, fields.text(block, "msg") or "context length exceeded")
        case "conversationCompacted":
            return _said(place, EventKind.COMPACTION, fields.text(block, "msg") or "conversation compacted")
    return None


def _said(place: Place, kind: EventKind, text: str) -> Iterator[Reading]:
    if text:
        yield place.said(kind, text)


def _text(place: Place, text: str, speaker: Speaker) -> Iterator[Reading]:
    if not text:
        return
    if speaker.role == "assistant":
        kind = EventKind.REPLY if speaker.is_seen else EventKind.COMPACTION
    else:
        kind = EventKind.PROMPT if speaker.is_seen and speaker.is_person else EventKind.NOTICE
    key = f"{kind}:{speaker.key}" if speaker.key else ""
    yield place.said(kind, text, key)


def _request(place: Place, block: Mapping[str, Any], calls: str) -> Iterator[Reading]:
    call_id, asked = fields.plain_id(block, "id"), fields.mapping(block, "toolCall")
    value = fields.mapping(asked, "value")
    if not call_id:
        return
    tool = fields.text(value, "name") or "unreadable"
    yield place.call(f"call:{calls}{call_id}", call_id, tool, fields.arguments(value.get("arguments")))
    if asked.get("status") == "error":
        yield place.result(f"result:{calls}{call_id}", call_id, fields.text(asked, "error"), Result(is_error=True))


def _response(place: Place, block: Mapping[str, Any], calls: str) -> Iterator[Reading]:
    call_id, answer = fields.plain_id(block, "id"), fields.mapping(block, "toolResult")
    if not call_id:
        return
    value = answer.get("value")
    about = value if isinstance(value, dict) else {"content": value}
    parts = [fields.text(part, "text") for part in fields.mappings(about, "content")]
    text = fields.without_blobs("\n".join(part for part in parts if part)) or fields.text(answer, "error")
    lower = text[:300].lower()
    is_error = answer.get("status") == "error" or fields.flag(about, "isError", "is_error")
    result = Result(
        is_error=bool(is_error),
        exit_code=fields.exit_code(fields.mapping(about, "structuredContent"), "exit_code"),
        is_denied=any(words in lower for words in _DENIED),
        is_cancelled=any(words in lower for words in _CANCELLED),
    )
    yield place.result(f"result:{calls}{call_id}", call_id, text, result)
