"""Reads the logs of GitHub's Copilot CLI: `session-state/<id>/events.jsonl`, and the documents of before.

A session is a folder; resuming appends to the same file. `workspace.yaml` beside it has the title. This module knows
lines and files; what a record means is in `meaning`, sessions of 2025 are in `history`.

The record types of Copilot that say nothing which a session's story needs. Taken from real logs of versions 1.0.64 to
1.0.102 and from the schema of session events that version 1.0.102 carries, without those that are never written to
disk. A type that is neither here nor among the meanings counts as unknown.
"""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

import msgspec

from afterwit.agents import fields
from afterwit.agents.copilot.history import CopilotHistoryReading
from afterwit.agents.copilot.meaning import MEANINGS, CopilotLine, CopilotState, child_of
from afterwit.agents.places import Place
from afterwit.agents.protocol import FileReading, Shape, SourceFile
from afterwit.agents.reading import LinesReading, resumed
from afterwit.model.kinds import ReaderEvidence, Relation
from afterwit.model.readings import Facts, Reading
from afterwit.model.times import ms_from_any
from afterwit.sources.framing import Record

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
_NAMED = re.compile(r"^(?:name|summary):[ \t]*(\S[^\n]*)$", re.MULTILINE)
_MANUAL = re.compile(r"^user_named:[ \t]*true\b", re.MULTILINE)
_PLAIN_SCALAR = re.compile(r"[\w(][^\n#|>]{0,300}")


class CopilotReader:
    """All that is known about the logs of the Copilot CLI."""

    agent = "copilot"
    evidence = ReaderEvidence.REAL_DATA

    def primary(self, path: PurePosixPath) -> PurePosixPath | None:
        match path.parts:
            case ("session-state", _, "events.jsonl"):
                return path
            case ("session-state", _, "workspace.yaml"):
                return path.with_name(_EVENTS)
            case ("history-session-state", name) if name.endswith(".json"):
                return path
        return None

    def shape(self, path: PurePosixPath) -> Shape:
        return Shape.DOCUMENT if path.suffix == ".json" else Shape.LINES

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        if isinstance(record.get("data"), dict) and {"id", "parentId", "timestamp"} <= record.keys():
            return isinstance(record.get("type"), str) and record["type"].startswith(("session.", "user.message"))
        return "sessionId" in record and ("chatMessages" in record or isinstance(record.get("timeline"), list))

    def start(self, file: SourceFile, saved: bytes | None = None) -> FileReading:
        if self.shape(file.path) is Shape.DOCUMENT:
            return CopilotHistoryReading(file.path.stem)
        return CopilotReading(file, resumed(CopilotState, saved))


class CopilotReading(LinesReading[CopilotState]):
    """The reading of one `events.jsonl`."""

    def __init__(self, file: SourceFile, state: CopilotState) -> None:
        self._file = file
        super().__init__(state)
        self._root = file.path.parent.name if file.path.name == _EVENTS else file.path.stem

    def feed(self, record: Record) -> list[Reading]:
        value = msgspec.json.decode(record.raw, type=dict[str, Any])
        name = fields.plain_id(value, "type")
        meaning = MEANINGS.get(name)
        self._state.count(name, is_known=meaning is not None or name in SILENT)
        if meaning is None:
            return []
        data = fields.mapping(value, "data")
        agent = fields.plain_id(value, "agentId") or fields.plain_id(data, "parentToolCallId")
        session = child_of(self._root, agent) if agent else self._root
        place = Place.of(session, record, ms_from_any(value.get("timestamp")))
        readings = self._introduced(place) + meaning(
            self._state, CopilotLine(data, fields.plain_id(value, "id"), place, self._root)
        )
        if name == "session.start":
            readings += self._title()
        return readings

    def _introduced(self, place: Place) -> list[Reading]:
        """Whose child a subagent is, at its first record."""
        if place.session == self._root or not self._state.is_new("child", place.session):
            return []
        return [Facts(session=place.session, at_ms=place.at_ms, parent=self._root, relation=Relation.SUBAGENT)]

    def _title(self) -> list[Reading]:
        raw = self._file.companion(self._file.path.with_name(_WORKSPACE))
        told = raw.decode("utf-8", "replace") if raw else ""
        name = _NAMED.search(told)
        title = name[1].strip().strip("'\"") if name else ""
        if not _PLAIN_SCALAR.fullmatch(title):
            return []
        return [Facts(session=self._root, title=title, is_title_manual=_MANUAL.search(told) is not None)]
