"""All agents, in one order: those that have a package here, and those that people have declared.

An agent is each package beside this module that describes one (`descriptor`); whoever adds an agent lists it nowhere.
Promises: importing this module imports no reader; an agent without a reader is found all the same, so that `learn` can
say what it cannot read yet. Logs that people have described (`declared`) are agents too. Whoever asks brings the
descriptions: nothing here remembers them.
Pure: the caller brings the home folder, the environment, the platform and the bytes of settings files. Looking into
folders is left to `sources`. Of an agent whose description says nothing about when it deletes its logs it is not known;
that is not the same as one that keeps everything. In doubt the earlier moment counts: to capture a log too soon costs
nothing.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path, PurePosixPath
from pkgutil import iter_modules
from typing import TYPE_CHECKING, NamedTuple, cast

from afterwit import agents
from afterwit.agents import fields
from afterwit.agents.declared.description import Description
from afterwit.agents.descriptor import Agent, AgentConnection, Code, Retention, agent_of, named
from afterwit.agents.hook_payloads import described, folder_of
from afterwit.edits.edits import Integration, Surroundings
from afterwit.edits.ours import Reach
from afterwit.model.errors import UsageError, did_you_mean
from afterwit.model.instruction_files import InstructionFiles
from afterwit.model.kinds import ActionKind

if TYPE_CHECKING:
    from afterwit.agents.log_reader import Reader
    from afterwit.sources.gathering import Gatherer

DAY_MS = 86_400_000
_DECLARED_READER = Code("declared.reader:DeclaredReader")
_DESCRIBED_READER = Code("declared.reader:described_reader")


def _all_agents() -> tuple[Agent, ...]:
    tables = [described(package.name) for package in iter_modules(agents.__path__) if package.ispkg]
    return tuple(sorted(map(agent_of, filter(None, tables)), key=lambda entry: (entry.rank, entry.name)))


AGENTS = _all_agents()
_BY_NAME = {entry.name: entry for entry in AGENTS}


def agents_with(declared: Iterable[Description]) -> tuple[Agent, ...]:
    """All agents: what people have declared comes first, because a description is meant for the logs it fits."""
    return (*(_read_declared(description) for description in declared), *AGENTS)


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
    code = entry and (entry.reader or (entry.description and _DESCRIBED_READER))
    return cast("Reader", named(Code(code))(name)) if code else None


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

    def patterns(name: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(pattern for entry in AGENTS for pattern in getattr(entry.instructions, name)))

    names = ("in_checkouts", "in_homes", "of_projects")
    return InstructionFiles(**{name: patterns(name) for name in names})


def _defaults(agent: Agent, platform: str) -> tuple[str, ...]:
    if platform == "darwin" and agent.mac_homes is not None:
        return agent.mac_homes
    if platform == "win32" and agent.windows_homes is not None:
        return agent.windows_homes
    return agent.homes


def _read_declared(description: Description) -> Agent:
    return Agent(
        name=description.name,
        reader=_DECLARED_READER,
        transcripts=description.transcripts,
        homes=description.homes,
    )


class RetentionPeriod(NamedTuple):
    """How long an agent keeps its transcripts after their last change."""

    days: float | None  # None: it does not delete them
    source: str  # "default", or the name of the settings file


def retention_settings(agent: str) -> PurePosixPath | None:
    """The file below the agent's home that can change how long it keeps its logs."""
    own = _retention(agent)
    return PurePosixPath(own.settings) if own and own.settings else None


def retention_of(agent: str, settings: bytes | None = None) -> RetentionPeriod | None:
    """How long the agent keeps its transcripts, given the content of its settings file. None: not known."""
    own = _retention(agent)
    if own is None:
        return None
    stated: RetentionPeriod | None = None
    if settings and own.configured:
        stated = named(own.configured)(fields.decoded_file(settings))
    return stated or RetentionPeriod(own.days, "default")


def deletion_ms(agent: str, kept: RetentionPeriod | None, path: PurePosixPath, mtime_ms: int) -> int | None:
    """When the agent will delete this file, at its first start after that moment. None: not known, or never."""
    own = _retention(agent)
    if own is None or kept is None or kept.days is None or path.parts[:1] != (own.folder,):
        return None
    return mtime_ms + round(kept.days * DAY_MS)


def _retention(agent: str) -> Retention | None:
    return _BY_NAME[agent].retention if agent in _BY_NAME else None


INSTALLERS = tuple(sorted((entry.connect for entry in AGENTS if entry.connect), key=lambda tie: (tie.rank, tie.agent)))
_INSTALLERS = {name: entry for entry in INSTALLERS for name in (entry.agent, *entry.also_named)}


def installer_for(name: str) -> AgentConnection:
    """The installer of the agent of that name, or of the name that people use for it."""
    if name in _INSTALLERS:
        return _INSTALLERS[name]
    names = sorted(entry.agent for entry in INSTALLERS)
    hint = did_you_mean(name, names) or f"Known are: {', '.join(names)}."
    raise UsageError(f"{name!r} cannot be connected. {hint}")


def connectable() -> list[str]:
    """The names of the agents that can be connected, and those that people use for them."""
    return sorted(_INSTALLERS)


def integration_for(name: str, at: Surroundings) -> Integration:
    """What ties this agent to us."""
    ties: Integration = named(Code(f"{folder_of(installer_for(name).agent)}.install:integration"))(at)
    return ties


def reach_of(name: str) -> Reach:
    """What the hooks of this agent can do."""
    hooks = agent(name).hooks
    if hooks is None:
        raise LookupError(f"{name} has no hooks")
    return Reach(name, hooks.events, hooks.refuses, hooks.rewrites)
