"""Which agents there are, where each keeps its logs, and who reads them: one entry per agent.

Promises: importing this module imports no reader; an agent without a reader is found all the same, so that `learn` can
say what it cannot read yet. `transcripts` are patterns for the path below a home: `*` is any part of one name, `**` any
number of folders. Where an agent spreads a session over many files, the pattern takes the one that stands for it. An
agent with a reader can have transcripts that its reader does not know (`primary` is None), such as a database.
Stores inside projects (aider, crush) and result folders chosen by hand (SWE-agent, chat) have no home.
Pure: the caller brings the home folder, the environment and the platform. Looking into folders is left to `sources`.
"""

import re
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import NamedTuple, cast

from afterwit.agents.protocol import Reader
from afterwit.model.errors import UsageError

_EDITORS = ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf")


class Variable(NamedTuple):
    """An environment variable that moves a home: the home is `below` the folder that it names."""

    name: str
    below: str = ""


class Agent(NamedTuple):
    """One agent. Homes are relative to the user's home folder."""

    name: str
    reader: str | None  # "module:callable", called without arguments
    transcripts: tuple[str, ...]
    homes: tuple[str, ...] = ()
    mac_homes: tuple[str, ...] | None = None  # None: as elsewhere
    windows_homes: tuple[str, ...] | None = None
    variables: tuple[Variable, ...] = ()  # the first that is set wins

    def matches(self, path: PurePosixPath) -> bool:
        """Whether the file at this path below a home is a transcript."""
        return any(_pattern(glob).fullmatch(str(path)) for glob in self.transcripts)


def _in_editors(extension: str, *, root: str) -> tuple[str, ...]:
    return tuple(f"{root}/{editor}/User/globalStorage/{extension}" for editor in _EDITORS)


def _extension(name: str, extension: str) -> Agent:
    """An agent that lives in VS Code or a relative of it."""
    return Agent(
        name,
        None,
        ("tasks/*/api_conversation_history.json",),
        homes=(
            *_in_editors(extension, root=".config"),
            f".vscode-server/data/User/globalStorage/{extension}",
        ),
        mac_homes=_in_editors(extension, root="Library/Application Support"),
        windows_homes=_in_editors(extension, root="AppData/Roaming"),
    )


AGENTS: tuple[Agent, ...] = (
    Agent(
        "claude-code",
        "afterwit.agents.claude_code.history:reader",
        ("projects/*/*.jsonl", "projects/*/*/subagents/**/agent-*.jsonl", "history.jsonl"),
        homes=(".claude",),
        variables=(Variable("CLAUDE_CONFIG_DIR"),),
    ),
    Agent(
        "codex",
        "afterwit.agents.codex.history:reader",
        (
            "sessions/**/rollout-*.jsonl",
            "sessions/**/rollout-*.jsonl.zst",
            "sessions/**/rollout-*.json",
            "archived_sessions/**/rollout-*.jsonl",
            "archived_sessions/**/rollout-*.jsonl.zst",
            "history.jsonl",
        ),
        homes=(".codex",),
        variables=(Variable("CODEX_HOME"),),
    ),
    Agent("grok", None, ("sessions/*/*/updates.jsonl",), homes=(".grok",), variables=(Variable("GROK_HOME"),)),
    Agent("grok-cli", None, ("grok.db", "conversations.db"), homes=(".grok",)),
    Agent(
        "hermes",
        "afterwit.agents.chat.reader:ChatReader",
        ("state.db", "profiles/*/state.db", "**/sessions/*.jsonl", "**/sessions/session_*.json"),
        homes=(".hermes",),
        windows_homes=("AppData/Local/hermes",),
        variables=(Variable("HERMES_HOME"),),
    ),
    Agent(
        "gemini",
        None,
        ("tmp/*/chats/session-*.json", "tmp/*/chats/session-*.jsonl", "tmp/*/chats/*/*.jsonl"),
        homes=(".gemini",),
        variables=(Variable("GEMINI_CLI_HOME", below=".gemini"),),
    ),
    Agent("qwen", None, ("projects/*/chats/*.jsonl", "tmp/*/chats/*.json"), homes=(".qwen",)),
    Agent(
        "opencode",
        None,
        ("opencode.db", "storage/session/*/*.json"),
        homes=(".local/share/opencode",),
        variables=(Variable("XDG_DATA_HOME", below="opencode"),),
    ),
    Agent(
        "cursor",
        None,
        ("state.vscdb",),
        homes=(".config/Cursor/User/globalStorage",),
        mac_homes=("Library/Application Support/Cursor/User/globalStorage",),
        windows_homes=("AppData/Roaming/Cursor/User/globalStorage",),
    ),
    Agent(
        "cursor-cli",
        None,
        ("chats/*/*/store.db", "projects/*/agent-transcripts/**/*.jsonl", "projects/*/agent-transcripts/*.txt"),
        homes=(".cursor",),
        variables=(Variable("CURSOR_CONFIG_DIR"),),
    ),
    Agent("copilot", None, ("session-state/*/events.jsonl", "history-session-state/*.json"), homes=(".copilot",)),
    _extension("cline", "saoudrizwan.claude-dev"),
    Agent(
        "cline-cli",
        None,
        ("sessions/*/*.messages.json", "*/*.messages.json"),
        homes=(".cline/data",),
        variables=(Variable("CLINE_SESSION_DATA_DIR"), Variable("CLINE_DATA_DIR"), Variable("CLINE_DIR", "data")),
    ),
    _extension("roo", "rooveterinaryinc.roo-cline"),
    Agent("aider", None, ("**/.aider.chat.history.md",)),
    Agent(
        "goose",
        None,
        ("sessions/sessions.db", "sessions/*.jsonl"),
        homes=(".local/share/goose",),
        windows_homes=("AppData/Roaming/Block/goose/data",),
        variables=(Variable("GOOSE_PATH_ROOT", below="data"), Variable("XDG_DATA_HOME", below="goose")),
    ),
    Agent(
        "pi",
        None,
        ("sessions/*/*.jsonl",),
        homes=(".pi/agent",),
        variables=(Variable("PI_CODING_AGENT_DIR"),),
    ),
    Agent(
        "openclaw",
        None,
        ("agents/*/sessions/*.jsonl",),
        homes=(".openclaw",),
        variables=(Variable("OPENCLAW_STATE_DIR"),),
    ),
    Agent("omp", None, ("sessions/*/*.jsonl",), homes=(".omp/agent",)),
    Agent(
        "amp",
        None,
        ("threads/T-*.json",),
        homes=(".local/share/amp",),
        variables=(Variable("XDG_DATA_HOME", below="amp"),),
    ),
    Agent(
        "droid",
        None,
        ("sessions/*.jsonl", "sessions/*/*.jsonl"),
        homes=(".factory",),
        variables=(Variable("FACTORY_DIR"),),
    ),
    Agent("crush", None, ("**/.crush/crush.db",)),
    Agent(
        "openhands", None, ("sessions/*/events/0.json", "conversations/*/events/event-00000-*.json"), (".openhands",)
    ),
    Agent("swe-agent", None, ("**/*.traj", "**/*.traj.json")),
    Agent(
        "kimi",
        None,
        ("sessions/*/*/context.jsonl", "sessions/*/*/subagents/*/context.jsonl", "sessions/*/*.jsonl"),
        homes=(".kimi",),
        variables=(Variable("KIMI_SHARE_DIR"),),
    ),
    Agent(
        "kimi-code",
        None,
        ("sessions/*/*/agents/*/wire.jsonl",),
        homes=(".kimi-code",),
        variables=(Variable("KIMI_CODE_HOME"),),
    ),
    Agent("chat", "afterwit.agents.chat.reader:any_folder", ("**/*.jsonl",)),
)

_BY_NAME = {each.name: each for each in AGENTS}


def agent(name: str) -> Agent:
    """The agent of that name."""
    try:
        return _BY_NAME[name]
    except KeyError:
        raise UsageError(f"There is no agent named {name!r}. Known are: {', '.join(sorted(_BY_NAME))}.") from None


def homes(agent: Agent, user_home: Path, environ: Mapping[str, str], platform: str) -> tuple[Path, ...]:
    """The folders in which the agent keeps its logs, whether they exist or not. `platform` is as in `sys.platform`."""
    for variable in agent.variables:
        value = environ.get(variable.name, "").strip()
        if value:
            return (_below(user_home, value) / variable.below,)
    return tuple(user_home / home for home in _defaults(agent, platform))


@cache
def reader_for(name: str) -> Reader | None:
    """The reader of the agent of that name, or None where there is none yet."""
    spec = agent(name).reader
    if spec is None:
        return None
    module, _, attribute = spec.partition(":")
    return cast("Reader", getattr(import_module(module), attribute)())


def _below(user_home: Path, value: str) -> Path:
    return user_home / value.removeprefix("~/")


def _defaults(agent: Agent, platform: str) -> tuple[str, ...]:
    if platform == "darwin" and agent.mac_homes is not None:
        return agent.mac_homes
    if platform == "win32" and agent.windows_homes is not None:
        return agent.windows_homes
    return agent.homes


@cache
def _pattern(glob: str) -> re.Pattern[str]:
    parts = re.split(r"(\*\*/|\*)", glob)
    translated = {"**/": "(?:[^/]+/)*", "*": "[^/]*"}
    return re.compile("".join(translated.get(part) or re.escape(part) for part in parts))
