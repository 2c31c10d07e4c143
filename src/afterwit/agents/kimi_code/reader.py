"""Reads the sessions of Kimi Code: one wire for each agent, and a `state.json` that says where it ran.

    sessions/<workspace>/<session>/agents/main/wire.jsonl     the session
    sessions/<workspace>/<session>/agents/<id>/wire.jsonl     a subagent's, `<session>/<id>` here
    sessions/<workspace>/<session>/state.json                 folder and title

A wire holds messages put into the context, and events of the agent's loop. Each user message names its origin; only
those of a user were typed. An undo or a clear changes what the model sees next; what was said and done before stays,
and nothing is counted twice. Keys are the ids of messages, loop events and prompts, which a fork copies.

Record types of `_SILENT` say nothing which a session's story needs. Taken from version 2.1.0: those that it writes to
disk, and the events of its agent loop, which repeat what the records of the context say. A type that is neither there
nor read counts as unknown.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import msgspec

from afterwit.agents import fields
from afterwit.agents.kimi.reader import outcome_of_code, texts_of, usage_of
from afterwit.agents.log_reader import LinesReading, Place, Reader, ReadingMemory, mark
from afterwit.model.kinds import EventKind, ReaderEvidence, Relation
from afterwit.model.readings import Facts, Reading
from afterwit.model.text import regex

_SILENT = """
    agent.message.appended agent.turn.ended agent.turn.started config.update context.clear context.undo
    context.update_token_count cron.add cron.cursor cron.delete file_history.checkpoint file_history.tracked forked
    full_compaction.begin full_compaction.cancel full_compaction.complete goal.account_usage goal.clear
    goal.continuation goal.create goal.update interaction.request interaction.resolved llm.request llm.tools_snapshot
    mcp.tools_discovered metadata micro_compaction.apply permission.set_mode plan.revision plan_mode.cancel
    plan_mode.enter plan_mode.exit plugin.session_start profile.bind prompt.aborted prompt.completed prompt.steered
    runtime.set_binding subagent.cancelled subagent.completed subagent.failed subagent.spawned subagent.started
    subagent.suspended swarm_mode.enter swarm_mode.exit task.started task.terminated token_counting.measured
    token_counting.rebased token_counting.truncated token_counting.turn_recorded tools.register_user_tool
    tools.reset_active_tools tools.set_active_tools tools.unregister_user_tool tools.update_store tower_mode.enter
    tower_mode.exit turn.cancel turn.prompt turn.steer turn.step.interrupted
    """
SILENT = frozenset(_SILENT.split())
LOOP_SILENT = frozenset({"step.begin"})
_DENIED = 64
_NOTICE_CHARS = 8_000
_TYPED = frozenset({"", "user"})
_SURROUNDINGS = regex(r"\A\s*<git-context\b[^>]{0,2000}/>\s*")  # stands before a subagent's task
_REFUSALS = ("reject", "den", "cancel")


class KimiCodeState(ReadingMemory):
    model: str = ""
    has_usage_records: bool = False
    denied: list[str] = msgspec.field(default_factory=list)  # calls that were refused, before their end is written

    def deny(self, call: str) -> None:
        self.denied = [*self.denied[-_DENIED:], call]


class KimiCodeLine(NamedTuple):
    """One record, where it lies, and whether a subagent's file holds it."""

    value: Mapping[str, Any]
    place: Place
    is_child: bool

    @property
    def stamp(self) -> str:
        return str(self.place.at_ms or self.place.offset)


def _append(state: KimiCodeState, line: KimiCodeLine) -> Iterator[Reading]:
    message = fields.mapping(line.value, "message")
    match message.get("role"):
        case "user":
            yield from _user(message, line)
        case "assistant":
            yield from _assistant(message, line)
        case "tool":
            yield from _end(
                state, fields.plain_id(message, "toolCallId"), {**message, "output": message.get("content")}, line
            )


def _user(message: Mapping[str, Any], line: KimiCodeLine) -> Iterator[Reading]:
    text = _SURROUNDINGS.sub("", fields.joined(texts_of(message.get("content"))), count=1)
    if not text.strip():
        return
    origin = fields.text(fields.mapping(message, "origin"), "kind")
    key = fields.plain_id(message, "id") or f"{line.stamp}:{mark(text)}"
    if origin == "compaction_summary":
        yield line.place.said(EventKind.COMPACTION, text, key)
    elif origin in _TYPED and not line.is_child and not text.lstrip().startswith("<system-reminder>"):
        yield line.place.said(EventKind.PROMPT, text, key)
    else:
        yield line.place.said(EventKind.NOTICE, text[:_NOTICE_CHARS], key)


def _assistant(message: Mapping[str, Any], line: KimiCodeLine) -> Iterator[Reading]:
    """A message put in whole, as by an import. What the loop itself says comes part by part."""
    for part in fields.mappings(message, "content"):
        yield from _part(part, line, "")
    for call in fields.mappings(message, "toolCalls"):
        yield from _call(call, fields.arguments(call.get("arguments")), line)


def _loop_event(state: KimiCodeState, line: KimiCodeLine) -> Iterator[Reading]:
    event = fields.mapping(line.value, "event")
    match event.get("type"):
        case "content.part":
            yield from _part(fields.mapping(event, "part"), line, fields.plain_id(event, "uuid"))
        case "tool.call":
            yield from _call(event, fields.arguments(event.get("args")), line)
        case "tool.result":
            yield from _end(state, fields.plain_id(event, "toolCallId"), fields.mapping(event, "result"), line)
        case "step.end" if not state.has_usage_records:
            key = fields.plain_id(event, "uuid") or line.stamp
            yield from _spent(f"step:{key}", state.model, fields.mapping(event, "usage"), line)


def _part(part: Mapping[str, Any], line: KimiCodeLine, key: str) -> Iterator[Reading]:
    thought = fields.text(part, "think", "thinking")
    text = thought or "\n".join(texts_of([part]))
    if text:
        yield line.place.said(EventKind.THOUGHT if thought else EventKind.REPLY, text, key)


def _call(call: Mapping[str, Any], arguments: dict[str, Any], line: KimiCodeLine) -> Iterator[Reading]:
    call_id = fields.plain_id(call, "toolCallId", "id")
    if call_id:
        key = fields.plain_id(call, "uuid") or f"{line.stamp}:{call_id}"
        yield line.place.call(f"call:{key}", call_id, fields.text(call, "name"), arguments)
    else:
        yield line.place.problem("a call without an id")


def _end(state: KimiCodeState, call: str, value: Mapping[str, Any], line: KimiCodeLine) -> Iterator[Reading]:
    if not call:
        yield line.place.problem("a result that names no call")
        return
    was_denied = call in state.denied
    if was_denied:
        state.denied.remove(call)
    text, result = outcome_of_code(value, was_denied=was_denied)
    yield line.place.result(f"result:{line.stamp}:{call}", call, text, result)


def _approval(state: KimiCodeState, line: KimiCodeLine) -> Iterator[Reading]:
    decision = fields.text(fields.mapping(line.value, "result"), "decision", "response", "kind")
    if decision.lower().startswith(_REFUSALS):
        state.deny(fields.plain_id(line.value, "toolCallId"))
    return iter(())


def _usage(state: KimiCodeState, line: KimiCodeLine) -> Iterator[Reading]:
    state.has_usage_records = True
    state.model = fields.plain_id(line.value, "model")
    stated = fields.mapping(line.value, "usage")
    yield from _spent(f"usage:{line.stamp}:{mark(_encode(stated))}", state.model, stated, line)


def _spent(key: str, model: str, stated: Mapping[str, Any], line: KimiCodeLine) -> Iterator[Reading]:
    usage = usage_of(stated)
    yield from line.place.spent(key, model, usage)


def _compaction(_: KimiCodeState, line: KimiCodeLine) -> Iterator[Reading]:
    summary = line.value.get("summary")
    content = summary.get("content") if isinstance(summary, dict) else summary
    text = "\n".join(texts_of(content)) or fields.text(line.value, "contextSummary")
    yield line.place.said(EventKind.COMPACTION, text, f"compaction:{line.stamp}")


def _turn_ended(_: KimiCodeState, line: KimiCodeLine) -> Iterator[Reading]:
    error = line.value.get("error")
    said = fields.text(error, "message", "name") if isinstance(error, dict) else fields.text(line.value, "error")
    match line.value.get("reason"):
        case "cancelled":
            yield line.place.said(EventKind.INTERRUPT, said, f"turn:{line.stamp}")
        case "failed":
            yield line.place.said(EventKind.MODEL_ERROR, said, f"turn:{line.stamp}")


def _retry(_: KimiCodeState, line: KimiCodeLine) -> Iterator[Reading]:
    said = fields.text(line.value, "errorMessage", "errorName")
    yield line.place.failed(fields.exit_code(line.value, "statusCode"), said, f"retry:{line.stamp}")


def _encode(value: Mapping[str, Any]) -> str:
    try:
        return msgspec.json.encode(value).decode()
    except (RecursionError, msgspec.EncodeError):
        return ""


MEANINGS: dict[str, Callable[[KimiCodeState, KimiCodeLine], Iterator[Reading]]] = {
    "context.append_message": _append,
    "context.append_loop_event": _loop_event,
    "context.apply_compaction": _compaction,
    "permission.record_approval_result": _approval,
    "turn.ended": _turn_ended,
    "turn.step.retrying": _retry,
    "usage.record": _usage,
}
LOOP = LOOP_SILENT | {"content.part", "tool.call", "tool.result", "step.end"}


_MAIN = "main"
_LOOP = "context.append_loop_event"


class KimiCodeReading(LinesReading[KimiCodeState]):
    state_type = KimiCodeState
    times = ("time", "created_at")

    def session_of(self, path: PurePosixPath) -> str:
        folder, root = path.parent, path.parent.parent.parent
        self._parent = "" if folder.name == _MAIN else root.name
        return f"{root.name}/{folder.name}" if self._parent else root.name or path.stem

    def begin(self, value: Mapping[str, Any], place: Place) -> tuple[Reading, ...]:  # noqa: ARG002 - the protocol's
        return (self._facts(place),)

    def read(self, value: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        name, event = fields.plain_id(value, "type"), fields.mapping(value, "event")
        meaning = MEANINGS.get(name)
        is_known = meaning is not None or name in SILENT
        if name == _LOOP:
            kind = fields.plain_id(event, "type")
            name, is_known = f"{_LOOP}/{kind}", kind in LOOP
        self._state.count(name, is_known=is_known)
        if meaning is not None:
            yield from meaning(self._state, KimiCodeLine(value, place, bool(self._parent)))

    def _facts(self, place: Place) -> Facts:
        state = fields.decoded_file(self._file.companion(_state_file(self._file.path)))
        agent = fields.mapping(fields.mapping(state, "agents"), self._file.path.parent.name)
        return Facts(
            session=self._session,
            at_ms=place.at_ms,
            cwd=fields.text(state, "cwd", "workDir"),
            title="" if self._parent else fields.text(state, "title"),
            is_title_manual=not self._parent and state.get("isCustomTitle") is True,
            parent=self._parent,
            relation=Relation.SUBAGENT if self._parent else None,
            origin=fields.text(fields.mapping(agent, "labels"), "profileName") if self._parent else "",
        )


class KimiCodeReader(Reader):
    agent = "kimi-code"
    evidence = ReaderEvidence.REAL_CLIENT
    lines = KimiCodeReading

    def primary(self, path: PurePosixPath) -> PurePosixPath | None:
        is_state = path.name == "state.json"
        return super().primary(path.parent / "agents" / _MAIN / "wire.jsonl" if is_state else path)

    def shared(self, path: PurePosixPath) -> tuple[PurePosixPath, ...]:
        """The state is the companion of the main wire; subagents want it too."""
        is_subagents = self.primary(path) == path and path.parent.name != _MAIN
        return (_state_file(path),) if is_subagents else ()

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        if record.get("type") == "metadata":
            return "protocol_version" in record and "created_at" in record
        return record.get("type") in ("context.append_message", _LOOP)


def _state_file(wire: PurePosixPath) -> PurePosixPath:
    return wire.parent.parent.parent / "state.json"
