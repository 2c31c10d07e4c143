"""What a message of pi says: of a person, the model, a tool, an extension, or a command that the person ran.

Keys are made of the entry's time and content, not of its id: ids have eight digits, and the client adds them to old
sessions when it opens them. A fork copies entries with their times, so that copies have equal keys.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from afterwit.agents import fields
from afterwit.agents.memory import mark
from afterwit.agents.places import Place
from afterwit.model.kinds import EventKind
from afterwit.model.readings import Reading, Result, Spend, Usage

_EXITED = re.compile(r"(?:Command|Process) exited with code (-?\d{1,10})\.?\s*\Z")
_ABORTED = re.compile(r"(?:Command|Operation) aborted\.?\s*\Z")
_TAIL_CHARS = 100
_MIRRORS = frozenset({"delivery-mirror", "gateway-injected"})  # OpenClaw's copies of what a person was shown
_DEAREST_USD = 1_000_000
_SPOKEN = {
    "custom": EventKind.NOTICE,
    "hookMessage": EventKind.NOTICE,
    "developer": EventKind.NOTICE,
    "fileMention": EventKind.NOTICE,
    "branchSummary": EventKind.NOTICE,
    "compactionSummary": EventKind.COMPACTION,
}
_RUN_BY_PEOPLE = {"bashExecution": "command", "pythonExecution": "code"}
ROLES = frozenset({"user", "assistant", "toolResult", *_SPOKEN, *_RUN_BY_PEOPLE})


def message_readings(message: Mapping[str, Any], stamp: str, place: Place) -> Iterator[Reading]:
    """The readings of a message of a known role; `stamp` is the time as the log writes it."""
    role = str(message.get("role"))
    if role == "assistant":
        yield from _assistant(message, stamp, place)
    elif role == "toolResult":
        yield from _tool_result(message, stamp, place)
    elif role in _RUN_BY_PEOPLE:
        yield from _execution(message, role, stamp, place)
    else:
        kind = _SPOKEN.get(role) or _speaker(message)
        text = text_of(message.get("content")) or fields.text(message, "summary")
        yield from said(kind, text, stamp, place)


def said(kind: EventKind, text: str, stamp: str, place: Place) -> Iterator[Reading]:
    if text.strip():
        yield place.said(kind, text, f"{kind}:{stamp}:{mark(text)}" if stamp else "")


def text_of(content: Any) -> str:
    """The texts of a content, with placeholders for pictures."""
    if isinstance(content, str):
        return fields.without_blobs(content)
    blocks = content if isinstance(content, list) else []
    texts = (_block_text(block) for block in blocks if isinstance(block, dict))
    return "\n".join(text for text in texts if text)


def _block_text(block: Mapping[str, Any]) -> str:
    return "[image]" if block.get("type") == "image" else fields.without_blobs(fields.text(block, "text"))


def _speaker(message: Mapping[str, Any]) -> EventKind:
    """Who wrote a user message. OpenClaw also puts other sessions and itself into this role, and says so."""
    source = fields.text(fields.mapping(message, "provenance"), "kind")
    return EventKind.PROMPT if source in ("", "external_user") else EventKind.NOTICE


def _assistant(message: Mapping[str, Any], stamp: str, place: Place) -> Iterator[Reading]:
    is_mirror = fields.text(message, "model") in _MIRRORS
    content = message.get("content")
    blocks = fields.mappings(message, "content") or [{"type": "text", "text": content}]
    for block in blocks:
        kind = block.get("type")
        if kind == "toolCall":
            yield from _call(block, stamp, place)
        elif kind == "thinking":
            yield from said(EventKind.THOUGHT, fields.text(block, "thinking"), stamp, place)
        else:
            yield from said(EventKind.NOTICE if is_mirror else EventKind.REPLY, _block_text(block), stamp, place)
    match message.get("stopReason"):
        case "error":
            error = fields.text(message, "errorMessage") or "error"
            yield place.said(EventKind.MODEL_ERROR, error, f"error:{stamp}" if stamp else "")
        case "aborted":
            reason = fields.text(message, "errorMessage")
            yield place.said(EventKind.INTERRUPT, reason, f"aborted:{stamp}" if stamp else "")
    yield from _spend(message, stamp, place)


def _call(block: Mapping[str, Any], stamp: str, place: Place) -> Iterator[Reading]:
    call = fields.plain_id(block, "id")
    if call:
        arguments = fields.arguments(block.get("arguments"))
        key = f"call:{stamp or place.session}:{call}:{mark(repr(arguments))}"
        yield place.call(key, call, fields.text(block, "name"), arguments)
    else:
        yield place.problem("a call without an id")


def _spend(message: Mapping[str, Any], stamp: str, place: Place) -> Iterator[Reading]:
    """pi counts what was cached apart from the input, and states what it all cost."""
    stated, model = fields.mapping(message, "usage"), fields.text(message, "model")
    usage = Usage(
        input=fields.tokens(stated, "input"),
        cache_read=fields.tokens(stated, "cacheRead"),
        cache_write=fields.tokens(stated, "cacheWrite"),
        output=fields.tokens(stated, "output"),
        reasoning=fields.tokens(stated, "reasoning", "reasoningTokens"),
    )
    if usage != Usage():
        cost = fields.number(fields.mapping(stated, "cost"), "total")
        yield Spend(
            session=place.session,
            key=f"{stamp or f'{place.session}@{place.offset}'}:{model}:{fields.plain_id(message, 'responseId')}",
            model=model,
            usage=usage,
            at_ms=place.at_ms,
            cost_usd=float(cost) if cost is not None and 0 < cost < _DEAREST_USD else None,
        )


def _tool_result(message: Mapping[str, Any], stamp: str, place: Place) -> Iterator[Reading]:
    call = fields.plain_id(message, "toolCallId")
    if not call:
        yield place.problem("a result that names no call")
        return
    text, details = text_of(message.get("content")), fields.mapping(message, "details")
    tail = text[-_TAIL_CHARS:]
    is_error = fields.flag(message, "isError")
    exited = _EXITED.search(tail) if is_error is not False else None
    stated = fields.exit_code(details, "exitCode")
    result = Result(
        is_error=is_error,
        exit_code=fields.exit_code({"code": int(exited[1])}, "code") if exited and stated is None else stated,
        is_cancelled=is_error is True and _ABORTED.search(tail) is not None,
        is_running=fields.text(details, "status") == "running",
        running_as=fields.plain_id(details, "sessionId") if details.get("status") == "running" else "",
        duration_ms=fields.duration_ms(details, "durationMs"),
    )
    yield place.result(f"result:{stamp or place.session}:{call}", call, text, result)


def _execution(message: Mapping[str, Any], role: str, stamp: str, place: Place) -> Iterator[Reading]:
    """A command that the person ran with `!`: the call and its result in one."""
    name = _RUN_BY_PEOPLE[role]
    call = f"{role}:{stamp or place.offset}"
    yield place.call(f"call:{call}", call, role, {name: fields.text(message, name)})
    exit_code = fields.exit_code(message, "exitCode")
    is_cancelled = message.get("cancelled") is True
    result = Result(
        is_error=None if exit_code is None else exit_code != 0, exit_code=exit_code, is_cancelled=is_cancelled
    )
    yield place.result(f"result:{call}", call, fields.without_blobs(fields.text(message, "output")), result)
