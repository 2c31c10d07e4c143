"""Reads the sessions of Gemini CLI: whole documents until spring 2026, since then append logs of the same messages.

    tmp/<project>/chats/session-<time>-<id>.json     a document
    tmp/<project>/chats/session-<time>-<id>.jsonl    a log: header, messages, `$set`, `$rewindTo`
    tmp/<project>/chats/<parent>/<id>.jsonl          the log of a subagent

A message comes again whole when its tools finish or its tokens are counted, and `$set` may repeat all: each piece
(text, thoughts, each call and result, tokens) is marked and told once. A rewind drops messages from the agent's view:
what was said and done stays. A resumed document goes on as a log beside it; equal ids make the copies known. The
project is a hash or a short name; its folder stands in the first message of newer sessions, in `.project_root` or
`projects.json`. Parts are in Google's dialect, as in Qwen Code. A command that exits with 2 has the status "success";
its exit code stands in the frame around the output, which is taken off.
"""

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import msgspec

from afterwit.agents import fields
from afterwit.agents.gemini import unframed
from afterwit.agents.log_reader import DocumentReading, LinesReading, Place, Reader, ReadingMemory, SourceFile
from afterwit.agents.messages import Asked, ToolOutcome
from afterwit.model.kinds import EventKind, ReaderEvidence, Relation
from afterwit.model.readings import Facts, Reading, Result, Usage
from afterwit.model.text import regex
from afterwit.model.times import ms_from_any

_DENIED = regex(r"(?i)\[Operation Cancelled\] Reason: User (?:did not allow|denied|rejected)\b")


def outcome_of(status: str, response: Mapping[str, Any], display: Any = None) -> ToolOutcome:
    """The outcome of a call with this status and response; `display` is what the person saw of it."""
    error = fields.text(response, "error")
    text = error or fields.text(response, "output") or _shown(display) or _encode(response)
    is_denied = status == "cancelled" and _DENIED.match(text) is not None  # a tool's own error has another status
    said = _answers(text) if status == "success" else ""
    text, stated = unframed(fields.without_blobs(text))
    result = Result(
        is_error={"success": bool(error), "error": True, "cancelled": True}.get(status, True if error else None),
        exit_code=fields.exit_code({"code": stated}, "code"),
        is_denied=is_denied,
        said=said,
        is_worded=bool(said),
        is_cancelled=status == "cancelled" and not is_denied,
    )
    return ToolOutcome(text, result)


def _answers(text: str) -> str:
    """What a person chose or typed, where a tool asked: `{"answers": {"0": text}}`."""
    value = fields.decoded_text(text) if text.startswith('{"answers"') else None
    answers = fields.mapping(value, "answers") if isinstance(value, dict) else {}
    return "\n".join(answer for answer in answers.values() if isinstance(answer, str) and answer.strip())


def _shown(display: Any) -> str:
    if isinstance(display, dict):
        return fields.text(display, "fileDiff", "content", "text")
    return display if isinstance(display, str) else ""


def _encode(response: Mapping[str, Any]) -> str:
    try:
        return msgspec.json.encode(response).decode() if response else ""
    except (RecursionError, msgspec.EncodeError):
        return ""


class Response(NamedTuple):
    """What a tool gave back; `value` is the object that the model got."""

    id: str
    value: Mapping[str, Any]


class Parts(NamedTuple):
    """A message by kinds of parts, each in order."""

    texts: list[str]
    thoughts: list[str]
    calls: list[Asked]
    responses: list[Response]

    @property
    def text(self) -> str:
        return "\n".join(self.texts)


def parts_of(content: Any) -> Parts:
    """Reads a content: a text, a part, or a list of both."""
    parts = Parts([], [], [], [])
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, str):
            _take_text(parts.texts, part)
        elif isinstance(part, dict):
            _take(parts, part)
    return parts


def _take(parts: Parts, part: Mapping[str, Any]) -> None:
    if call := fields.mapping(part, "functionCall"):
        name = fields.text(call, "name")
        parts.calls.append(Asked(fields.plain_id(call, "id"), name, fields.arguments(call.get("args"))))
    elif response := fields.mapping(part, "functionResponse"):
        parts.responses.append(Response(fields.plain_id(response, "id"), fields.mapping(response, "response")))
    elif text := fields.text(part, "text"):
        _take_text(parts.thoughts if part.get("thought") else parts.texts, text)
    elif data := fields.mapping(part, "inlineData") or fields.mapping(part, "fileData"):
        kind = fields.text(data, "mimeType").partition("/")[0]
        parts.texts.append(f"[{kind}]" if kind in ("image", "audio", "video") else "[file]")


def _take_text(texts: list[str], text: str) -> None:
    if text.strip():
        texts.append(fields.without_blobs(text))


TYPES = frozenset({"user", "gemini", "info", "warning", "error"})
_UUID = regex(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")  # other ids, also hashes, may come elsewhere too
_SNAPSHOT = regex(r"\s*<(?:state_snapshot|compressed_chat_history|context_summary)\b")
_INJECTED = regex(
    r"\s*(?:<(?:session_context|hook_context|system-?reminder|system_reminder|available_skills|loaded_context)\b"
    r"|System: Please continue\.|This is the (?:Gemini CLI|Qwen Code)\b)"
)
_HOOK = regex(r"(?s)\s*<hook_context>(.*?)</hook_context>\s*")  # at a start before a prompt, else behind it
_ADDED = "<hook_context>"
_FOLDER = regex(r"(?:Workspace Directories:\*\*\s*\n\s*- |currently working in the directory: )([^\n]{1,1000})")
_THANKS = "Got it. Thanks for the additional context!"


def message_readings(
    message: Mapping[str, Any], place: Place, memory: ReadingMemory, *, is_child: bool
) -> Iterator[Reading]:
    """The readings of a message of a known type."""
    own = fields.plain_id(message, "id")
    name = own if _UUID.fullmatch(own) else f"{place.session}:{own}" if own else ""
    place = place._replace(at_ms=ms_from_any(message.get("timestamp")))
    match message.get("type"):
        case "gemini":
            yield from _model(message, name, place, memory)
        case "user":
            yield from _user(message, name, place, memory, is_child=is_child)
        case "error":
            yield from _once(EventKind.MODEL_ERROR, name, parts_of(message.get("content")).text, place, memory)
        case _:
            yield from _once(EventKind.NOTICE, name, parts_of(message.get("content")).text, place, memory)


def _user(
    message: Mapping[str, Any], name: str, place: Place, memory: ReadingMemory, *, is_child: bool
) -> Iterator[Reading]:
    content = parts_of(message.get("content"))
    for response in content.responses:
        yield from _result_event(response, place, memory)
    text = content.text
    hook = _HOOK.match(text)
    if hook and text[hook.end() :].strip():
        yield from _once(EventKind.NOTICE, f"{name}:hook" if name else "", hook[1], place, memory)
        text = text[hook.end() :]
    added = _HOOK.fullmatch(text, max(0, text.rfind(_ADDED)))
    if added and text[: added.start()].strip():
        yield from _once(EventKind.NOTICE, f"{name}:added" if name else "", added[1], place, memory)
        text = text[: added.start()].rstrip()
    kind = _speaker(text, is_child=is_child)
    folder = _FOLDER.search(text) if kind is EventKind.NOTICE else None
    if folder:
        yield Facts(session=place.session, at_ms=place.at_ms, cwd=folder[1].strip())
    yield from _once(kind, name, text, place, memory)


def _speaker(text: str, *, is_child: bool) -> EventKind:
    if _SNAPSHOT.match(text):
        return EventKind.COMPACTION
    return EventKind.NOTICE if is_child or _INJECTED.match(text) else EventKind.PROMPT


def _model(message: Mapping[str, Any], name: str, place: Place, memory: ReadingMemory) -> Iterator[Reading]:
    content = parts_of(message.get("content"))
    thoughts = [_thought(stated) for stated in fields.mappings(message, "thoughts")]
    for number, thought in enumerate(filter(None, [*thoughts, *content.thoughts])):
        yield from _once(EventKind.THOUGHT, f"{name}:thought:{number}" if name else "", thought, place, memory)
    is_clients = content.text == _THANKS
    yield from _once(EventKind.NOTICE if is_clients else EventKind.REPLY, name, content.text, place, memory)
    for call in content.calls:
        yield from _call_event(call, name, place, memory)
    for tool_call in fields.mappings(message, "toolCalls"):
        yield from _tool_call(tool_call, name, place, memory)
    yield from _spend(message, name, place, memory)


def _thought(thought: Mapping[str, Any]) -> str:
    subject, description = fields.text(thought, "subject"), fields.text(thought, "description")
    return f"{subject}\n{description}" if subject and description else subject or description


def _tool_call(stated: Mapping[str, Any], name: str, place: Place, memory: ReadingMemory) -> Iterator[Reading]:
    call_id = fields.plain_id(stated, "id")
    if not call_id:
        yield place.problem("a call without an id")
        return
    call = Asked(call_id, fields.text(stated, "name"), fields.arguments(stated.get("args")))
    yield from _call_event(call, name, place, memory)
    status = fields.text(stated, "status")
    responses = parts_of(stated.get("result")).responses
    if status not in ("success", "error", "cancelled") and not responses:
        return
    value = next((response.value for response in responses if response.id in ("", call_id)), {})
    text, result = outcome_of(status, value, stated.get("resultDisplay"))
    ended = place._replace(at_ms=ms_from_any(stated.get("timestamp")) or place.at_ms)
    if memory.is_new("result", call_id):
        yield ended.result(f"result:{name}:{call_id}", call_id, text, result)


def _call_event(call: Asked, name: str, place: Place, memory: ReadingMemory) -> Iterator[Reading]:
    """A call, told once for its message. Ids may be short, and come again in a later one."""
    if not call.id:
        yield place.problem("a call without an id")
    elif memory.is_new("call", name, call.id):
        memory.forget("result", call.id)
        yield place.call(f"call:{name}:{call.id}", call.id, call.tool, call.arguments)


def _result_event(response: Response, place: Place, memory: ReadingMemory) -> Iterator[Reading]:
    """What the model was told of a call's end. The call itself says more, and mostly before."""
    if response.id and memory.is_new("result", response.id):
        text, result = outcome_of("", response.value)
        yield place.result(f"answer:{place.session}:{response.id}", response.id, text, result)


def _once(kind: EventKind, key: str, text: str, place: Place, memory: ReadingMemory) -> Iterator[Reading]:
    if text.strip() and (not key or memory.is_new("text", key)):
        yield place.said(kind, text, key)


def _spend(message: Mapping[str, Any], name: str, place: Place, memory: ReadingMemory) -> Iterator[Reading]:
    usage = usage_of(fields.mapping(message, "tokens"))
    if usage != Usage() and name and memory.is_new("tokens", name, repr(usage)):
        yield from place.spent(f"tokens:{name}", fields.text(message, "model"), usage)


def usage_of(tokens: Mapping[str, Any]) -> Usage:
    """`input` includes what was cached; thoughts and what tools put into the prompt are counted apart."""
    cached, thoughts = fields.tokens(tokens, "cached"), fields.tokens(tokens, "thoughts")
    return Usage(
        input=max(0, fields.tokens(tokens, "input") - cached) + fields.tokens(tokens, "tool"),
        cache_read=cached,
        output=fields.tokens(tokens, "output") + thoughts,
        reasoning=thoughts,
    )


_CHILD = regex(r"tmp/[^/]+/chats/[^/]+/[^/]+\.jsonl")
_PROJECTS = PurePosixPath("projects.json")
_HEADER = frozenset({"sessionId", "projectHash", "startTime", "lastUpdated"})


class GeminiState(ReadingMemory):
    session: str = ""
    is_child: bool = False


class _GeminiSession:
    """What a document and a log have in common."""

    _file: SourceFile
    _session: str
    _messages: GeminiState

    def _message(self, message: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        name = fields.plain_id(message, "type")
        self._messages.count(name, is_known=name in TYPES)
        yield from self._message_entries(message, place)

    def _message_entries(self, message: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        if fields.plain_id(message, "type") in TYPES:
            place = place._replace(session=self._session)
            yield from message_readings(message, place, self._messages, is_child=self._messages.is_child)

    def _header(self, header: Mapping[str, Any]) -> Iterator[Reading]:
        state, path = self._messages, self._file.path
        is_below_parent = _CHILD.fullmatch(str(path)) is not None
        state.session = fields.plain_id(header, "sessionId")
        state.is_child = header.get("kind") == "subagent" or is_below_parent
        self._session = state.session or path.stem
        yield Facts(
            session=self._session,
            at_ms=ms_from_any(header.get("startTime")),
            cwd=self._folder(header),
            title=fields.text(header, "summary"),
            parent=path.parent.name if is_below_parent else "",
            relation=Relation.SUBAGENT if state.is_child else None,
        )

    def _folder(self, header: Mapping[str, Any]) -> str:
        """The project's folder, from the files beside the sessions or, for a subagent, from the header."""
        project = self._file.path.parts[1] if len(self._file.path.parts) > 1 else ""
        root = self._file.companion(_root_file(project))
        if root and root.strip():
            return root.decode("utf-8", "replace").strip()
        projects = fields.decoded_file(self._file.companion(_PROJECTS))
        wanted = (project, fields.text(header, "projectHash"))
        for folder, name in fields.mapping(projects, "projects").items():
            if name == project or hashlib.sha256(folder.encode()).hexdigest() in wanted:
                return folder
        directories = header.get("directories")
        first = directories[0] if isinstance(directories, list) and directories else ""
        return first if isinstance(first, str) else ""


class GeminiDocument(_GeminiSession, DocumentReading):
    def __init__(self, file: SourceFile) -> None:
        super().__init__(file)
        self._messages = GeminiState(known=self._memory.known, unknown=self._memory.unknown)

    def begin(self, document: Mapping[str, Any]) -> Iterator[Reading]:
        return self._header(document)

    def read(self, value: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        return self._message(value, place)


class GeminiReading(_GeminiSession, LinesReading[GeminiState]):
    """The reading of a log."""

    state_type = GeminiState

    def session_of(self, path: PurePosixPath) -> str:
        """The id in the header; before it is read, the name of the file."""
        self._messages = self._state
        return self._state.session or path.stem

    def read(self, value: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        if "$rewindTo" in value:
            self._state.count("$rewindTo", is_known=True)
        elif "$set" in value:
            self._state.count("$set", is_known=True)
            patch = fields.mapping(value, "$set")
            yield from self._apply_patch(patch)
            for message in fields.mappings(patch, "messages"):
                yield from self._message_entries(message, place)
        elif "type" not in value and not _HEADER.isdisjoint(value):
            self._state.count("metadata", is_known=True)
            yield from self._header(value)
        else:
            yield from self._message(value, place)

    def _apply_patch(self, patch: Mapping[str, Any]) -> Iterator[Reading]:
        title = fields.text(patch, "summary")
        if title:
            at_ms = ms_from_any(patch.get("lastUpdated"))
            yield Facts(session=self._session, at_ms=at_ms, title=title)


class GeminiReader(Reader):
    agent = "gemini"
    evidence = ReaderEvidence.REAL_DATA
    lines = GeminiReading
    document = GeminiDocument

    def shared(self, path: PurePosixPath) -> tuple[PurePosixPath, ...]:
        return (_root_file(path.parts[1]), _PROJECTS) if self.primary(path) else ()

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        return "sessionId" in record and "projectHash" in record and "startTime" in record


def _root_file(project: str) -> PurePosixPath:
    return PurePosixPath("tmp", project, ".project_root")
