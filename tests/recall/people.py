"""Two people whose sessions lie in one history: Mira works with Claude Code, Jonas with Codex, each in a home."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.homes import put

MIRA, JONAS = "mira", "jonas"
FAILED = "wrapit: unrecognized subcommand cargo"
FIXED = ("wrapit cargo test", "cargo test")  # the first of them fails


def claude_session(
    home: Path, user: str, name: str, day: int, prompts: Sequence[str], *, cwd: str = "", commands: Sequence[str] = ()
) -> None:
    """A session in this user's checkout: prompts, then commands."""
    said: list[tuple[str, Any]] = []
    for prompt in prompts:
        said += [("user", prompt), ("assistant", [{"type": "text", "text": "Done."}])]
    for number, command in enumerate(commands):
        call, has_failed = f"toolu_{name}_{number}", command.startswith("wrapit")
        output = f"Exit code 2\n{FAILED}" if has_failed else "ok"
        use = {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": command}}
        result = {"type": "tool_result", "tool_use_id": call, "is_error": has_failed, "content": output}
        said += [("assistant", [use]), ("user", [result])]
    records = [
        {
            "type": kind,
            "uuid": f"{name}-{number}",
            "sessionId": name,
            "timestamp": f"2026-05-{day:02d}T10:{number:02d}:00.000Z",
            "cwd": cwd or f"/home/{user}/orchard",
            "version": "2.1.150",
            "isSidechain": False,
            "message": {"id": f"msg_{name}_{number}", "role": kind, "model": "claude-x", "content": content},
        }
        for number, (kind, content) in enumerate(said)
    ]
    put(home / ".claude/projects/-orchard" / f"{name}.jsonl", records)


def codex_session(
    home: Path, user: str, thread: str, day: int, prompts: Sequence[str], commands: Sequence[str] = ()
) -> None:
    """The same, as Codex logs it."""
    cwd, minute = f"/home/{user}/orchard", 0
    thread = f"01970001-0000-7000-8000-{thread:>012}"

    def record(kind: str, payload: dict[str, Any]) -> dict[str, Any]:
        nonlocal minute
        minute += 1
        return {"timestamp": f"2026-05-{day:02d}T11:{minute:02d}:00.000Z", "type": kind, "payload": payload}

    def message(role: str, kind: str, text: str) -> dict[str, Any]:
        return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}

    records = [record("session_meta", {"id": thread, "cwd": cwd, "cli_version": "0.140.0", "source": "cli"})]
    for prompt in prompts:
        records += [
            record("turn_context", {"turn_id": f"t{minute}", "cwd": cwd, "model": "gpt-5.5"}),
            record("response_item", message("user", "input_text", prompt)),
            record("event_msg", {"type": "user_message", "message": prompt}),
            record("response_item", message("assistant", "output_text", "Done.")),
        ]
    for number, command in enumerate(commands):
        call, has_failed = f"call_{thread}_{number}", command.startswith("wrapit")
        arguments = json.dumps({"cmd": command})
        ended = f"Process exited with code {int(has_failed)}\nOutput:\n{FAILED if has_failed else 'ok'}"
        asked = {"type": "function_call", "name": "exec_command", "arguments": arguments, "call_id": call}
        output = {"type": "function_call_output", "call_id": call, "output": f"Wall time: 1.0 seconds\n{ended}"}
        records += [record("response_item", asked), record("response_item", output)]
    put(home / ".codex/sessions/2026/05/01" / f"rollout-2026-05-{day:02d}T11-00-00-{thread}.jsonl", records)
