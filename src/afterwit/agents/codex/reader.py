"""Codex: rollouts of all generations, as far as they are lines of JSON, and `history.jsonl`, the prompts of all
sessions.

A session is a thread. Every event of a file carries the file's own thread, also the history that a fork copied from its
parent; copies have the keys of their originals (`threads`). Of two records that tell one thing the model's own item
speaks: replies and thoughts come from `response_item` alone, and the UI event of a prompt only where no item did. What
a subagent is told comes from its parent and is a notice. Read too: bare items without envelope (2025, no timestamps),
and `{session, items}` of the first TypeScript client if it comes as one line; its `.json` files are not claimed. The
table `MEANINGS` lists all types that mean something here, `SILENT` those that do not.
"""

from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from typing import Any

import msgspec

from afterwit.agents.codex.records import (
    BARE_ITEMS,
    SILENT,
    SPAWNED,
    SUMMARY,
    CodexLine,
    CodexPart,
    Content,
    Payload,
    arguments_of,
    coerce_line,
    decode_line,
    decode_object,
    ending_of,
    is_injected,
    is_surely_injected,
    read_output,
    text_of,
    tool_of,
)
from afterwit.agents.codex.threads import CodexState, Source, facts_of, is_subagent
from afterwit.agents.fields import loosely
from afterwit.agents.log_reader import LinesReading, Place, mark
from afterwit.agents.prompt_history import HISTORY, Fields, HistoryBesideReader
from afterwit.model.kinds import EventKind, ReaderEvidence
from afterwit.model.readings import Event, Facts, Reading, Result, Usage
from afterwit.model.text import regex
from afterwit.model.times import ms_from_any
from afterwit.sources.framing import Record


def _text_event(
    state: CodexState, place: Place, kind: EventKind, text: str, item_id: str | None = None
) -> list[Reading]:
    return [place.said(kind, text, f"item:{item_id}" if item_id else state.lineage.key(kind, text))]


def _session_meta(state: CodexState, meta: Payload, place: Place) -> list[Reading]:
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


def _turn(state: CodexState, turn: Payload, _: Place) -> list[Reading]:
    if turn.turn_id:
        state.lineage.turn_to(turn.turn_id)
    return []


def _turn_context(state: CodexState, turn: Payload, place: Place) -> list[Reading]:
    state.lineage.turn_to(turn.turn_id or None)
    state.model = turn.model or state.model
    if state.lineage.is_copy or not turn.cwd or mark(turn.cwd) == state.cwd_mark:
        return []
    state.cwd_mark = mark(turn.cwd)
    return [Facts(session=state.lineage.own, at_ms=place.at_ms, cwd=turn.cwd)]


def _thread_name(state: CodexState, event: Payload, place: Place) -> list[Reading]:
    lineage = state.lineage
    thread = event.thread_id or lineage.thread
    if thread != lineage.own or not event.thread_name:
        return []
    return [Facts(session=lineage.own, at_ms=place.at_ms, title=event.thread_name)]


def _message(state: CodexState, item: Payload, place: Place) -> list[Reading]:
    text = text_of(item.content)
    if item.role == "assistant":
        return _text_event(state, place, EventKind.REPLY, text, item.id) if text else []
    if item.role == "user" and not is_injected(text):
        parts = _without_image_tags(item.content)
        typed = "\n".join(filter(None, map(_text_in, parts)))
        return _prompt(state, Source.ITEM, typed, text_of(parts), place, item.id)
    return _text_event(state, place, EventKind.NOTICE, text, item.id) if text else []


def _user_message(state: CodexState, event: Payload, place: Place) -> list[Reading]:
    text = event.message or ""
    if is_surely_injected(text) or event.kind not in (None, "plain"):
        return []
    return _prompt(state, Source.EVENT, text, text, place)


def _item_completed(state: CodexState, event: Payload, place: Place) -> list[Reading]:
    item = event.item
    kind = (item.type or "").replace("_", "").lower() if item else ""
    if item and kind == "usermessage":
        text = text_of(item.content)
        return [] if is_surely_injected(text) else _prompt(state, Source.EVENT, text, text, place)
    if item and kind == "plan" and item.text:
        return _text_event(state, place, EventKind.REPLY, item.text, item.id)
    return []


def _prompt(
    state: CodexState, source: Source, typed: str, text: str, place: Place, item_id: str | None = None
) -> list[Reading]:
    if not text or state.prompts.answers(source, typed.strip(), state.number):
        return []
    kind = EventKind.NOTICE if state.lineage.thread in state.subagents else EventKind.PROMPT
    key = f"item:{item_id}" if item_id else state.lineage.key(kind, typed.strip())
    return [place.said(kind, text, key)]


def _reasoning(state: CodexState, item: Payload, place: Place) -> list[Reading]:
    if not item.summary and not item.content:
        return []
    text = "\n\n".join(filter(None, (text_of(item.summary), text_of(item.content))))
    return _text_event(state, place, EventKind.THOUGHT, text, item.id) if text else []


def _compaction(state: CodexState, record: Payload, place: Place) -> list[Reading]:
    state.compactions.answers(Source.ITEM, "", state.number)
    return _text_event(state, place, EventKind.COMPACTION, record.message or _summary(record))


def _context_compacted(state: CodexState, _: Payload, place: Place) -> list[Reading]:
    if state.compactions.answers(Source.EVENT, "", state.number):
        return []
    return _text_event(state, place, EventKind.COMPACTION, "")


def _say(kind: EventKind, field: str, *, is_blank_told: bool = True) -> "_Handler":
    """The handler of a record that says one thing."""

    def say(state: CodexState, payload: Payload, place: Place) -> list[Reading]:
        text = text_of(getattr(payload, field))
        return _text_event(state, place, kind, text, payload.id) if text or is_blank_told else []

    return say


def _call(state: CodexState, item: Payload, place: Place) -> list[Reading]:
    call_id = item.call_id or item.id
    if not call_id:
        return [place.problem(f"{item.type} without a call_id")]
    return [_call_event(state, item, call_id, place)]


def _call_event(state: CodexState, item: Payload, call_id: str, place: Place) -> Event:
    tool, arguments = tool_of(item), arguments_of(item)
    key = state.lineage.key(EventKind.CALL, f"{call_id}{tool}{arguments}")
    return place.call(key, call_id, tool, arguments)


def _provider_call(state: CodexState, item: Payload, place: Place) -> list[Reading]:
    """A call that the model's provider carried out: its record is its result too."""
    text = msgspec.json.encode(arguments_of(item)).decode()
    call_id = item.call_id or f"web:{item.id or state.lineage.key(EventKind.CALL, text)}"
    is_error = {"completed": False, "failed": True}.get(str(item.status))
    result = place.result(f"result:{call_id}", call_id, "", Result(is_error=is_error))
    return [_call_event(state, item, call_id, place), result]


def _output(state: CodexState, item: Payload, place: Place) -> list[Reading]:
    if not item.call_id:
        return [place.problem(f"{item.type} without a call_id")]
    output = read_output(item.output)
    if output.text.startswith(SPAWNED):
        return _spawn_notice(state, item.call_id, output.text, place)
    result = state.endings.output(item.call_id, output.result)
    return [place.result(f"result:{item.call_id}", item.call_id, output.text, result)]


def _spawn_notice(state: CodexState, call_id: str, text: str, place: Place) -> list[Reading]:
    """What a forked subagent finds in place of the output of the call that started it."""
    readings: list[Reading] = [place.said(EventKind.NOTICE, text, f"spawned:{call_id}")]
    if state.lineage.is_copy_of_parent:
        readings.append(Facts(session=state.lineage.own, at_ms=place.at_ms, parent_call=call_id))
    return readings


def _tool_search_output(_: CodexState, item: Payload, place: Place) -> list[Reading]:
    if not item.call_id:
        return [place.problem(f"{item.type} without a call_id")]
    text = "\n".join(tool.name for tool in item.tools or () if tool.name)
    is_error = False if item.status == "completed" else None
    return [place.result(f"result:{item.call_id}", item.call_id, text, Result(is_error=is_error))]


def _end(state: CodexState, event: Payload, place: Place) -> list[Reading]:
    if not event.call_id:
        return [place.problem(f"{event.type} without a call_id")]
    result = state.endings.event(event.call_id, ending_of(event))
    if result is None:
        return []
    return [place.result(f"end:{event.call_id}", event.call_id, event.aggregated_output or "", result)]


def _token_count(state: CodexState, event: Payload, place: Place) -> list[Reading]:
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
    return list(place.spent(key, state.model, usage))


def _without_image_tags(content: Content) -> list[CodexPart | str]:
    """The parts of a prompt without the tags that Codex puts around images."""
    parts = content if isinstance(content, list) else [content or ""]
    return [part for part in parts if not _is_image_tag(_text_in(part))]


def _text_in(part: CodexPart | str) -> str:
    return part if isinstance(part, str) else part.text or ""


def _is_image_tag(text: str) -> bool:
    return text.startswith("</image>") or (text.startswith("<image") and text.endswith(">") and len(text) < 500)


def _summary(record: Payload) -> str:
    """The summary that a compacted history ends with, if it can be read."""
    texts = (text_of(message.content) for message in reversed(record.replacement_history or ()))
    return next((text for text in texts if text.startswith(SUMMARY)), "")


_Handler = Callable[[CodexState, Payload, Place], list[Reading]]
MEANINGS: dict[str, _Handler] = {
    "session_meta": _session_meta,
    "turn_context": _turn_context,
    "compacted": _compaction,
    "response_item/message": _message,
    "response_item/reasoning": _reasoning,
    "response_item/agent_message": _say(EventKind.NOTICE, "content", is_blank_told=False),
    "response_item/function_call": _call,
    "response_item/custom_tool_call": _call,
    "response_item/local_shell_call": _call,
    "response_item/tool_search_call": _call,
    "response_item/web_search_call": _provider_call,
    "response_item/image_generation_call": _provider_call,
    "response_item/function_call_output": _output,
    "response_item/custom_tool_call_output": _output,
    "response_item/tool_search_output": _tool_search_output,
    "event_msg/user_message": _user_message,
    "event_msg/item_completed": _item_completed,
    "event_msg/token_count": _token_count,
    "event_msg/task_started": _turn,
    "event_msg/turn_started": _turn,
    "event_msg/turn_aborted": _say(EventKind.INTERRUPT, "reason"),
    "event_msg/error": _say(EventKind.MODEL_ERROR, "message"),
    "event_msg/stream_error": _say(EventKind.MODEL_ERROR, "message"),
    "event_msg/warning": _say(EventKind.NOTICE, "message", is_blank_told=False),
    "event_msg/context_compacted": _context_compacted,
    "event_msg/thread_name_updated": _thread_name,
    "event_msg/exec_command_end": _end,
    "event_msg/patch_apply_end": _end,
    "event_msg/mcp_tool_call_end": _end,
    "event_msg/dynamic_tool_call_response": _end,
}


_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_FILE = regex(r"rollout-.*\.jsonl(?:\.zst)?")
_THREAD = regex(rf"rollout-.*?({_UUID})(?:_{_UUID})?\.")
_ENVELOPES = frozenset(("session_meta", "response_item", "event_msg", "turn_context", "compacted"))
_TYPED = frozenset(("response_item", "event_msg"))
_NO_TYPE = "(no type)"
_NO_PAYLOAD = Payload()
_BOM_BYTES = 3


class CodexReading(LinesReading[CodexState]):
    """The reading of one rollout, resumable at any record."""

    state_type = CodexState

    def feed(self, record: Record) -> list[Reading]:
        unusable: list[str] = []
        try:
            line = decode_line(record.raw)
        except msgspec.ValidationError:
            line, unusable = coerce_line(record.raw)
        if line.payload is None:
            return self._feed_bare(record, decode_object(record.raw))
        return self._take(record, line, unusable)

    def _feed_bare(self, record: Record, value: dict[str, Any]) -> list[Reading]:
        """A record of a generation without envelope, put into the envelope that it would have today."""
        if isinstance(value.get("items"), list) and isinstance(value.get("session"), dict):
            readings = self._take_bare(record, "session_meta", value["session"])
            for item in value["items"]:
                if isinstance(item, dict):
                    readings += self._take_bare(record, "response_item", item)
            return readings
        if value.get("record_type") == "state":
            return self._take(record, CodexLine("state", payload=_NO_PAYLOAD), [])
        if isinstance(value.get("type"), str) and value["type"] in BARE_ITEMS:
            return self._take_bare(record, "response_item", value)
        if _is_bare_meta(value):
            return self._take_bare(record, "session_meta", value)
        return self._feed_odd(record, value.get("type"))

    def _feed_odd(self, record: Record, kind: Any) -> list[Reading]:
        """A record of no known layout; a problem if its type promises one."""
        name = kind if isinstance(kind, str) and kind else _NO_TYPE
        self._state.count(name, is_known=name in _ENVELOPES or name in SILENT)
        place = Place.of(self._state.lineage.own, record)
        return [place.problem(f"{name}: payload is not usable")] if name in _ENVELOPES else []

    def _take_bare(self, record: Record, kind: str, value: dict[str, Any]) -> list[Reading]:
        unusable: list[str] = []
        payload = loosely(value, Payload, unusable)
        timestamp = value.get("timestamp")
        line = CodexLine(kind, timestamp if isinstance(timestamp, str | int | float) else None, None, payload)
        return self._take(record, line, unusable)

    def _take(self, record: Record, line: CodexLine, unusable: list[str]) -> list[Reading]:
        state, payload = self._state, line.payload or _NO_PAYLOAD
        state.number += 1
        if not state.lineage.own:
            state.lineage.begin(self._own_id(line, record.offset))
        elif state.lineage.is_copy:
            state.lineage.step(line.ordinal, ms_from_any(line.timestamp))
        name = f"{line.type}/{payload.type or _NO_TYPE}" if line.type in _TYPED else line.type or _NO_TYPE
        handler = MEANINGS.get(name)
        state.count(name, is_known=handler is not None or name in SILENT)
        if handler is None:
            return []
        place = Place.of(state.lineage.own, record, ms_from_any(line.timestamp))
        problems = [place.problem(f"{name}: {field} is not usable") for field in unusable]
        return [*problems, *handler(state, payload, place)]

    def _own_id(self, line: CodexLine, offset: int) -> str:
        """The thread of this file. A first session_meta that is not at the beginning may be a copied one."""
        name = self._file.path.name
        named = _THREAD.match(name)
        is_first = offset <= _BOM_BYTES or named is None
        if line.type == "session_meta" and line.payload and line.payload.id and is_first:
            return line.payload.id
        return named[1] if named else name.removesuffix(".zst").removesuffix(".jsonl")


def _is_bare_meta(value: Mapping[str, Any]) -> bool:
    return isinstance(value.get("id"), str) and "timestamp" in value and "type" not in value


class CodexReader(HistoryBesideReader):
    agent = "codex"
    evidence = ReaderEvidence.REAL_DATA
    history = Fields(text="text", session="session_id", time="ts")
    lines = CodexReading

    def primary(self, path: PurePosixPath) -> PurePosixPath | None:
        is_kept = path.parts[:1] in (("sessions",), ("archived_sessions",))
        return path if path == HISTORY or (is_kept and _FILE.fullmatch(path.name)) else None

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        if isinstance(record.get("payload"), Mapping):
            return any(record.get("type") == name for name in _ENVELOPES)
        return _is_bare_meta(record) or {"session", "items"} <= record.keys() or self.is_history(record)
