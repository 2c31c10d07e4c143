"""Sessions that write into files, beside the checkouts that they wrote in. Times are seconds after the start of the
checkouts' history."""

import datetime as dt
import json
from pathlib import Path
from typing import Any, Self

from tests.homes import put
from tests.sources.checkouts import START_S


def stamp(at_s: float) -> str:
    return f"{dt.datetime.fromtimestamp(START_S + at_s, dt.UTC):%Y-%m-%dT%H:%M:%S}.000Z"


class ClaudeWriter:
    """A Claude Code session, as its log has it."""

    def __init__(self, name: str, cwd: str, at_s: float = 0) -> None:
        self.name = name
        self._cwd = cwd
        self._at_s = at_s
        self._records: list[dict[str, Any]] = []

    def prompt(self, text: str) -> Self:
        return self._add("user", {"role": "user", "content": text})

    def say(self, text: str) -> Self:
        return self._add("assistant", {"role": "assistant", "content": [{"type": "text", "text": text}]})

    def write(self, path: str, text: str, **ended: Any) -> Self:
        return self.call("Write", {"file_path": path, "content": text}, **ended)

    def edit(self, path: str, old: str, new: str, **ended: Any) -> Self:
        return self.call("Edit", {"file_path": path, "old_string": old, "new_string": new}, **ended)

    def bash(self, command: str, **ended: Any) -> Self:
        return self.call("Bash", {"command": command}, **ended)

    def call(self, tool: str, arguments: dict[str, Any], *, is_error: bool = False) -> Self:
        call = f"toolu_{self.name}_{len(self._records)}"
        block = {"type": "tool_use", "id": call, "name": tool, "input": arguments}
        self._add("assistant", {"role": "assistant", "content": [block]})
        result = {"type": "tool_result", "tool_use_id": call, "is_error": is_error, "content": "done"}
        return self._add("user", {"role": "user", "content": [result]})

    def put(self, home: Path) -> None:
        put(home / ".claude/projects/-srv-orchard" / f"{self.name}.jsonl", self._records)

    def put_below(self, home: Path, parent: str) -> None:
        """As a subagent of another session."""
        folder = home / ".claude/projects/-srv-orchard" / parent / "subagents"
        put(
            folder / f"agent-{self.name}.jsonl",
            [record | {"sessionId": parent, "isSidechain": True, "agentId": self.name} for record in self._records],
        )

    def _add(self, kind: str, message: dict[str, Any]) -> Self:
        number = len(self._records)
        envelope = {"sessionId": self.name, "cwd": self._cwd, "version": "2.1.150", "isSidechain": False}
        if kind == "assistant":
            message = {"id": f"msg_{self.name}_{number}", "model": "claude-opus-4-8", **message}
        record = {"type": kind, "uuid": f"{self.name}-{number}", "timestamp": stamp(self._at_s + number), **envelope}
        self._records.append(record | {"message": message})
        return self


def codex_patch(home: Path, thread: str, cwd: str, patch: str, at_s: float = 0) -> None:
    """A Codex rollout that applies one patch."""

    def record(kind: str, payload: dict[str, Any], second: float) -> dict[str, Any]:
        return {"timestamp": stamp(at_s + second), "type": kind, "payload": payload}

    message = {
        "type": "message",
        "role": "user",
        "content": [{"type": "input_text", "text": "Mend the barrel, please"}],
    }
    put(
        home / ".codex/sessions/2026/05/04" / f"rollout-2026-05-04T10-00-00-{thread}.jsonl",
        [
            record("session_meta", {"id": thread, "cwd": cwd, "cli_version": "0.140.0", "source": "cli"}, 0),
            record("response_item", message, 1),
            record("event_msg", {"type": "user_message", "message": "Mend the barrel, please"}, 1),
            record(
                "response_item",
                {"type": "custom_tool_call", "name": "apply_patch", "input": patch, "call_id": "call_1"},
                2,
            ),
            record(
                "response_item",
                {
                    "type": "custom_tool_call_output",
                    "call_id": "call_1",
                    "output": json.dumps({"output": "Success.", "metadata": {"exit_code": 0}}),
                },
                3,
            ),
        ],
    )
