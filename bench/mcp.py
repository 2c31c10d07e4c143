"""How soon the MCP server answers, in a cold process each time, beside the bare interpreter.

    python -m bench.mcp [--rounds N] [--store FOLDER]

From the start of the process until the answer to `initialize` has arrived; then, in another process, until that to
`tools/list`, and until a `recall` is answered. The floor is the bare interpreter from its start to its end. Where the
`mcp` SDK is installed, a server made with it, without any tool, stands beside ours. All take turns, so that a busy
machine slows all. Without `--store` an invented home of a few sessions is learned first.
"""

import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bench.homes import write_home
from bench.processes import afterwit
from bench.results import command_line, report

ROUNDS = 15
SESSIONS = 30
OURS = [sys.executable, "-m", "afterwit", "mcp"]
SDK = [sys.executable, "-c", "from mcp.server.mcpserver import MCPServer; MCPServer('bare').run('stdio')"]
BARE = [sys.executable, "-I", "-c", "pass"]
_PARAMS = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
INITIALIZE = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": _PARAMS}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
RECALL: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "recall", "arguments": {"task": "Make the tests pass again"}},
}


class Figure(NamedTuple):
    what: str
    p50_ms: float
    worst_ms: float
    ratio: float  # of the medians, to the bare interpreter


def table(rounds: int = ROUNDS, store: Path | None = None) -> dict[str, object]:
    with tempfile.TemporaryDirectory(prefix="afterwit-bench-") as folder:
        home = Path(folder, "home")
        if store is None:
            store = Path(folder, "store")
            write_home(home, SESSIONS)
            afterwit(home, store, "learn")
        environ = {**os.environ, "HOME": str(home), "AFTERWIT_HOME": str(store)}
        return {"rounds": rounds, "figures": [one._asdict() for one in _figures(rounds, environ)]}


def _figures(rounds: int, environ: Mapping[str, str]) -> list[Figure]:
    asked: dict[str, tuple[list[str], Sequence[Mapping[str, Any]]]] = {
        "initialize": (OURS, (INITIALIZE,)),
        "tools/list": (OURS, (INITIALIZE, INITIALIZED, LIST)),
        "first recall": (OURS, (INITIALIZE, INITIALIZED, RECALL)),
    }
    if importlib.util.find_spec("mcp") is not None:
        asked["initialize, a server of the SDK"] = (SDK, (INITIALIZE,))
    times: dict[str, list[float]] = {name: [] for name in ("bare interpreter", *asked)}
    for _ in range(rounds):
        times["bare interpreter"].append(_until_end(BARE, environ))
        for name, (command, messages) in asked.items():
            times[name].append(_until_answered(command, messages, environ))
    floor = statistics.median(times["bare interpreter"])
    return [
        Figure(name, 1000 * statistics.median(found), 1000 * max(found), statistics.median(found) / floor)
        for name, found in times.items()
    ]


def _until_end(command: list[str], environ: Mapping[str, str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, env=dict(environ), check=True)
    return time.perf_counter() - started


def _until_answered(command: list[str], messages: Sequence[Mapping[str, Any]], environ: Mapping[str, str]) -> float:
    """Seconds until every request has its answer."""
    started = time.perf_counter()
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=dict(environ), stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for message in messages:
            process.stdin.write(json.dumps(message).encode() + b"\n")
            process.stdin.flush()
            if "id" in message:
                answer = json.loads(process.stdout.readline())
                assert "result" in answer, answer
        took = time.perf_counter() - started
        process.stdin.close()
    return took


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--store", type=Path, help="measure the server of this store")
    arguments = parser.parse_args()
    report("mcp", table(arguments.rounds, arguments.store), keep=arguments.keep)


if __name__ == "__main__":
    main()
