"""The reader of Grok, xAI's command line: the stream of updates of a session, merged with the files beside it.

Written from the client's published source and from descriptions of its logs. The session is a folder; `updates.jsonl`
in it is the log, and `folder` says what the other files add. Messages are streamed: each line of a reply or a thought
is an event of its own. Of a prompt the first line is the prompt, and lines that go on with it are notices.
Rewinding cut the file and let it grow again in older versions: that is a rewritten file, and what went before stays in
the archive. Newer versions append a marker; what happened before it stays as it is, too.
Tokens stand in `turn_completed`. Versions without it tell only how large the context is: there, what it grew by in a
turn counts as that turn's input.

The updates of Grok that say nothing of what a session is about: states of the screen, progress, settings.

What a finished tool call of Grok gave back: its text, and how it ended. The update says `completed` even where a
command exited with 1: the exit code stands in the raw output. How the call ended by the events of the session
(`events.jsonl`) counts most, because only they tell a refusal from a failure.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

import msgspec

from afterwit.agents import fields
from afterwit.agents.chat.messages import text_of
from afterwit.agents.grok.folder import COMPANIONS, CWD, Folder, GrokEnding, by_turn, group_of
from afterwit.agents.places import Place
from afterwit.agents.protocol import SourceFile
from afterwit.agents.reading import LinesReader, LinesReading, ReadingMemory, resumed
from afterwit.model.kinds import EventKind, ReaderEvidence
from afterwit.model.readings import Facts, Reading, Result, Usage
from afterwit.model.times import ms_from_any
from afterwit.sources.framing import Record

SILENT = frozenset(
    [
        *("plan", "available_commands_update", "current_mode_update", "config_option_update"),
        *("session_info_update", "usage_update", "diff_review", "auto_compact_started", "auto_compact_cancelled"),
        *("auto_compact_failed", "memory_flush_started", "memory_flush_completed", "memory_dream_completed"),
        *("memory_session_saved", "auto_continue_completed", "feedback_request", "relay_sync_status"),
        *("auto_recovery_started", "hook_annotation", "hook_execution", "hooks_changed", "plugins_changed"),
        *("plugin_updates_installed", "session_recap", "session_recap_unavailable", "rewind_marker"),
        *("task_completed", "subagent_spawned", "subagent_progress", "subagent_finished", "task_backgrounded"),
        *("scheduled_task_created", "scheduled_task_fired", "scheduled_task_deleted", "monitor_event"),
        *("model_auto_switched", "model_changed", "tool_call_delta_chunk", "image_compressed", "image_dropped"),
        *("memory_files", "workflow_updated", "goal_updated", "pending_interaction", "interaction_resolved"),
        *("git_branch_update"),
    ]
)
_DENIED = frozenset(["permission_rejected", "hook_denied"])
_CANCELLED = frozenset(["permission_cancelled", "cancelled"])
_TEXTS = ("output_for_prompt", "output", "stdout", "content", "OkayOutput", "ErrorOutput", "error", "message")
_DEPTH = 3
_UPDATES = "updates.jsonl"
_ENDED = frozenset(["completed", "failed", "cancelled"])
_STOPPED = frozenset(["cancelled", "canceled", "interrupted"])
_COMPACTIONS = frozenset(["auto_compact_completed", "compaction_checkpoint"])


class _State(ReadingMemory):
    going_on: str = ""  # the kind of chunk that came last, and its prompt
    unnamed: str = ""  # the last call, for a result without an id
    model: str = ""
    peak: int = 0  # tokens in the context, at most so far
    turn: str = ""
    turn_tokens: int = 0
    is_compacted: bool = False  # the last thing that happened
    is_turn_over: bool = True


class GrokReader(LinesReader):
    agent = "grok"
    evidence = ReaderEvidence.DOCUMENTATION

    def primary(self, path: PurePosixPath) -> PurePosixPath | None:
        depth = len(path.parts)
        is_session = depth == 4 or (depth == 6 and path.parts[3] == "subagents")
        if not is_session or path.parts[0] != "sessions":
            return None
        if path.name == _UPDATES:
            return path
        return path.with_name(_UPDATES) if path.name in COMPANIONS else None

    def shared(self, path: PurePosixPath) -> tuple[PurePosixPath, ...]:
        group = group_of(path) if self.primary(path) == path else None
        return (group / CWD,) if group else ()

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        is_update = str(record.get("method")).endswith("session/update")
        return is_update and "update" in fields.mapping(record, "params")

    def start(self, file: SourceFile, saved: bytes | None = None) -> "GrokReading":
        state = resumed(_State, saved)
        return GrokReading(Folder(file.path, file.companion), state)


class GrokReading(LinesReading[_State]):
    def __init__(self, folder: Folder, state: _State) -> None:
        self._folder = folder
        super().__init__(state)
        self._meanings: dict[str, Callable[[_Update], Iterator[Reading]]] = {
            "user_message_chunk": self._prompt,
            "agent_message_chunk": self._reply,
            "agent_thought_chunk": self._thought,
            "tool_call": self._call,
            "tool_call_update": self._progress,
            "turn_completed": self._turn_over,
            "retry_state": self._failure,
            "auto_recovery_exhausted": self._failure,
            "auto_compact_completed": self._compaction,
            "compaction_checkpoint": self._compaction,
            "session_summary_generated": self._title,
        }

    def feed(self, record: Record) -> list[Reading]:
        value = msgspec.json.decode(record.raw, type=dict[str, Any])
        is_first = self._is_at_start
        readings: list[Reading] = [self._folder.facts] if is_first else []
        update = _Update(self._folder.session, record, value)
        return readings + list(self._read(update))

    def _read(self, update: "_Update") -> Iterator[Reading]:
        state, meaning = self._state, self._meanings.get(update.kind)
        state.count(update.kind, is_known=meaning is not None or update.kind in SILENT)
        state.model = update.model or state.model or fields.plain_id(self._folder.summary, "current_model_id")
        if meaning is not None:
            state.is_compacted = state.is_compacted and update.kind in _COMPACTIONS
            yield from meaning(update)
            state.going_on = f"{update.kind}:{update.prompt}"
        yield from self._growth(update)

    def _goes_on(self, update: "_Update") -> bool:
        return self._state.going_on == f"{update.kind}:{update.prompt}"

    def _prompt(self, update: "_Update") -> Iterator[Reading]:
        text = text_of(update.body.get("content")) or ""
        turn = self._folder.turns.get(update.number) if update.number is not None else None
        if self._goes_on(update) or (turn is not None and not turn.is_human) or self._folder.is_delegated:
            yield update.place.said(EventKind.NOTICE, text)
            return
        if turn is not None and turn.interrupt and not self._state.is_turn_over:
            yield update.place.said(EventKind.INTERRUPT)
        self._state.is_turn_over = False
        key = update.prompt or update.event_id
        if text.strip():
            yield update.place.said(EventKind.PROMPT, text, f"prompt:{update.place.identity(key)}" if key else "")

    def _reply(self, update: "_Update") -> Iterator[Reading]:
        yield from self._chunk(EventKind.REPLY, update)

    def _thought(self, update: "_Update") -> Iterator[Reading]:
        yield from self._chunk(EventKind.THOUGHT, update)

    def _chunk(self, kind: EventKind, update: "_Update") -> Iterator[Reading]:
        text = text_of(update.body.get("content")) or ""
        if text.strip():
            yield update.place.said(kind, text)

    def _call(self, update: "_Update") -> Iterator[Reading]:
        call_id = self._state.unnamed = update.call_id or update.place.made_up()
        own = fields.mapping(fields.mapping(update.body, "_meta"), "x.ai/tool")
        named = fields.text(own, "name") or self._folder.tools.get(call_id, "")
        title = fields.text(update.body, "title")
        tool = named or (title if title.isidentifier() else "") or fields.text(update.body, "kind", "title") or "?"
        given = update.body.get("rawInput")
        yield update.place.asked(call_id, tool, fields.arguments(own.get("input") if given is None else given))
        if fields.text(update.body, "status") in _ENDED:
            yield from self._progress(update)

    def _progress(self, update: "_Update") -> Iterator[Reading]:
        if fields.text(update.body, "status") in _ENDED:
            call_id = update.call_id or self._state.unnamed or update.place.made_up()
            result = result_of(update.body, self._folder.endings.get(call_id))
            yield update.place.answered(call_id, output_of(update.body), result)

    def _turn_over(self, update: "_Update") -> Iterator[Reading]:
        reason = fields.text(update.body, "stop_reason")
        self._state.is_turn_over = True
        if reason in _STOPPED:
            yield update.place.said(EventKind.INTERRUPT)
        elif reason == "error":
            yield update.place.said(EventKind.MODEL_ERROR, fields.text(update.body, "agent_result"))
        turn = fields.plain_id(update.body, "prompt_id") or update.prompt or update.place.made_up()
        yield from by_turn(fields.mapping(update.body, "usage"), turn, self._state.model, update.place)

    def _failure(self, update: "_Update") -> Iterator[Reading]:
        yield update.place.said(EventKind.MODEL_ERROR, fields.text(update.body, "reason", "message", "error"))

    def _compaction(self, update: "_Update") -> Iterator[Reading]:
        """A compaction is written down twice, once for the screen and once for replaying."""
        if not self._state.is_compacted:
            yield update.place.said(EventKind.COMPACTION, fields.text(update.body, "summary_preview"))
        self._state.is_compacted = True
        self._state.peak = 0

    def _title(self, update: "_Update") -> Iterator[Reading]:
        title = fields.text(update.body, "session_summary")
        if title and not self._folder.summary:
            yield Facts(session=self._folder.session, at_ms=update.place.at_ms, title=title)

    def _growth(self, update: "_Update") -> Iterator[Reading]:
        """What a turn added to the context, in versions that say no more of tokens."""
        state = self._state
        if not update.total_tokens or not update.prompt or self._folder.states_usage:
            return
        if update.prompt != state.turn:
            state.turn, state.turn_tokens = update.prompt, 0
        grown = max(update.total_tokens - state.peak, 0)
        state.peak = max(state.peak, update.total_tokens)
        state.turn_tokens += grown
        if grown:
            key = f"{self._folder.session}:{update.prompt}"
            yield from update.place.spent(key, state.model, Usage(input=state.turn_tokens))


class _Update:
    """One line of the stream."""

    def __init__(self, session: str, record: Record, value: Mapping[str, Any]) -> None:
        params = fields.mapping(value, "params")
        self.body = fields.mapping(params, "update")
        meta = {**fields.mapping(self.body, "_meta"), **fields.mapping(params, "_meta")}
        self.kind = fields.text(self.body, "sessionUpdate") or fields.text(value, "method", "type")
        at_ms = ms_from_any(meta.get("agentTimestampMs")) or ms_from_any(value.get("timestamp"))
        self.place = Place.of(session, record, at_ms)
        self.prompt = fields.plain_id(meta, "promptId")
        self.event_id = fields.plain_id(meta, "eventId")
        self.model = fields.plain_id(meta, "modelId")
        self.total_tokens = fields.tokens(meta, "totalTokens")
        number = meta.get("promptIndex")
        self.number = number if isinstance(number, int) else None
        self.call_id = fields.plain_id(self.body, "toolCallId")


def output_of(update: Mapping[str, Any]) -> str:
    """The text of an update's content, or of its raw output where the content is empty."""
    parts = [part.get("content") for part in fields.mappings(update, "content") if part.get("type") == "content"]
    said = "\n".join(text for part in parts if (text := text_of(part)))
    return said if said.strip() else _raw_text(update.get("rawOutput"))


def result_of(update: Mapping[str, Any], ending: GrokEnding | None) -> Result:
    """How the call of a finished update ended."""
    raw = fields.mapping(update, "rawOutput")
    code = fields.exit_code(raw, "exit_code", "exitCode")
    outcome = ending.outcome if ending else ""
    return Result(
        is_error=_is_error(update, raw, outcome, code),
        exit_code=code,
        is_denied=outcome in _DENIED,
        is_cancelled=outcome in _CANCELLED or update.get("status") == "cancelled",
        duration_ms=ending.duration_ms if ending else None,
    )


def _is_error(update: Mapping[str, Any], raw: Mapping[str, Any], outcome: str, code: int | None) -> bool | None:
    if outcome in _DENIED | _CANCELLED:
        return None
    if outcome == "error" or update.get("status") == "failed" or raw.get("timed_out") is True:
        return True
    if code is not None:
        return code != 0
    return False if outcome == "success" or update.get("status") == "completed" else None


def _raw_text(value: Any, depth: int = 0) -> str:
    """Raw outputs differ by tool: a text, a list of bytes, or one of these below a name or two."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        is_bytes = bool(value) and all(isinstance(number, int) and 0 <= number < 256 for number in value)
        return bytes(value).decode("utf-8", "replace") if is_bytes else text_of(value) or ""
    if not isinstance(value, Mapping) or depth > _DEPTH:
        return ""
    named = [_raw_text(value[name], depth + 1) for name in _TEXTS if name in value]
    inner = [_raw_text(inner_value, depth + 1) for inner_value in value.values() if isinstance(inner_value, Mapping)]
    return next((text for text in [*named, *inner] if text.strip()), "")
