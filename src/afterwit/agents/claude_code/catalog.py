"""The record types of Claude Code: their names, and which of them this reader knows.

A type that is missing here is counted as unknown, so that a change of the format shows up in the health report instead
of vanishing. The sets were taken from real transcripts of versions 2.0.15 to 2.1.218 and from what other readers of the
same files know. `SILENT` ones say nothing that a session's story needs.
"""

from afterwit.agents.claude_code.records import ClaudeLine

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
