"""Grok, xAI's command line: the stream of updates of a session, merged with the files beside it, read once when asked.

    updates.jsonl        the log; a message comes in many lines, each an event; of a prompt the first line is the prompt
    summary.json         what the session is: folder, branch, title, parent
    events.jsonl         how each tool call ended (only it tells a refusal from a failure), and how long it took
    chat_history.jsonl   what the model was shown: which messages no person typed, the names of tools
    usage.json           there since turns state their tokens; before, what the context grew by counts
    ../.cwd              the folder, where the name of the group is too long to tell it

Rewinding cut the file in older versions, which is a rewritten file; newer ones append a marker: what happened before it
stays. A call is `completed` even where its command exited with 1: the code stands in the raw output. A file that is
missing or damaged says nothing; where the log itself is missing, what the model was shown is read in its place, which
has no times and no tokens. Written from the client's published source and descriptions of its logs.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, partial
from pathlib import PurePosixPath
from typing import Any, NamedTuple
from urllib.parse import unquote

import msgspec

from afterwit.agents import fields
from afterwit.agents.chat.reader import ChatReading, ChatState
from afterwit.agents.log_reader import FileReading, LinesReading, Place, Reader, ReadingMemory, SourceFile
from afterwit.agents.messages import text_of
from afterwit.model.kinds import EventKind, Relation
from afterwit.model.readings import Event, Facts, Reading, Result, Spend, Usage
from afterwit.model.times import ms_from_any

_TICKS_PER_USD = 10**10
COMPANIONS = frozenset(["summary.json", "events.jsonl", "chat_history.jsonl", "usage.json"])
CWD = ".cwd"
_HUMAN = frozenset(["", "human", "interjection"])  # reasons of messages that a person typed
_RELATIONS = {
    "fork": Relation.FORK,
    "worktree": Relation.FORK,
    "subagent": Relation.SUBAGENT,
    "subagent_fork": Relation.SUBAGENT,
    "subagent_resume": Relation.SUBAGENT,
}


class GrokEnding(NamedTuple):
    """How a call ended, by the events."""

    outcome: str
    duration_ms: int | None


class GrokTurn(NamedTuple):
    """A message in the name of the user that began a turn."""

    is_human: bool
    interrupt: str  # how the person stopped the turn before


class Folder:
    """What lies beside the updates of one session."""

    def __init__(self, updates: PurePosixPath, companion: Callable[[PurePosixPath], bytes | None]) -> None:
        self._updates = updates
        self._companion = companion
        self.session = updates.parent.name

    @property
    def is_delegated(self) -> bool:
        """Whether another agent started this session, so that no person speaks in it."""
        return self.facts.relation is Relation.SUBAGENT

    @property
    def states_usage(self) -> bool:
        return self._bytes("usage.json") is not None

    @cached_property
    def endings(self) -> Mapping[str, GrokEnding]:
        """By call. Rows of the workspace repeat the timing of others."""
        return {
            fields.plain_id(event, "tool_call_id"): GrokEnding(
                fields.text(event, "outcome"), fields.duration_ms(event, "duration_ms")
            )
            for event in self._lines("events.jsonl")
            if event.get("type") == "tool_completed" and event.get("source") != "workspace"
        }

    @cached_property
    def tools(self) -> Mapping[str, str]:
        """The name of the tool, by call."""
        started = [event for event in self._lines("events.jsonl") if event.get("type") == "tool_started"]
        asked = [call for item in self._lines("chat_history.jsonl") for call in fields.mappings(item, "tool_calls")]
        named = [(fields.plain_id(start, "tool_call_id"), fields.text(start, "tool_name")) for start in started]
        named += [(fields.plain_id(call, "id"), _tool(call)) for call in asked]
        return {call_id: name for call_id, name in named if call_id and name}

    @cached_property
    def turns(self) -> Mapping[int, GrokTurn]:
        """The messages that began turns, by the number of their prompt."""
        turns: dict[int, GrokTurn] = {}
        for item in self._lines("chat_history.jsonl"):
            number = item.get("prompt_index")
            if item.get("type") == "user" and isinstance(number, int):
                reason = fields.text(item, "synthetic_reason")
                turns[number] = GrokTurn(reason in _HUMAN, fields.text(item, "prior_turn_interrupt"))
        return turns

    @cached_property
    def summary(self) -> Mapping[str, Any]:
        return fields.decoded_file(self._bytes("summary.json"))

    @cached_property
    def facts(self) -> Facts:
        """What is known of the session as a whole."""
        about = self.summary
        kind = fields.text(about, "session_kind")
        parent = fields.plain_id(about, "parent_session_id")
        if not parent and self._updates.parents[1].name == "subagents":
            parent, kind = self._updates.parents[2].name, kind or "subagent"
        relation = _RELATIONS.get(kind, Relation.FORK) if parent else None
        remotes = about.get("git_remotes")
        return Facts(
            session=self.session,
            at_ms=ms_from_any(about.get("created_at")),
            cwd=fields.text(fields.mapping(about, "info"), "cwd") or self._cwd_by_name(),
            branch=fields.text(about, "head_branch"),
            remote=next((remote for remote in remotes if isinstance(remote, str)), "")
            if isinstance(remotes, list)
            else "",
            title=fields.text(about, "generated_title", "session_summary"),
            is_title_manual=fields.flag(about, "title_is_manual") is True,
            parent=parent,
            relation=relation,
            origin=fields.text(about, "agent_name"),
        )

    def _cwd_by_name(self) -> str:
        """The group of a session is named after its folder, percent-encoded; where that is too long, a file has it."""
        group = group_of(self._updates)
        if group is None:
            return ""
        stated = b"" if "%" in group.name else self._companion(group / CWD) or b""
        cwd = unquote(group.name) if "%" in group.name else stated.decode("utf-8", "replace").strip()
        return cwd if cwd.startswith("/") or cwd[1:2] == ":" else ""

    def _bytes(self, name: str) -> bytes | None:
        return self._companion(self._updates.with_name(name))

    def _lines(self, name: str) -> Iterator[Mapping[str, Any]]:
        for line in (self._bytes(name) or b"").splitlines():
            if value := fields.decoded_file(line):
                yield value


def group_of(updates: PurePosixPath) -> PurePosixPath | None:
    """The folder with all sessions that ran in the same place."""
    is_kept = updates.parts[:1] == ("sessions",) and len(updates.parts) > len(("sessions", "group", "session"))
    return PurePosixPath(*updates.parts[:2]) if is_kept else None


def _tool(call: Mapping[str, Any]) -> str:
    """The tool of a call; early histories have calls in the manner of OpenAI's chats."""
    return fields.text(call, "name") or fields.text(fields.mapping(call, "function"), "name")


def by_turn(usage: Mapping[str, Any], turn: str, model: str, place: Place) -> Iterator[Spend]:
    """The spends of one turn, by model. The first has the turn's own key, also where the context's growth had told of
    it. The stated input includes what was read from the cache; costs are in ticks."""
    models = fields.mapping(usage, "modelUsage")
    rows = {name: fields.mapping(models, name) for name in models} or {model: usage}
    for number, (name, row) in enumerate(rows.items()):
        used = fields.usage(
            row, "inputTokens", "outputTokens", "cachedReadTokens", reasoning="reasoningTokens", is_cache_given=True
        )
        ticks = fields.number(row, "costUsdTicks")
        key = f"{place.session}:{turn}" + (f":{name}" if number else "")
        yield from place.spent(key, name, used, ticks / _TICKS_PER_USD if ticks is not None and ticks > 0 else None)


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
_HISTORY = "chat_history.jsonl"
_ROLES = {"tool_result": "tool", "reasoning": "assistant"}
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


class GrokReading(LinesReading[_State]):
    state_type = _State

    def session_of(self, path: PurePosixPath) -> str:
        self._folder = Folder(path, self._file.companion)
        self._meanings: dict[str, Callable[[_Update], Iterator[Reading]]] = {
            "user_message_chunk": self._prompt,
            "agent_message_chunk": partial(self._chunk, EventKind.REPLY),
            "agent_thought_chunk": partial(self._chunk, EventKind.THOUGHT),
            "tool_call": self._call,
            "tool_call_update": self._progress,
            "turn_completed": self._turn_over,
            "retry_state": self._failure,
            "auto_recovery_exhausted": self._failure,
            "auto_compact_completed": self._compaction,
            "compaction_checkpoint": self._compaction,
            "session_summary_generated": self._title,
        }
        return self._folder.session

    def begin(self, value: Mapping[str, Any], place: Place) -> tuple[Reading, ...]:  # noqa: ARG002 - the protocol's
        return (self._folder.facts,)

    def read(self, value: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        update = _Update(place, value)
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
        yield from update.place.told(EventKind.PROMPT, text, f"prompt:{update.place.identity(key)}" if key else "")

    def _chunk(self, kind: EventKind, update: "_Update") -> Iterator[Reading]:
        return update.place.told(kind, text_of(update.body.get("content")) or "")

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

    def __init__(self, place: Place, value: Mapping[str, Any]) -> None:
        params = fields.mapping(value, "params")
        self.body = fields.mapping(params, "update")
        meta = {**fields.mapping(self.body, "_meta"), **fields.mapping(params, "_meta")}
        self.kind = fields.text(self.body, "sessionUpdate") or fields.text(value, "method", "type")
        self.place = place._replace(at_ms=ms_from_any(meta.get("agentTimestampMs")) or place.at_ms)
        self.prompt = fields.plain_id(meta, "promptId")
        self.event_id = fields.plain_id(meta, "eventId")
        self.model = fields.plain_id(meta, "modelId")
        self.total_tokens = fields.tokens(meta, "totalTokens")
        number = meta.get("promptIndex")
        self.number = number if isinstance(number, int) else None
        self.call_id = fields.plain_id(self.body, "toolCallId")


class ShownHistoryReading(ChatReading[ChatState]):
    """The reading of what the model was shown, where the log is missing."""

    state_type = ChatState

    def session_of(self, path: PurePosixPath) -> str:
        self._folder = Folder(path, self._file.companion)
        return self._folder.session

    def begin(self, value: dict[str, Any], place: Place) -> Iterator[Reading]:  # noqa: ARG002 - the protocol's
        yield self._folder.facts
        yield place.problem(f"{_UPDATES} is missing: without it nothing tells the times of this session")

    def read(self, value: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        kind = fields.text(value, "role", "type")
        is_human = fields.text(value, "synthetic_reason") in _HUMAN and not self._folder.is_delegated
        thought = {"reasoning": value.get("summary"), "content": ""} if kind == "reasoning" else {}
        message = {**value, **thought, "role": _ROLES.get(kind, kind), "mirror": not is_human}
        for reading in super().read(message, place):
            if isinstance(reading, Event) and (ending := self._folder.endings.get(reading.call_id)) and reading.result:
                reading = msgspec.structs.replace(reading, result=result_of({}, ending))
            yield reading


class GrokReader(Reader):
    agent = "grok"
    stand_ins = frozenset([_HISTORY])

    def lines(self, file: SourceFile, saved: bytes | None) -> FileReading:
        return ShownHistoryReading(file, saved) if file.path.name == _HISTORY else GrokReading(file, saved)

    companions = dict.fromkeys(COMPANIONS, _UPDATES)

    def shared(self, path: PurePosixPath) -> tuple[PurePosixPath, ...]:
        group = group_of(path) if self.primary(path) == path else None
        return (group / CWD,) if group else ()

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        is_update = str(record.get("method")).endswith("session/update")
        return is_update and "update" in fields.mapping(record, "params")


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
