"""Reads Claude Code's transcripts, and the stream-json logs of its SDK.

One file can hold several sessions: its own, named by the file, and the subagents inside it. Old versions wrote those as
sidechain lines, later ones as progress records, the newest in files of their own. Facts about a session are given when
they change. What people typed while the agent worked stands in the queue's records; versions before 2.1.90 wrote most
of it nowhere else, so there it is read from the queue and skipped if it comes again as a message.

Claude Code's `history.jsonl`: every prompt that was typed, with its time, folder and session. Claude Code never deletes
it, while transcripts go after 30 days. Versions of 2025 wrote no `sessionId`. Long pastes are not in the line but in a
cache of their own, under a hash; their place keeps the mark that the user saw.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

import msgspec

from afterwit.agents.claude_code import catalog
from afterwit.agents.claude_code.content import (
    attachment_text,
    error_text,
    kind_of_queued,
    loaded_file,
    shortened,
    system_text,
    text_of_anything,
)
from afterwit.agents.claude_code.messages import ClaudePlace, ClaudeState, assistant_readings, digest_of, user_readings
from afterwit.agents.claude_code.records import Attachment, ClaudeLine, decode
from afterwit.agents.claude_code.sessions import Sessions, primary, spilled
from afterwit.agents.prompt_history import Fields, HistoryReader, JoinedReader
from afterwit.agents.protocol import SourceFile
from afterwit.agents.reading import LinesReader
from afterwit.model.kinds import EventKind, ReaderEvidence
from afterwit.model.readings import Event, Facts, Problem, Reading, Spend, Usage
from afterwit.model.times import ms_from_any
from afterwit.sources.framing import Record

_OUTPUT_BYTES = 1_000_000
_DEAREST_USD = 1_000_000_000
_QUEUE_REPEATED_FROM = (2, 1, 90)
_STREAM_MARKS = frozenset({"claude_code_version", "tools", "parent_tool_use_id"})  # other agents' streams lack them
_VERSION = re.compile(r"(\d{1,6})\.(\d{1,6})\.(\d{1,6})")
_REPOSITORY = re.compile(r"(https?://[^/\s]+/[^/\s]+/[^/\s]+?)/(?:-/)?(?:pulls?|merge_requests)/\d")


class ClaudeCodeReader(LinesReader):
    agent = "claude-code"
    evidence = ReaderEvidence.REAL_DATA

    def primary(self, path: PurePosixPath) -> PurePosixPath | None:
        return primary(path)

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        kind = record.get("type")
        if not isinstance(kind, str):
            return False
        if kind in ("summary", "file-history-snapshot"):
            return "leafUuid" in record or "snapshot" in record
        if kind in ("user", "assistant"):
            message = record.get("message")
            if not isinstance(message, Mapping) or "content" not in message:
                return False
        if not record.get("sessionId"):
            return bool(record.get("session_id")) and not _STREAM_MARKS.isdisjoint(record)
        if kind == "system":
            return f"system/{record.get('subtype')}" in catalog.KNOWN
        return kind in catalog.KNOWN or kind in ("progress", "attachment")

    def start(self, file: SourceFile, saved: bytes | None = None) -> "ClaudeCodeReading":
        return ClaudeCodeReading(file, msgspec.json.decode(saved, type=ClaudeState) if saved else ClaudeState())


class ClaudeCodeReading:
    """The reading of one file. `known` and `unknown` count every record once."""

    known: Mapping[str, int]
    unknown: Mapping[str, int]

    def __init__(self, file: SourceFile, state: ClaudeState) -> None:
        self._file = file
        self._state = state
        self._sessions = Sessions(file, state)
        self.known = state.known
        self.unknown = state.unknown

    def save(self) -> bytes:
        return msgspec.json.encode(self._state)

    def feed(self, record: Record) -> list[Reading]:
        line, flaws = decode(record.raw)
        name = catalog.name_of(line)
        is_known = name in catalog.KNOWN
        self._state.count(name, is_known=is_known)
        if not is_known:
            return []
        readings: list[Reading] = []
        if flaws:
            reason = f"{name}: cannot use {', '.join(flaws)}"
            readings.append(Problem(offset=record.offset, length=record.length, reason=reason))
        if name not in catalog.SILENT or line.is_sidechain:
            session, is_child = self._sessions.of(line)
            at_ms = ms_from_any(line.timestamp)
            place = ClaudePlace(session, record.offset, record.length, at_ms, line.uuid or "", is_child)
            readings.extend(self._sessions.facts(line, place))
            if name not in catalog.SILENT:
                readings.extend(self._handler(line)(line, place))
        return readings

    def _handler(self, line: ClaudeLine) -> Callable[[ClaudeLine, ClaudePlace], Iterable[Reading]]:
        match line.type:
            case "user" | "assistant":
                return self._message
            case "progress":
                return self._nested
            case "attachment":
                return self._attachment
            case "system":
                return _system
            case "queue-operation":
                return self._queued
            case "result":
                return _stream_result
        return self._facts

    def _message(self, line: ClaudeLine, place: ClaudePlace) -> Iterable[Reading]:
        message = line.message
        if message is None or message.content is None:
            return (place.problem(f"{line.type}: no usable message"),)
        if place.uuid:
            self._state.remember_message(place.uuid)

        def spill(stated: str, call: str) -> str | None:
            return self._spilled(line.session_id or "", stated, call)

        read = user_readings if line.type == "user" else assistant_readings
        return read(line, message, place, self._state, spill)

    def _nested(self, line: ClaudeLine, place: ClaudePlace) -> Iterator[Reading]:
        """A subagent's message inside a progress record of its parent."""
        nested, agent_id = (line.data.message, line.data.agent_id) if line.data else (None, None)
        if nested is None or nested.type not in ("user", "assistant") or not agent_id:
            yield place.problem("progress/agent_progress: no usable message")
            return
        child = self._sessions.child(agent_id)
        at_ms = ms_from_any(nested.timestamp) or place.at_ms
        inner = ClaudePlace(child, place.offset, place.length, at_ms, nested.uuid or "", is_child=True, is_nested=True)
        yield from self._sessions.introduction(child, line, place, line.parent_call or "")
        yield from self._message(nested, inner)

    def _attachment(self, line: ClaudeLine, place: ClaudePlace) -> Iterator[Event]:
        attachment = line.attachment or Attachment()
        if attachment.type == "queued_command":
            yield from self._delivered(attachment, place)
        elif text := attachment_text(attachment):
            notice = place.event(EventKind.NOTICE, place.uuid, text)
            yield msgspec.structs.replace(notice, file=loaded_file(attachment))

    def _delivered(self, attachment: Attachment, place: ClaudePlace) -> Iterator[Event]:
        """A text from the queue that reached the model while it worked."""
        text = text_of_anything(attachment.prompt)
        if not text.strip() or self._state.was_queued(text):
            return
        kind = EventKind.NOTICE
        if attachment.command_mode in (None, "prompt"):
            kind = kind_of_queued(text, attachment.origin, is_child=place.is_child)
        yield place.event(kind, place.uuid, text if kind is EventKind.PROMPT else shortened(text))

    def _queued(self, line: ClaudeLine, place: ClaudePlace) -> Iterator[Event]:
        text = line.content if isinstance(line.content, str) else ""
        if line.operation != "enqueue" or not text.strip() or not _leaves_queue_unrepeated(self._state.version):
            return
        self._state.remember_queued(text)
        kind = kind_of_queued(text, None, is_child=place.is_child)
        key = f"queued:{digest_of(text)}:{line.timestamp}"
        yield place.event(kind, key, text if kind is EventKind.PROMPT else shortened(text))

    def _facts(self, line: ClaudeLine, place: ClaudePlace) -> Iterator[Facts]:
        """Titles and pull requests. They are written again and again; each is told when it changes."""
        session, at_ms = place.session, place.at_ms
        if line.type == "pr-link":
            repository = _REPOSITORY.match(line.pr_url or "")
            if repository and self._state.tells_new("remote", repository.group(1)):
                yield Facts(session=session, at_ms=at_ms, remote=repository.group(1), is_remote_linked=True)
            return
        is_manual = line.type in ("custom-title", "agent-name")
        title = line.custom_title or line.agent_name if is_manual else line.ai_title
        if line.type == "summary" and line.leaf_uuid in self._state.recent:
            title = line.summary
        if title and self._state.tells_new("manual-title" if is_manual else "title", title):
            yield Facts(session=session, at_ms=at_ms, title=title, is_title_manual=is_manual)

    def _spilled(self, session: str, stated: str, call: str) -> str | None:
        for path in spilled(self._file.path, session, stated, call):
            whole = self._file.companion(path)
            if whole:
                return whole[:_OUTPUT_BYTES].decode("utf-8", "replace")
        return None


def _system(line: ClaudeLine, place: ClaudePlace) -> Iterator[Event]:
    if line.subtype in ("api_error", "api_retry"):
        yield place.event(EventKind.MODEL_ERROR, place.uuid, error_text(line.error) or system_text(line))
    elif line.subtype == "compact_boundary" and line.stream_session and not line.session_id:
        yield place.event(EventKind.COMPACTION, place.uuid, "")  # a stream has the boundary only, never the summary
    elif text := system_text(line):
        yield place.event(EventKind.NOTICE, place.uuid, text)


def _stream_result(line: ClaudeLine, place: ClaudePlace) -> Iterator[Reading]:
    """The end of a run in a stream-json log. Its tokens were told message by message; its cost stands only here."""
    if line.is_error:
        text = text_of_anything(line.errors) or text_of_anything(line.result) or line.subtype or ""
        yield place.event(EventKind.MODEL_ERROR, place.uuid, shortened(text))
    for model, cost in _costs(line).items():
        key = f"result:{place.session}:{model}"
        yield Spend(session=place.session, key=key, model=model, usage=Usage(), at_ms=place.at_ms, cost_usd=cost)


def _costs(line: ClaudeLine) -> dict[str, float]:
    """Cost by model where the log has it, else the total under no model."""
    models = line.model_usage if isinstance(line.model_usage, dict) else {}
    stated = {str(name): _cost(use.get("costUSD")) for name, use in models.items() if isinstance(use, dict)}
    if not any(stated.values()):
        stated = {"": _cost(line.total_cost_usd)}
    return {name: cost for name, cost in stated.items() if cost is not None}


def _cost(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value < _DEAREST_USD else None


def _leaves_queue_unrepeated(version: str) -> bool:
    stated = _VERSION.match(version)
    return stated is not None and tuple(map(int, stated.groups())) < _QUEUE_REPEATED_FROM


def history_reader() -> HistoryReader:
    fields = Fields(text="display", session="sessionId", time="timestamp", folder="project", pasted="pastedContents")
    return HistoryReader(ClaudeCodeReader.agent, fields)


def reader() -> JoinedReader:
    """Transcripts and history of Claude Code."""
    return JoinedReader(ClaudeCodeReader(), history_reader())
