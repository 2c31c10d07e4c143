"""Small invented homes with logs of several agents, and a way to learn from them in this process."""

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from afterwit.config.show import load
from afterwit.config.world import World
from afterwit.engine.sweep import sweep
from afterwit.model.learn_run import Options, Report
from afterwit.store.checks import content_hash
from afterwit.store.layout import Layout
from afterwit.store.store import open_store

NOW_MS = 1_780_000_000_000
ORCHARD = "/srv/orchard"


class Silent:
    """A progress that nobody watches."""

    def begin(self, files: int, total_bytes: int) -> None: ...

    def advance(self, files: int, done_bytes: int) -> None: ...
    def stage(self, label: str, count: int, unit: str) -> None: ...


def world_of(home: Path, store: Path, environ: Mapping[str, str] | None = None) -> World:
    surroundings = {"HOME": str(home), "AFTERWIT_HOME": str(store), **(environ or {})}
    configured = load(surroundings, sys.platform)
    return World(
        layout=Layout(configured.place.store),
        settings=configured.settings,
        user_home=home,
        environ=surroundings,
        now_ms=NOW_MS,
        declared=configured.declared,
    )


def learned(home: Path, store: Path, **options: Any) -> Report:
    return sweep(world_of(home, store), Options(**options), Silent())


def hash_of(store: Path) -> str:
    with open_store(Layout(store)) as one:
        return content_hash(one.db)


def rows(store: Path, query: str, *values: object) -> list[tuple[Any, ...]]:
    with open_store(Layout(store)) as one:
        return list(one.db.execute(query, values))


def everything_in(store: Path) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of a store, but for marks that are drawn by lot."""
    tables = rows(store, "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'")
    return {name: rows(store, f'SELECT * FROM "{name}"') for (name,) in tables if name not in ("marks", "standing")}


def lines(records: Iterable[Mapping[str, Any]]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def put(path: Path, content: bytes | Iterable[Mapping[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else lines(content))
    return path


def claude_records(session: str, turns: int = 3, *, cwd: str = ORCHARD, start: int = 0) -> list[dict[str, Any]]:
    """A Claude Code session: each turn a prompt, a shell call that fails or works, and a reply."""
    found: list[dict[str, Any]] = []
    for turn in range(turns):
        stamp = start + turn * 60
        envelope = {"sessionId": session, "cwd": cwd, "gitBranch": "main", "version": "2.1.150", "isSidechain": False}
        call, name = f"toolu_{session}_{turn}", f"{session}-{turn}"
        fails = turn % 2 == 0
        output = "Exit code 2\nmake: *** No rule to make target 'prune'." if fails else "pruned 3 trees"
        found += [
            _user(envelope, f"{name}-p", stamp, f"Prune row {turn} of the orchard"),
            _assistant(envelope, f"{name}-a", stamp + 1, {"type": "text", "text": "I will look."}, f"msg_{name}", 3),
            _assistant(
                envelope,
                f"{name}-c",
                stamp + 2,
                {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": f"make prune-{turn}"}},
                f"msg_{name}",
                41,
            ),
            _user(
                envelope,
                f"{name}-r",
                stamp + 3,
                [{"type": "tool_result", "tool_use_id": call, "is_error": fails, "content": output}],
            ),
            _assistant(envelope, f"{name}-d", stamp + 4, {"type": "text", "text": "Done."}, f"msg_{name}_end", 7),
        ]
    return found


def codex_records(thread: str, turns: int = 2, *, cwd: str = ORCHARD, start: int = 0) -> list[dict[str, Any]]:
    """A Codex rollout: each turn a prompt in both representations, a call, its output, a reply and a token count."""
    git = {"branch": "main", "repository_url": "git@git.example:fruit/orchard.git"}
    meta = {"id": thread, "cwd": cwd, "cli_version": "0.140.0", "originator": "codex-tui", "source": "cli", "git": git}
    found = [_codex("session_meta", meta, start)]
    for turn in range(turns):
        stamp, call = start + 10 + turn * 60, f"call_{thread}_{turn}"
        arguments = json.dumps({"cmd": f"pick --row {turn}"})
        used = {"input_tokens": 100 * (turn + 1), "cached_input_tokens": 40, "output_tokens": 9 * (turn + 1)}
        used["total_tokens"] = used["input_tokens"] + used["output_tokens"]
        last = {"input_tokens": 100, "cached_input_tokens": 20, "output_tokens": 9, "total_tokens": 109}
        prompt = f"Pick row {turn}"
        found += [
            _codex("turn_context", {"turn_id": f"{thread}-t{turn}", "cwd": cwd, "model": "gpt-5.5"}, stamp),
            _codex("response_item", _message("user", "input_text", prompt), stamp),
            _codex("event_msg", {"type": "user_message", "message": prompt}, stamp),
            _codex(
                "response_item",
                {"type": "function_call", "name": "exec_command", "arguments": arguments, "call_id": call},
                stamp + 1,
            ),
            _codex(
                "response_item",
                {
                    "type": "function_call_output",
                    "call_id": call,
                    "output": f"Wall time: 1.0 seconds\nProcess exited with code {turn}\nOutput:\nladder not found",
                },
                stamp + 2,
            ),
            _codex("response_item", _message("assistant", "output_text", f"Row {turn} is done."), stamp + 3),
            _codex(
                "event_msg",
                {"type": "token_count", "info": {"total_token_usage": used, "last_token_usage": last}},
                stamp + 3,
            ),
        ]
    return found


def chat_records(turns: int = 2) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for turn in range(turns):
        call = {"id": f"call_{turn}", "function": {"name": "terminal", "arguments": '{"command": "weigh apples"}'}}
        found += [
            {"role": "user", "content": f"Weigh basket {turn}", "timestamp": 1_777_000_000 + turn * 60},
            {"role": "assistant", "content": "", "tool_calls": [call], "timestamp": 1_777_000_001 + turn * 60},
            {
                "role": "tool",
                "tool_call_id": f"call_{turn}",
                "content": json.dumps({"output": "3 kg", "exit_code": 0}),
                "timestamp": 1_777_000_002 + turn * 60,
            },
        ]
    return found


CLAUDE = ".claude/projects/-srv-orchard"
CODEX = ".codex/sessions/2026/05/01"
HERMES = ".hermes/sessions"
THREAD = "01970001-0000-7000-8000-00000000000a"


def mixed_home(home: Path) -> Path:
    """Two Claude Code sessions, a Codex rollout and a chat log."""
    put(home / CLAUDE / "11111111-aaaa-4aaa-8aaa-000000000001.jsonl", claude_records("s1"))
    put(home / CLAUDE / "11111111-aaaa-4aaa-8aaa-000000000002.jsonl", claude_records("s2", 2, start=4000))
    put(home / CODEX / f"rollout-2026-05-01T10-00-00-{THREAD}.jsonl", codex_records(THREAD))
    put(home / HERMES / "20260501_100000_abc123.jsonl", chat_records())
    return home


PARENT = "22222222-bbbb-4bbb-8bbb-000000000001"
PARENT_CALL = f"toolu_{PARENT}_1"


def family_home(home: Path) -> Path:
    """A Claude Code session with a subagent in a file of its own, and an output too large for the transcript."""
    put(home / CLAUDE / f"{PARENT}.jsonl", claude_records(PARENT))
    child = [record | {"isSidechain": True} for record in claude_records(PARENT, 1, start=62)]
    for record in child:
        record["uuid"] = f"child-{record['uuid']}"
        record["message"] = json.loads(json.dumps(record["message"]).replace("toolu_", "toolu_child_"))
        if "id" in record["message"]:
            record["message"]["id"] = f"child_{record['message']['id']}"
    folder = home / CLAUDE / PARENT
    put(folder / "subagents" / "agent-f00d.jsonl", child)
    put(folder / "subagents" / "agent-f00d.meta.json", [{"agentType": "Explore", "toolUseId": PARENT_CALL}])
    put(folder / "tool-results" / "toolu_large.txt", b"a very long list of trees")
    return home


def _stamp(seconds: int) -> str:
    return f"2026-05-01T{10 + seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.000Z"


def _user(envelope: dict[str, Any], uuid: str, stamp: int, content: Any) -> dict[str, Any]:
    message = {"role": "user", "content": content}
    return {"type": "user", "uuid": uuid, "timestamp": _stamp(stamp), **envelope, "message": message}


def _assistant(
    envelope: dict[str, Any], uuid: str, stamp: int, block: dict[str, Any], message: str, output: int
) -> dict[str, Any]:
    usage = {"input_tokens": 5, "cache_read_input_tokens": 900, "cache_creation_input_tokens": 20}
    body = {
        "id": message,
        "role": "assistant",
        "model": "claude-opus-4-8",
        "content": [block],
        "usage": {**usage, "output_tokens": output},
    }
    return {"type": "assistant", "uuid": uuid, "timestamp": _stamp(stamp), **envelope, "message": body}


def _codex(kind: str, payload: dict[str, Any], stamp: int) -> dict[str, Any]:
    return {"timestamp": _stamp(stamp), "type": kind, "payload": payload}


def _message(role: str, kind: str, text: str) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}
