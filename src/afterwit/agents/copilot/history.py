"""Copilot's sessions of 2025: one document each, rewritten whole, in `history-session-state/`.

Written from documentation. `timeline` is what the person saw, with times, calls and results; `chatMessages` is what the
model saw. They tell one story, so the second is read only where the first is missing. Neither states tokens.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from afterwit.agents import fields
from afterwit.agents.chat.messages import calls_of, text_of
from afterwit.agents.chat.messages import outcome_of as outcome_of_text
from afterwit.agents.copilot.outcomes import outcome_of
from afterwit.agents.places import Place
from afterwit.agents.reading import DocumentReading
from afterwit.model.kinds import EventKind
from afterwit.model.readings import Facts, Reading, Result
from afterwit.model.times import ms_from_any
from afterwit.sources.documents import items
from afterwit.sources.framing import Record

_NAME = re.compile(r"(?:session_)?(?P<id>[0-9a-f-]{36})?.*")
_STAMP = re.compile(r"(?<!\s)\s*<current_datetime>[^<]{0,60}</current_datetime>\s*")
_SPOKEN = {
    "user": EventKind.PROMPT,
    "copilot": EventKind.REPLY,
    "reasoning": EventKind.THOUGHT,
    "info": EventKind.NOTICE,
    "warning": EventKind.NOTICE,
    "error": EventKind.MODEL_ERROR,
}
_ROLES = {"user": EventKind.PROMPT, "assistant": EventKind.REPLY, "system": EventKind.NOTICE}
_REQUESTED, _COMPLETED = "tool_call_requested", "tool_call_completed"


class CopilotHistoryReading(DocumentReading):
    """The reading of one document."""

    def __init__(self, stem: str) -> None:
        name = _NAME.fullmatch(stem)
        super().__init__((name["id"] if name else "") or stem)

    def feed(self, record: Record) -> Iterator[Reading]:
        document = msgspec.json.decode(record.raw, type=dict[str, Any])
        self._session = fields.plain_id(document, "sessionId") or self._session
        at_ms = ms_from_any(document.get("startTime"))
        yield Facts(session=self._session, at_ms=at_ms, title=fields.text(document, "summary", "title"))
        has_timeline = bool(fields.mappings(document, "timeline"))
        for piece in items(record, "timeline" if has_timeline else "chatMessages"):
            yield from self.piece(piece)

    def piece(self, record: Record) -> Iterator[Reading]:
        entry = msgspec.json.decode(record.raw)
        if not isinstance(entry, dict):
            self._memory.count("(no object)", is_known=False)
            return
        place = Place.of(self._session, record, ms_from_any(entry.get("timestamp")))
        kind, role = fields.plain_id(entry, "type"), fields.plain_id(entry, "role")
        is_known = kind in (*_SPOKEN, _REQUESTED, _COMPLETED) or (not kind and role in (*_ROLES, "tool"))
        self._memory.count(kind or role, is_known=is_known)
        if is_known:
            yield from self._entry(kind, entry, place) if kind else self._message(role, entry, place)

    def _entry(self, kind: str, entry: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        if kind in (_REQUESTED, _COMPLETED):
            yield from self._call(kind, entry, place)
        elif text := fields.without_blobs(fields.text(entry, "text", "content")):
            own = fields.plain_id(entry, "id")
            yield place.said(_SPOKEN[kind], text, f"{self._session}:{own}" if own else "")

    def _call(self, kind: str, entry: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        call = fields.plain_id(entry, "callId", "toolCallId")
        if not call:
            yield place.problem("a call without an id")
            return
        if self._memory.is_new("call", call):
            tool = fields.text(entry, "name", "toolTitle")
            yield place.call(f"call:{self._session}:{call}", call, tool, fields.arguments(entry.get("arguments")))
        if kind == _COMPLETED:
            text, result = _ending(fields.mapping(entry, "result"))
            yield place.result(f"result:{self._session}:{call}", call, text, result)

    def _message(self, role: str, message: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        text = text_of(message.get("content")) or ""
        if role == "tool":
            call = fields.plain_id(message, "tool_call_id") or f"at-{place.offset}"
            text, result = outcome_of_text(text)
            yield place.result(f"result:{self._session}:{call}", call, text, result)
            return
        if text.strip():
            yield place.said(_ROLES[role], _STAMP.sub("", text, count=1))
        for number, call_made in enumerate(calls_of(message)):
            call = fields.plain_id({"id": call_made.id}, "id") or f"at-{place.offset}-{number}"
            yield place.call(f"call:{self._session}:{call}", call, call_made.tool, call_made.arguments)


def _ending(result: Mapping[str, Any]) -> tuple[str, Result]:
    """The result of a timeline's call, in the words of today's records."""
    kind = fields.text(result, "type")
    log = fields.text(result, "log", "textResultForLlm", "content")
    is_success = {"success": True, "failure": False, "error": False}.get(kind)
    if kind in ("denied", "rejected"):
        return log, Result(is_error=True, is_denied=True)
    return outcome_of({"success": is_success, "result": {"content": log}})
