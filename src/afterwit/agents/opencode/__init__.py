"""OpenCode.

Its plugin: the exit code of a command is a number of its own.
"""

from afterwit.agents.hook_payloads import Moment, read_plugin_payload, write_plugin_answer

AGENT = {
    "name": "opencode",
    "rank": 80,
    "reader": "opencode.reader:OpenCodeReader",
    "gatherers": "opencode.reader:gatherers",
    "transcripts": ("*.db/*.jsonl", "storage/*.jsonl", "exports/*.json"),
    "homes": (".local/share/opencode",),
    "variables": (("XDG_DATA_HOME", "opencode"),),
    "own_tools": (
        *("question", "bash", "edit", "multiedit", "write", "patch", "apply_patch", "read", "glob", "grep", "list"),
        *("webfetch", "websearch", "task", "skill", "plan_exit"),
    ),
    "instructions": {"in_checkouts": ("AGENTS.md",), "in_homes": (".config/opencode/AGENTS.md",)},
    "skills": {"user": ".config/opencode/skills", "project": ".opencode/skills"},
    "hooks": {
        "events": {
            "chat.message": "prompt",
            "session.compacted": "start",
            "tool.execute.before": "before",
            "tool.execute.after": "after",
            "session.idle": "end",
        },
        "carries": ("start", "prompt", "after"),
    },
    "connect": {"rank": 90, "program": "opencode", "folders": (".config/opencode",)},
}

write = write_plugin_answer


def read(event: str, payload: dict[str, object]) -> Moment | None:
    moment = read_plugin_payload(event, payload)
    if moment.is_error is None and moment.exit_code is not None:
        moment.is_error = moment.exit_code != 0
    return moment
