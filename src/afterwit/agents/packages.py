"""Where everything about one agent lies: the package of its name, whose `__init__` describes it in plain values.

What the keys of a description (`AGENT`) mean is told by `descriptor`; `registry` lists all agents. Where the agent has
hooks, `read` and `write` stand beside it. Such a package imports nothing slow: a hook lives for some milliseconds.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

ROOT = "afterwit.agents"


def described(agent: str) -> "dict[str, Any]":
    """What the agent's package says of it; nothing where there is no such agent."""
    table: dict[str, Any] = getattr(_package(agent), "AGENT", {})
    return table


def payloads_of(agent: str) -> "ModuleType | None":
    """What reads and answers this agent's hooks; None where the agent has none."""
    return _package(agent) if "hooks" in described(agent) else None


def folder_of(agent: str) -> str:
    """The name of the agent's package, and of the folder of its tests."""
    return agent.replace("-", "_")


def _package(agent: str) -> "ModuleType | None":
    """The name comes from a command line and may be anything."""
    if not folder_of(agent).isidentifier():
        return None
    wanted = f"{ROOT}.{folder_of(agent)}"
    try:
        return __import__(wanted, None, None, ["AGENT"])
    except ModuleNotFoundError as error:
        if error.name != wanted:
            raise
        return None
