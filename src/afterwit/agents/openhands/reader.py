"""The reader of OpenHands: event files of both generations, gathered by conversation, and results of evaluations.

A conversation is read as lines, one per event file (`{"file": …, "content": event}`); since version 1 the state of the
conversation comes after them, with its folder, its model and what it used. An `output.jsonl` of an evaluation has a
whole run in each line. The newer generation was seen in a run of version 1.2.1; the older one and the evaluations are
written from documentation.

The events of OpenHands before version 1: an action, or the observation that an action caused.

An observation names its action by number, which is the id of the call here. The words that a model wrote beside its
call are in the action's `thought`. What the program does with itself (states, recalls, pauses) says nothing.

The events of OpenHands since version 1, each of a named kind. Calls and results share the id of the tool call.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from afterwit.agents import fields
from afterwit.agents.fields import remote_of
from afterwit.agents.log_reader import LinesReading, Place, Reader, ReadingMemory
from afterwit.agents.messages import text_of
from afterwit.model.kinds import EventKind, ReaderEvidence, RecordedEnd
from afterwit.model.readings import Event, Facts, Reading, Result, Spend
from afterwit.model.times import ms_from_any
from afterwit.sources.gathering import Files, Gatherer, Tree, TreeGatherer

_SILENT = frozenset(
    [
        *("ConversationStateUpdateEvent", "CondensationRequest", "CondensationSummaryEvent", "TokenEvent"),
        *("LLMCompletionLogEvent", "HookExecutionEvent", "StreamingDeltaEvent"),
    ]
)
_NO_REASON = "User rejected the action"


def newer_name(event: Mapping[str, Any]) -> str:
    """The kind of an event; "" where it is none of this generation."""
    return fields.text(event, "kind")


def is_known_newer(name: str) -> bool:
    return name in _MEANINGS or name in _SILENT


def read_newer(event: Mapping[str, Any], place: Place) -> Iterator[Reading]:
    meaning = _MEANINGS.get(newer_name(event))
    if meaning is not None:
        yield from meaning(event, place)


def _message(event: Mapping[str, Any], place: Place) -> Iterator[Event]:
    message = fields.mapping(event, "llm_message")
    yield from place.told(EventKind.THOUGHT, text_of(message.get("reasoning_content")) or "")
    kinds = {"user": EventKind.PROMPT, "agent": EventKind.REPLY}
    kind = kinds.get(fields.text(event, "source"), EventKind.NOTICE)
    own = fields.plain_id(event, "id")
    key = f"{kind}:{place.identity(own)}" if own else ""
    yield from place.told(kind, text_of(message.get("content")) or "", key)


def _action(event: Mapping[str, Any], place: Place) -> Iterator[Event]:
    yield from place.told(EventKind.THOUGHT, text_of(event.get("reasoning_content")) or "")
    yield from place.told(EventKind.REPLY, text_of(event.get("thought")) or "")
    call = fields.mapping(event, "tool_call")
    function = fields.mapping(call, "function") or call
    done = {name: value for name, value in fields.mapping(event, "action").items() if name != "kind"}
    tool = fields.text(event, "tool_name") or fields.text(function, "name") or "?"
    yield place.asked(_call_id(event, place), tool, done or fields.arguments(function.get("arguments")))


def _observation(event: Mapping[str, Any], place: Place) -> Iterator[Event]:
    seen = fields.mapping(event, "observation")
    text = text_of(seen.get("content")) or fields.text(seen, "output", "error", "message")
    code = fields.exit_code(seen, "exit_code")
    code = fields.exit_code(fields.mapping(seen, "metadata"), "exit_code") if code is None else code
    flag = fields.flag(seen, "is_error", "error")
    is_failed = flag is True or bool(fields.text(seen, "error")) or (code is not None and code > 0)
    is_error = True if is_failed else False if flag is False or code == 0 else None
    yield place.answered(_call_id(event, place), text, Result(is_error=is_error, exit_code=code, is_running=code == -1))


def _agent_error(event: Mapping[str, Any], place: Place) -> Iterator[Event]:
    yield place.answered(_call_id(event, place), fields.text(event, "error"), Result(is_error=True))


def _rejection(event: Mapping[str, Any], place: Place) -> Iterator[Event]:
    reason = fields.text(event, "rejection_reason")
    is_persons = fields.text(event, "rejection_source") in ("", "user") and reason != _NO_REASON
    yield place.answered(_call_id(event, place), reason, Result(is_denied=True, said=reason if is_persons else ""))


def _failure(event: Mapping[str, Any], place: Place) -> Iterator[Event]:
    yield place.said(EventKind.MODEL_ERROR, fields.text(event, "detail", "code"))


def _condensation(event: Mapping[str, Any], place: Place) -> Iterator[Event]:
    yield place.said(EventKind.COMPACTION, fields.text(event, "summary"))


def _instructions(event: Mapping[str, Any], place: Place) -> Iterator[Event]:
    yield from place.told(EventKind.NOTICE, text_of(event.get("system_prompt")) or "")


def _pause(event: Mapping[str, Any], place: Place) -> Iterator[Event]:  # noqa: ARG001 - as the others
    yield place.said(EventKind.INTERRUPT)


def _call_id(event: Mapping[str, Any], place: Place) -> str:
    return fields.plain_id(event, "tool_call_id", "action_id") or place.made_up()


_MEANINGS = {
    "MessageEvent": _message,
    "ActionEvent": _action,
    "ObservationEvent": _observation,
    "AgentErrorEvent": _agent_error,
    "UserRejectObservation": _rejection,
    "ConversationErrorEvent": _failure,
    "Condensation": _condensation,
    "SystemPromptEvent": _instructions,
    "PauseEvent": _pause,
    "InterruptEvent": _pause,
}


_CALLS = {
    *("run", "run_ipython", "read", "write", "edit", "browse", "browse_interactive", "call_tool_mcp", "delegate"),
    *("finish", "reject", "task_tracking", "start", "kill"),
}
_SILENT_ACTIONS = {
    *("recall", "change_agent_state", "pause", "resume", "stop", "null", "send_pr", "push", "condensation_request"),
    *("add_task", "modify_task", "summarize", "loop_recovery"),
}
_SILENT_OBSERVATIONS = {"null", "recall", "think", "chat", "success", "loop_detection", "download"}
_OBSERVATIONS = {
    *("run", "run_ipython", "read", "write", "edit", "browse", "delegate", "mcp", "task_tracking", "error"),
    *("user_rejected", "file_download", "agent_condensation", "agent_delegate"),
}
_OWN = {
    *("thought", "hidden", "blocking", "is_static", "is_input", "confirmation_state", "security_risk"),
    *("include_extra", "kernel_init_code", "translated_ipython_code", "keep_prompt", "cwd", "impl_source"),
    "wait_for_response",
}


def older_name(event: Mapping[str, Any]) -> str:
    """The type of an event; "" where it is none of this generation."""
    action, observation = fields.text(event, "action"), fields.text(event, "observation")
    return f"action/{action}" if action else f"observation/{observation}" if observation else ""


def is_known_older(name: str) -> bool:
    kind, _, value = name.partition("/")
    if kind == "action":
        return value in _CALLS | _SILENT_ACTIONS | {"message", "system", "think", "condensation"}
    return value in _OBSERVATIONS | _SILENT_OBSERVATIONS | {"agent_state_changed"}


def read_older(event: Mapping[str, Any], place: Place, model: str) -> Iterator[Reading]:
    name = older_name(event)
    kind, _, value = name.partition("/")
    if kind == "action" and value in _CALLS:
        yield from _call(event, value, place)
    elif kind == "action":
        yield from _text_events(event, value, place)
    elif value in _OBSERVATIONS:
        yield from _result(event, value, place)
    elif value == "agent_state_changed":
        yield from _state(fields.mapping(event, "extras"), place)
    yield from spends_so_far(fields.mapping(event, "llm_metrics"), place.session, model)


def model_of_older(event: Mapping[str, Any]) -> str:
    response = fields.mapping(fields.mapping(event, "tool_call_metadata"), "model_response")
    return fields.plain_id(response, "model")


def _call(event: Mapping[str, Any], value: str, place: Place) -> Iterator[Event]:
    args = fields.mapping(event, "args")
    yield from place.told(EventKind.REPLY, fields.text(args, "thought", "final_thought"))
    tool = fields.text(fields.mapping(event, "tool_call_metadata"), "function_name")
    if value == "call_tool_mcp":
        tool, arguments = fields.text(args, "name") or tool, fields.arguments(args.get("arguments"))
    else:
        arguments = {name: argument for name, argument in args.items() if name not in _OWN}
    yield place.asked(_number(event.get("id")) or place.made_up(), tool or value, arguments)


def _text_events(event: Mapping[str, Any], value: str, place: Place) -> Iterator[Event]:
    args = fields.mapping(event, "args")
    number = _number(event.get("id"))
    if value == "message":
        kind = EventKind.PROMPT if event.get("source") == "user" else EventKind.REPLY
        text = fields.text(args, "content") or fields.text(event, "message")
        yield from place.told(kind, text, f"{kind}:{place.session}:{number}" if number else "")
    elif value == "system":
        yield from place.told(EventKind.NOTICE, fields.text(args, "content"))
    elif value == "think":
        yield from place.told(EventKind.THOUGHT, fields.text(args, "thought"))
    elif value == "condensation":
        yield place.said(EventKind.COMPACTION, fields.text(args, "summary"))


def _result(event: Mapping[str, Any], value: str, place: Place) -> Iterator[Event]:
    text = text_of(event.get("content")) or fields.text(event, "message")
    if value == "agent_condensation":
        yield place.said(EventKind.COMPACTION, text)
        return
    call_id = _number(event.get("cause"))
    if not call_id:
        yield place.said(EventKind.MODEL_ERROR if value == "error" else EventKind.NOTICE, text)
        return
    extras = fields.mapping(event, "extras")
    code = fields.exit_code(fields.mapping(extras, "metadata"), "exit_code")
    code = fields.exit_code(extras, "exit_code") if code is None else code
    is_error, is_denied = _is_error(event, value, code, text), value == "user_rejected"
    result = Result(is_error=is_error, exit_code=code, is_denied=is_denied, is_running=code == -1)
    yield place.answered(call_id, text, result)


def _is_error(event: Mapping[str, Any], value: str, code: int | None, text: str) -> bool | None:
    """A command that still runs has -1 for its exit code."""
    if value == "error" or event.get("success") is False or text.startswith("ERROR:"):
        return True
    if code is not None and code != -1:
        return code != 0
    return False if event.get("success") is True or value in ("read", "write", "edit") else None


def _state(extras: Mapping[str, Any], place: Place) -> Iterator[Event]:
    state = fields.text(extras, "agent_state")
    if state == "error":
        yield place.said(EventKind.MODEL_ERROR, fields.text(extras, "reason"))
    elif state in ("stopped", "paused"):
        yield place.said(EventKind.INTERRUPT)


def _number(value: Any) -> str:
    is_number = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 53
    return f"event-{value}" if is_number else ""


def spends_so_far(metrics: Mapping[str, Any], session: str, model: str, *, usage_id: str = "all") -> Iterator[Spend]:
    """What a conversation used by now. Figures are sums since its beginning, and the largest of them counts. Prompt
    tokens include those that were read from a cache or written to it. A cost of 0 says that no price was known."""
    tokens = fields.mapping(metrics, "accumulated_token_usage")
    names = ("prompt_tokens", "completion_tokens", "cache_read_tokens", "cache_write_tokens", "reasoning_tokens")
    usage = fields.usage(tokens, *names, is_cache_given=True)
    model = fields.plain_id(metrics, "model_name") or fields.plain_id(tokens, "model") or model
    cost = fields.dollars(metrics, "accumulated_cost") or None
    return Place(session, 0, 0).spent(f"{session}:{usage_id}", model, usage, cost)


_STATE = "base_state.json"


class _State(ReadingMemory):
    model: str = ""


class OpenHandsReading(LinesReading[_State]):
    """The reading of one conversation, or of one file of results."""

    state_type = _State
    times = ("content.timestamp",)

    def read(self, value: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        event = fields.mapping(value, "content")
        if "instance_id" in value:
            yield from self._evaluation(value, place)
        elif fields.text(value, "file").endswith(f"/{_STATE}"):
            self._state.count("state", is_known=True)
            yield from self._about(event)
        else:
            yield from self._event(event, place)

    def _event(self, event: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        newer, older = newer_name(event), older_name(event)
        if newer:
            self._state.count(newer, is_known=is_known_newer(newer))
            yield from read_newer(event, place)
        else:
            self._state.count(older, is_known=is_known_older(older))
            self._state.model = model_of_older(event) or self._state.model
            yield from read_older(event, place, self._state.model)

    def _about(self, state: Mapping[str, Any]) -> Iterator[Reading]:
        """What the state says of a conversation as a whole."""
        llm = fields.mapping(fields.mapping(state, "agent"), "llm")
        cwd = fields.text(fields.mapping(state, "workspace"), "working_dir")
        yield Facts(session=self._session, cwd=cwd, origin=fields.text(state, "source"))
        used = fields.mapping(fields.mapping(state, "stats"), "usage_to_metrics")
        for name in used:
            yield from spends_so_far(
                fields.mapping(used, name), self._session, fields.plain_id(llm, "model"), usage_id=name
            )

    def _evaluation(self, run: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        """A whole run. In the oldest results an action and its observation lie in one pair."""
        self._state.count("run", is_known=True)
        instance = fields.plain_id(run, "instance_id") or f"at-{place.offset}"
        folder = str(self._file.path.parent)
        session = f"{folder}/{instance}" if folder != "." else instance
        place = place._replace(session=session, at_ms=None)
        about = fields.mapping(run, "metadata")
        model = fields.plain_id(fields.mapping(about, "llm_config"), "model") or fields.plain_id(about, "model_name")
        origin = fields.text(about, "agent_class")
        yield Facts(session=session, remote=remote_of(instance), title=instance, origin=origin)
        for event in _flat(run.get("history")):
            yield from self._event(event, place._replace(at_ms=ms_from_any(event.get("timestamp"))))
        yield from place.told(EventKind.MODEL_ERROR, fields.text(run, "error"))
        is_solved = fields.flag(fields.mapping(run, "report"), "resolved")
        if is_solved is not None:
            yield Facts(session=session, end=RecordedEnd.DONE if is_solved else RecordedEnd.UNSOLVED)
        yield from spends_so_far(fields.mapping(run, "metrics"), session, model)


class OpenHandsReader(Reader):
    agent = "openhands"
    evidence = ReaderEvidence.REAL_CLIENT
    lines = OpenHandsReading

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        if "instance_id" in record and isinstance(record.get("history"), list):
            return True
        event = fields.mapping(record, "content")
        is_event = bool(older_name(event)) or is_known_newer(newer_name(event))
        return "/events/" in fields.text(record, "file") and is_event


def _flat(history: Any) -> Iterator[dict[str, Any]]:
    for entry in history if isinstance(history, list) else []:
        pair = entry if isinstance(entry, list) else [entry]
        yield from (event for event in pair if isinstance(event, dict))


def gatherers() -> tuple[Gatherer, ...]:
    """OpenHands keeps its events one file each, in a folder per conversation."""
    events = Files("{session}/events/*.json")
    state = Files("{session}/base_state.json")
    return (
        TreeGatherer(Tree("sessions", (events,))),
        TreeGatherer(Tree("conversations", (events, state))),
    )
