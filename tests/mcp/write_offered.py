"""Writes the list of tools that clients get: `python -m tests.mcp.write_offered`, after a tool has changed."""

import json

from afterwit.mcp.desk import TOOLS, tool_named
from afterwit.mcp.server import FILE

if __name__ == "__main__":
    tools = [tool_named(name).definition() for name in TOOLS]
    text = json.dumps(tools, indent=1, ensure_ascii=False)
    FILE.write_text(f"{text}\n", encoding="utf-8")
