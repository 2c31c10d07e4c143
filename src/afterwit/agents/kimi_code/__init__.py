"""Kimi Code, the successor of Kimi CLI.

Its hooks: Claude Code's input; text reaches the model only at a prompt, and only as plain text.
"""

from afterwit.agents.hook_payloads import PROMPT, Answer, Moment, read_claude_payload, write_claude_answer

AGENT = {
    "name": "kimi-code",
    "rank": 280,
    "reader": "kimi_code.reader:KimiCodeReader",
    "transcripts": ("sessions/*/*/agents/*/wire.jsonl",),
    "homes": (".kimi-code",),
    "variables": (("KIMI_CODE_HOME",),),
    "hooks": {
        "events": {
            "UserPromptSubmit": "prompt",
            "PreToolUse": "before",
            "PostCompact": "compact",
            "Stop": "end",
            "SessionEnd": "end",
        },
        "carries": ("prompt",),
        "rewrites": False,
    },
    "connect": {"rank": 60, "program": "kimi", "folders": (".kimi-code",), "also_named": ("kimi",)},
}

read = read_claude_payload


def write(moment: Moment, answer: Answer) -> str:
    return answer.text if moment.event == PROMPT else write_claude_answer(moment, answer)
