"""The events of OpenHands since version 1, each of a named kind. Calls and results share the id of the tool call."""

from collections.abc import Iterator, Mapping
from typing import Any

from afterwit.agents import fields
from afterwit.agents.log_reader import Place
from afterwit.agents.messages import text_of
from afterwit.model.kinds import EventKind
from afterwit.model.readings import Event, Reading, Result

_SILENT = frozenset(
    [
        *("ConversationStateUpdateEvent", "CondensationRequest", "CondensationSummaryEvent", "TokenEvent"),
        *("LLMCompletionLogEvent", "HookExecutionEvent", "StreamingDeltaEvent"),
    ]
)
_NO_REASON = "User rejected the action"


def name_of(event: Mapping[str, Any]) -> str:
    """The kind of an event; "" where it is none of this generation."""
    return fields.text(event, "kind")


def is_known(name: str) -> bool:
    return name in _MEANINGS or name in _SILENT


def read(event: Mapping[str, Any], place: Place) -> Iterator[Reading]:
    meaning = _MEANINGS.get(name_of(event))
    if meaning is not None:
        yield from meaning(event, place)


def _message(event: Mapping[str, Any], place: Place) -> Iterator[Event]:
    message = fields.mapping(event, "llm_message")
    thought = text_of(message.get("reasoning_content")) or ""
    text = text_of(message.get("content")) or ""
    if thought.strip():
        yield place.said(EventKind.THOUGHT, thought)
    if text.strip():
        kinds = {"user": EventKind.PROMPT, "agent": EventKind.REPLY}
        kind = kinds.get(fields.text(event, "source"), EventKind.NOTICE)
        own = fields.plain_id(event, "id")
        yield place.said(kind, text, f"{kind}:{place.identity(own)}" if own else "")


def _action(event: Mapping[str, Any], place: Place) -> Iterator[Event]:
    thought = text_of(event.get("reasoning_content")) or ""
    said = text_of(event.get("thought")) or ""
    if thought.strip():
        yield place.said(EventKind.THOUGHT, thought)
    if said.strip():
        yield place.said(EventKind.REPLY, said)
    call = fields.mapping(event, "tool_call")
    function = fields.mapping(call, "function") or call
    done = {name: value for name, value in fields.mapping(event, "action").items() if name != "kind"}
    tool = fields.text(event, "tool_name") or fields.text(function, "name") or "?"
    yield place.asked(_call_id(event, place), tool, done or fields.arguments(function.get("arguments")))


def _observation(event: Mapping[str, Any], place: Place) -> Iterator[Event]:
    seen = fields.mapping(event, "observation")
    text = text_of(seen.get("content")) or fields.text(seen, "output", "error", "message")
    code = fields.exit_code(seen, "exit_code")
    code = fields.exit_code(fields.mapping(seen, "metadata"), "exit_code") if code is None else code
    flag = fields.flag(seen, "is_error", "error")
    is_failed = flag is True or bool(fields.text(seen, "error")) or (code is not None and code > 0)
    is_error = True if is_failed else False if flag is False or code == 0 else None
    yield place.answered(_call_id(event, place), text, Result(is_error=is_error, exit_code=code, is_running=code == -1))


def _agent_error(event: Mapping[str, Any], place: Place) -> Iterator[Event]:
    yield place.answered(_call_id(event, place), fields.text(event, "error"), Result(is_error=True))


def _rejection(event: Mapping[str, Any], place: Place) -> Iterator[Event]:
    reason = fields.text(event, "rejection_reason")
    is_persons = fields.text(event, "rejection_source") in ("", "user") and reason != _NO_REASON
    yield place.answered(_call_id(event, place), reason, Result(is_denied=True, said=reason if is_persons else ""))


def _failure(event: Mapping[str, Any], place: Place) -> Iterator[Event]:
    yield place.said(EventKind.MODEL_ERROR, fields.text(event, "detail", "code"))


def _condensation(event: Mapping[str, Any], place: Place) -> Iterator[Event]:
    yield place.said(EventKind.COMPACTION, fields.text(event, "summary"))


def _instructions(event: Mapping[str, Any], place: Place) -> Iterator[Event]:
    text = text_of(event.get("system_prompt")) or ""
    if text.strip():
        yield place.said(EventKind.NOTICE, text)


def _pause(event: Mapping[str, Any], place: Place) -> Iterator[Event]:  # noqa: ARG001 - as the others
    yield place.said(EventKind.INTERRUPT)


def _call_id(event: Mapping[str, Any], place: Place) -> str:
    return fields.plain_id(event, "tool_call_id", "action_id") or place.made_up()


_MEANINGS = {
    "MessageEvent": _message,
    "ActionEvent": _action,
    "ObservationEvent": _observation,
    "AgentErrorEvent": _agent_error,
    "UserRejectObservation": _rejection,
    "ConversationErrorEvent": _failure,
    "Condensation": _condensation,
    "SystemPromptEvent": _instructions,
    "PauseEvent": _pause,
    "InterruptEvent": _pause,
}
