"""Codex, OpenAI's client.

Its hooks: Claude Code's protocol, strictly. A key too many, or a rewrite without a permission, fails the hook.

How a command ended is not told: neither an exit code nor an event of its own for failures.
"""

from afterwit.agents.hook_payloads import Answer, Moment, read_claude_payload, write_claude_answer

AGENT = {
    "name": "codex",
    "rank": 20,
    "reader": "codex.reader:reader",
    "transcripts": (
        "sessions/**/rollout-*.jsonl",
        "sessions/**/rollout-*.jsonl.zst",
        "sessions/**/rollout-*.json",
        "archived_sessions/**/rollout-*.jsonl",
        "archived_sessions/**/rollout-*.jsonl.zst",
        "history.jsonl",
    ),
    "homes": (".codex",),
    "variables": (("CODEX_HOME",),),
    "own_tools": (
        *("request_user_input", "exec_command", "shell", "shell_command", "local_shell", "container.exec"),
        *("unified_exec", "write_stdin", "apply_patch"),
    ),
    "instructions": {
        "in_checkouts": ("AGENTS.md",),
        "in_homes": (".codex/AGENTS.md", ".codex/memories/*.md"),
    },
    "skills": {"user": ".agents/skills", "project": ".agents/skills"},
    "hooks": {
        "events": {
            "SessionStart": "start",
            "SubagentStart": "start",
            "UserPromptSubmit": "prompt",
            "PreToolUse": "before",
            "PostToolUse": "after",  # failed commands too
            "SessionEnd": "end",
        },
        "carries": ("start", "prompt", "after"),
        "tells_outcome": False,
    },
    "retention": {"days": None},
    "connect": {
        "rank": 20,
        "plugin": "codex.install:plugin",
        "program": "codex",
        "folders": (".codex",),
    },
}


def read(event: str, payload: dict[str, object]) -> Moment | None:
    moment = read_claude_payload(event, payload)
    moment.is_error = None
    return moment


def write(moment: Moment, answer: Answer) -> str:
    if answer.arguments is not None:
        answer = Answer(answer.text, arguments={"command": answer.arguments.get("command")}, notice=answer.notice)
    return write_claude_answer(moment, answer, needs_allowance=True)
