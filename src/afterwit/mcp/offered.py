"""The tools as clients list them, read from a file beside this module.

Some clients wait 1.5 seconds for the list. The definitions stand in the tools' own modules, which load the store and
all that it needs; the file spares that. A test holds both equal, and `python -m tests.mcp.write_offered` writes it.
"""

import json
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("tools.json")


def offered() -> list[dict[str, Any]]:
    """All tools, in their order."""
    found: list[dict[str, Any]] = json.loads(FILE.read_bytes())
    return found
