"""Ties Cursor to us: a rule of our own in a project, which Cursor always reads, and the MCP server of the user."""

from afterwit.integration.edits import Integration, Surroundings
from afterwit.integration.json_file import JsonFile
from afterwit.integration.ours import MARK, server_entry
from afterwit.integration.own_file import OwnFile

_HEAD = "---\ndescription: Notes from past sessions\nalwaysApply: true\n---\n"


def integration(at: Surroundings) -> Integration:
    rule = OwnFile(at.project / ".cursor/rules/afterwit.mdc", f"{_HEAD}<!-- {MARK} -->\n{at.notes.strip()}\n")
    servers = JsonFile(at.user_home / ".cursor" / "mcp.json", server=server_entry(at))
    return Integration((rule, servers), ("every session in this project",))
