"""The shapes of Claude Code's records, reduced to the fields that mean something to us.

`decode` builds one `ClaudeLine` from the bytes of one record. Fields that are not named here (patches, base64 images)
and whole files in `originalFile` are passed over without being built, which is what keeps reading fast. A record whose
fields have other types than expected is decoded again, loosely: what fits is kept, and `flaws` names what did not.
Bytes that are no JSON object raise `msgspec.DecodeError`. What a record means is left to the other modules.

The record types of Claude Code: their names, and which of them this reader knows.

A type that is missing here is counted as unknown, so that a change of the format shows up in the health report instead
of vanishing. The sets were taken from real transcripts of versions 2.0.15 to 2.1.218 and from what other readers of the
same files know. `SILENT` ones say nothing that a session's story needs.
"""

from typing import Any

import msgspec

from afterwit.agents.fields import loosely


class _Shape(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """All fields optional, in the log's camel case."""


class ClaudePart(_Shape, frozen=True):
    """A block inside a tool result."""

    type: str | None = None
    text: str | None = None
    tool_name: str | None = msgspec.field(default=None, name="tool_name")


class Block(_Shape, frozen=True):
    """A block of a message: text, thinking, a call, a result or a picture."""

    type: str | None = None
    text: str | None = None
    thinking: str | None = None
    id: str | None = None
    name: str | None = None
    input: Any = None
    tool_use_id: str | None = msgspec.field(default=None, name="tool_use_id")
    content: str | list[ClaudePart | str] | ClaudePart | None = None
    is_error: bool | None = msgspec.field(default=None, name="is_error")


class CacheCreation(_Shape, frozen=True, rename=None):
    """Tokens written to the cache, by how long they are kept."""

    ephemeral_1h_input_tokens: int | None = None
    ephemeral_5m_input_tokens: int | None = None


class TokenCounts(_Shape, frozen=True, rename=None):
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_creation: CacheCreation | None = None
    speed: str | None = None


class ClaudeMessage(_Shape, frozen=True):
    id: str | None = None
    model: str | None = None
    content: str | list[Block | str] | None = None
    usage: TokenCounts | None = None


class ClaudeOutcome(_Shape, frozen=True):
    """The structured side of a tool result. Its shape is the tool's own, so that no field can be relied on."""

    interrupted: Any = None
    background_task_id: Any = None
    is_async: Any = None
    total_duration_ms: Any = None
    duration_ms: Any = None
    duration_seconds: Any = None
    persisted_output_path: Any = None
    file_path: Any = None
    answers: Any = None
    annotations: Any = None
    original_file: msgspec.Raw = msgspec.Raw()
    old_string: msgspec.Raw = msgspec.Raw()
    new_string: msgspec.Raw = msgspec.Raw()


class Attachment(_Shape, frozen=True):
    """Something that the client put into the context."""

    type: str | None = None
    content: Any = None
    prompt: Any = None
    command_mode: str | None = None
    origin: Any = None
    filename: str | None = None
    path: str | None = None
    snippet: str | None = None
    condition: str | None = None
    stdout: str | None = None
    stderr: str | None = None
    blocking_error: Any = None
    files: Any = None


class ClaudeProgress(_Shape, frozen=True):
    type: str | None = None
    agent_id: str | None = None
    message: "ClaudeLine | None" = None


class ClaudeLine(_Shape, frozen=True):
    """Any record of a transcript or of a stream-json log."""

    type: str | None = None
    subtype: str | None = None
    uuid: str | None = None
    parent_uuid: str | None = None
    session_id: str | None = None
    agent_id: str | None = None
    timestamp: Any = None
    cwd: str | None = None
    git_branch: str | None = None
    version: str | None = None
    entrypoint: str | None = None
    is_sidechain: bool | None = None
    is_meta: bool | None = None
    is_compact_summary: bool | None = None
    is_visible_in_transcript_only: bool | None = None
    is_api_error_message: bool | None = None
    is_synthetic: bool | None = None
    prompt_source: str | None = None
    origin: Any = None
    forked_from: Any = None
    request_id: str | None = None
    message: ClaudeMessage | None = None
    tool_use_result: ClaudeOutcome | str | list[msgspec.Raw] | None = None
    cost_usd: Any = msgspec.field(default=None, name="costUSD")
    data: ClaudeProgress | None = None
    parent_call: str | None = msgspec.field(default=None, name="parentToolUseID")
    attachment: Attachment | None = None
    content: Any = None
    error: Any = None
    operation: str | None = None
    hook_errors: Any = None
    hook_additional_context: Any = None
    summary: str | None = None
    leaf_uuid: str | None = None
    ai_title: str | None = None
    custom_title: str | None = None
    agent_name: str | None = None
    pr_url: str | None = None
    stream_session: str | None = msgspec.field(default=None, name="session_id")
    stream_call: str | None = msgspec.field(default=None, name="parent_tool_use_id")
    stream_outcome: ClaudeOutcome | str | list[msgspec.Raw] | None = msgspec.field(default=None, name="tool_use_result")
    stream_version: str | None = msgspec.field(default=None, name="claude_code_version")
    is_error: bool | None = msgspec.field(default=None, name="is_error")
    result: Any = None
    errors: Any = None
    total_cost_usd: Any = msgspec.field(default=None, name="total_cost_usd")
    model_usage: Any = None


_LINE = msgspec.json.Decoder(ClaudeLine)
_ANYTHING = msgspec.json.Decoder()


def decode(raw: bytes) -> tuple[ClaudeLine, tuple[str, ...]]:
    """The record, and what of it could not be used."""
    try:
        return _LINE.decode(raw), ()
    except msgspec.ValidationError:
        value = _ANYTHING.decode(raw)
    if not isinstance(value, dict):
        raise msgspec.DecodeError("not a JSON object")
    flaws: list[str] = []
    return loosely(value, ClaudeLine, flaws), tuple(flaws)


_NAME_CHARS = 80


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SILENT_PLAIN = _words(
    """
    agent-color agent-setting atis-latch attribution-snapshot bridge-session content-replacement cost-state
    file-history-delta file-history-snapshot fork-context-ref frame-link isolation-latch last-prompt
    marble-origami-commit marble-origami-reset marble-origami-snapshot mode permission-mode saved_hook_context
    speculation-accept tag task-summary worktree-state auth_status control_cancel_request control_request
    control_response keep_alive rate_limit_event stream_event tool_progress tool_use_summary
    """
)
TITLES = frozenset({"agent-name", "ai-title", "custom-title", "summary"})
SPOKEN_PLAIN = TITLES | {"assistant", "user", "pr-link", "queue-operation", "result"}

SILENT_SYSTEM = _words(
    """
    api_metrics bridge_status files_persisted hook_progress hook_started session_state_changed status task_progress
    task_started thinking turn_duration
    """
)
SPOKEN_SYSTEM = _words(
    """
    agents_killed api_error api_retry away_summary compact_boundary hook_response informational init local_command
    local_command_output memory_saved microcompact_boundary permission_retry post_turn_summary scheduled_task_fire
    snip_boundary stop_hook_summary task_notification
    """
)

SILENT_PROGRESS = _words(
    """
    bash_progress hook_progress mcp_progress powershell_progress query_update search_results_received skill_progress
    waiting_for_task
    """
)

SILENT_ATTACHMENT = _words(
    """
    agent_listing_delta agent_mention already_read_file auto_mode auto_mode_exit bash_output_audience_note
    budget_usd command_permissions companion_intro compaction_reminder context_efficiency critical_system_reminder
    date date_change deferred_tools_delta dynamic_skill edited_image_file environment instructions invoked_skills
    max_turns_reached mcp_instructions_delta mcp_resource model output_style output_token_usage pdf_reference
    pen_mode_enter pen_mode_exit plan_mode plan_mode_exit plan_mode_reentry prompt_snapshot remote_session_change
    session_context silent_turn_reminder skill_discovery skill_listing structured_output task_reminder team_context
    teammate_shutdown_batch todo todo_reminder token_usage total_tokens_reminder ultra_effort_enter
    ultra_effort_exit ultrathink_effort verify_plan_reminder
    """
)
SPOKEN_ATTACHMENT = _words(
    """
    async_hook_response compact_file_reference current_session_memory diagnostics directory edited_text_file file
    goal_status hook_additional_context hook_blocking_error hook_cancelled hook_error_during_execution
    hook_non_blocking_error hook_permission_decision hook_stopped_continuation hook_success hook_system_message
    local_command nested_memory opened_file_in_ide plan_file_reference queued_command relevant_memories
    selected_lines_in_ide task_status teammate_mailbox
    """
)

SILENT = (
    SILENT_PLAIN
    | {f"system/{name}" for name in SILENT_SYSTEM}
    | {f"progress/{name}" for name in SILENT_PROGRESS}
    | {f"attachment/{name}" for name in SILENT_ATTACHMENT}
)
KNOWN = (
    SILENT
    | SPOKEN_PLAIN
    | {"progress/agent_progress"}
    | {f"system/{name}" for name in SPOKEN_SYSTEM}
    | {f"attachment/{name}" for name in SPOKEN_ATTACHMENT}
)


def name_of(line: ClaudeLine) -> str:
    """The type as it is counted: `user`, `system/api_error`, `progress/bash_progress`, `attachment/file`."""
    kind = line.type or "(none)"
    if kind == "system":
        kind = f"system/{line.subtype}"
    elif kind == "progress":
        kind = f"progress/{line.data.type if line.data else None}"
    elif kind == "attachment":
        kind = f"attachment/{line.attachment.type if line.attachment else None}"
    return kind if len(kind) <= _NAME_CHARS else kind[:_NAME_CHARS]
