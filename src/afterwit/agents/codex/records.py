"""The shape of a rollout's lines, the names of their types, what an output says, and how a call ended.

One wide `Payload` serves every type: fields that no handler reads are skipped without being built, all are optional,
and `coerce_line` keeps the usable ones of a record with an odd field. A name is `<type>/<payload type>`, or the type
alone; one in no table is unknown; `SILENT` ones say nothing that another record does not say.

Outputs came in several layouts: framed (`Chunk ID / Wall time / Process exited with code`, `Exit code / Wall time`),
the JSON text `{"output", "metadata"}`, parts, bare text. A frame is removed where it is complete from the first
character on. Words such as "rejected by user" count without a frame only, and for `own_tools`: any command may print
them.

An `…_end` event of the UI comes before the output, or after it where a command went on in the background. What it says
is kept until the output comes and fills what that leaves open; after the output of a running command it is a second
result. One whose call never gets an output says nothing: the file may still grow.
"""

from typing import Annotated, Any

import msgspec

from afterwit.agents import fields
from afterwit.agents.fields import loosely
from afterwit.agents.messages import ToolOutcome
from afterwit.model.readings import Result
from afterwit.model.text import regex

_SILENT_EVENTS = """
    agent_message agent_reasoning agent_reasoning_raw_content agent_reasoning_section_break background_event
    collab_agent_interaction_end collab_agent_spawn_end collab_close_end collab_resume_end collab_waiting_end
    dynamic_tool_call_request entered_review_mode exited_review_mode guardian_assessment image_generation_end
    plan_update session_configured sub_agent_activity task_complete thread_goal_updated thread_rolled_back
    thread_settings_applied turn_complete turn_diff undo_completed view_image_tool_call web_search_end
    """
_SILENT_ITEMS = "additional_tools compaction compaction_trigger context_compaction ghost_snapshot"
_SILENT_LINES = "inter_agent_communication inter_agent_communication_metadata state token_usage_record world_state"
SILENT = frozenset(
    [f"event_msg/{name}" for name in _SILENT_EVENTS.split()]
    + [f"response_item/{name}" for name in _SILENT_ITEMS.split()]
    + _SILENT_LINES.split()
)
_BARE_ITEMS = """
    custom_tool_call custom_tool_call_output function_call function_call_output local_shell_call message reasoning
    web_search_call
    """
BARE_ITEMS = frozenset(_BARE_ITEMS.split())
INJECTED = (
    "# AGENTS.md",
    "<INSTRUCTIONS>",
    "<ENVIRONMENT_CONTEXT>",
    "<apps_instructions>",
    "<environment_context>",
    "<permissions instructions>",
    "<plugins_instructions>",
    "<recommended_plugins>",
    "<skill>",
    "<skills_instructions>",
    "<subagent_notification>",
    "<turn_aborted>",
    "<user_action>",
    "<user_instructions>",
    "<user_shell_command>",
)
SPAWNED = "You are the newly spawned agent."  # stands in a fork where the spawning call's output should be
SUMMARY = "Another language model started to solve this problem"


def is_injected(text: str) -> bool:
    """Whether a user-role message was put in by Codex. A person who types `<div>` is told apart by the UI event."""
    return text.lstrip().startswith(("<", "# AGENTS.md"))


def is_surely_injected(text: str) -> bool:
    """The same for a UI event, which holds what a person typed, in old versions with injected blocks among it."""
    return text.lstrip().startswith(INJECTED)


class CodexPart(msgspec.Struct, frozen=True, gc=False):
    """One piece of a message's content; the data of images is not decoded."""

    type: str | None = None
    text: str | None = None


Content = str | list[CodexPart | str] | None
Count = Annotated[int, msgspec.Meta(ge=0, le=10**12)]
ExitCode = Annotated[int, msgspec.Meta(ge=-(2**31), lt=2**32)]


class CodexMessage(msgspec.Struct, frozen=True):
    """A message inside another record: of a compacted history, or of a completed item."""

    type: str | None = None
    id: str | None = None
    content: Content = None
    text: str | None = None


class OutputBody(msgspec.Struct, frozen=True):
    """The output of a call where it is an object."""

    content: Content = None
    success: bool | None = None


class Tokens(msgspec.Struct, frozen=True, gc=False):
    input_tokens: Count = 0
    cached_input_tokens: Count = 0
    cache_write_input_tokens: Count = 0
    output_tokens: Count = 0
    reasoning_output_tokens: Count = 0
    total_tokens: Count = 0


class TokenInfo(msgspec.Struct, frozen=True):
    total_token_usage: Tokens | None = None
    last_token_usage: Tokens | None = None


class Git(msgspec.Struct, frozen=True, gc=False):
    branch: str | None = None
    repository_url: str | None = None


class HistoryBase(msgspec.Struct, frozen=True, gc=False):
    thread_id: str | None = None


class Duration(msgspec.Struct, frozen=True, gc=False):
    secs: Count = 0
    nanos: Count = 0


class McpContent(msgspec.Struct, frozen=True, gc=False):
    is_error: bool | None = msgspec.field(default=None, name="isError")


class McpResult(msgspec.Struct, frozen=True):
    ok: McpContent | None = msgspec.field(default=None, name="Ok")
    err: Any = msgspec.field(default=None, name="Err")


class NamedTool(msgspec.Struct, frozen=True, gc=False):
    name: str | None = None


class Payload(msgspec.Struct, frozen=True):
    """The fields of all record types that some handler reads."""

    type: str | None = None
    id: str | None = None
    call_id: str | None = None
    turn_id: str | None = None
    role: str | None = None
    name: str | None = None
    namespace: str | None = None
    content: Content = None
    summary: Content = None
    arguments: str | dict[str, Any] | None = None
    input: str | dict[str, Any] | None = None
    output: str | list[CodexPart | str] | OutputBody | None = None
    action: dict[str, Any] | None = None
    query: str | None = None
    revised_prompt: str | None = None
    status: Any = None
    tools: list[NamedTool] | None = None
    message: str | None = None
    kind: str | None = None
    info: TokenInfo | None = None
    reason: str | None = None
    exit_code: ExitCode | None = None
    aggregated_output: str | None = None
    success: bool | None = None
    duration: Duration | None = None
    result: str | McpResult | None = None
    item: CodexMessage | None = None
    thread_id: str | None = None
    thread_name: str | None = None
    replacement_history: list[CodexMessage] | None = None
    model: str | None = None
    cwd: str | None = None
    originator: str | None = None
    cli_version: str | None = None
    model_provider: str | None = None
    source: str | dict[str, Any] | None = None
    thread_source: str | None = None
    agent_role: str | None = None
    agent_nickname: str | None = None
    git: Git | None = None
    forked_from_id: str | None = None
    parent_thread_id: str | None = None
    history_base: HistoryBase | None = None
    subagent_history_start_ordinal: Count | None = None


class CodexLine(msgspec.Struct, frozen=True):
    """One line since autumn 2025. Older lines are bare payloads: `payload` is missing then."""

    type: str | None = None
    timestamp: str | int | float | None = None
    ordinal: Count | None = None
    payload: Payload | None = None


decode_line = msgspec.json.Decoder(CodexLine).decode


def coerce_line(raw: bytes) -> tuple[CodexLine, list[str]]:
    """The line of bytes that `decode_line` refused, and what of it could not be used; raises `msgspec.DecodeError` if
    they are no JSON object."""
    flaws: list[str] = []
    return loosely(decode_object(raw), CodexLine, flaws), [flaw.removeprefix("payload.") for flaw in flaws]


def decode_object(raw: bytes) -> dict[str, Any]:
    """The plain object of these bytes, with everything in it."""
    return msgspec.json.decode(raw, type=dict[str, Any])


_UNNAMED = {
    "image_generation_call": "image_generation",
    "local_shell_call": "local_shell",
    "tool_search_call": "tool_search",
    "web_search_call": "web_search",
}
_KEPT = 64
_FRAME = regex(
    r"(?:Chunk ID: \w*\n)?"
    r"(?:Exit code: (?P<exit>-?\d{1,10})\n)?"
    r"Wall time: (?P<seconds>\d{1,9}(?:\.\d{1,9})?) seconds\n"
    r"(?:Process exited with code (?P<exited>-?\d{1,10})\n)?"
    r"(?:Process running with session ID (?P<running>\d{1,20})\n)?"
    r"(?:Original token count: \d+\n)?"
    r"(?:Total output lines: \d+\n)?"
    r"Output:(?:\n|\Z)"
)
_ABORTED = regex(
    r"(?:Wall time: (?P<wall>\d{1,9}(?:\.\d{1,9})?) seconds\n)?aborted(?: by user)?"
    r"(?: after (?P<after>\d{1,9}(?:\.\d{1,9})?)s)?\s*\Z"
)
_DENIED = regex(
    r"rejected by user|rejected: |denied by policy|blocked by policy|SandboxDenied|Sandbox\(Denied|"
    r"(?:user|approval) (?:rejected|denied)|Rejected\("
)
_FAILED = regex(
    r"(?i)(?:[\w/-]+ ){1,2}(?:verification )?failed(?: for |: )|failed to |error: |unsupported (?:custom tool )?call",
)
_HEAD_CHARS = 200
_MESSAGE_CHARS = 4_000  # a failure message of Codex itself quotes the command before it says why


class CodexEnding(msgspec.Struct, frozen=True, array_like=True):
    exit_code: int | None = None
    is_error: bool | None = None
    is_denied: bool = False
    duration_ms: int | None = None


class Endings(msgspec.Struct):
    """What is open between outputs and events, bounded."""

    early: dict[str, CodexEnding] = {}
    running: list[str] = []

    def event(self, call_id: str, ending: CodexEnding) -> Result | None:
        """Takes the event of a call's end in; a result where the call had been reported as running."""
        if call_id in self.running:
            self.running.remove(call_id)
            return _fill(Result(), ending)
        self.early[call_id] = ending
        while len(self.early) > _KEPT:
            del self.early[next(iter(self.early))]
        return None

    def output(self, call_id: str, result: Result) -> Result:
        """The result of a call with what its event said before."""
        ending = self.early.pop(call_id, None)
        if result.is_running and ending is None:
            self.running = [*self.running[-_KEPT:], call_id]
        return result if ending is None else _fill(result, ending)


def ending_of(event: Payload) -> CodexEnding:
    """The facts in an `exec_command_end`, `patch_apply_end`, `mcp_tool_call_end` or `dynamic_tool_call_response`."""
    return CodexEnding(
        exit_code=event.exit_code,
        is_error=_is_error(event),
        is_denied=event.status == "declined",
        duration_ms=_duration_ms(event.duration),
    )


def _is_error(event: Payload) -> bool | None:
    if isinstance(event.result, McpResult):
        return event.result.err is not None or (event.result.ok is not None and event.result.ok.is_error is True)
    return None if event.success is None else not event.success


def _duration_ms(duration: Duration | None) -> int | None:
    return None if duration is None else duration.secs * 1000 + duration.nanos // 1_000_000


def _fill(result: Result, ending: CodexEnding) -> Result:
    is_open = result.is_error is None and result.exit_code is None
    return msgspec.structs.replace(
        result,
        is_error=ending.is_error if is_open else result.is_error,
        exit_code=ending.exit_code if result.exit_code is None else result.exit_code,
        is_denied=result.is_denied or ending.is_denied,
        is_worded=result.is_worded and not ending.is_denied,
        is_running=result.is_running and ending.exit_code is None,
        duration_ms=ending.duration_ms if result.duration_ms is None else result.duration_ms,
    )


def text_of(content: Content) -> str:
    """The text of a message or an output; an image leaves a mark and nothing of its data."""
    if content is None or isinstance(content, str):
        return content or ""
    return "\n".join(_part_text(part) for part in content)


def read_output(output: Content | OutputBody) -> ToolOutcome:
    if isinstance(output, OutputBody):
        inner = read_output(output.content)
        failed = msgspec.structs.replace(inner.result, is_error=True)
        return inner if output.success is not False else ToolOutcome(inner.text, failed)
    if not isinstance(output, str):
        output = text_of(output)
    if output.startswith("{"):
        return _unwrap(output)
    return _strip_frame(output)


def _part_text(part: CodexPart | str) -> str:
    if isinstance(part, str):
        return part
    if part.text is not None:
        return part.text
    return "[image]" if part.type and "image" in part.type else ""


def _unwrap(output: str) -> ToolOutcome:
    """The layout `{"output": text, "metadata": {"exit_code", "duration_seconds"}}`; any other object is plain text."""
    value = fields.decoded_text(output)
    if isinstance(value, dict) and "answers" in value and value.keys() <= {"answers", "interrupted"}:
        words = _answers(value["answers"])
        return ToolOutcome(output, Result(is_error=False, said=words, is_worded=True) if words else Result())
    metadata = value.get("metadata") if isinstance(value, dict) else None
    if not isinstance(value, dict) or not isinstance(value.get("output"), str) or not isinstance(metadata, dict):
        return ToolOutcome(output, Result())
    seconds = fields.number(metadata, "duration_seconds")
    duration_ms = None if seconds is None else fields.duration_ms({"ms": seconds * 1000}, "ms")
    return ToolOutcome(
        value["output"], Result(exit_code=fields.exit_code(metadata, "exit_code"), duration_ms=duration_ms)
    )


def _strip_frame(output: str) -> ToolOutcome:
    start = output.find("\nChunk ID: ") + 1 if output.startswith("Command: ") else 0
    frame = _FRAME.match(output, start)
    if frame is None:
        return ToolOutcome(output, _bare_result(output))
    code = frame["exited"] or frame["exit"]
    result = Result(
        exit_code=int(code) if code else None,
        is_running=frame["running"] is not None,
        running_as=frame["running"] or "",
        duration_ms=_ms(frame["seconds"]),
    )
    return ToolOutcome(output[frame.end() :], result)


def _bare_result(output: str) -> Result:
    aborted = _ABORTED.match(output)
    if aborted:
        return Result(is_cancelled=True, duration_ms=_ms(aborted["after"] or aborted["wall"]))
    is_failed = _FAILED.match(output) is not None
    is_denied = _DENIED.search(output, 0, _MESSAGE_CHARS if is_failed else _HEAD_CHARS) is not None
    return Result(is_error=True if is_failed or is_denied else None, is_denied=is_denied, is_worded=is_denied)


def _answers(answers: Any) -> str:
    """What a person chose or typed, by question: `{"id": {"answers": [text]}}`."""
    entries = answers.values() if isinstance(answers, dict) else ()
    given = [entry.get("answers") for entry in entries if isinstance(entry, dict)]
    texts = [text for several in given if isinstance(several, list) for text in several]
    return "\n".join(text.removeprefix("user_note: ") for text in texts if isinstance(text, str) and text.strip())


def _ms(seconds: str | None) -> int | None:
    return round(float(seconds) * 1000) if seconds else None


def tool_of(item: Payload) -> str:
    """The name, after its namespace if it has one: `mcp__server.tool`."""
    name = item.name or _UNNAMED.get(item.type or "", "?")
    return f"{item.namespace}.{name}" if item.namespace else name


def arguments_of(item: Payload) -> dict[str, Any]:
    match item.type:
        case "custom_tool_call":
            return item.input if isinstance(item.input, dict) else {"input": item.input or ""}
        case "local_shell_call" | "web_search_call":
            return _action(item)
        case "image_generation_call":
            return {"prompt": item.revised_prompt} if item.revised_prompt else {}
        case _:
            return fields.arguments(item.arguments)


def _action(item: Payload) -> dict[str, Any]:
    action = dict(item.action or {})
    if item.query and "query" not in action:
        action["query"] = item.query
    return action
