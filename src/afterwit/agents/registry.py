"""All agents, in one order: those that have a package here, and those that people have declared.

An agent is each package beside this module that describes one (`descriptor`); whoever adds an agent lists it nowhere.
Promises: importing this module imports no reader; an agent without a reader is found all the same, so that `learn` can
say what it cannot read yet. Logs that people have described (`declared`) are agents too. Whoever asks brings the
descriptions: nothing here remembers them.
Pure: the caller brings the home folder, the environment and the platform. Looking into folders is left to `sources`.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, cast

from afterwit import agents
from afterwit.agents.declared.description import Description
from afterwit.agents.descriptor import Agent, Code, agent_of, named
from afterwit.agents.packages import described
from afterwit.model.errors import UsageError, did_you_mean
from afterwit.model.instruction_files import InstructionFiles
from afterwit.model.kinds import ActionKind

if TYPE_CHECKING:
    from afterwit.agents.protocol import Reader
    from afterwit.sources.gathering import Gatherer

__all__ = [
    "AGENTS",
    "Agent",
    "agent",
    "agents_with",
    "gatherers_for",
    "homes",
    "instruction_files",
    "own_tools",
    "reader_for",
    "tool_kinds",
]
_DECLARED_READER = Code("declared.reader:DeclaredReader")
_DESCRIBED_READER = Code("declared.reader:described_reader")


def _all_agents() -> tuple[Agent, ...]:
    tables = [described(package.name) for package in iter_modules(agents.__path__) if package.ispkg]
    return tuple(sorted(map(agent_of, filter(None, tables)), key=lambda entry: (entry.rank, entry.name)))


AGENTS = _all_agents()
_BY_NAME = {entry.name: entry for entry in AGENTS}


def agents_with(declared: Iterable[Description]) -> tuple[Agent, ...]:
    """All agents: what people have declared comes first, because a description is meant for the logs it fits."""
    return (*(_declared(description) for description in declared), *AGENTS)


def agent(name: str, declared: tuple[Description, ...] = ()) -> Agent:
    by_name = {entry.name: entry for entry in agents_with(declared)} if declared else _BY_NAME
    try:
        return by_name[name]
    except KeyError:
        hint = did_you_mean(name, sorted(by_name)) or f"Known are: {', '.join(sorted(by_name))}."
        raise UsageError(f"There is no agent named {name!r}. {hint}") from None


def homes(agent: Agent, user_home: Path, environ: Mapping[str, str], platform: str) -> tuple[Path, ...]:
    """The folders in which the agent keeps its logs, whether they exist or not. `platform` is as in `sys.platform`."""
    for variable in agent.variables:
        value = environ.get(variable.name, "").strip()
        if value:
            return (user_home / value.removeprefix("~/") / variable.below,)
    return tuple(user_home / home for home in _defaults(agent, platform))


@cache
def reader_for(name: str, declared: tuple[Description, ...] = ()) -> "Reader | None":
    """The reader of the agent of that name, or None where there is none: not yet, or, in an old store, not any more."""
    own = next((description for description in declared if description.name == name), None)
    if own is not None:
        return cast("Reader", named(_DECLARED_READER)(own))
    entry = _BY_NAME.get(name)
    if entry and entry.description:
        return cast("Reader", named(_DESCRIBED_READER)(entry))
    return cast("Reader", named(entry.reader)()) if entry and entry.reader else None


@cache
def gatherers_for(name: str) -> "tuple[Gatherer, ...]":
    """What finds the sessions of this agent that are not one file each."""
    entry = _BY_NAME.get(name)
    return cast("tuple[Gatherer, ...]", named(entry.gatherers)()) if entry and entry.gatherers else ()


@cache
def tool_kinds(name: str) -> Mapping[str, ActionKind]:
    """The kinds of tools that this agent alone has, or calls otherwise than all others."""
    from afterwit.actions.tools import kinds_named  # a run with nothing to do asks for no tools

    return kinds_named(_BY_NAME[name].tools) if name in _BY_NAME else {}


@cache
def own_tools(name: str) -> frozenset[str]:
    """The tools of this agent to which a person's words are read in words."""
    return frozenset(_BY_NAME[name].own_tools) if name in _BY_NAME else frozenset()


@cache
def instruction_files() -> InstructionFiles:
    """The files with which people instruct the sessions of any agent."""
    own = [entry.instructions for entry in AGENTS]
    return InstructionFiles(
        in_checkouts=tuple(dict.fromkeys(pattern for files in own for pattern in files.in_checkouts)),
        in_homes=tuple(dict.fromkeys(pattern for files in own for pattern in files.in_homes)),
        of_projects=tuple(dict.fromkeys(pattern for files in own for pattern in files.of_projects)),
    )


def _defaults(agent: Agent, platform: str) -> tuple[str, ...]:
    if platform == "darwin" and agent.mac_homes is not None:
        return agent.mac_homes
    if platform == "win32" and agent.windows_homes is not None:
        return agent.windows_homes
    return agent.homes


def _declared(description: Description) -> Agent:
    return Agent(
        name=description.name,
        reader=_DECLARED_READER,
        transcripts=description.transcripts,
        homes=description.homes,
    )
