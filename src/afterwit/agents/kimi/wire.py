"""The messages on kimi-cli's wire: what the client showed and asked while a turn ran, each with its time.

The events of a subagent come inside of its parent's wire too, and get the session that its own files have. What a
compaction leaves stands in the context, so that the wire's note of it says nothing here.

How a call ended has three forms in Kimi's logs. Contexts tell it in words only, in `<system>` parts before the output;
early ones put no mark before an error, so that the words decide. Wires have a flag and a message of the client's own,
which alone says that a person refused, and why. Kimi Code has a flag, and the message at the end of the output.

Keys of prompts and calls are equal in a session's wire and in all of its contexts. The files tell one
story in two forms, and contexts are copied when they are rotated. None of their records has an id that they share, and
call ids such as `Bash:2` are short. So the key of a prompt is its text, the key of a call its id and arguments, each
with how often it came.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from afterwit.agents import fields
from afterwit.agents.places import Place
from afterwit.agents.reading import ReadingMemory, mark
from afterwit.model.kinds import EventKind, Relation
from afterwit.model.readings import Facts, Reading, Result, Usage

_INJECTED = re.compile(r"\s*<(?:system|system-reminder|notification|hook_result)\b")
_COMPACTED = re.compile(r"\s*<system>Previous context has been compacted")
_SYSTEM = re.compile(r"\s*<system>(.*)</system>\s*", re.DOTALL)
_EXITED = re.compile(r"Command failed with exit code: (-?\d{1,10})\b")
_FINE = re.compile(r"\bsuccessfully\b|\blines? read\b|^Found \d|^Thought logged|^Tool output is empty")
_FAULT = re.compile(
    r"\brejected by the user\b|\bis not (?:a|an|allowed)\b|\bdoes not exist\b|\bnot found\b|^Failed\b|^Invalid\b",
    re.MULTILINE,
)
_DENIED = re.compile(
    r"(?:The )?tool call (?:is|was )?\s*rejected by (?:the )?user\.(?: User feedback: (?P<said>.*))?",
    re.IGNORECASE | re.DOTALL,
)
_HEAD_CHARS = 1_000


class KimiOutcome(NamedTuple):
    text: str
    result: Result


def outcome_of_context(content: Any) -> KimiOutcome:
    """The outcome in a tool message of a context."""
    told, printed = list[str](), list[str]()
    for text in texts_of(content):
        system = _SYSTEM.fullmatch(text)
        (told if system else printed).append(system[1] if system else text)
    said = "\n".join(told)
    text = "\n".join(part for part in (*told, *printed) if part)
    return KimiOutcome(text, _result(said, _is_error(said)))


def outcome_of_wire(value: Mapping[str, Any]) -> KimiOutcome:
    """The outcome in a `return_value`: flag, message and output."""
    said = fields.text(value, "message")
    text = "\n".join(part for part in (said, *texts_of(value.get("output"))) if part)
    denied = _DENIED.match(said)
    result = _result(said, fields.flag(value, "is_error", "isError"))
    if denied is None:
        return KimiOutcome(text, result)
    return KimiOutcome(text, Result(is_error=True, is_denied=True, said=denied["said"] or ""))


def outcome_of_code(value: Mapping[str, Any], *, was_denied: bool = False) -> KimiOutcome:
    """The outcome in a `tool.result` of kimi-code: the message stands at the end of the output."""
    text = "\n".join(texts_of(value.get("output")))
    is_error = fields.flag(value, "isError") or False
    said = text[-_HEAD_CHARS:] if is_error else ""
    result = _result(said, is_error)
    return KimiOutcome(
        text,
        Result(
            is_error=result.is_error,
            exit_code=result.exit_code,
            is_denied=was_denied and is_error,
            duration_ms=fields.duration_ms(value, "durationMs"),
        ),
    )


def _is_error(said: str) -> bool | None:
    """What the client's own words say; early versions put no mark before an error."""
    if said.startswith("ERROR"):
        return True
    return False if _FINE.search(said) else True if _FAULT.search(said) else None


def texts_of(content: Any) -> list[str]:
    """The texts of a content: a text, or parts; others than texts become placeholders."""
    if isinstance(content, str):
        return [fields.without_blobs(content)] if content.strip() else []
    parts = content if isinstance(content, list) else []
    texts = (_part_text(part) for part in parts if isinstance(part, dict))
    return [text for text in texts if text]


def _part_text(part: Mapping[str, Any]) -> str:
    kind = fields.text(part, "type")
    for name in ("image", "audio", "video"):
        if kind.startswith(name):
            return f"[{name}]"
    return fields.without_blobs(fields.text(part, "text"))


def _result(said: str, is_error: bool | None) -> Result:
    exited = _EXITED.search(said[-_HEAD_CHARS:]) if is_error is not False else None
    code = fields.exit_code({"code": int(exited[1])}, "code") if exited else None
    return Result(is_error=True if exited else is_error, exit_code=code)


def prompted(content: Any, place: Place, memory: ReadingMemory, *, is_child: bool) -> Iterator[Reading]:
    """What stands in the role of the user: typed by a person, or put there by the client."""
    texts = texts_of(content)
    text = fields.joined(texts)
    if not text.strip():
        return
    if _COMPACTED.match(text):
        yield place.said(EventKind.COMPACTION, "\n".join(texts[1:]) or text, f"{place.session}:compaction:{mark(text)}")
        return
    kind = EventKind.NOTICE if is_child or _INJECTED.match(text) else EventKind.PROMPT
    name = mark(text)
    yield place.said(kind, text, f"{place.session}:{kind}:{name}:{memory.nth(place.session, kind, name)}")


def called(call: Mapping[str, Any], place: Place, memory: ReadingMemory) -> Iterator[Reading]:
    """A tool call, as both forms write it: `{id, function: {name, arguments}}`."""
    function, call_id = fields.mapping(call, "function"), fields.plain_id(call, "id")
    if not call_id:
        yield place.problem("a call without an id")
        return
    arguments = fields.arguments(function.get("arguments"))
    name = f"{call_id}:{mark(repr(arguments))}"
    key = f"{place.session}:call:{name}:{memory.nth(place.session, 'call', name)}"
    yield place.call(key, call_id, fields.text(function, "name"), arguments)


def replied(part: Mapping[str, Any], place: Place) -> Iterator[Reading]:
    """A part of what the model said."""
    thought = fields.text(part, "think")
    if thought:
        yield place.said(EventKind.THOUGHT, thought)
    elif texts := texts_of([part]):
        yield place.said(EventKind.REPLY, "\n".join(texts))


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
