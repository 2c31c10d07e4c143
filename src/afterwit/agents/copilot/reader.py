"""Reads the logs of GitHub's Copilot CLI: `session-state/<id>/events.jsonl`, and the documents of before.

A session is a folder; resuming appends to the same file. `workspace.yaml` beside it has the title. This module knows
lines and files; what a record means is in `meaning`.

The record types of Copilot that say nothing which a session's story needs. Taken from real logs of versions 1.0.64 to
1.0.102 and from the schema of session events that version 1.0.102 carries, without those that are never written to
disk. A type that is neither here nor among the meanings counts as unknown.

Sessions of 2025 are one document each, rewritten whole, in `history-session-state/`. Written from documentation.
`timeline` is what the person saw, with times, calls and results; `chatMessages` is what the model saw. They tell one
story, so the second is read only where the first is missing. Neither states tokens.
"""

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from afterwit.agents import fields
from afterwit.agents.copilot.meaning import MEANINGS, CopilotLine, CopilotState, child_of, outcome_of
from afterwit.agents.log_reader import DocumentReading, LinesReading, Place, Reader
from afterwit.agents.messages import calls_of, text_of
from afterwit.agents.messages import outcome_of as outcome_of_text
from afterwit.model.kinds import EventKind, ReaderEvidence, Relation
from afterwit.model.readings import Facts, Reading, Result
from afterwit.model.text import regex
from afterwit.model.times import ms_from_any

_AFTER_SESSION = """
    auto_mode_resolved autopilot_objective_changed background_tasks_changed binary_asset canvas.recorded canvas.removed
    compaction_start completion_receipt context_cleared custom_agents_updated extensions_loaded fusion_change_checkpoint
    fusion_commit_started fusion_completed fusion_handoff fusion_resolved fusion_route_failed handoff idle
    import_legacy mcp_server_status_changed mcp_servers_loaded mode_changed mode_notice_delivered model_deselected
    permission_recovery permissions_changed plan_changed remote_steerable_changed request_body_compression_disabled
    schedule_cancelled schedule_created schedule_rearmed session_limits_changed skills_loaded snapshot_rewind
    tools_updated truncation usage_checkpoint usage_info workspace_file_changed
    """
_OTHERS = """
    assistant.fusion_phase_completed assistant.fusion_phase_failed assistant.intent assistant.message_delta
    assistant.reasoning_delta assistant.turn_end assistant.turn_start assistant.usage command.completed command.execute
    command.queued elicitation.completed elicitation.requested exit_plan_mode.completed exit_plan_mode.requested
    external_tool.completed external_tool.requested hook.end hook.start human_response.recorded
    mcp.oauth_recovery_completed pending_messages.modified permission.assentDetected permission.carriedForward
    permission.contextualAuthorization permission.messageAuthorization permission.messageAuthorizationDegraded
    permission.messageAuthorizationRead permission.requested skill.context_delivered skill.context_delivered_ref
    skill.invoked_ref subagent.completed subagent.configured subagent.deselected subagent.failed subagent.selected
    tool.execution_partial_result tool.execution_progress tool_search.activated user_input.completed
    user_input.requested
    """

SILENT = frozenset([f"session.{name}" for name in _AFTER_SESSION.split()] + _OTHERS.split())
_EVENTS, _WORKSPACE = "events.jsonl", "workspace.yaml"
_NAMED = regex(r"(?m)^(?:name|summary):[ \t]*(\S[^\n]*)$")
_MANUAL = regex(r"(?m)^user_named:[ \t]*true\b")
_PLAIN_SCALAR = regex(r"[\w(][^\n#|>]{0,300}")


class CopilotReading(LinesReading[CopilotState]):
    """The reading of one `events.jsonl`."""

    state_type = CopilotState

    def session_of(self, path: PurePosixPath) -> str:
        return path.parent.name if path.name == _EVENTS else path.stem

    def read(self, value: Mapping[str, Any], place: Place) -> list[Reading]:
        name = fields.plain_id(value, "type")
        meaning = MEANINGS.get(name)
        self._state.count(name, is_known=meaning is not None or name in SILENT)
        if meaning is None:
            return []
        data = fields.mapping(value, "data")
        agent = fields.plain_id(value, "agentId") or fields.plain_id(data, "parentToolCallId")
        place = place._replace(session=child_of(self._session, agent) if agent else self._session)
        line = CopilotLine(data, fields.plain_id(value, "id"), place, self._session)
        readings = self._introduce(place) + meaning(self._state, line)
        if name == "session.start":
            readings += self._title()
        return readings

    def _introduce(self, place: Place) -> list[Reading]:
        """Whose child a subagent is, at its first record."""
        if place.session == self._session or not self._state.is_new("child", place.session):
            return []
        return [Facts(session=place.session, at_ms=place.at_ms, parent=self._session, relation=Relation.SUBAGENT)]

    def _title(self) -> list[Reading]:
        raw = self._file.companion(self._file.path.with_name(_WORKSPACE))
        told = raw.decode("utf-8", "replace") if raw else ""
        name = _NAMED.search(told)
        title = name[1].strip().strip("'\"") if name else ""
        if not _PLAIN_SCALAR.fullmatch(title):
            return []
        return [Facts(session=self._session, title=title, is_title_manual=_MANUAL.search(told) is not None)]


_NAME = regex(r"(?:session_)?(?P<id>[0-9a-f-]{36})?.*")
_STAMP = regex(r"(?<!\s)\s*<current_datetime>[^<]{0,60}</current_datetime>\s*")
_SPOKEN = {
    "user": EventKind.PROMPT,
    "copilot": EventKind.REPLY,
    "reasoning": EventKind.THOUGHT,
    "info": EventKind.NOTICE,
    "warning": EventKind.NOTICE,
    "error": EventKind.MODEL_ERROR,
}
_ROLES = {"user": EventKind.PROMPT, "assistant": EventKind.REPLY, "system": EventKind.NOTICE}
_REQUESTED, _COMPLETED = "tool_call_requested", "tool_call_completed"


class CopilotHistoryReading(DocumentReading):
    def session_of(self, path: PurePosixPath) -> str:
        name = _NAME.fullmatch(path.stem)
        return (name["id"] if name else "") or path.stem

    def begin(self, document: Mapping[str, Any]) -> Iterator[Reading]:
        self._session = fields.plain_id(document, "sessionId") or self._session
        self.pieces = ("timeline" if fields.mappings(document, "timeline") else "chatMessages",)
        at_ms = ms_from_any(document.get("startTime"))
        yield Facts(session=self._session, at_ms=at_ms, title=fields.text(document, "summary", "title"))

    def read(self, value: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        entry = value
        kind, role = fields.plain_id(entry, "type"), fields.plain_id(entry, "role")
        is_known = kind in (*_SPOKEN, _REQUESTED, _COMPLETED) or (not kind and role in (*_ROLES, "tool"))
        self._memory.count(kind or role, is_known=is_known)
        if is_known:
            yield from self._entry(kind, entry, place) if kind else self._message(role, entry, place)

    def _entry(self, kind: str, entry: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        if kind in (_REQUESTED, _COMPLETED):
            yield from self._call(kind, entry, place)
        elif text := fields.without_blobs(fields.text(entry, "text", "content")):
            own = fields.plain_id(entry, "id")
            yield place.said(_SPOKEN[kind], text, f"{self._session}:{own}" if own else "")

    def _call(self, kind: str, entry: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        call = fields.plain_id(entry, "callId", "toolCallId")
        if not call:
            yield place.problem("a call without an id")
            return
        if self._memory.is_new("call", call):
            tool = fields.text(entry, "name", "toolTitle")
            yield place.call(f"call:{self._session}:{call}", call, tool, fields.arguments(entry.get("arguments")))
        if kind == _COMPLETED:
            text, result = _end_of(fields.mapping(entry, "result"))
            yield place.result(f"result:{self._session}:{call}", call, text, result)

    def _message(self, role: str, message: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        text = text_of(message.get("content")) or ""
        if role == "tool":
            call = fields.plain_id(message, "tool_call_id") or f"at-{place.offset}"
            text, result = outcome_of_text(text)
            yield place.result(f"result:{self._session}:{call}", call, text, result)
            return
        if text.strip():
            yield place.said(_ROLES[role], _STAMP.sub("", text, count=1))
        for number, call_made in enumerate(calls_of(message)):
            call = fields.plain_id({"id": call_made.id}, "id") or f"at-{place.offset}-{number}"
            yield place.call(f"call:{self._session}:{call}", call, call_made.tool, call_made.arguments)


class CopilotReader(Reader):
    agent = "copilot"
    evidence = ReaderEvidence.REAL_DATA
    lines = CopilotReading
    document = CopilotHistoryReading
    companions = {_WORKSPACE: _EVENTS}  # noqa: RUF012

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        if isinstance(record.get("data"), dict) and {"id", "parentId", "timestamp"} <= record.keys():
            return isinstance(record.get("type"), str) and record["type"].startswith(("session.", "user.message"))
        return "sessionId" in record and ("chatMessages" in record or isinstance(record.get("timeline"), list))


def _end_of(result: Mapping[str, Any]) -> tuple[str, Result]:
    """The result of a timeline's call, in the words of today's records."""
    kind = fields.text(result, "type")
    log = fields.text(result, "log", "textResultForLlm", "content")
    is_success = {"success": True, "failure": False, "error": False}.get(kind)
    if kind in ("denied", "rejected"):
        return log, Result(is_error=True, is_denied=True)
    return outcome_of({"success": is_success, "result": {"content": log}})
