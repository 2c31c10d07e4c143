"""The events of OpenHands before version 1: an action, or the observation that an action caused.

An observation names its action by number, which is the id of the call here. The words that a model wrote beside its
call are in the action's `thought`. What the program does with itself (states, recalls, pauses) says nothing.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from afterwit.agents import fields
from afterwit.agents.log_reader import Place
from afterwit.agents.messages import text_of
from afterwit.model.kinds import EventKind
from afterwit.model.readings import Event, Reading, Result, Spend, Usage

_CALLS = {
    *("run", "run_ipython", "read", "write", "edit", "browse", "browse_interactive", "call_tool_mcp", "delegate"),
    *("finish", "reject", "task_tracking", "start", "kill"),
}
_SILENT_ACTIONS = {
    *("recall", "change_agent_state", "pause", "resume", "stop", "null", "send_pr", "push", "condensation_request"),
    *("add_task", "modify_task", "summarize", "loop_recovery"),
}
_SILENT_OBSERVATIONS = {"null", "recall", "think", "chat", "success", "loop_detection", "download"}
_RESULTS = {
    *("run", "run_ipython", "read", "write", "edit", "browse", "delegate", "mcp", "task_tracking", "error"),
    *("user_rejected", "file_download", "agent_condensation", "agent_delegate"),
}
_OWN = {
    *("thought", "hidden", "blocking", "is_static", "is_input", "confirmation_state", "security_risk"),
    *("include_extra", "kernel_init_code", "translated_ipython_code", "keep_prompt", "cwd", "impl_source"),
    "wait_for_response",
}


def name_of(event: Mapping[str, Any]) -> str:
    """The type of an event; "" where it is none of this generation."""
    action, observation = fields.text(event, "action"), fields.text(event, "observation")
    return f"action/{action}" if action else f"observation/{observation}" if observation else ""


def is_known(name: str) -> bool:
    kind, _, value = name.partition("/")
    if kind == "action":
        return value in _CALLS | _SILENT_ACTIONS | {"message", "system", "think", "condensation"}
    return value in _RESULTS | _SILENT_OBSERVATIONS | {"agent_state_changed"}


def read(event: Mapping[str, Any], place: Place, model: str) -> Iterator[Reading]:
    name = name_of(event)
    kind, _, value = name.partition("/")
    if kind == "action" and value in _CALLS:
        yield from _call(event, value, place)
    elif kind == "action":
        yield from _text_events(event, value, place)
    elif value in _RESULTS:
        yield from _result(event, value, place)
    elif value == "agent_state_changed":
        yield from _state(fields.mapping(event, "extras"), place)
    yield from so_far(fields.mapping(event, "llm_metrics"), place.session, model)


def model_of(event: Mapping[str, Any]) -> str:
    response = fields.mapping(fields.mapping(event, "tool_call_metadata"), "model_response")
    return fields.plain_id(response, "model")


def _call(event: Mapping[str, Any], value: str, place: Place) -> Iterator[Event]:
    args = fields.mapping(event, "args")
    said = fields.text(args, "thought", "final_thought")
    if said:
        yield place.said(EventKind.REPLY, said)
    tool = fields.text(fields.mapping(event, "tool_call_metadata"), "function_name")
    if value == "call_tool_mcp":
        tool, arguments = fields.text(args, "name") or tool, fields.arguments(args.get("arguments"))
    else:
        arguments = {name: argument for name, argument in args.items() if name not in _OWN}
    yield place.asked(_number(event.get("id")) or place.made_up(), tool or value, arguments)


def _text_events(event: Mapping[str, Any], value: str, place: Place) -> Iterator[Event]:
    args = fields.mapping(event, "args")
    number = _number(event.get("id"))
    if value == "message":
        is_human = event.get("source") == "user"
        kind = EventKind.PROMPT if is_human else EventKind.REPLY
        text = fields.text(args, "content") or fields.text(event, "message")
        if text:
            yield place.said(kind, text, f"{kind}:{place.session}:{number}" if number else "")
    elif value == "system" and (text := fields.text(args, "content")):
        yield place.said(EventKind.NOTICE, text)
    elif value == "think" and (text := fields.text(args, "thought")):
        yield place.said(EventKind.THOUGHT, text)
    elif value == "condensation":
        yield place.said(EventKind.COMPACTION, fields.text(args, "summary"))


def _result(event: Mapping[str, Any], value: str, place: Place) -> Iterator[Event]:
    text = text_of(event.get("content")) or fields.text(event, "message")
    if value == "agent_condensation":
        yield place.said(EventKind.COMPACTION, text)
        return
    call_id = _number(event.get("cause"))
    if not call_id:
        yield place.said(EventKind.MODEL_ERROR if value == "error" else EventKind.NOTICE, text)
        return
    extras = fields.mapping(event, "extras")
    code = fields.exit_code(fields.mapping(extras, "metadata"), "exit_code")
    code = fields.exit_code(extras, "exit_code") if code is None else code
    is_error, is_denied = _is_error(event, value, code, text), value == "user_rejected"
    result = Result(is_error=is_error, exit_code=code, is_denied=is_denied, is_running=code == -1)
    yield place.answered(call_id, text, result)


def _is_error(event: Mapping[str, Any], value: str, code: int | None, text: str) -> bool | None:
    """A command that still runs has -1 for its exit code."""
    if value == "error" or event.get("success") is False or text.startswith("ERROR:"):
        return True
    if code is not None and code != -1:
        return code != 0
    return False if event.get("success") is True or value in ("read", "write", "edit") else None


def _state(extras: Mapping[str, Any], place: Place) -> Iterator[Event]:
    state = fields.text(extras, "agent_state")
    if state == "error":
        yield place.said(EventKind.MODEL_ERROR, fields.text(extras, "reason"))
    elif state in ("stopped", "paused"):
        yield place.said(EventKind.INTERRUPT)


def _number(value: Any) -> str:
    is_number = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 53
    return f"event-{value}" if is_number else ""


def so_far(metrics: Mapping[str, Any], session: str, model: str, *, usage_id: str = "all") -> Iterator[Spend]:
    """What a conversation used by now. Figures are sums since its beginning, and the largest of them counts. Prompt
    tokens include those that were read from a cache or written to it. A cost of 0 says that no price was known."""
    tokens = fields.mapping(metrics, "accumulated_token_usage")
    read, written = fields.tokens(tokens, "cache_read_tokens"), fields.tokens(tokens, "cache_write_tokens")
    usage = Usage(
        input=max(fields.tokens(tokens, "prompt_tokens") - read - written, 0),
        cache_read=read,
        cache_write=written,
        output=fields.tokens(tokens, "completion_tokens"),
        reasoning=fields.tokens(tokens, "reasoning_tokens"),
    )
    cost = fields.number(metrics, "accumulated_cost")
    if usage != Usage() or cost:
        yield Spend(
            session=session,
            key=f"{session}:{usage_id}",
            model=fields.plain_id(metrics, "model_name") or fields.plain_id(tokens, "model") or model,
            usage=usage,
            cost_usd=float(cost) if cost is not None and cost > 0 else None,
        )
