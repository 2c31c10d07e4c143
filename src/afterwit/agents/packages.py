"""Where everything about one agent lies: the package of its name, whose `__init__` describes it in plain values.

A description (`AGENT`) is a table without imports, because a hook loads it on its way to the agent's payloads. What its
keys mean is told by `descriptor`; `registry` lists all agents. Imports nothing: a hook lives for some milliseconds.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

ROOT = "afterwit.agents"


def described(agent: str) -> "dict[str, Any]":
    """What the agent's package says of it; nothing where there is no such agent."""
    package = _module(folder_of(agent))
    table: dict[str, Any] = getattr(package, "AGENT", {})
    return table


def payloads_of(agent: str) -> "ModuleType | None":
    """The module that reads and answers this agent's hooks; None where the agent has none."""
    return _module(f"{folder_of(agent)}.payloads") if "hooks" in described(agent) else None


def folder_of(agent: str) -> str:
    """The name of the agent's package, and of the folder of its tests."""
    return agent.replace("-", "_")


def _module(name: str) -> "ModuleType | None":
    """A name comes from a command line and may be anything."""
    if not name.replace(".", "_").isidentifier():
        return None
    wanted = f"{ROOT}.{name}"
    try:
        return __import__(wanted, None, None, ["AGENT"])
    except ModuleNotFoundError as error:
        if error.name != wanted:
            raise
        return None
