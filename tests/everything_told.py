"""Every way on which an agent is told something, walked once for a repository: what comes out, by the way."""

import json
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from afterwit.agents import claude_code
from afterwit.config.world import World
from afterwit.connect.plan import notes_of
from afterwit.engine.curation.files import export
from afterwit.knowledge.door.list import ItemFilter, all_items
from afterwit.mcp.backend import StoreBackend
from afterwit.recall.hook.call import HookCall
from afterwit.store.store import open_store

_SESSIONS = count()  # nothing is told twice in one session
QUERIES = ("press", "always run", "decided clean", "first")


def told(
    world: World,
    folder: str,
    *,
    prompts: Sequence[str] = (),
    failing: Sequence[tuple[str, str]] = (),
    paths: Sequence[str] = (),
    queries: Sequence[str] = QUERIES,
    stored: Sequence[str] = (),
) -> Iterator[tuple[str, str]]:
    """Ways and texts. Nothing may be held out in this store. `stored` is what an agent puts into the memory. What
    earlier walks left in the spool is dropped: every call of the server would look through it."""
    for left in world.layout.spool.glob("*"):
        left.unlink()
    yield "start", _hook(world, folder, "start", source="startup")
    for number, prompt in enumerate(prompts):
        yield f"prompt: {prompt}", _hook(world, folder, "prompt", session=f"p{number}", prompt=prompt)
    for number, (command, output) in enumerate(failing):
        yield f"failure: {command}", _failure(world, folder, command, output, f"f{number}")
        given = {"tool_name": "Bash", "tool_input": {"command": command}}
        yield f"refusal: {command}", _hook(world, folder, "before", "--refuse", session=f"r{number}", **given)
        yield f"rewrite: {command}", _hook(world, folder, "before", "--rewrite", session=f"w{number}", **given)
    for number, path in enumerate(paths):
        given = {"tool_name": "Edit", "tool_input": {"file_path": f"{folder}/{path}"}, "tool_response": "done"}
        yield f"path: {path}", _hook(world, folder, "after", session=f"e{number}", **given)
    yield "file", notes_of(world.layout, world.user_home)("claude-code", Path(folder))
    yield from _asked(world, folder, prompts, queries, stored)


def exported(world: World, folder: Path) -> str:
    """All that an export writes."""
    export(world, folder, ItemFilter())
    return "\n".join(path.read_text("utf-8") for path in sorted(folder.rglob("*")) if path.is_file())


def _asked(
    world: World, folder: str, prompts: Sequence[str], queries: Sequence[str], stored: Sequence[str]
) -> Iterator[tuple[str, str]]:
    desk = StoreBackend(lambda: world, Path(folder), "mcp-1")
    for prompt in prompts:
        yield f"recall: {prompt}", _text(desk.call("recall", {"task": prompt}, "claude-code"))
    for query in queries:
        yield f"search: {query}", _text(desk.call("search_sessions", {"query": query, "limit": 20}, "claude-code"))
    for number, words in enumerate(stored):
        given = {"key": f"note.{number}", "value": words, "metadata": {"more": words}}
        desk.call("memory", {"action": "store", **given}, "claude-code")
        yield "memory", _text(desk.call("memory", {"action": "retrieve", "key": f"note.{number}"}, "claude-code"))
    yield "unknown repo", _text(desk.call("recall", {"task": "x", "repo": "nowhere"}, "claude-code"))
    with open_store(world.layout) as store:
        items = [item.id for item in all_items(store.db)]
    for item in items:
        yield "explained", _text(desk.call("explain_item", {"item": item}, "claude-code"))


def explained(world: World, item: str) -> str:
    """What the MCP server says of an item, whatever its status."""
    return _text(StoreBackend(lambda: world, None, "mcp-1").call("explain_item", {"item": item}, "claude-code"))


def _failure(world: World, folder: str, command: str, output: str, session: str) -> str:
    given = {"tool_name": "Bash", "tool_input": {"command": command}, "error": f"Exit code 2\n{output}"}
    return _hook(world, folder, "after", session=session, hook_event_name="PostToolUseFailure", **given)


def _hook(world: World, folder: str, event: str, *flags: str, session: str = "s1", **fields: Any) -> str:
    name = f"{folder.rpartition('/')[2]}-{session}-{next(_SESSIONS)}"
    moment = claude_code.read(event, {"session_id": name, "cwd": folder, **fields})
    assert moment is not None
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("HOME", str(world.user_home))
        answer = HookCall("claude-code", claude_code, moment, str(world.layout.root), list(flags)).run()
    return json.dumps(json.loads(answer), ensure_ascii=False) if answer else ""


def _text(result: dict[str, Any]) -> str:
    return "\n".join(block["text"] for block in result["content"])
