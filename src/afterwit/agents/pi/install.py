"""Ties pi to us: an extension file in the user's folder. pi has no MCP."""

from afterwit.agents.registry import reach_of
from afterwit.edits.edits import Integration, Surroundings
from afterwit.edits.ours import script
from afterwit.edits.own_text import OwnFile

REACH = reach_of("pi")


def integration(at: Surroundings) -> Integration:
    home = at.home_below("PI_CODING_AGENT_DIR", ".pi/agent")
    extension = OwnFile(home / "extensions" / "afterwit.ts", script("afterwit.agents.pi", "extension.ts", REACH, at))
    return REACH.integration(at, extension)
