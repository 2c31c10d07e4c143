"""The messages on kimi-cli's wire: what the client showed and asked while a turn ran, each with its time.

The events of a subagent come inside of its parent's wire too, and get the session that its own files have. What a
compaction leaves stands in the context, so that the wire's note of it says nothing here.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from afterwit.agents import fields
from afterwit.agents.kimi.outcomes import called, outcome_of_wire, prompted, replied
from afterwit.agents.places import Place
from afterwit.agents.reading import ReadingMemory
from afterwit.model.kinds import EventKind, Relation
from afterwit.model.readings import Facts, Reading, Usage

_SILENT = """
    TurnEnd StepBegin CompactionBegin CompactionEnd HookTriggered HookResolved MCPLoadingBegin MCPLoadingEnd PlanDisplay
    ApprovalRequest ApprovalResponse ApprovalRequestResolved ToolCallPart ToolCallRequest QuestionRequest
    QuestionResponse BtwBegin BtwEnd
    """
SILENT = frozenset(_SILENT.split())
_DEEPEST = 5  # subagents of subagents


class Wire:
    """Reads the messages of one wire."""

    def __init__(self, memory: ReadingMemory) -> None:
        self._memory = memory

    def read(
        self, name: str, message: Mapping[str, Any], place: Place, *, is_child: bool, depth: int = 0
    ) -> Iterator[Reading]:
        payload = fields.mapping(message, "payload")
        if name in ("TurnBegin", "SteerInput"):
            yield from prompted(payload.get("user_input"), place, self._memory, is_child=is_child)
        elif name == "ToolCall":
            yield from called(payload, place, self._memory)
        elif name == "SubagentEvent" and depth < _DEEPEST:
            yield from self._nested(payload, place, depth)
        elif name in _MEANINGS:
            yield from _MEANINGS[name](payload, place)

    def _nested(self, payload: Mapping[str, Any], place: Place, depth: int) -> Iterator[Reading]:
        call = fields.plain_id(payload, "parent_tool_call_id", "task_tool_call_id")
        agent = fields.plain_id(payload, "agent_id") or (f"call-{call}" if call else "")
        if not agent:
            yield place.problem("an event of a subagent that has no name")
            return
        child = place._replace(session=f"{place.session}/{agent}")
        if self._memory.is_new("child", child.session):
            yield Facts(
                session=child.session,
                at_ms=place.at_ms,
                parent=place.session,
                relation=Relation.SUBAGENT,
                parent_call=call,
                origin=fields.text(payload, "subagent_type"),
            )
        event = fields.mapping(payload, "event")
        yield from self.read(fields.plain_id(event, "type"), event, child, is_child=True, depth=depth + 1)


def _ended(payload: Mapping[str, Any], place: Place) -> Iterator[Reading]:
    call = fields.plain_id(payload, "tool_call_id")
    if not call:
        yield place.problem("a result that names no call")
        return
    text, result = outcome_of_wire(fields.mapping(payload, "return_value") or fields.mapping(payload, "result"))
    yield place.result("", call, text, result)


def _status(payload: Mapping[str, Any], place: Place) -> Iterator[Reading]:
    """Tokens of a step. The wire does not say of which model."""
    usage = usage_of(fields.mapping(payload, "token_usage"))
    name = fields.plain_id(payload, "message_id") or str(place.at_ms or place.offset)
    return place.spent(f"{place.session}:{name}", "", usage)


def usage_of(stated: Mapping[str, Any]) -> Usage:
    """Both generations count what was cached apart; they differ in the spelling."""
    return Usage(
        input=fields.tokens(stated, "input_other", "inputOther"),
        cache_read=fields.tokens(stated, "input_cache_read", "inputCacheRead"),
        cache_write=fields.tokens(stated, "input_cache_creation", "inputCacheCreation"),
        output=fields.tokens(stated, "output"),
    )


def _interrupted(_: Mapping[str, Any], place: Place) -> Iterator[Reading]:
    yield place.said(EventKind.INTERRUPT, "")


def _retried(payload: Mapping[str, Any], place: Place) -> Iterator[Reading]:
    status = fields.exit_code(payload, "status_code")
    said = fields.text(payload, "error_message", "message", "error_type")
    yield place.said(EventKind.MODEL_ERROR, f"{status} {said}" if status else said)


def _notified(payload: Mapping[str, Any], place: Place) -> Iterator[Reading]:
    text = "\n".join(part for part in (fields.text(payload, "title"), fields.text(payload, "body")) if part)
    if text:
        yield place.said(EventKind.NOTICE, text)


_MEANINGS: dict[str, Callable[[Mapping[str, Any], Place], Iterator[Reading]]] = {
    "ContentPart": replied,
    "TextPart": replied,
    "ThinkPart": replied,
    "ImageURLPart": replied,
    "AudioURLPart": replied,
    "VideoURLPart": replied,
    "ToolResult": _ended,
    "StatusUpdate": _status,
    "StepInterrupted": _interrupted,
    "StepRetry": _retried,
    "Notification": _notified,
}
WIRE = frozenset({"TurnBegin", "SteerInput", "ToolCall", "SubagentEvent", *_MEANINGS})
