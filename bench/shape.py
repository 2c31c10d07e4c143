"""The shape of a home's logs as numbers: which records there are, how long their lines, how large the sessions.

Run as `python -m bench.shape HOME`; prints JSON. `bench/shape.json` holds the shape of a collection of real histories,
and the generator of homes follows it. No text of a log gets into a shape: kinds of records are names that the readers
know, everything else is a number.
"""

import argparse
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import orjson

from afterwit.store.frames import pack

AGENTS = {"claude-code": ".claude/projects/**/*.jsonl", "codex": ".codex/sessions/**/*.jsonl"}
RARE = "(rare)"
_RARE_PER_1000 = 1.5
PLACES = (*(step / 50 for step in range(50)), 0.99, 0.995, 0.998, 0.999, 1.0)  # where quantiles are taken


class Lines(msgspec.Struct):
    """The lines of one kind of record. `sizes` are the quantiles at `PLACES`, in bytes."""

    per_1000: float
    mean_bytes: float
    sizes: list[int]


class Shape(msgspec.Struct):
    """The logs of one agent."""

    files: int
    records: int
    total_bytes: int
    packed_ratio: float  # zstd, as the archive packs
    records_per_file: list[int]
    bytes_per_file: list[int]
    kinds: dict[str, Lines]


def shape_of(home: Path) -> dict[str, Shape]:
    """The shape of each agent that has logs below this home."""
    found = {agent: sorted(home.glob(pattern)) for agent, pattern in AGENTS.items()}
    return {agent: _shape(agent, paths) for agent, paths in found.items() if paths}


def quantiles(values: list[int]) -> list[int]:
    """The values at `PLACES`."""
    ordered = sorted(values)
    return [ordered[round(at * (len(ordered) - 1))] for at in PLACES]


def quantile(table: list[int], at: float) -> float:
    """The value at any place between 0 and 1, by a straight line in the logarithm between two known ones."""
    below = min(bisect_right(PLACES, at), len(PLACES) - 1) - 1
    low, high = max(1, table[below]), max(1, table[below + 1])
    part = (at - PLACES[below]) / (PLACES[below + 1] - PLACES[below])
    return low * float((high / low) ** part)


def _shape(agent: str, paths: list[Path]) -> Shape:
    sizes: dict[str, list[int]] = defaultdict(list)
    records, total, packed, file_records, file_bytes = 0, 0, 0, list[int](), list[int]()
    for path in paths:
        data = path.read_bytes()
        count = 0
        for kind, size in _records(agent, data):
            sizes[kind].append(size)
            count += 1
        records += count
        total += len(data)
        packed += sum(map(len, pack([data])))
        file_records.append(count)
        file_bytes.append(len(data))
    return Shape(
        files=len(paths),
        records=records,
        total_bytes=total,
        packed_ratio=round(packed / total, 3) if total else 0.0,
        records_per_file=quantiles(file_records),
        bytes_per_file=quantiles(file_bytes),
        kinds=_kinds(sizes, records),
    )


def _kinds(sizes: dict[str, list[int]], records: int) -> dict[str, Lines]:
    """Kinds of which there are many, the rest under one name."""
    found: dict[str, list[int]] = defaultdict(list)
    for kind, lengths in sizes.items():
        found[kind if 1000 * len(lengths) / records >= _RARE_PER_1000 else RARE] += lengths
    return {
        kind: Lines(
            per_1000=round(1000 * len(lengths) / records, 2),
            mean_bytes=round(sum(lengths) / len(lengths), 1),
            sizes=quantiles(lengths),
        )
        for kind, lengths in sorted(found.items())
    }


def _records(agent: str, data: bytes) -> Iterator[tuple[str, int]]:
    kind_of = _claude_kind if agent == "claude-code" else _codex_kind
    for line in data.splitlines():
        try:
            record = orjson.loads(line)
        except orjson.JSONDecodeError:
            continue
        if isinstance(record, dict):
            yield kind_of(record), len(line) + 1


def _claude_kind(record: dict[str, Any]) -> str:
    kind = record.get("type")
    if kind == "system":
        return f"system/{record.get('subtype')}"
    if kind in ("progress", "attachment"):
        inner = record.get("data" if kind == "progress" else "attachment")
        return f"{kind}/{inner.get('type') if isinstance(inner, dict) else None}"
    if kind in ("user", "assistant"):
        return f"{kind}/{_content_kind(record)}"
    return str(kind)


def _content_kind(record: dict[str, Any]) -> str:
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, list) and content and isinstance(content[0], dict):
        return str(content[0].get("type"))
    return "text"


def _codex_kind(record: dict[str, Any]) -> str:
    payload = record.get("payload")
    payload = payload if isinstance(payload, dict) else {}
    kind = f"{record.get('type')}/{payload.get('type')}" if payload.get("type") else str(record.get("type"))
    return f"{kind}/{payload.get('role')}" if payload.get("role") else kind


def load(path: Path) -> dict[str, Shape]:
    """A shape that was written before."""
    return msgspec.json.decode(path.read_bytes(), type=dict[str, Shape])


def main() -> None:
    parser = argparse.ArgumentParser(description="The shape of a home's logs as numbers.")
    parser.add_argument("home", type=Path, help="a home folder with agents' logs")
    shape = shape_of(parser.parse_args().home)
    print(msgspec.json.encode(shape).decode())


if __name__ == "__main__":
    main()
