"""Sessions of Claude Code in an orchard, written call by call, and a way to learn them."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from tests.homes import learned, put, world_of

from afterwit.config.world import World

ORCHARD = "/srv/orchard"


class Done(NamedTuple):
    """A call and its result."""

    tool: str
    arguments: dict[str, Any]
    output: str = "done"
    is_error: bool = False


def ran(command: str, output: str = "fine", *, is_error: bool = False) -> Done:
    return Done("Bash", {"command": command}, output, is_error)


def read(path: str, output: str = "def prune(): ...") -> Done:
    return Done("Read", {"file_path": f"{ORCHARD}/{path}"}, output)


def edited(path: str, output: str = "The file has been updated.") -> Done:
    return Done("Edit", {"file_path": f"{ORCHARD}/{path}", "old_string": "a", "new_string": "b"}, output)


GOOD = (
    ran("git status", "On branch main"),
    Done("Grep", {"pattern": "prune"}, "src/prune.py:1:def prune()"),
    read("README.md", "An orchard."),
    read("src/prune.py"),
    ran("pytest tests/test_prune.py", "Exit code 1\nE   assert 3 == 4\n1 failed", is_error=True),
    edited("src/prune.py"),
    ran("pytest -q", "4 passed"),
    ran("git commit -am 'Prune in winter'", "[main 1a2b3c4] Prune in winter"),
)


def session(
    name: str, calls: Iterable[Done], *, task: str = "Prune the trees in winter only", cwd: str = ORCHARD, day: int = 1
) -> list[dict[str, Any]]:
    """A prompt, these calls one by one, and a report."""
    records: list[dict[str, Any]] = []

    def say(kind: str, message: dict[str, Any]) -> None:
        number = len(records)
        records.append(
            {
                "type": kind,
                "uuid": f"{name}-{number}",
                "sessionId": name,
                "timestamp": f"2026-05-{day:02d}T10:{number // 60:02d}:{number % 60:02d}.000Z",
                "cwd": cwd,
                "gitBranch": "main",
                "version": "2.1.150",
                "isSidechain": False,
                "message": message,
            }
        )

    say("user", {"role": "user", "content": task})
    for number, call in enumerate(calls):
        name_of = f"toolu_{name}_{number}"
        use = {"type": "tool_use", "id": name_of, "name": call.tool, "input": call.arguments}
        result = {"type": "tool_result", "tool_use_id": name_of, "is_error": call.is_error, "content": call.output}
        say("assistant", {"id": f"msg_{name}_{number}", "role": "assistant", "model": "claude-x", "content": [use]})
        say("user", {"role": "user", "content": [result]})
    said = [{"type": "text", "text": "Done: the trees are pruned in winter only, and all tests pass."}]
    say("assistant", {"id": f"msg_{name}_end", "role": "assistant", "model": "claude-x", "content": said})
    return records


def learn_sessions(folder: Path, **sessions: list[dict[str, Any]]) -> World:
    """The world with these sessions learned, each under its name."""
    home, store = folder / "home", folder / "store"
    for name, records in sessions.items():
        put(home / f".claude/projects/-srv-orchard/{name}.jsonl", records)
    learned(home, store)
    return world_of(home, store)
