"""Which agents there are, where each keeps its logs, and who reads them: one entry per agent.

Promises: importing this module imports no reader; an agent without a reader is found all the same, so that `learn` can
say what it cannot read yet. `transcripts` are patterns for the path below a home: `*` is any part of one name, `**` any
number of folders. Where an agent spreads a session over many files, the pattern takes the one that stands for it. An
agent with a reader can have transcripts that its reader does not know (`primary` is None), such as a database.
Stores inside projects (aider, crush, entire) and folders chosen by hand (SWE-agent, tool-events, chat) have no home.
Logs that people have described (`declared`) are agents too. Whoever asks brings the descriptions: nothing here
remembers them.
Pure: the caller brings the home folder, the environment and the platform. Looking into folders is left to `sources`.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple, cast

from afterwit.agents.declared.description import Description
from afterwit.agents.globs import could_match_below, first_names, matches
from afterwit.model.errors import UsageError

if TYPE_CHECKING:
    from afterwit.agents.protocol import Reader
    from afterwit.sources.gathering import Gatherer

_EDITORS = ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf")


class Variable(NamedTuple):
    """An environment variable that moves a home: the home is `below` the folder that it names."""

    name: str
    below: str = ""


class Agent(NamedTuple):
    """One agent. Homes are relative to the user's home folder."""

    name: str
    reader: str | None  # "module:callable", called without arguments, or with its description if it is declared
    transcripts: tuple[str, ...]
    homes: tuple[str, ...] = ()
    mac_homes: tuple[str, ...] | None = None  # None: as elsewhere
    windows_homes: tuple[str, ...] | None = None
    variables: tuple[Variable, ...] = ()  # the first that is set wins
    gatherers: str | None = None  # "module:callable" that gives those for sessions that are not one file each

    def matches(self, path: PurePosixPath) -> bool:
        """Whether the file at this path below a home is a transcript."""
        return matches(self.transcripts, path)

    def follows(self, name: str) -> bool:
        """Whether logs lie in what has this name in a home, so that it may be a link to elsewhere."""
        return matches(first_names(self.transcripts), PurePosixPath(name))

    def may_miss(self, path: PurePosixPath) -> bool:
        """Whether a link at this path below a home can hide a transcript, if it is not followed."""
        return self.matches(path) or could_match_below(self.transcripts, path)


def _in_editors(extension: str, *, root: str) -> tuple[str, ...]:
    return tuple(f"{root}/{editor}/User/globalStorage/{extension}" for editor in _EDITORS)


def _extension(name: str, reader: str, extension: str) -> Agent:
    """An agent that lives in VS Code or a relative of it."""
    return Agent(
        name,
        reader,
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
    Agent(
        "grok",
        "afterwit.agents.grok.reader:GrokReader",
        ("sessions/*/*/updates.jsonl", "sessions/*/*/subagents/*/updates.jsonl"),
        homes=(".grok",),
        variables=(Variable("GROK_HOME"),),
    ),
    Agent(
        "grok-cli",
        "afterwit.agents.grok_cli.reader:GrokCliReader",
        ("grok.db/*.jsonl", "conversations.db"),
        homes=(".grok",),
        gatherers="afterwit.agents.grok_cli.gathering:gatherers",
    ),
    Agent(
        "hermes",
        "afterwit.agents.hermes.reader:HermesReader",
        ("**/state.db/*.jsonl", "**/sessions/*.jsonl", "**/sessions/session_*.json"),
        homes=(".hermes",),
        windows_homes=("AppData/Local/hermes",),
        variables=(Variable("HERMES_HOME"),),
        gatherers="afterwit.agents.hermes.gathering:gatherers",
    ),
    Agent(
        "gemini",
        "afterwit.agents.gemini.reader:GeminiReader",
        ("tmp/*/chats/session-*.json", "tmp/*/chats/session-*.jsonl", "tmp/*/chats/*/*.jsonl"),
        homes=(".gemini",),
        variables=(Variable("GEMINI_CLI_HOME", below=".gemini"),),
    ),
    Agent(
        "qwen",
        "afterwit.agents.qwen.reader:QwenReader",
        ("projects/*/chats/*.jsonl", "projects/*/subagents/*/agent-*.jsonl", "tmp/*/chats/*.json"),
        homes=(".qwen",),
        variables=(Variable("QWEN_RUNTIME_DIR"), Variable("QWEN_HOME")),
    ),
    Agent(
        "opencode",
        "afterwit.agents.opencode.reader:OpenCodeReader",
        ("*.db/*.jsonl", "storage/*.jsonl", "exports/*.json"),
        homes=(".local/share/opencode",),
        variables=(Variable("XDG_DATA_HOME", below="opencode"),),
        gatherers="afterwit.agents.opencode.gathering:gatherers",
    ),
    Agent(
        "cursor",
        "afterwit.agents.cursor.reader:CursorReader",
        ("state.vscdb/*.jsonl",),
        homes=(".config/Cursor/User/globalStorage",),
        mac_homes=("Library/Application Support/Cursor/User/globalStorage",),
        windows_homes=("AppData/Roaming/Cursor/User/globalStorage",),
        gatherers="afterwit.agents.cursor.gathering:gatherers",
    ),
    Agent(
        "cursor-cli",
        "afterwit.agents.cursor_cli.reader:CursorTranscriptReader",
        ("chats/*/*/store.db", "projects/*/agent-transcripts/**/*.jsonl", "projects/*/agent-transcripts/*.txt"),
        homes=(".cursor",),
        variables=(Variable("CURSOR_CONFIG_DIR"),),
    ),
    Agent(
        "copilot",
        "afterwit.agents.copilot.reader:CopilotReader",
        ("session-state/*/events.jsonl", "history-session-state/*.json"),
        homes=(".copilot",),
        variables=(Variable("COPILOT_HOME"),),
    ),
    _extension("cline", "afterwit.agents.cline.reader:ClineReader", "saoudrizwan.claude-dev"),
    Agent(
        "cline-cli",
        "afterwit.agents.cline_cli.reader:ClineCliReader",
        ("sessions/*/*.messages.json", "*/*.messages.json"),
        homes=(".cline/data",),
        variables=(Variable("CLINE_SESSION_DATA_DIR"), Variable("CLINE_DATA_DIR"), Variable("CLINE_DIR", "data")),
    ),
    _extension("roo", "afterwit.agents.cline.reader:roo", "rooveterinaryinc.roo-cline"),
    Agent("aider", "afterwit.agents.aider.reader:AiderReader", ("**/.aider.chat.history.md",)),
    Agent(
        "goose",
        "afterwit.agents.goose.reader:GooseReader",
        ("sessions/sessions.db/*.jsonl", "sessions/*.jsonl"),
        homes=(".local/share/goose",),
        windows_homes=("AppData/Roaming/Block/goose/data",),
        variables=(Variable("GOOSE_PATH_ROOT", below="data"), Variable("XDG_DATA_HOME", below="goose")),
        gatherers="afterwit.agents.goose.gathering:gatherers",
    ),
    Agent(
        "pi",
        "afterwit.agents.pi.reader:PiReader",
        ("sessions/*/*.jsonl",),
        homes=(".pi/agent",),
        variables=(Variable("PI_CODING_AGENT_DIR"),),
    ),
    Agent(
        "openclaw",
        "afterwit.agents.openclaw.reader:OpenClawReader",
        ("agents/*/sessions/*.jsonl",),
        homes=(".openclaw",),
        variables=(Variable("OPENCLAW_STATE_DIR"),),
    ),
    Agent("omp", "afterwit.agents.pi.reader:omp", ("sessions/*/*.jsonl",), homes=(".omp/agent",)),
    Agent(
        "amp",
        "afterwit.agents.amp.reader:AmpReader",
        ("threads/T-*.json",),
        homes=(".local/share/amp",),
        variables=(Variable("XDG_DATA_HOME", below="amp"),),
    ),
    Agent(
        "droid",
        "afterwit.agents.droid.reader:DroidReader",
        ("sessions/*.jsonl", "sessions/*/*.jsonl"),
        homes=(".factory",),
        variables=(Variable("FACTORY_DIR"),),
    ),
    Agent(
        "crush",
        "afterwit.agents.crush.reader:CrushReader",
        ("**/crush.db/*.jsonl",),
        gatherers="afterwit.agents.crush.gathering:gatherers",
    ),
    Agent(
        "openhands",
        "afterwit.agents.openhands.reader:OpenHandsReader",
        ("**/sessions/*.jsonl", "**/conversations/*.jsonl", "**/output.jsonl"),
        homes=(".openhands",),
        gatherers="afterwit.agents.openhands.gathering:gatherers",
    ),
    Agent("swe-agent", "afterwit.agents.swe_agent.reader:SweAgentReader", ("**/*.traj",)),
    Agent(
        "mini-swe-agent",
        "afterwit.agents.mini_swe_agent.reader:MiniSweAgentReader",
        ("**/*.traj.json", "**/traj.json"),
    ),
    Agent("atif", "afterwit.agents.atif.reader:AtifReader", ("**/trajectory.json", "**/*.trajectory.json")),
    Agent(
        "kimi",
        "afterwit.agents.kimi.reader:KimiReader",
        (
            "sessions/*/*/wire.jsonl",
            "sessions/*/*/context*.jsonl",
            "sessions/*/*/subagents/*/*.jsonl",
            "sessions/*/*.jsonl",
        ),
        homes=(".kimi",),
        variables=(Variable("KIMI_SHARE_DIR"),),
    ),
    Agent(
        "kimi-code",
        "afterwit.agents.kimi_code.reader:KimiCodeReader",
        ("sessions/*/*/agents/*/wire.jsonl",),
        homes=(".kimi-code",),
        variables=(Variable("KIMI_CODE_HOME"),),
    ),
    Agent(
        "tool-events",
        "afterwit.agents.tool_events.reader:reader",
        ("**/observations.jsonl", "**/observations.archive/*.jsonl", "**/tool-events*.jsonl"),
    ),
    Agent("chat", "afterwit.agents.chat.reader:any_folder", ("**/*.jsonl",)),
    Agent(
        "entire",
        "afterwit.agents.entire.reader:EntireReader",
        ("**/*.git/*@*.jsonl", "**/*.git/*@*.json"),
        gatherers="afterwit.agents.entire.gathering:gatherers",
    ),
)

_BY_NAME = {each.name: each for each in AGENTS}
_DECLARED_READER = "afterwit.agents.declared.reader:DeclaredReader"


def agents_with(declared: Iterable[Description]) -> tuple[Agent, ...]:
    """All agents: what people have declared comes first, because a description is meant for the logs it fits."""
    return (*(_declared(each) for each in declared), *AGENTS)


def agent(name: str, declared: tuple[Description, ...] = ()) -> Agent:
    """The agent of that name."""
    by_name = {each.name: each for each in agents_with(declared)} if declared else _BY_NAME
    try:
        return by_name[name]
    except KeyError:
        raise UsageError(f"There is no agent named {name!r}. Known are: {', '.join(sorted(by_name))}.") from None


def homes(agent: Agent, user_home: Path, environ: Mapping[str, str], platform: str) -> tuple[Path, ...]:
    """The folders in which the agent keeps its logs, whether they exist or not. `platform` is as in `sys.platform`."""
    for variable in agent.variables:
        value = environ.get(variable.name, "").strip()
        if value:
            return (_below(user_home, value) / variable.below,)
    return tuple(user_home / home for home in _defaults(agent, platform))


@cache
def reader_for(name: str, declared: tuple[Description, ...] = ()) -> "Reader | None":
    """The reader of the agent of that name, or None where there is none: not yet, or, in an old store, not any more."""
    known = next((each for each in agents_with(declared) if each.name == name), None)
    if known is None or known.reader is None:
        return None
    module, _, attribute = known.reader.partition(":")
    own = [each for each in declared if each.name == name]
    return cast("Reader", getattr(import_module(module), attribute)(*own))


@cache
def gatherers_for(name: str) -> "tuple[Gatherer, ...]":
    """What finds the sessions of this agent that are not one file each."""
    known = _BY_NAME.get(name)
    if known is None or known.gatherers is None:
        return ()
    module, _, attribute = known.gatherers.partition(":")
    return cast("tuple[Gatherer, ...]", getattr(import_module(module), attribute)())


def _below(user_home: Path, value: str) -> Path:
    return user_home / value.removeprefix("~/")


def _defaults(agent: Agent, platform: str) -> tuple[str, ...]:
    if platform == "darwin" and agent.mac_homes is not None:
        return agent.mac_homes
    if platform == "win32" and agent.windows_homes is not None:
        return agent.windows_homes
    return agent.homes


def _declared(description: Description) -> Agent:
    return Agent(description.name, _DECLARED_READER, description.transcripts, homes=description.homes)
