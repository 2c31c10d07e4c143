"""Where our server is gone, a client finds one without any tool."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.edits.surroundings import AT

from afterwit.edits.ours import backed_server_entry, is_server, server_entry

ASKED = [
    {
        "jsonrpc": "2.0",
        "id": 0,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}},
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"method": "tools/list", "params": {"_meta": {"progressToken": 7}}, "jsonrpc": "2.0", "id": "list-1"},
    {"jsonrpc": "2.0", "id": 2, "method": "ping"},
    {"jsonrpc": "2.0", "id": 3, "method": "resources/list"},
]


def answered(program: Path, separators: tuple[str, str]) -> list[Any]:
    entry = backed_server_entry(AT._replace(server=(str(program), "mcp")))
    lines = "".join(json.dumps(message, separators=separators) + "\n" for message in ASKED)
    command = [entry["command"], *entry["args"]]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=False, timeout=60)
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "ada's $HOME" / "afterwit"
    path.parent.mkdir()
    return path


@pytest.mark.skipif(shutil.which("sh") is None, reason="there is no such shell")
@pytest.mark.parametrize("separators", [(", ", ": "), (",", ":")], ids=["with spaces", "without"])
@pytest.mark.parametrize("text", [None, "", "#!/no/such/python\n"], ids=["gone", "empty file", "no interpreter"])
def test_a_client_is_told_of_a_server_without_tools(
    program: Path, text: str | None, separators: tuple[str, str]
) -> None:
    if text is not None:
        program.write_text(text)
        program.chmod(0o755 if text else 0o644)
    hello, tools, pong, refused = answered(program, separators)
    assert (hello["id"], hello["result"]["protocolVersion"]) == (0, "2025-06-18")
    assert hello["result"]["serverInfo"]["name"] == "afterwit"
    assert tools == {"jsonrpc": "2.0", "id": "list-1", "result": {"tools": []}}
    assert pong == {"jsonrpc": "2.0", "id": 2, "result": {}}
    assert (refused["id"], refused["error"]["code"]) == (3, -32601)


@pytest.mark.skipif(shutil.which("sh") is None, reason="there is no such shell")
def test_a_server_that_is_there_gets_all_of_the_input(program: Path) -> None:
    program.write_text('#!/bin/sh\n[ "$1" = mcp ] && exec cat\n')
    program.chmod(0o755)
    assert answered(program, (",", ":")) == ASKED


def test_it_is_ours_and_on_windows_it_is_left_out() -> None:
    assert is_server(backed_server_entry(AT))
    assert backed_server_entry(AT._replace(platform="win32")) == server_entry(AT)
