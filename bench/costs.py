"""`python -m bench.costs`: tokens and dollars beside those of ccusage, by agent, day and model.

    AFTERWIT_CORPUS=HOME python -m bench.costs

Learns the home into a temporary store and lets ccusage count a copy of its logs, with the prices that it brings along:
one that is on the PATH, or one that npm installs into the temporary folder. Days are those of UTC. ccusage tells one
response from another by the id of its request; where a log has none, it counts every line of a response. So it counts
twice: the logs as they are, and with such ids put in, where both must agree. Where npm or the home is missing it says
so and ends well.
"""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from afterwit.config.world import World
from afterwit.engine.sweep import sweep
from afterwit.model.learn_run import Options
from afterwit.sessions.cost import By, cost
from afterwit.sessions.filters import Filter
from bench.peers import CCUSAGE, VERSIONS, place_of
from bench.results import command_line, report
from bench.worlds import Silent, world_of

_CENT = 0.005


class Spent(NamedTuple):
    """What was spent on a day, with a model where it is said apart."""

    input: int
    cache_read: int
    cache_write: int
    output: int
    cost_usd: float


Cells = dict[tuple[str, str], Spent]


def main() -> None:
    options = command_line(__doc__).parse_args()
    if not os.environ.get("AFTERWIT_CORPUS"):
        print("Skipped: AFTERWIT_CORPUS is not set (the home whose costs are compared).")
        return
    home = Path(os.environ["AFTERWIT_CORPUS"]).absolute()
    with tempfile.TemporaryDirectory(prefix="afterwit-costs-") as folder:
        program = place_of(CCUSAGE, Path(folder))
        if program is None:
            print(f"Skipped: ccusage is not on the PATH, and npm cannot install version {VERSIONS[CCUSAGE]}.")
            return
        report("costs", list(table(program, home, Path(folder))), keep=options.keep)


def table(program: str, home: Path, folder: Path) -> Iterator[dict[str, Any]]:
    world = learned(home, folder / "store")
    shutil.copytree(home / ".codex", folder / "as-is" / ".codex", ignore_dangling_symlinks=True, dirs_exist_ok=True)
    with_request_ids(home / ".claude", folder / "as-is" / ".claude", is_unchanged=True)
    with_request_ids(home / ".claude", folder / "with-ids" / ".claude")
    ours = ours_of(world, "claude-code", By.MODEL)
    yield compared("claude-code, logs as they are", ours, claude_of(program, folder / "as-is"))
    yield compared("claude-code, every response with a request id", ours, claude_of(program, folder / "with-ids"))
    yield compared("codex", ours_of(world, "codex"), codex_of(program, folder / "as-is"))


def compared(name: str, ours: Cells, theirs: Cells) -> dict[str, Any]:
    nothing = Spent(0, 0, 0, 0, 0.0)
    pairs = [(ours.get(key, nothing), theirs.get(key, nothing)) for key in sorted(ours.keys() | theirs.keys())]
    return {
        "logs": name,
        "cells": len(pairs),
        "cells_with_other_tokens": sum(own[:4] != other[:4] for own, other in pairs),
        "cells_with_other_cents": sum(abs(own.cost_usd - other.cost_usd) > _CENT for own, other in pairs),
        "our_tokens": sum(sum(own[:4]) for own, _ in pairs),
        "their_tokens": sum(sum(other[:4]) for _, other in pairs),
        "our_usd": round(sum(own.cost_usd for own, _ in pairs), 2),
        "their_usd": round(sum(other.cost_usd for _, other in pairs), 2),
    }


def learned(home: Path, store: Path) -> World:
    world = world_of(home, store)
    sweep(world, Options(), Silent())
    return world


def ours_of(world: World, agent: str, *by: By) -> Cells:
    lines = cost(world, Filter(agents=(agent,)), (By.DAY, *by)).lines
    keys = [(line.key[0], line.key[1] if by else "") for line in lines]
    spent = [line.spending for line in lines]
    return {
        key: Spent(part.input, part.cache_read, part.cache_write, part.output, part.priced_usd)
        for key, part in zip(keys, spent, strict=True)
        if part.tokens
    }


def claude_of(program: str, home: Path) -> Cells:
    days = counted(program, home, "claude", "daily", "--breakdown")["daily"]
    return {(day["date"], part["modelName"]): _spent(part, "cost") for day in days for part in day["modelBreakdowns"]}


def codex_of(program: str, home: Path) -> Cells:
    days = counted(program, home, "codex", "daily")["daily"]
    return {(day["date"], ""): _spent(day, "costUSD") for day in days}


def _spent(part: dict[str, Any], price: str) -> Spent:
    return Spent(
        part["inputTokens"], part["cacheReadTokens"], part["cacheCreationTokens"], part["outputTokens"], part[price]
    )


def counted(program: str, home: Path, *arguments: str) -> dict[str, Any]:
    environ = {"HOME": str(home), "PATH": os.environ.get("PATH", ""), "TZ": "UTC"}
    command = [program, *arguments, "--offline", "--json"]
    done = subprocess.run(command, env=environ, check=True, capture_output=True, text=True)
    return dict(json.loads(done.stdout))


def with_request_ids(source: Path, target: Path, *, is_unchanged: bool = False) -> None:
    """A copy of transcripts in which every response bears the id of a request."""
    for log in source.glob("projects/**/*.jsonl"):
        copy = target / log.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        if is_unchanged:
            shutil.copyfile(log, copy)
        else:
            copy.write_bytes(b"".join(map(_with_request_id, log.read_bytes().splitlines(keepends=True))))


def _with_request_id(line: bytes) -> bytes:
    try:
        record = json.loads(line)
    except ValueError:
        return line
    if not isinstance(record, dict):
        return line
    data = record.get("data")
    for inner in (record, data.get("message") if isinstance(data, dict) else None):
        if not isinstance(inner, dict) or inner.get("requestId"):
            continue
        message = inner.get("message")
        if isinstance(message, dict) and message.get("id"):
            inner["requestId"] = f"req_{message['id']}"
    return json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


if __name__ == "__main__":
    main()
