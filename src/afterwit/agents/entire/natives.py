"""Whose transcript some bytes are, told by their content: the readers of all agents are asked.

A document is offered whole, lines one by one. Plain chats come last, because other logs look like them.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import PurePosixPath
from typing import Any

import msgspec

from afterwit.agents.protocol import Reader, Shape
from afterwit.agents.registry import AGENTS, reader_for
from afterwit.sources.checkpoints import Native

OWN = "entire"
_ENDINGS = {Shape.LINES: ".jsonl", Shape.DOCUMENT: ".json"}
_SNIFF_LINES = 50


def native_of(data: bytes, is_all: bool) -> Native | None:
    """The agent, or None where nobody knows the bytes (so far)."""
    found = _asked(_documents(data), Shape.DOCUMENT) if is_all else None
    return found or _asked(_lines(data, is_all=is_all), Shape.LINES)


@cache
def inner_readers() -> tuple[tuple[str, Reader], ...]:
    """The readers of all other agents."""
    found = ((agent.name, reader_for(agent.name)) for agent in AGENTS if agent.name != OWN)
    return tuple((name, reader) for name, reader in found if reader is not None)


def _asked(records: Iterator[Mapping[str, Any]], shape: Shape) -> Native | None:
    path = PurePosixPath(f"session{_ENDINGS[shape]}")
    for record in records:
        for name, reader in inner_readers():
            if reader.sniffs(record) and reader.shape(path) is shape:
                return Native(name, path.suffix)
    return None


def _lines(data: bytes, *, is_all: bool) -> Iterator[Mapping[str, Any]]:
    lines = data.split(b"\n", _SNIFF_LINES)[:_SNIFF_LINES]
    for line in lines if is_all else lines[:-1]:
        value = _decoded(line)
        if isinstance(value, dict):
            yield value


def _documents(data: bytes) -> Iterator[Mapping[str, Any]]:
    value = _decoded(data)
    for record in value[:_SNIFF_LINES] if isinstance(value, list) else [value]:
        if isinstance(record, dict):
            yield record


def _decoded(text: bytes) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
