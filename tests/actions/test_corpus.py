"""Real command lines, where a corpus is at hand: set AFTERWIT_CORPUS to a home folder with agents' logs."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from afterwit.actions.shell.parse import parse
from afterwit.actions.tools import command_of, kind_of
from afterwit.model.kinds import ActionKind

CORPUS = os.environ.get("AFTERWIT_CORPUS", "")
pytestmark = pytest.mark.skipif(not CORPUS, reason="AFTERWIT_CORPUS names no home folder")


def _calls(record: Any) -> Iterator[tuple[str, Any]]:
    """Tool calls of Claude Code and Codex records."""
    message, payload = record.get("message"), record.get("payload")
    for block in message.get("content") or () if isinstance(message, dict) else ():
        if isinstance(block, dict) and block.get("type") == "tool_use":
            yield block.get("name", ""), block.get("input")
    if isinstance(payload, dict) and payload.get("type") == "function_call":
        yield payload.get("name", ""), json.loads(payload.get("arguments") or "{}")


def _lines() -> Iterator[str]:
    for path in sorted(Path(CORPUS).glob(".c*/**/*.jsonl")):
        for raw in path.read_bytes().splitlines():
            try:
                calls = list(_calls(json.loads(raw)))
            except (ValueError, AttributeError):
                continue
            for tool, arguments in calls:
                if isinstance(arguments, dict) and kind_of({}, tool, arguments) is ActionKind.SHELL:
                    yield command_of(arguments)


def test_nearly_all_real_lines_follow_the_grammar() -> None:
    parsed = [parse(line) for line in sorted(set(_lines())) if line]
    assert parsed
    assert sum(line.is_whole for line in parsed) >= 0.99 * len(parsed)
