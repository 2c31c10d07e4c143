"""Claude Code, Anthropic's client.

Its hooks: its own protocol, unchanged. The end of a background agent comes as a prompt: it is none.
"""

from afterwit.agents.hook_payloads import Moment, read_claude_payload, write_claude_answer

AGENT = {
    "name": "claude-code",
    "rank": 10,
    "reader": "claude_code.reader:reader",
    "transcripts": ("projects/*/*.jsonl", "projects/*/*/subagents/**/agent-*.jsonl", "history.jsonl"),
    "homes": (".claude",),
    "variables": (("CLAUDE_CONFIG_DIR",),),
    "own_tools": (
        *("AskUserQuestion", "ExitPlanMode", "EnterPlanMode", "Bash", "BashOutput", "KillShell", "Edit", "MultiEdit"),
        *("NotebookEdit", "Write", "Read", "Glob", "Grep", "LS", "Task", "Agent", "Skill", "WebFetch", "WebSearch"),
    ),
    "instructions": {
        "in_checkouts": ("CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", ".claude/rules/*.md"),
        "in_homes": (".claude/CLAUDE.md", ".claude/rules/*.md"),
        "of_projects": (".claude/projects/{project}/memory/*.md",),
    },
    "skills": {"user": ".claude/skills", "project": ".claude/skills", "variable": ("CLAUDE_CONFIG_DIR", "skills")},
    "hooks": {
        "events": {
            "SessionStart": "start",  # also after a compaction, which its payload says
            "SubagentStart": "start",
            "UserPromptSubmit": "prompt",
            "PreToolUse": "before",
            "PostToolUse": "after",
            "PostToolUseFailure": "after",
            "SessionEnd": "end",
        },
        "carries": ("start", "prompt", "after"),
    },
    "retention": {
        "days": 30,
        "folder": "projects",
        "settings": "settings.json",
        "configured": "claude_code.install:keeping",
    },
    "connect": {
        "rank": 10,
        "plugin": "claude_code.install:plugin",
        "program": "claude",
        "folders": (".claude",),
        "also_named": ("claude",),
    },
}
_ANNOUNCED = "<task-notification>"

write = write_claude_answer


def read(event: str, payload: dict[str, object]) -> Moment | None:
    moment = read_claude_payload(event, payload)
    return None if moment.prompt.startswith(_ANNOUNCED) else moment
