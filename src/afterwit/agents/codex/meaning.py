"""What each type of record means: one small function a type, from a payload and the state to readings.

Of two records that tell one thing, the model's own item speaks: replies and thoughts come from `response_item` alone,
and the UI event of a prompt speaks only where no item did. What a subagent is told comes from its parent, not from a
person, and is a notice. Every event carries the file's own thread as its session.
The table at the end is the list of all types that have a meaning here; `names` holds those that have none.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from afterwit.agents.codex.lineage import CodexState, Source, facts_of, is_subagent
from afterwit.agents.codex.outputs import arguments_of, ending_of, read_output, text_of, tool_of
from afterwit.agents.codex.records import SPAWNED, SUMMARY, CodexPart, Content, Payload, is_injected, is_surely_injected
from afterwit.agents.reading import mark
from afterwit.model.kinds import EventKind
from afterwit.model.readings import Event, Facts, Problem, Reading, Result, Spend, Usage
from afterwit.model.times import ms_from_any


class CodexPlace(NamedTuple):
    """Where a record lies and when it was written."""

    offset: int
    length: int
    stamp: str | int | float | None

    @property
    def at_ms(self) -> int | None:
        return ms_from_any(self.stamp)


def _event(state: CodexState, place: CodexPlace, kind: EventKind, key: str, **more: Any) -> Event:
    offset, length, stamp = place
    at = ms_from_any(stamp)
    return Event(session=state.lineage.own, kind=kind, offset=offset, length=length, at_ms=at, key=key, **more)


def _said(
    state: CodexState, place: CodexPlace, kind: EventKind, text: str, item_id: str | None = None
) -> list[Reading]:
    key = f"item:{item_id}" if item_id else state.lineage.key(kind, text)
    return [_event(state, place, kind, key, text=text)]


def _session_meta(state: CodexState, meta: Payload, place: CodexPlace) -> list[Reading]:
    lineage = state.lineage
    is_own = lineage.meet(meta)
    thread = meta.id or lineage.own
    if is_subagent(meta) and thread not in state.subagents:
        state.subagents.append(thread)
    if not is_own:
        return []
    if meta.cwd:
        state.cwd_mark = mark(meta.cwd)
    return [facts_of(meta, lineage.own, place.at_ms)]


def _turn(state: CodexState, turn: Payload, _: CodexPlace) -> list[Reading]:
    if turn.turn_id:
        state.lineage.turn_to(turn.turn_id)
    return []


def _turn_context(state: CodexState, turn: Payload, place: CodexPlace) -> list[Reading]:
    state.lineage.turn_to(turn.turn_id or None)
    state.model = turn.model or state.model
    if state.lineage.is_copy or not turn.cwd or mark(turn.cwd) == state.cwd_mark:
        return []
    state.cwd_mark = mark(turn.cwd)
    return [Facts(session=state.lineage.own, at_ms=place.at_ms, cwd=turn.cwd)]


def _thread_name(state: CodexState, event: Payload, place: CodexPlace) -> list[Reading]:
    lineage = state.lineage
    thread = event.thread_id or lineage.thread
    if thread != lineage.own or not event.thread_name:
        return []
    return [Facts(session=lineage.own, at_ms=place.at_ms, title=event.thread_name)]


def _message(state: CodexState, item: Payload, place: CodexPlace) -> list[Reading]:
    text = text_of(item.content)
    if item.role == "assistant":
        return _said(state, place, EventKind.REPLY, text, item.id) if text else []
    if item.role == "user" and not is_injected(text):
        parts = _typed(item.content)
        typed = "\n".join(part.text for part in parts if part.text)
        return _prompt(state, Source.ITEM, typed, text_of(parts), place, item.id)
    return _said(state, place, EventKind.NOTICE, text, item.id) if text else []


def _user_message(state: CodexState, event: Payload, place: CodexPlace) -> list[Reading]:
    text = event.message or ""
    if is_surely_injected(text) or event.kind not in (None, "plain"):
        return []
    return _prompt(state, Source.EVENT, text, text, place)


def _item_completed(state: CodexState, event: Payload, place: CodexPlace) -> list[Reading]:
    item = event.item
    kind = (item.type or "").replace("_", "").lower() if item else ""
    if item and kind == "usermessage":
        text = text_of(item.content)
        return [] if is_surely_injected(text) else _prompt(state, Source.EVENT, text, text, place)
    if item and kind == "plan" and item.text:
        return _said(state, place, EventKind.REPLY, item.text, item.id)
    return []


def _prompt(
    state: CodexState, source: Source, typed: str, text: str, place: CodexPlace, item_id: str | None = None
) -> list[Reading]:
    if not text or state.prompts.answers(source, typed.strip(), state.number):
        return []
    kind = EventKind.NOTICE if state.lineage.thread in state.subagents else EventKind.PROMPT
    key = f"item:{item_id}" if item_id else state.lineage.key(kind, typed.strip())
    return [_event(state, place, kind, key, text=text)]


def _reasoning(state: CodexState, item: Payload, place: CodexPlace) -> list[Reading]:
    if not item.summary and not item.content:
        return []
    text = "\n\n".join(filter(None, (text_of(item.summary), text_of(item.content))))
    return _said(state, place, EventKind.THOUGHT, text, item.id) if text else []


def _agent_message_item(state: CodexState, item: Payload, place: CodexPlace) -> list[Reading]:
    text = text_of(item.content)
    return _said(state, place, EventKind.NOTICE, text, item.id) if text else []


def _compacted(state: CodexState, record: Payload, place: CodexPlace) -> list[Reading]:
    state.compactions.answers(Source.ITEM, "", state.number)
    return _said(state, place, EventKind.COMPACTION, record.message or _summary(record))


def _context_compacted(state: CodexState, _: Payload, place: CodexPlace) -> list[Reading]:
    if state.compactions.answers(Source.EVENT, "", state.number):
        return []
    return _said(state, place, EventKind.COMPACTION, "")


def _turn_aborted(state: CodexState, event: Payload, place: CodexPlace) -> list[Reading]:
    return _said(state, place, EventKind.INTERRUPT, event.reason or "")


def _error(state: CodexState, event: Payload, place: CodexPlace) -> list[Reading]:
    return _said(state, place, EventKind.MODEL_ERROR, event.message or "")


def _warning(state: CodexState, event: Payload, place: CodexPlace) -> list[Reading]:
    return _said(state, place, EventKind.NOTICE, event.message) if event.message else []


def _call(state: CodexState, item: Payload, place: CodexPlace) -> list[Reading]:
    call_id = item.call_id or item.id
    if not call_id:
        return [problem(place, f"{item.type} without a call_id")]
    return [_call_event(state, item, call_id, place)]


def _call_event(state: CodexState, item: Payload, call_id: str, place: CodexPlace) -> Event:
    tool, arguments = tool_of(item), arguments_of(item)
    key = state.lineage.key(EventKind.CALL, f"{call_id}{tool}{arguments}")
    return _event(state, place, EventKind.CALL, key, call_id=call_id, tool=tool, arguments=arguments)


def _answered_call(state: CodexState, item: Payload, place: CodexPlace) -> list[Reading]:
    """A call that the model's provider carried out: its record is its result too."""
    text = msgspec.json.encode(arguments_of(item)).decode()
    call_id = item.call_id or f"web:{item.id or state.lineage.key(EventKind.CALL, text)}"
    is_error = {"completed": False, "failed": True}.get(str(item.status))
    result = _event(
        state, place, EventKind.RESULT, f"result:{call_id}", call_id=call_id, result=Result(is_error=is_error)
    )
    return [_call_event(state, item, call_id, place), result]


def _output(state: CodexState, item: Payload, place: CodexPlace) -> list[Reading]:
    if not item.call_id:
        return [problem(place, f"{item.type} without a call_id")]
    output = read_output(item.output)
    if output.text.startswith(SPAWNED):
        return _spawned(state, item.call_id, output.text, place)
    result = state.endings.output(item.call_id, output.result)
    return [_result(state, item.call_id, f"result:{item.call_id}", output.text, result, place)]


def _spawned(state: CodexState, call_id: str, text: str, place: CodexPlace) -> list[Reading]:
    """What a forked subagent finds in place of the output of the call that started it."""
    readings: list[Reading] = [_event(state, place, EventKind.NOTICE, f"spawned:{call_id}", text=text)]
    if state.lineage.is_copy_of_parent:
        readings.append(Facts(session=state.lineage.own, at_ms=place.at_ms, parent_call=call_id))
    return readings


def _tool_search_output(state: CodexState, item: Payload, place: CodexPlace) -> list[Reading]:
    if not item.call_id:
        return [problem(place, f"{item.type} without a call_id")]
    text = "\n".join(tool.name for tool in item.tools or () if tool.name)
    is_error = False if item.status == "completed" else None
    return [_result(state, item.call_id, f"result:{item.call_id}", text, Result(is_error=is_error), place)]


def _end(state: CodexState, event: Payload, place: CodexPlace) -> list[Reading]:
    if not event.call_id:
        return [problem(place, f"{event.type} without a call_id")]
    result = state.endings.event(event.call_id, ending_of(event))
    if result is None:
        return []
    return [_result(state, event.call_id, f"end:{event.call_id}", event.aggregated_output or "", result, place)]


def _result(state: CodexState, call_id: str, key: str, text: str, result: Result, place: CodexPlace) -> Event:
    return _event(state, place, EventKind.RESULT, key, call_id=call_id, text=text, result=result)


def _token_count(state: CodexState, event: Payload, place: CodexPlace) -> list[Reading]:
    info = event.info
    if info is None or info.total_token_usage is None or info.last_token_usage is None:
        return []
    total, last = info.total_token_usage, info.last_token_usage
    totals = (total.input_tokens, total.output_tokens, total.total_tokens)
    if totals == state.totals:
        return []
    state.totals = totals
    if not last.input_tokens and not last.output_tokens:
        return []
    cached, written = last.cached_input_tokens, last.cache_write_input_tokens
    usage = Usage(
        input=max(0, last.input_tokens - cached - written),
        cache_read=cached,
        cache_write=written,
        output=last.output_tokens,
        reasoning=last.reasoning_output_tokens,
    )
    key = f"{state.lineage.thread}:{totals[0]}:{totals[1]}:{totals[2]}"
    return [Spend(session=state.lineage.own, key=key, model=state.model, usage=usage, at_ms=place.at_ms)]


def problem(place: CodexPlace, reason: str) -> Problem:
    return Problem(offset=place.offset, length=place.length, reason=reason)


def _typed(content: Content) -> list[CodexPart]:
    """The parts of a prompt without the tags that Codex puts around images."""
    if not isinstance(content, list):
        return [CodexPart(text=content)]
    return [part for part in content if not _is_image_tag(part)]


def _is_image_tag(part: CodexPart) -> bool:
    text = part.text or ""
    return text.startswith("</image>") or (text.startswith("<image") and text.endswith(">") and len(text) < 500)


def _summary(record: Payload) -> str:
    """The summary that a compacted history ends with, if it can be read."""
    texts = (text_of(message.content) for message in reversed(record.replacement_history or ()))
    return next((text for text in texts if text.startswith(SUMMARY)), "")


_Handler = Callable[[CodexState, Payload, CodexPlace], list[Reading]]
MEANINGS: dict[str, _Handler] = {
    "session_meta": _session_meta,
    "turn_context": _turn_context,
    "compacted": _compacted,
    "response_item/message": _message,
    "response_item/reasoning": _reasoning,
    "response_item/agent_message": _agent_message_item,
    "response_item/function_call": _call,
    "response_item/custom_tool_call": _call,
    "response_item/local_shell_call": _call,
    "response_item/tool_search_call": _call,
    "response_item/web_search_call": _answered_call,
    "response_item/image_generation_call": _answered_call,
    "response_item/function_call_output": _output,
    "response_item/custom_tool_call_output": _output,
    "response_item/tool_search_output": _tool_search_output,
    "event_msg/user_message": _user_message,
    "event_msg/item_completed": _item_completed,
    "event_msg/token_count": _token_count,
    "event_msg/task_started": _turn,
    "event_msg/turn_started": _turn,
    "event_msg/turn_aborted": _turn_aborted,
    "event_msg/error": _error,
    "event_msg/stream_error": _error,
    "event_msg/warning": _warning,
    "event_msg/context_compacted": _context_compacted,
    "event_msg/thread_name_updated": _thread_name,
    "event_msg/exec_command_end": _end,
    "event_msg/patch_apply_end": _end,
    "event_msg/mcp_tool_call_end": _end,
    "event_msg/dynamic_tool_call_response": _end,
}
