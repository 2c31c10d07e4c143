"""The names of the record types that Codex is known to write, and the marks of text that no person typed.

A name is `<type>/<payload type>`, or the type alone where the payload has none. A type that is in no table counts as
unknown. `SILENT` types are known and say nothing that another record does not say too: the model's own messages also
come as UI events, and the begin and end of turns are of no use here.
"""

_SILENT_EVENTS = (
    "agent_message",
    "agent_reasoning",
    "agent_reasoning_raw_content",
    "agent_reasoning_section_break",
    "background_event",
    "collab_agent_interaction_end",
    "collab_agent_spawn_end",
    "collab_close_end",
    "collab_resume_end",
    "collab_waiting_end",
    "dynamic_tool_call_request",
    "entered_review_mode",
    "exited_review_mode",
    "guardian_assessment",
    "image_generation_end",
    "plan_update",
    "session_configured",
    "sub_agent_activity",
    "task_complete",
    "thread_goal_updated",
    "thread_rolled_back",
    "thread_settings_applied",
    "turn_complete",
    "turn_diff",
    "undo_completed",
    "view_image_tool_call",
    "web_search_end",
)
_SILENT_ITEMS = ("additional_tools", "compaction", "compaction_trigger", "context_compaction", "ghost_snapshot")
_SILENT_LINES = (
    "inter_agent_communication",
    "inter_agent_communication_metadata",
    "state",
    "token_usage_record",
    "world_state",
)

SILENT = frozenset(
    [f"event_msg/{name}" for name in _SILENT_EVENTS]
    + [f"response_item/{name}" for name in _SILENT_ITEMS]
    + list(_SILENT_LINES)
)

BARE_ITEMS = frozenset(
    (
        "custom_tool_call",
        "custom_tool_call_output",
        "function_call",
        "function_call_output",
        "local_shell_call",
        "message",
        "reasoning",
        "web_search_call",
    )
)

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
