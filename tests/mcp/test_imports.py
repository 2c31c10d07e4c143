"""What is loaded before the first answer, because clients give a server little time."""

import json
import subprocess
import sys

HEAVY = (
    "msgspec",
    "apsw",
    "re2",
    "afterwit.model.zstd",
    "rich",
    "pydantic",
    "afterwit.sessions",
    "afterwit.recall",
    "afterwit.store",
)
SCRIPT = """
import sys, io, json
from afterwit.cli.main import afterwit
afterwit.get_command(None, "mcp")
from afterwit.mcp.server import Server
for method in ("initialize", "tools/list"):
    assert "result" in Server(None).respond(b'{"jsonrpc":"2.0","id":1,"method":"%s"}' % method.encode())
print(json.dumps(sorted(sys.modules)))
"""


def test_a_client_is_answered_without_loading_the_store() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    loaded = json.loads(done.stdout)
    assert [name for name in loaded if name.startswith(HEAVY)] == []
