"""Reads fixtures the way a sweep does: framed, by the real reader, with companions from a mapping."""

from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath
from typing import cast

import pytest

from afterwit.agents.claude_code.reader import ClaudeCodeReader, ClaudeCodeReading
from afterwit.agents.log_reader import SourceFile
from afterwit.model.readings import Reading
from afterwit.sources.framing import Framing

FIXTURES = Path(__file__).parent / "fixtures"


@pytest.fixture
def read_fixture() -> Callable[..., tuple[list[Reading], ClaudeCodeReading]]:
    def read(
        name: str, path: str = "", companions: Mapping[str, bytes] | None = None
    ) -> tuple[list[Reading], ClaudeCodeReading]:
        found = companions or {}
        where = PurePosixPath(path or f"projects/p/{name}.jsonl")
        opened = ClaudeCodeReader().start(SourceFile(where, lambda other: found.get(str(other))))
        reading = cast(ClaudeCodeReading, opened)
        lines = (FIXTURES / f"{name}.jsonl").read_bytes().splitlines(keepends=True)
        return list(Framing(reading).read(lines)), reading

    return read
