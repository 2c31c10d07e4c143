"""Lines in, lines out: in order, bounded, and nothing else on the wire."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from afterwit.mcp import server as server_module
from afterwit.mcp.server import Server, answer_all

PING = b'{"jsonrpc":"2.0","id":%d,"method":"ping"}\n'


def answers(data: bytes, server: Server) -> list[Any]:
    out = io.BytesIO()
    answer_all(io.BytesIO(data), out, server)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_every_line_is_answered_in_its_turn(server: Server) -> None:
    found = answers(PING % 1 + b"\n  \r\nnonsense\n" + PING % 2 + (PING % 3).rstrip(), server)
    assert [one["id"] for one in found] == [1, None, 2, 3]


def test_a_line_that_is_too_long_is_refused_and_the_next_one_answered(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_module, "LONGEST_LINE", 200)
    monkeypatch.setattr(server_module, "_PIECE", 64)
    found = answers(b'{"x": "' + b"y" * 1_000 + b'"}\n' + PING % 5, server)
    assert [one["id"] for one in found] == [None, 5]
    assert found[0]["error"]["code"] == -32600


def test_what_others_print_does_not_reach_the_client(tmp_path: Path) -> None:
    script = tmp_path / "noisy.py"
    script.write_text(
        "import os, sys\n"
        "from afterwit.mcp.server import serve\n"
        "def noisy():\n"
        "    print('chatter'); sys.stdout.flush(); os.system('echo more; cat'); raise SystemExit\n"
        "serve(noisy)\n"
    )
    lines = PING % 1 + b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"recall"}}\n' + PING % 3
    done = subprocess.run([sys.executable, str(script)], input=lines, capture_output=True, check=False, env=os.environ)
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [1]
    assert b"chatter" in done.stderr
    assert b"more" in done.stderr
