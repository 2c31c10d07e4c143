"""Which agents can be tied to us, and how each is recognised on a machine: one line per agent.

Importing this module imports no installer. An installer is a module with `integration(at)`. Agents of the scope
`project` have no place of the user's own that we could use: they read files of the project they work in, which are
touched only if the agent is named.
"""

from enum import StrEnum
from importlib import import_module
from pathlib import PurePath
from typing import NamedTuple

from afterwit.edits.edits import Integration, Surroundings
from afterwit.model.errors import UsageError


class Scope(StrEnum):
    """Whose files are changed."""

    USER = "user"
    PROJECT = "project"


class Installer(NamedTuple):
    """One agent that can be connected."""

    agent: str
    module: str
    program: str  # the command that starts the agent
    folders: tuple[str, ...]  # below the user's home; one of them says that the agent was used here
    scope: Scope = Scope.USER


INSTALLERS = (
    Installer("claude-code", "afterwit.agents.claude_code.install", "claude", (".claude",)),
    Installer("codex", "afterwit.agents.codex.install", "codex", (".codex",)),
    Installer("gemini", "afterwit.agents.gemini.install", "gemini", (".gemini",)),
    Installer("qwen", "afterwit.agents.qwen.install", "qwen", (".qwen",)),
    Installer("copilot", "afterwit.agents.copilot.install", "copilot", (".copilot",)),
    Installer("kimi-code", "afterwit.agents.kimi_code.install", "kimi", (".kimi-code",)),
    Installer("openhands", "afterwit.agents.openhands.install", "openhands", (".openhands",)),
    Installer("cline-cli", "afterwit.agents.cline_cli.install", "cline", (".cline",)),
    Installer("opencode", "afterwit.agents.opencode.install", "opencode", (".config/opencode",)),
    Installer("hermes", "afterwit.agents.hermes.install", "hermes", (".hermes",)),
    Installer("pi", "afterwit.agents.pi.install", "pi", (".pi/agent",)),
    Installer("aider", "afterwit.agents.aider.install", "aider", (".aider.conf.yml", ".aider")),
    Installer("grok-cli", "afterwit.agents.grok_cli.install", "grok", (".grok",), Scope.PROJECT),
    Installer("cursor", "afterwit.agents.cursor.install", "cursor", (".cursor",), Scope.PROJECT),
)
_OTHER_NAMES = {"claude": "claude-code", "kimi": "kimi-code", "cline": "cline-cli"}


def installer(name: str) -> Installer:
    """The installer of the agent of that name, or of the name that people use for it."""
    wanted = _OTHER_NAMES.get(name, name)
    for each in INSTALLERS:
        if each.agent == wanted:
            return each
    known = ", ".join(sorted(each.agent for each in INSTALLERS))
    raise UsageError(f"{name!r} cannot be connected. Known are: {known}.")


def is_known(name: str) -> bool:
    """Whether there is an agent of that name that can be connected."""
    return _OTHER_NAMES.get(name, name) in {each.agent for each in INSTALLERS}


def integration(name: str, at: Surroundings) -> Integration:
    """What ties this agent to us."""
    found: Integration = import_module(installer(name).module).integration(at)
    return found


def traces(each: Installer, at: Surroundings) -> tuple[PurePath, ...]:
    """Folders one of which exists where the agent was used."""
    return tuple(at.user_home / folder for folder in each.folders)
