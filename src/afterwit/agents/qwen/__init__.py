"""Qwen Code, a relative of Gemini CLI.

Its hooks: Claude Code's protocol. After each tool call it announces a prompt without words: no prompt.

What a command printed comes in a frame. What was said at a start is not kept: a resumed session has lost it. Text
before a call is dropped and arguments cannot be changed.
"""

from afterwit.agents.gemini import unframed
from afterwit.agents.hook_payloads import FORGETFUL, PROMPT, Moment, read_claude_payload, write_claude_answer

AGENT = {
    "name": "qwen",
    "rank": 70,
    "reader": "qwen.reader:QwenReader",
    "transcripts": ("projects/*/chats/*.jsonl", "projects/*/subagents/*/agent-*.jsonl", "tmp/*/chats/*.json"),
    "homes": (".qwen",),
    "variables": (("QWEN_RUNTIME_DIR",), ("QWEN_HOME",)),
    "tools": {"mcp": ("tool_call",)},
    "instructions": {"in_checkouts": ("QWEN.md",), "in_homes": (".qwen/QWEN.md",)},
    "hooks": {
        "events": {
            "SessionStart": "start",
            "UserPromptSubmit": "prompt",
            "PreToolUse": "before",
            "PostToolUse": "after",
            "PostToolUseFailure": "after",
            "Stop": "end",
            "SessionEnd": "end",
        },
        "carries": ("start", "prompt", "after"),
        "rewrites": False,
    },
    "connect": {"rank": 40, "program": "qwen", "folders": (".qwen",)},
}

write = write_claude_answer


def read(event: str, payload: dict[str, object]) -> Moment | None:
    moment = read_claude_payload(event, payload)
    moment.output, code = unframed(moment.output)
    moment.exit_code = moment.exit_code if code is None else code
    if moment.source == "resume":
        moment.source = FORGETFUL
    return None if event == PROMPT and not moment.prompt.strip() else moment
