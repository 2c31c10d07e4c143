"""Ties OpenHands to us: hooks in the user's folder, and the MCP server in its list.

Only a prompt's hook can say something to its model, so the start of a session speaks at the first prompt. It waits for
a server that does not start, hence the stand-in.
"""

from afterwit.agents.registry import reach_of
from afterwit.edits.edits import Integration, Surroundings
from afterwit.edits.json_file import JsonFile
from afterwit.edits.ours import backed_server_entry

REACH = reach_of("openhands")
PROJECTS = "In a project with a file .openhands/hooks.json of its own, OpenHands uses that one alone."


def integration(at: Surroundings) -> Integration:
    home = at.user_home / ".openhands"
    hooks = JsonFile(home / "hooks.json", hooks=REACH.groups(at, matcher="*"))
    servers = JsonFile(home / "mcp.json", server=backed_server_entry(at))
    return REACH.integration(at, hooks, servers, to_do=(PROJECTS,))
