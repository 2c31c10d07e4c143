"""Skills are found in the logs of every agent, however that agent loads them."""

import json
from pathlib import Path
from typing import Any

from tests.cli.conftest import ORCHARD, REMOTE, Run, lines
from tests.measure.histories import Log

PRESS = "/home/ada/.agents/skills/press/SKILL.md"
FERMENT = "/home/ada/.codex/plugins/cache/fruit/cider/2.1.0/skills/ferment/SKILL.md"


def codex_log() -> str:
    """A person calls a skill by `$press`, and the agent reads another one with a shell command."""

    def item(second: int, kind: str, payload: dict[str, Any]) -> dict[str, Any]:
        return {"timestamp": f"2026-05-05T10:00:{second:02d}.000Z", "type": kind, "payload": payload}

    def said(text: str) -> dict[str, Any]:
        return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}

    def call(number: int, line: str) -> list[dict[str, Any]]:
        arguments = json.dumps({"cmd": line, "workdir": ORCHARD})
        asked = {"type": "function_call", "name": "exec_command", "arguments": arguments, "call_id": f"call_{number}"}
        output = "Chunk ID: a1\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\nripe\n"
        done = {"type": "function_call_output", "call_id": f"call_{number}", "output": output}
        return [item(10 * number, "response_item", asked), item(10 * number + 1, "response_item", done)]

    session = "01900001-0000-7000-8000-00000000000c"
    git = {"branch": "main", "repository_url": REMOTE}
    meta = {
        "id": session,
        "timestamp": "2026-05-05T10:00:00.000Z",
        "cwd": ORCHARD,
        "cli_version": "0.118.0",
        "git": git,
    }
    return lines(
        item(0, "session_meta", meta),
        item(1, "response_item", said("$press the apples")),
        item(1, "event_msg", {"type": "user_message", "message": "$press the apples"}),
        item(
            2, "response_item", said(f"<skill>\n<name>press</name>\n<path>{PRESS}</path>\n---\nname: press\n</skill>")
        ),
        *call(1, "ls trees"),
        *call(2, f"sed -n '1,240p' {FERMENT}"),
        *call(3, f"sed -n '241,500p' {FERMENT}"),
    )


def chat_log() -> str:
    function = {"name": "skill_view", "arguments": json.dumps({"name": "prune"})}
    call = {"id": "call_0", "type": "function", "function": function}
    return lines(
        {"role": "session_meta", "model": "example/large-1", "timestamp": "2026-05-06T10:15:00"},
        {"role": "user", "content": "Prune the pears", "timestamp": "2026-05-06T10:15:05"},
        {"role": "assistant", "content": "", "tool_calls": [call], "timestamp": "2026-05-06T10:15:07"},
        {"role": "tool", "tool_call_id": "call_0", "content": "# Prune", "timestamp": "2026-05-06T10:15:08"},
        {"role": "assistant", "content": "Done.", "timestamp": "2026-05-06T10:15:09"},
    )


def test_tools_files_and_commands_of_people_are_uses(run: Run, home: Path) -> None:
    name = "rollout-2026-05-05T10-00-00-01900001-0000-7000-8000-00000000000c.jsonl"
    (home / ".codex/sessions/2026/05/05").mkdir(parents=True)
    (home / ".codex/sessions/2026/05/05" / name).write_text(codex_log(), encoding="utf-8")
    (home / ".hermes/sessions/session_20260506_101500_a1b2c3d5.jsonl").write_text(chat_log(), encoding="utf-8")
    Log(1, 0).prompt("Graft the plums").skill("graft").calls_skill("taste").search("plum").put(home)
    run("learn")
    listed = json.loads(run("skills", "list", "--json").stdout)
    assert {(skill["skill"], *skill["agents"], *skill["versions"], skill["uses"]) for skill in listed} == {
        ("press", "codex", 1),
        ("cider:ferment", "codex", "2.1.0", 1),
        ("prune", "hermes", 1),
        ("graft", "claude-code", 1),
        ("taste", "claude-code", 1),
    }
