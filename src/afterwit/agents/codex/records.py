"""The shape of a rollout's lines, as far as the reader needs it.

One wide `Payload` serves every record type: fields that no handler reads (instructions, encrypted reasoning, images,
diffs) are skipped without being built. All fields are optional. Where a value has another type than it should,
`coerce_line` keeps every usable field and names the others, so that one odd field never costs the record. Bytes that
are no JSON object raise `msgspec.DecodeError`. What a record means is left to the reader.

Also the names of the record types that Codex is known to write, and the marks of text that no person typed. A name is
`<type>/<payload type>`, or the type alone where the payload has none. A type that is in no table counts as unknown.
`SILENT` types are known and say nothing that another record does not say too: the model's own messages also come as UI
events, and the begin and end of turns are of no use here.
"""

import functools
from typing import Annotated, Any, NamedTuple, TypeVar

import msgspec

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


Content = str | list[CodexPart] | None
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
    output: str | list[CodexPart] | OutputBody | None = None
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


class Coerced(NamedTuple):
    line: CodexLine
    unusable: tuple[str, ...]  # names of fields whose values have the wrong type


decode_line = msgspec.json.Decoder(CodexLine).decode
_Shape = TypeVar("_Shape", bound=msgspec.Struct)


def coerce_line(raw: bytes) -> Coerced:
    """The line of bytes that `decode_line` refused; raises `msgspec.DecodeError` if they are no JSON object."""
    line, unusable = coerced(CodexLine, decode_object(raw))
    return Coerced(line, tuple(unusable))


def decode_object(raw: bytes) -> dict[str, Any]:
    """The plain object of these bytes, with everything in it."""
    return msgspec.json.decode(raw, type=dict[str, Any])


_fields = functools.cache(msgspec.structs.fields)


def coerced(shape: type[_Shape], value: dict[str, Any]) -> tuple[_Shape, list[str]]:
    """A struct of what is usable in a plain object, and the names of the fields that are not."""
    fields: dict[str, Any] = {}
    unusable: list[str] = []
    for field in _fields(shape):
        given = value.get(field.encode_name)
        if given is None:
            continue
        if field.name == "payload" and isinstance(given, dict):
            fields["payload"], inner = coerced(Payload, given)
            unusable += inner
            continue
        try:
            fields[field.name] = msgspec.convert(_mended(given), field.type, strict=False)
        except (msgspec.ValidationError, ValueError, OverflowError):
            unusable.append(field.encode_name)
    return shape(**fields), unusable


def _mended(value: Any) -> Any:
    """Content lists with bare strings or nulls among their parts."""
    if not isinstance(value, list):
        return value
    return [{"text": part} if isinstance(part, str) else part for part in value if isinstance(part, str | dict)]
