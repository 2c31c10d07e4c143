"""Which agents can be tied to us, and how each is recognised on a machine. Importing this imports no installer."""

from pathlib import PurePath
from typing import NamedTuple

from afterwit.agents.descriptor import AgentConnection, Code, ConnectScope, named
from afterwit.agents.packages import folder_of
from afterwit.agents.registry import AGENTS, agent
from afterwit.edits.edits import Integration, Surroundings
from afterwit.edits.ours import Reach
from afterwit.model.errors import UsageError, did_you_mean

__all__ = ["INSTALLERS", "ConnectScope", "Installer", "connectable", "installer", "integration", "reach_of", "traces"]


class Installer(NamedTuple):
    """One agent that can be connected."""

    agent: str
    connection: AgentConnection

    @property
    def program(self) -> str:
        return self.connection.program

    @property
    def scope(self) -> ConnectScope:
        return self.connection.scope


INSTALLERS = tuple(
    sorted(
        (Installer(entry.name, entry.connect) for entry in AGENTS if entry.connect),
        key=lambda entry: (entry.connection.rank, entry.agent),
    )
)
_BY_NAME = {name: entry for entry in INSTALLERS for name in (entry.agent, *entry.connection.also_named)}


def installer(name: str) -> Installer:
    """The installer of the agent of that name, or of the name that people use for it."""
    if name in _BY_NAME:
        return _BY_NAME[name]
    names = sorted(entry.agent for entry in INSTALLERS)
    hint = did_you_mean(name, names) or f"Known are: {', '.join(names)}."
    raise UsageError(f"{name!r} cannot be connected. {hint}")


def connectable() -> list[str]:
    """The names of the agents that can be connected, and those that people use for them."""
    return sorted(_BY_NAME)


def integration(name: str, at: Surroundings) -> Integration:
    """What ties this agent to us."""
    ties: Integration = named(Code(f"{folder_of(installer(name).agent)}.install:integration"))(at)
    return ties


def reach_of(name: str) -> Reach:
    """What the hooks of this agent can do."""
    hooks = agent(name).hooks
    if hooks is None:
        raise LookupError(f"{name} has no hooks")
    return Reach(name, hooks.events, hooks.refuses, hooks.rewrites)


def traces(entry: Installer, at: Surroundings) -> tuple[PurePath, ...]:
    """Folders one of which exists where the agent was used."""
    return tuple(at.user_home / folder for folder in entry.connection.folders)
