"""`afterwit mcp` as agents start it: a process that is spoken to in lines and ends with its input."""

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.cli.conftest import command

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "codex", "version": "1"}},
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def served(
    environ: dict[str, str], *requests: Any, options: tuple[str, ...] = (), cwd: Path | None = None
) -> list[Any]:
    lines = "".join(f"{one if isinstance(one, str) else json.dumps(one)}\n" for one in requests)
    done = subprocess.run(
        command(["mcp", *options]),
        env=environ,
        input=lines,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        cwd=cwd,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return [json.loads(line) for line in done.stdout.splitlines()]


def call(number: int, tool: str, **arguments: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


def test_an_agent_is_served_until_it_closes_the_input(environ: dict[str, str]) -> None:
    listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    found = served(environ, INITIALIZE, INITIALIZED, listing, "{half", call(2, "recall", task="x"))
    assert [one["id"] for one in found] == [0, 1, None, 2]
    assert found[0]["result"]["serverInfo"]["name"] == "afterwit"
    assert len(found[1]["result"]["tools"]) == 10
    assert found[2]["error"]["code"] == -32700
    assert found[3]["result"]["isError"] is True
    assert "Run `afterwit learn` first" in found[3]["result"]["content"][0]["text"]


def test_a_broken_configuration_does_not_keep_the_server_from_starting(environ: dict[str, str], tmp_path: Path) -> None:
    config = tmp_path / "broken.toml"
    config.write_text("store = 3\n")
    found = served(environ, INITIALIZE, call(1, "recall", task="x"), options=("--config", str(config)))
    assert "result" in found[0]
    assert found[1]["result"]["isError"] is True
    assert "write [store]" in found[1]["result"]["content"][0]["text"]


def test_each_call_sees_the_store_of_its_profile(environ: dict[str, str]) -> None:
    stored = call(1, "memory", action="store", key="shell", value="fish")
    asked = call(1, "memory", action="retrieve", key="shell")
    served(environ, INITIALIZE, stored, options=("--profile", "work"))
    assert "fish" in served(environ, asked, options=("--profile", "work"))[0]["result"]["content"][0]["text"]
    assert "fish" not in served(environ, asked)[0]["result"]["content"][0]["text"]
