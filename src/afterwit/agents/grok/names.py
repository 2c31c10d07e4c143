"""The updates of Grok that say nothing of what a session is about: states of the screen, progress, settings."""

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
