"""The record types of Copilot that say nothing which a session's story needs.

Taken from real logs of versions 1.0.64 to 1.0.102 and from the schema of session events that version 1.0.102 carries,
without those that are never written to disk. A type that is neither here nor among the meanings counts as unknown.
"""

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
