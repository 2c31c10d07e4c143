"""Ties Cursor to us: a rule of our own in a project, which Cursor always reads, and the MCP server of the user."""

from afterwit.edits.edits import Integration, Surroundings
from afterwit.edits.json_file import JsonFile
from afterwit.edits.ours import MARK, server_entry
from afterwit.edits.own_text import OwnFile

_HEAD = "---\ndescription: Notes from past sessions\nalwaysApply: true\n---\n"


def integration(at: Surroundings) -> Integration:
    rule = OwnFile(at.project / ".cursor/rules/afterwit.mdc", f"{_HEAD}<!-- {MARK} -->\n{at.notes.strip()}\n")
    servers = JsonFile(at.user_home / ".cursor" / "mcp.json", server=server_entry(at))
    return Integration((rule, servers), ("every session in this project",))
