"""Which agent a client is, by the name that it gives itself, such as `codex-mcp-client`."""

import re

from afterwit.agents.registry import AGENTS


def agent_of(client: str) -> str:
    """The agent as Afterwit names it: the longest name that occurs as whole words; "" where none does."""
    said = re.sub(r"[\s_]+", "-", client.strip().lower())
    found = [agent.name for agent in AGENTS if re.search(rf"(?<![a-z0-9]){re.escape(agent.name)}(?![a-z0-9])", said)]
    return max(found, key=len, default="")
