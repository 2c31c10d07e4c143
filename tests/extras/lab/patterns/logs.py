"""Invented sessions of two agents that meet the same things, each in the words of its own tools."""

import json
from pathlib import Path
from typing import Any

from tests.homes import ORCHARD, learned, put, world_of
from tests.measure.histories import HOUR_S, Log

from afterwit.config.world import World

_TASKS = ("Count the apples", "Mend the fence", "Press the pears", "Water the plums", "Paint the shed", "Sort crates")
_UNKNOWN = "error: unrecognized subcommand 'bake'"
_BARN = "/srv/barn"


def claude_log(number: int, cwd: str = ORCHARD) -> Log:
    """A session of Claude Code that gives a program a word it does not know."""
    log = Log(number, number * 24 * HOUR_S, cwd).prompt(f"{_TASKS[number % len(_TASKS)]} of row {number}")
    return log.shell("press bake", _UNKNOWN, fails=True).shell("ls docs", "rows.md")


def codex_log(number: int, command: str = "press bake", output: str = _UNKNOWN) -> list[dict[str, Any]]:
    """A session of Codex with one command that fails."""
    thread = f"0199c0de-0000-7000-8000-{number:012d}"
    day = f"2026-06-{1 + number:02d}T10:00"
    call = {"type": "function_call", "name": "exec_command", "call_id": f"call_{number}"}
    told = f"Wall time: 1.0 seconds\nProcess exited with code 1\nOutput:\n{output}"
    prompt = f"{_TASKS[number % len(_TASKS)]} behind house {number}"
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": prompt}]}
    payloads = [
        ("session_meta", {"id": thread, "cwd": ORCHARD, "cli_version": "0.140.0", "originator": "codex-tui"}),
        ("turn_context", {"turn_id": f"{thread}-t", "cwd": ORCHARD, "model": "gpt-5.5"}),
        ("response_item", said),
        ("event_msg", {"type": "user_message", "message": prompt}),
        ("response_item", call | {"arguments": json.dumps({"cmd": command})}),
        ("response_item", {"type": "function_call_output", "call_id": f"call_{number}", "output": told}),
    ]
    return [
        {"timestamp": f"{day}:{at:02d}.000Z", "type": kind, "payload": payload}
        for at, (kind, payload) in enumerate(payloads)
    ]


def put_codex(home: Path, number: int, records: list[dict[str, Any]]) -> Path:
    thread = records[0]["payload"]["id"]
    return put(home / f".codex/sessions/2026/06/{1 + number:02d}/rollout-{thread}.jsonl", records)


def two_agents(home: Path) -> None:
    """Three sessions of Claude Code, one of them elsewhere, and two of Codex that give a program a word it does not
    know; two more are not permitted to run one."""
    for number, cwd in enumerate((_BARN, ORCHARD, ORCHARD)):
        claude_log(number, cwd).put(home)
    for number in range(2):
        put_codex(home, number, codex_log(number))
    for number in (10, 11):
        put_codex(home, number, codex_log(number, "cider --dry", "bind: operation not permitted"))


def learned_world(tmp_path: Path) -> World:
    home, store = tmp_path / "home", tmp_path / "store"
    two_agents(home)
    learned(home, store)
    return world_of(home, store)
