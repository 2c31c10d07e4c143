"""Ties Hermes to us: a plugin in its folder, and in its settings the plugin's name and the MCP server.

A plugin, not shell hooks: only a plugin can say something after an action, and bring a tool for the user's memory. The
tool has a name of its own, because Hermes has a `memory` already.
"""

import json
from pprint import pformat
from typing import Any

from afterwit.agents.registry import reach_of
from afterwit.edits.edits import Integration, Surroundings
from afterwit.edits.ours import MARK, NAME, own_words, script, server_entry
from afterwit.edits.own_text import OwnFile
from afterwit.edits.yaml_file import YamlFile
from afterwit.model.memory_entry import TOOL_DESCRIPTION, TOOL_SCHEMA

REACH = reach_of("hermes")
MEMORY_TOOL: dict[str, Any] = {
    "name": f"{NAME}_memory",
    "description": TOOL_DESCRIPTION,
    "parameters": dict(TOOL_SCHEMA),
}
_MANIFEST = f"# {MARK}\nname: {NAME}\nversion: 1.0.0\ndescription: Notes from past sessions\n"


def integration(at: Surroundings) -> Integration:
    default = "AppData/Local/hermes" if at.platform == "win32" else ".hermes"
    home = at.home_below("HERMES_HOME", default)
    plugin = home / "plugins" / NAME
    return REACH.integration(
        at,
        OwnFile(plugin / "plugin.yaml", _MANIFEST),
        OwnFile(plugin / "__init__.py", _plugin(at)),
        YamlFile(home / "config.yaml", items={("plugins", "enabled"): NAME}, server=server_entry(at)),
    )


def _plugin(at: Surroundings) -> str:
    text = script("afterwit.agents.hermes", "plugin.py.txt", REACH, at)
    words = json.dumps(own_words(at, "memory", "call"))
    text = text.replace("__PROGRAM__", json.dumps(at.hook[0])).replace("__MEMORY__", words)
    return text.replace("__TOOL__", pformat(MEMORY_TOOL, width=110, sort_dicts=False))
