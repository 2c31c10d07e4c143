"""Reads the sessions of Qwen Code, and of the builds before, which wrote Gemini's documents.

    projects/<slug>/chats/<session>.jsonl                        a session
    projects/<slug>/subagents/<session>/agent-<id>.jsonl         a subagent's, `<session>/agent-<id>` here
    projects/<slug>/subagents/<session>/agent-<id>.meta.json     what it is, and the call that started it
    tmp/<hash>/chats/session-*.json                              older builds

A record is an envelope like Claude Code's around a message in Google's dialect. A user record with a subtype was not
typed, except what a person sent while the agent worked; newer versions name who speaks in `provenance`. A fork copies
its parent's records under their old uuids, so that keys are equal. A rewind moves the agent to another branch of the
tree: what was said and done on the one it left stays, and nothing is counted twice.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import msgspec

from afterwit.agents import fields
from afterwit.agents.gemini.reader import GeminiReader, Parts, outcome_of, parts_of, usage_of
from afterwit.agents.log_reader import FileReading, LinesReading, Place, Reader, ReadingMemory, SourceFile
from afterwit.model.kinds import EventKind, ReaderEvidence, Relation
from afterwit.model.readings import Facts, Reading, Result
from afterwit.model.text import regex

_TYPED_SUBTYPES = frozenset({"", "mid_turn_user_message", "realtime_message"})
_PEOPLE = frozenset({"", "real_user"})
_REMINDERS = ("<system-reminder>", "<qwen:", "<session_context>", "<hook_context>", "<task-notification>")
_TOKEN_NAMES = {
    "promptTokenCount": "input",
    "candidatesTokenCount": "output",
    "cachedContentTokenCount": "cached",
    "thoughtsTokenCount": "thoughts",
    "toolUsePromptTokenCount": "tool",
}
_ENDINGS = {"cancelled": "cancelled", "aborted": "cancelled"}
_NOTICE_CHARS = 8_000

SPOKEN_SYSTEM = frozenset(
    {
        "background_task_completed",
        "chat_compression",
        "custom_title",
        "notification",
        "parent_session",
        "slash_command",
        "turn_result",
        "ui_telemetry",
    }
)
_SILENT = """
    agent_bootstrap agent_launch_prompt agent_retry at_command attribution_snapshot branch_checkpoint cron
    file_history_snapshot goal_runtime goal_state goal_turn_end managed_session_end managed_session_start omni_recall
    rewind session_artifact_event session_artifact_snapshot session_model session_recording_degraded session_source
    session_sources_snapshot user_text_elements
    """
SILENT_SYSTEM = frozenset(_SILENT.split())


class QwenLine(NamedTuple):
    """One record: where it lies, its uuid, and whether a subagent wrote it."""

    value: Mapping[str, Any]
    place: Place
    uuid: str
    subtype: str
    is_child: bool

    def said(self, kind: EventKind, text: str, part: str = "") -> Iterator[Reading]:
        return self.place.told(kind, text, f"{self.uuid}{part}" if self.uuid else "")

    @property
    def parts(self) -> Parts:
        return parts_of(fields.mapping(self.value, "message").get("parts"))

    @property
    def payload(self) -> Mapping[str, Any]:
        return fields.mapping(self.value, "systemPayload")


def user(line: QwenLine) -> Iterator[Reading]:
    provenance = fields.text(line.value, "provenance")
    is_typed = line.subtype in _TYPED_SUBTYPES and provenance in _PEOPLE and not line.is_child
    for number, text in enumerate(line.parts.texts):
        kind = EventKind.PROMPT if is_typed and not text.lstrip().startswith(_REMINDERS) else EventKind.NOTICE
        yield from line.said(kind, text, f":{number}" if number else "")


def assistant(line: QwenLine) -> Iterator[Reading]:
    parts = line.parts
    yield from line.said(EventKind.THOUGHT, "\n".join(parts.thoughts), ":thought")
    yield from line.said(EventKind.REPLY, parts.text)
    for number, call in enumerate(parts.calls):
        call_id = call.id or f"{line.uuid or line.place.offset}:{number}"
        yield line.place.call(f"call:{line.uuid}:{call_id}", call_id, call.tool, call.arguments)
    yield from _spend(line)


def _spend(line: QwenLine) -> Iterator[Reading]:
    stated = fields.mapping(line.value, "usageMetadata")
    usage = usage_of({name: stated.get(theirs) for theirs, name in _TOKEN_NAMES.items()})
    return line.place.spent(line.uuid, fields.text(line.value, "model"), usage) if line.uuid else iter(())


def tool_result(line: QwenLine) -> Iterator[Reading]:
    stated = fields.mapping(line.value, "toolCallResult")
    responses = line.parts.responses
    first = responses[0] if responses else None
    call = fields.plain_id(stated, "callId") or (first.id if first else "")
    if not call:
        yield line.place.problem("a result that names no call")
        return
    status = fields.text(stated, "status")
    text, result = outcome_of(_ENDINGS.get(status, status), first.value if first else {}, stated.get("resultDisplay"))
    yield line.place.result(f"result:{line.uuid}", call, text, _complete(result, stated))


def _complete(result: Result, stated: Mapping[str, Any]) -> Result:
    """The result with what the structured side of the record says more exactly."""
    shell = fields.mapping(stated, "resultDisplay")
    exit_code = fields.exit_code(shell, "exitCode")
    return msgspec.structs.replace(
        result,
        exit_code=result.exit_code if exit_code is None else exit_code,
        is_cancelled=result.is_cancelled or fields.text(shell, "outcome") in ("cancelled", "aborted"),
        is_running=fields.text(shell, "outcome") in ("background", "running"),
        duration_ms=fields.duration_ms(stated, "durationMs"),
    )


def system(line: QwenLine) -> Iterator[Reading]:
    payload, session, at_ms = line.payload, line.place.session, line.place.at_ms
    match line.subtype:
        case "chat_compression":
            yield line.place.said(EventKind.COMPACTION, _summary(payload), line.uuid)
        case "custom_title" if title := fields.text(payload, "customTitle", "title"):
            is_manual = fields.text(payload, "titleSource", "source") != "auto"
            yield Facts(session=session, at_ms=at_ms, title=title, is_title_manual=is_manual)
        case "parent_session" if parent := fields.plain_id(payload, "parentSessionId"):
            yield Facts(session=session, at_ms=at_ms, parent=parent)
        case "ui_telemetry":
            yield from _telemetry(line, fields.mapping(payload, "uiEvent"))
        case "turn_result":
            yield from line.said(EventKind.MODEL_ERROR, fields.text(fields.mapping(payload, "error"), "message"))
        case "notification" | "background_task_completed" | "slash_command":
            text = line.parts.text or fields.text(payload, "displayText", "text", "rawCommand", "summary")
            yield from line.said(EventKind.NOTICE, text[:_NOTICE_CHARS])


def _summary(payload: Mapping[str, Any]) -> str:
    """The summary that a compressed history begins with."""
    for message in fields.mappings(payload, "compressedHistory"):
        text = parts_of(message.get("parts")).text
        if text.strip():
            return text
    return ""


def _telemetry(line: QwenLine, event: Mapping[str, Any]) -> Iterator[Reading]:
    """Only failed requests say something here that no other record does."""
    if fields.text(event, "event.name").endswith("api_error"):
        said = fields.text(event, "error_message", "error", "error_type")
        yield line.place.failed(fields.exit_code(event, "status_code"), said, line.uuid)


_AGENT = regex(r"projects/[^/]+/subagents/[^/]+/agent-[^/]+\.jsonl")
_META = ".meta.json"
_MEANINGS: dict[str, Callable[[QwenLine], Iterable[Reading]]] = {
    "user": user,
    "assistant": assistant,
    "tool_result": tool_result,
    "system": system,
}
_OLDER = GeminiReader()


class QwenReading(LinesReading[ReadingMemory]):
    state_type = ReadingMemory

    def session_of(self, path: PurePosixPath) -> str:
        self._is_agents = _AGENT.fullmatch(str(path)) is not None
        self._parent = path.parent.name if self._is_agents else ""
        return f"{self._parent}/{path.stem}" if self._is_agents else path.stem

    def read(self, value: Mapping[str, Any], place: Place) -> Iterable[Reading]:
        kind, subtype = fields.plain_id(value, "type"), fields.plain_id(value, "subtype")
        name = f"system/{subtype}" if kind == "system" else kind
        is_known = kind in _MEANINGS and (kind != "system" or subtype in SPOKEN_SYSTEM | SILENT_SYSTEM)
        self._state.count(name, is_known=is_known)
        if not is_known:
            return []
        is_child = self._is_agents or value.get("isSidechain") is True
        line = QwenLine(value, place, fields.plain_id(value, "uuid"), subtype, is_child)
        return [*self._facts(value, place), *_MEANINGS[kind](line)]

    def _facts(self, value: Mapping[str, Any], place: Place) -> Iterable[Reading]:
        """What the envelope says about the session, when it changes."""
        forked = fields.plain_id(fields.mapping(value, "forkedFrom"), "sessionId")
        cwd, branch = fields.text(value, "cwd"), fields.text(value, "gitBranch")
        version, agent = fields.text(value, "version"), fields.text(value, "agentName")
        if not any((forked, cwd, branch, version, agent)):
            return
        if not self._state.is_new("facts", cwd, branch, version, forked):
            return
        parent = self._parent or forked
        meta = fields.decoded_file(self._file.companion(self._file.path.with_suffix(_META))) if self._parent else {}
        relation = Relation.SUBAGENT if self._parent else Relation.FORK if forked else None
        yield Facts(
            session=self._session,
            at_ms=place.at_ms,
            cwd=cwd,
            branch=branch,
            version=version,
            parent=parent,
            relation=relation,
            parent_call=fields.plain_id(meta, "toolUseId"),
            origin=agent or fields.text(meta, "agentType") if self._parent else "",
        )


class QwenReader(Reader):
    agent = "qwen"
    evidence = ReaderEvidence.REAL_CLIENT
    lines = QwenReading

    def primary(self, path: PurePosixPath) -> PurePosixPath | None:
        if not path.name.endswith(_META):
            return super().primary(path)
        path = path.with_name(f"{path.name.removesuffix(_META)}.jsonl")
        return path if _AGENT.fullmatch(str(path)) else None

    def shared(self, path: PurePosixPath) -> tuple[PurePosixPath, ...]:
        return _OLDER.shared(path)

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        """An old document cannot be told from Gemini's; in a folder given by hand, Gemini's reader gets it."""
        if not {"uuid", "parentUuid", "sessionId", "type"} <= record.keys():
            return _OLDER.sniffs(record)
        message = record.get("message")
        is_theirs = isinstance(message, dict) and isinstance(message.get("parts"), list)
        return is_theirs or (record.get("type") == "system" and "systemPayload" in record)

    def document(self, file: SourceFile) -> FileReading:
        return _OLDER.start(file)
