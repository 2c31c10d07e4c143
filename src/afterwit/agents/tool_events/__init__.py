"""Logs with one line or row per tool event: `observations.jsonl` that hooks write, databases of other memories.

A description like those that people write for logs of their own, so it has no code. Three dialects: an event before and
one after each call (`tool_start`, `tool_complete`), without an id; the input of hooks as it came (`PreToolUse` …); and
one line, or one row of a table (`tables`), for a call with a summary of what went in and came out. Sessions are
interleaved. A result without an id answers the oldest open call of its tool and session. Inputs and outputs may be cut,
so the arguments of a call can be text that is no JSON any more, and how a call ended is often unknown.
The sessions told of here are those of another agent, whose own transcript says more; that is why these logs have no
home: they are read where somebody asks for it.
"""

AGENT = {
    "name": "tool-events",
    "rank": 290,
    "gatherers": "tool_events.tables:gatherers",
    "transcripts": (
        *("**/observations.jsonl", "**/observations.archive/*.jsonl", "**/tool-events*.jsonl"),
        *("**/*.db/*.jsonl", "**/*.sqlite/*.jsonl", "**/*.sqlite3/*.jsonl"),
    ),
    "description": """
session = ["session", "session_id", "sessionId", "session_key"]
time = ["timestamp", "ts", "time", "created_at", "createdAt", "at", "created_at_epoch"]
type = ["event", "hook_event_name", "tool", "tool_name", "toolName"]
ignore = [
    { event = "parse_error" },
    { hook_event_name = ["SessionStart", "SessionEnd", "Stop", "SubagentStart", "SubagentStop", "PreCompact"] },
    { hook_event_name = ["Notification", "PermissionRequest"] },
]

[[sniff]]
event = ["tool_start", "tool_complete"]
tool.exists = true

[[sniff]]
hook_event_name.exists = true
session_id.exists = true

[[sniff]]
"session|session_id|sessionId|session_key".exists = true
"tool|tool_name|toolName".exists = true
role.exists = false

[facts]
cwd = ["cwd", "project_path", "project_dir", "working_dir", "workspace", "project"]
origin = "source"

[[event]]
when = { hook_event_name = "UserPromptSubmit" }
kind = "prompt"
text = "prompt"

[[event]]
when = { event = ["tool_start", "pre_tool_use", "PreToolUse"] }
kind = "call"
id = ["tool_use_id", "call_id"]
tool = ["tool", "tool_name"]
arguments = ["input", "tool_input"]

[[event]]
when = { event = ["tool_complete", "tool_error", "post_tool_use", "PostToolUse"] }
kind = "result"
id = ["tool_use_id", "call_id"]
tool = ["tool", "tool_name"]
text = ["output", "tool_output", "tool_response", "error"]
is_error = ["is_error", "error"]
exit_code = "exit_code"
duration_ms = "duration_ms"
failed = { event = "tool_error" }

[[event]]
when = { hook_event_name = "PreToolUse" }
kind = "call"
id = "tool_use_id"
tool = "tool_name"
arguments = "tool_input"

[[event]]
when = { hook_event_name = ["PostToolUse", "PostToolUseFailure"] }
kind = "result"
id = "tool_use_id"
tool = "tool_name"
text = ["tool_response", "error"]
is_error = "tool_response.is_error"
failed = { hook_event_name = "PostToolUseFailure" }
duration_ms = "duration_ms"

[[event]]
kind = "call"
id = ["id", "call_id", "tool_use_id"]
tool = ["tool", "tool_name", "toolName"]
arguments = ["input", "input_summary", "tool_input", "tool_input_summary", "args", "arguments"]
[event.when]
event.exists = false
hook_event_name.exists = false
"tool|tool_name|toolName".exists = true

[[event]]
kind = "result"
id = ["id", "call_id", "tool_use_id"]
tool = ["tool", "tool_name", "toolName"]
text = [
    "output", "output_summary", "tool_output", "tool_output_summary", "tool_response", "result", "result_summary",
    "error",
]
is_error = ["is_error", "error"]
exit_code = "exit_code"
failed = { success = [false, 0] }
succeeded = { success = [true, 1] }
duration_ms = "duration_ms"
[event.when]
event.exists = false
hook_event_name.exists = false
"tool|tool_name|toolName".exists = true
""",
}
