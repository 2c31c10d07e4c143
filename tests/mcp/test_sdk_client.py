"""The real SDK's client against the real command, in both forms of the protocol.

The SDK checks every answer against the protocol's own schema. Skipped where it is not installed.
"""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from afterwit.config.world import World
from afterwit.redaction.markers import OPENING

sdk = pytest.importorskip("mcp", reason="the `mcp` SDK is not installed")


def with_client(world: World, mode: str, use: Callable[[Any], Awaitable[None]]) -> None:
    """Starts the server as a client does, and ends it."""
    environ = {"HOME": str(world.user_home), "AFTERWIT_HOME": str(world.layout.root), "PATH": os.environ["PATH"]}
    command = ["-c", "from afterwit.cli.main import main; main()", "mcp"]
    server = sdk.StdioServerParameters(command=sys.executable, args=command, env=environ, cwd=str(Path.cwd()))

    async def session() -> None:
        info = sdk.types.Implementation(name="claude-code", version="2.1.150")
        async with sdk.Client(server, mode=mode, client_info=info, read_timeout_seconds=60) as client:
            await use(client)

    asyncio.run(session())


@pytest.mark.parametrize(("mode", "version"), [("legacy", "2025-11-25"), ("auto", "2026-07-28")])
def test_the_sdk_agrees_with_every_answer(world: World, mode: str, version: str) -> None:
    async def use(client: Any) -> None:
        assert client.protocol_version == version
        assert "recall" in client.instructions
        tools = (await client.list_tools()).tools
        assert tools[0].name == "recall"
        recalled = await client.call_tool("recall", {"task": "Press the apples", "folder": "/srv/orchard/src"})
        assert not recalled.is_error
        assert recalled.content[0].text.startswith(OPENING)
        wrong = await client.call_tool("recall", {"tusk": "x"})
        assert wrong.is_error
        assert "Did you mean `task`?" in wrong.content[0].text
        kept = await client.call_tool("memory", {"action": "store", "key": "shell", "value": "fish"})
        assert not kept.is_error
        with pytest.raises(sdk.MCPError, match="no tool"):
            await client.call_tool("nothing", {})

    with_client(world, mode, use)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_an_item_is_recalled_explained_and_reported(world: World, mode: str) -> None:
    async def use(client: Any) -> None:
        recalled = await client.call_tool("recall", {"task": "Press the apples", "repo": "orchard"})
        item = recalled.content[0].text.rpartition("[")[0].rpartition("[")[2].partition("]")[0]
        explained = await client.call_tool("explain_item", {"item": item})
        assert f"Note {item}:" in explained.content[0].text
        reported = await client.call_tool("report_item", {"item": item, "verdict": "helpful"})
        assert not reported.is_error

    with_client(world, mode, use)
