"""Reads the sessions of kimi-cli: contexts, which hold what the model sees, and wires, which hold all that happened.

    sessions/<md5 of the folder>/<session>/wire.jsonl                 all that happened, with times
    sessions/<md5 …>/<session>/state.json                             title, and the worktree if it ran in one
    sessions/<md5 …>/<session>/context.jsonl                          what the model sees
    sessions/<md5 …>/<session>/context_<n>.jsonl                      the same before a compaction, a revert, a clear
    sessions/<md5 …>/<session>/subagents/<id>/{wire,context}.jsonl    a subagent's, `<session>/<id>` here
    sessions/<md5 …>/<session>.jsonl, <session>_<n>.jsonl             contexts of 2025
    sessions/<md5 …>/<session>_<tool>_<n>.jsonl                       of a subagent then, `<session>/<tool>_<n>` here
    kimi.json                                                         which folder a hash stands for

All are parts of one session. No ids are shared, so the key of a prompt is its text and that of a call its id and
arguments, each with how often it came. What a revert dropped happened and stays. Contexts have no times, tokens or
error flags, but alone hold the summary of a compaction; `<system>` parts before an output say how a call ended, in
words. Wires have a flag and the client's message, which says that a person refused, and why.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import msgspec

from afterwit.agents import fields
from afterwit.agents.log_reader import LinesReading, Place, Reader, ReadingMemory, mark
from afterwit.agents.messages import ToolOutcome
from afterwit.model.kinds import EventKind, ReaderEvidence, Relation
from afterwit.model.readings import Facts, Reading, Result, Usage
from afterwit.model.text import regex

_INJECTED = regex(r"\s*<(?:system|system-reminder|notification|hook_result)\b")
_COMPACTED = regex(r"\s*<system>Previous context has been compacted")
_SYSTEM = regex(r"(?s)\s*<system>(.*)</system>\s*")
_EXITED = regex(r"Command failed with exit code: (-?\d{1,10})\b")
_FINE = regex(r"\bsuccessfully\b|\blines? read\b|^Found \d|^Thought logged|^Tool output is empty")
_FAULT = regex(
    r"(?m)\brejected by the user\b|\bis not (?:a|an|allowed)\b|\bdoes not exist\b|\bnot found\b|^Failed\b|^Invalid\b",
)
_DENIED = regex(
    r"(?is)(?:The )?tool call (?:is|was )?\s*rejected by (?:the )?user\.(?: User feedback: (?P<said>.*))?",
)
_HEAD_CHARS = 1_000


def outcome_of_context(content: Any) -> ToolOutcome:
    """The outcome in a tool message of a context."""
    told, printed = list[str](), list[str]()
    for text in texts_of(content):
        system = _SYSTEM.fullmatch(text)
        (told if system else printed).append(system[1] if system else text)
    said = "\n".join(told)
    text = "\n".join(part for part in (*told, *printed) if part)
    return ToolOutcome(text, _result(said, _is_error(said)))


def outcome_of_wire(value: Mapping[str, Any]) -> ToolOutcome:
    """The outcome in a `return_value`: flag, message and output."""
    said = fields.text(value, "message")
    text = "\n".join(part for part in (said, *texts_of(value.get("output"))) if part)
    denied = _DENIED.match(said)
    result = _result(said, fields.flag(value, "is_error", "isError"))
    if denied is None:
        return ToolOutcome(text, result)
    return ToolOutcome(text, Result(is_error=True, is_denied=True, said=denied["said"] or ""))


def outcome_of_code(value: Mapping[str, Any], *, was_denied: bool = False) -> ToolOutcome:
    """The outcome in a `tool.result` of kimi-code: the message stands at the end of the output."""
    text = "\n".join(texts_of(value.get("output")))
    is_error = fields.flag(value, "isError") or False
    said = text[-_HEAD_CHARS:] if is_error else ""
    is_denied, duration_ms = was_denied and is_error, fields.duration_ms(value, "durationMs")
    result = _result(said, is_error)
    return ToolOutcome(text, msgspec.structs.replace(result, is_denied=is_denied, duration_ms=duration_ms))


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
    return Result(is_error=True if exited else is_error, exit_code=fields.stated_code(exited))


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


def _end(payload: Mapping[str, Any], place: Place) -> Iterator[Reading]:
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


def _interrupt(_: Mapping[str, Any], place: Place) -> Iterator[Reading]:
    yield place.said(EventKind.INTERRUPT, "")


def _retry(payload: Mapping[str, Any], place: Place) -> Iterator[Reading]:
    said = fields.text(payload, "error_message", "message", "error_type")
    yield place.failed(fields.exit_code(payload, "status_code"), said)


def _notify(payload: Mapping[str, Any], place: Place) -> Iterator[Reading]:
    text = "\n".join(part for part in (fields.text(payload, "title"), fields.text(payload, "body")) if part)
    return place.told(EventKind.NOTICE, text)


_MEANINGS: dict[str, Callable[[Mapping[str, Any], Place], Iterator[Reading]]] = {
    "ContentPart": replied,
    "TextPart": replied,
    "ThinkPart": replied,
    "ImageURLPart": replied,
    "AudioURLPart": replied,
    "VideoURLPart": replied,
    "ToolResult": _end,
    "StatusUpdate": _status,
    "StepInterrupted": _interrupt,
    "StepRetry": _retry,
    "Notification": _notify,
}
WIRE = frozenset({"TurnBegin", "SteerInput", "ToolCall", "SubagentEvent", *_MEANINGS})


_FILE = regex(
    r"sessions/(?P<folder>[^/]+)/(?P<session>[^/]+)/(?:subagents/(?P<agent>[^/]+)/)?(?:wire|context(?:_\d+)?)\.jsonl"
)
_OLD = regex(r"sessions/(?P<folder>[^/]+)/(?P<stem>[^/]+)\.jsonl")
_STEM = regex(r"(?P<session>.+?)(?:_(?P<agent>[A-Za-z]\w*_\d+)|_\d+)?")
_STATE = regex(r"sessions/[^/]+/[^/]+/state\.json")
FOLDERS = PurePosixPath("kimi.json")
_ROLES = frozenset({"user", "assistant", "tool", "system", "_system_prompt", "_checkpoint", "_usage"})
_NOTICE_CHARS = 8_000


class Owner(NamedTuple):
    """The session that a file is about, its parent if it is a subagent's, and the hash of the folder it ran in."""

    session: str
    parent: str
    folder: str


def owner_of(path: PurePosixPath) -> Owner | None:
    """The owner of a transcript; None if the path is of no known form."""
    match = _FILE.fullmatch(str(path))
    if match:
        return _owner(match["session"], match["agent"], match["folder"])
    old = _OLD.fullmatch(str(path))
    return _name(old["stem"], old["folder"]) if old else None


def primary(path: PurePosixPath) -> PurePosixPath | None:
    """The transcript that this file is or belongs to."""
    if _STATE.fullmatch(str(path)):
        return path.with_name("wire.jsonl")
    return path if owner_of(path) else None


def owner_by_name(path: PurePosixPath) -> Owner:
    """The owner of a file that lies anywhere."""
    if path.stem == "wire" or path.stem.startswith("context"):
        is_agents = path.parent.parent.name == "subagents"
        session = path.parent.parent.parent.name if is_agents else path.parent.name
        return _owner(session or path.stem, path.parent.name if is_agents else None, "")
    return _name(path.stem, "")


def folder_of(wanted: str, raw: bytes | None) -> str:
    """The folder with this hash among those that `kimi.json` lists."""
    for folder in fields.mappings(fields.decoded_file(raw), "work_dirs"):
        path = fields.text(folder, "path")
        if path and hashlib.md5(path.encode(), usedforsecurity=False).hexdigest() == wanted:
            return path
    return ""


def _name(stem: str, folder: str) -> Owner:
    match = _STEM.fullmatch(stem)
    return _owner(match["session"], match["agent"], folder) if match else Owner(stem, "", folder)


def _owner(session: str, agent: str | None, folder: str) -> Owner:
    return Owner(f"{session}/{agent}", session, folder) if agent else Owner(session, "", folder)


class KimiReading(LinesReading[ReadingMemory]):
    """The reading of one file, wire or context."""

    state_type = ReadingMemory

    def session_of(self, path: PurePosixPath) -> str:
        self._owner = owner_of(path) or owner_by_name(path)
        self._wire = Wire(self._state)
        return self._owner.session

    def begin(self, value: Mapping[str, Any], place: Place) -> tuple[Reading, ...]:  # noqa: ARG002 - the protocol's
        return (self._facts(place),)

    def read(self, value: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        role, message = fields.plain_id(value, "role"), fields.mapping(value, "message")
        name = fields.plain_id(message, "type") or fields.plain_id(value, "type")
        if role and not message:
            self._state.count(role, is_known=role in _ROLES)
            yield from self._text_event(role, value, place)
        else:
            is_known = name in WIRE or name in SILENT if message else name == "metadata"
            self._state.count(name, is_known=is_known)
            if message:
                yield from self._wire.read(name, message, place, is_child=bool(self._owner.parent))

    def _text_event(self, role: str, message: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        says: dict[str, Callable[[Mapping[str, Any], Place], Iterator[Reading]]] = {
            "user": self._user,
            "assistant": self._assistant,
            "tool": _tool,
            "system": _system,
            "_system_prompt": _system,
        }
        if role in says:
            yield from says[role](message, place)

    def _user(self, message: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        return prompted(message.get("content"), place, self._state, is_child=bool(self._owner.parent))

    def _assistant(self, message: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        content = message.get("content")
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else fields.mappings(message, "content")
        for part in parts:
            yield from replied(part, place)
        for call in fields.mappings(message, "tool_calls"):
            yield from called(call, place, self._state)

    def _facts(self, place: Place) -> Facts:
        owner, path = self._owner, self._file.path
        state = fields.decoded_file(self._file.companion(path.with_name("state.json")) if path.stem == "wire" else None)
        folder = folder_of(owner.folder, self._file.companion(FOLDERS)) if owner.folder else ""
        return Facts(
            session=owner.session,
            at_ms=place.at_ms,
            cwd=fields.text(state, "worktree_path") or folder,
            title=fields.text(state, "custom_title"),
            is_title_manual=fields.flag(state, "title_generated") is False,
            parent=owner.parent,
            relation=Relation.SUBAGENT if owner.parent else None,
        )


def _tool(message: Mapping[str, Any], place: Place) -> Iterator[Reading]:
    call = fields.plain_id(message, "tool_call_id")
    if not call:
        yield place.problem("a result that names no call")
        return
    text, result = outcome_of_context(message.get("content"))
    yield place.result("", call, text, result)


def _system(message: Mapping[str, Any], place: Place) -> Iterator[Reading]:
    text = "\n".join(texts_of(message.get("content")))
    return place.told(EventKind.NOTICE, text[:_NOTICE_CHARS])


class KimiReader(Reader):
    agent = "kimi"
    evidence = ReaderEvidence.REAL_DATA
    lines = KimiReading

    def primary(self, path: PurePosixPath) -> PurePosixPath | None:
        return primary(path)

    def shared(self, path: PurePosixPath) -> tuple[PurePosixPath, ...]:
        return (FOLDERS,) if self.primary(path) == path else ()

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        if record.get("type") == "metadata":
            return "protocol_version" in record and "created_at" not in record
        return record.get("role") in ("_checkpoint", "_system_prompt", "_usage")
