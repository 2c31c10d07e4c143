"""Writes the lists of tools that clients get: `python -m tests.mcp.write_offered`, after a tool has changed."""

import json
from collections.abc import Iterable
from pathlib import Path

from afterwit.config.extras import extras
from afterwit.mcp.backend import OWN, tool_named
from afterwit.mcp.server import FILE


def _write(file: Path, names: Iterable[str]) -> None:
    text = json.dumps([tool_named(name).definition() for name in names], indent=1, ensure_ascii=False)
    file.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    _write(FILE, OWN)
    for extra in extras():
        if extra.tools_file is not None:
            _write(extra.tools_file, extra.tools)
