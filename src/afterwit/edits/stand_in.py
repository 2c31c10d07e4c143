"""What answers in the place of our MCP server where the program is gone: a few lines for a shell.

Most agents go on without a server that cannot be started. OpenHands was seen to wait for it without end, so it gets
this around the program: if that is missing or fails, the client is told that there is a server without any tool. Pure.
"""

from typing import Any

from afterwit.edits.edits import Surroundings
from afterwit.edits.ours import server_entry

# `$0` and what follows it start our server. Of a message only its id and what it asks for are looked at.
SCRIPT = """\
[ -x "$0" ] && "$0" "$@" && exit 0
while IFS= read -r line; do
  id=${line#*'"id":'}
  [ "$id" != "$line" ] || continue
  id=${id%%[,\\}]*}
  version=${line#*'"protocolVersion":'}
  version=${version%%[,\\}]*}
  case $line in
  *'"initialize"'*) told='"serverInfo":{"name":"afterwit","version":"0"},"capabilities":{"tools":{}},"protocolVersion":'
    printf '{"jsonrpc":"2.0","id":%s,"result":{%s%s}}\\n' "$id" "$told" "$version" ;;
  *'"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[]}}\\n' "$id" ;;
  *'"ping"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{}}\\n' "$id" ;;
  *) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"afterwit is not there"}}\\n' "$id" ;;
  esac
done
"""


def backed_server_entry(at: Surroundings) -> dict[str, Any]:
    """Our MCP server, with the stand-in behind it. Windows has no such shell."""
    entry = server_entry(at)
    if at.platform == "win32":
        return entry
    return {**entry, "command": "sh", "args": ["-c", SCRIPT, *at.server]}
