"""The record types of Kimi Code's wire that say nothing which a session's story needs.

Taken from version 2.1.0: those that it writes to disk, and the events of its agent loop, which repeat what the records
of the context say. A type that is neither here nor read counts as unknown.
"""

_SILENT = """
    agent.message.appended agent.turn.ended agent.turn.started config.update context.clear context.undo
    context.update_token_count cron.add cron.cursor cron.delete file_history.checkpoint file_history.tracked forked
    full_compaction.begin full_compaction.cancel full_compaction.complete goal.account_usage goal.clear
    goal.continuation goal.create goal.update interaction.request interaction.resolved llm.request llm.tools_snapshot
    mcp.tools_discovered metadata micro_compaction.apply permission.set_mode plan.revision plan_mode.cancel
    plan_mode.enter plan_mode.exit plugin.session_start profile.bind prompt.aborted prompt.completed prompt.steered
    runtime.set_binding subagent.cancelled subagent.completed subagent.failed subagent.spawned subagent.started
    subagent.suspended swarm_mode.enter swarm_mode.exit task.started task.terminated token_counting.measured
    token_counting.rebased token_counting.truncated token_counting.turn_recorded tools.register_user_tool
    tools.reset_active_tools tools.set_active_tools tools.unregister_user_tool tools.update_store tower_mode.enter
    tower_mode.exit turn.cancel turn.prompt turn.steer turn.step.interrupted
    """
SILENT = frozenset(_SILENT.split())
LOOP_SILENT = frozenset({"step.begin"})
