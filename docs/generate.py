"""Writes the reference pages: one per group of commands from the commands themselves, one of all settings and
variables, one of all agents, one of all modules; and the map of the source.

    python docs/generate.py            writes docs/reference/ and docs/explanation/architecture.md
    python docs/generate.py --check    writes nothing; exits 1 and shows the difference if a page is stale or left over

Pages depend on our own code only, not on the version of Python or of a library, and not on the machine. A setting
without a description here, or a description without its setting, is an error; so it is with agents and
`parts/agents.toml`.
"""

import difflib
import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import rooms
from command_pages import CommandText, command_texts
from msgspec import inspect as shapes

from afterwit.agents.descriptor import Agent
from afterwit.agents.registry import AGENTS, reader_for
from afterwit.model.settings import (
    AgentSettings,
    Aliases,
    BackupSettings,
    HubSettings,
    LearnSettings,
    MeasureSettings,
    MemorySettings,
    PatternSettings,
    ProfileName,
    Rates,
    ReadingSettings,
    RecallSettings,
    RedactionSettings,
    RepositorySettings,
    RetentionSettings,
    ScheduleSettings,
    ShareSettings,
    StoreSettings,
)

_HERE = Path(__file__).parent
_COMMANDS = "reference/commands"
_INDEX, _EVERYDAY = "afterwit.md", "everyday.md"
_NOTE = "<!-- Written by docs/generate.py. Change the code, then run `make docs`. -->\n"

_TABLES: tuple[tuple[str, type[msgspec.Struct] | None, str], ...] = (
    ("store", StoreSettings, "Where data is stored."),
    ("learn", LearnSettings, "How `afterwit learn` works."),
    ("schedule", ScheduleSettings, "What `afterwit connect schedule` sets up."),
    ("backup", BackupSettings, "Where backups go, and which are kept."),
    (
        "retention",
        RetentionSettings,
        "How much original logs may take, packed: [the storage budget](../how-to/storage-budget.md).",
    ),
    ("memory", MemorySettings, "Where [user memory](../how-to/remember-across-sessions.md) is kept."),
    ("recall", RecallSettings, "What agents are told."),
    (
        "reading",
        ReadingSettings,
        "Which model reads sessions, and what that may take: [let a model read](../how-to/let-a-model-read.md).",
    ),
    (
        "measure",
        MeasureSettings,
        "What is [measured](../how-to/see-whether-it-helps.md#read-the-report) without being asked.",
    ),
    ("hub", HubSettings, "The [hub](../how-to/run-a-hub.md) that `afterwit store sync` exchanges notes with."),
    ("share", ShareSettings, "How notes are [shared](../how-to/share-notes.md), and whose are used unasked."),
    ("patterns", PatternSettings, "Where the [catalog of patterns](../how-to/curate-patterns.md) lies."),
    (
        "repositories",
        RepositorySettings,
        "Whether the git histories and files of learned repositories are read, and where checkouts lie.",
    ),
    ("agents.<agent>", AgentSettings, "One table for each agent that is not as usual. The names are listed below."),
    ("aliases", Aliases, 'Other names, and what they stand for. Each is a table: `"other name" = "name"`.'),
    (
        "domains",
        None,
        'Groups of repositories: `fruit = ["orchard", "github.com/acme/*"]`. The first that fits counts.',
    ),
    (
        "prices.<model>",
        Rates,
        "US dollars per million tokens, for models whose price is unknown or wrong. They go before the packaged "
        "ones, of which nothing is then used for that model. The name is a pattern with the wildcards `*`, `?` "
        'and `[…]`, in quotes if it holds a dot or a wildcard: `[prices."gpt-5.*"]`. Case does not matter, a date '
        "at the end and a provider in front may be left out, and the longest pattern that fits counts. "
        "`[prices.unknown]` is for responses whose log names no model.",
    ),
    ("redaction", RedactionSettings, "What is taken out of the text, besides what is found by rule."),
)
_SETTINGS = {
    "store.home": "The data folder. Default: the platform's own (see above).",
    "store.profile": "Which of several stores to use.",
    "learn.jobs": "Processes; 0 means one for every core.",
    "learn.exclude": "What is never read, stored, learned from or told: `repo:…`, `folder:…`, `agent:…`, by pattern."
    " See [keep things private](../how-to/privacy.md).",
    "learn.wait_seconds": "How long to wait for another run to end before leaving the job to it.",
    "schedule.cadence": "`hourly`, or the time of day, such as `07:45`, by the local clock.",
    "backup.target": "Where [backups](../how-to/back-up-and-restore.md) go: a folder, a URL that fsspec knows, or a git"
    " remote. No password stands here.",
    "backup.key_file": "The file with the key of the backups. The key itself never stands here.",
    "backup.daily": "Whether the first `learn` of a day makes a backup.",
    "backup.prune": "Whether it also removes snapshots that the next three do not keep.",
    "backup.keep_daily": "So many of the newest days with a snapshot keep their last one.",
    "backup.keep_weekly": "The same of weeks.",
    "backup.keep_monthly": "The same of months.",
    "retention.raw_soft_cap_bytes": "Above it, originals of analysed sessions go, those worth least per byte first.",
    "retention.raw_hard_cap_bytes": "Above it, originals that are not analysed go too. Default: twice the soft cap.",
    "retention.raw_max_age_days": "Originals of analysed sessions go this many days after their end; 0 means never.",
    "retention.distilled_cap_bytes": "Above it, `learn` and `doctor` warn that what was learned takes much.",
    "retention.order": "What goes first: `value` (the least value per byte) or `oldest`.",
    "memory.backend": "`null` (off), `local`, `postgres`, `honcho`, or one that is installed besides.",
    "memory.user": "Whose entries are read and written. Default: the login name.",
    "memory.timeout_seconds": "How long to wait for an answer of a server.",
    "memory.postgres_dsn": "Connection string, without a password: that belongs into `~/.pgpass`.",
    "memory.postgres_schema": "The schema there. It is made at first use.",
    "memory.honcho_base_url": "Your own Honcho server. Default: the hosted service.",
    "memory.honcho_workspace": "The workspace there.",
    "memory.honcho_api_key_file": "A file with the API key, where `HONCHO_API_KEY` is not set.",
    "memory.honcho_reasoning": "Whether Honcho's models think about what is stored, which costs money.",
    "reading.model": "the model that reads: `claude-code`, `codex`, `gemini`, `llm:gpt-5-mini`, or any by files",
    "reading.prompt": "a file with another prompt; `afterwit read --prompt` prints the one in force",
    "reading.usd_per_day": "US dollars that requests of one day may cost, by list price",
    "reading.usd_per_month": "the same of a month; not less than a day's",
    "reading.tokens_per_day": "tokens that requests of one day may take where no price is known",
    "reading.tokens_per_month": "the same of a month; not less than a day's",
    "reading.offer": "whether `learn` says what a model could read here, while none is chosen",
    "reading.sessions_per_learn": "new sessions that `learn` lets `reading.model` read by itself; 0: none",
    "measure.daily_report": "Whether the first `learn` of a day writes the report of `afterwit measure report`.",
    "hub.url": "Its address, without a password.",
    "hub.repos": "The repositories whose notes are exchanged.",
    "hub.digests": "Whether digests of their sessions are shared, too.",
    "share.author": "The name under which you share notes. Default: as git calls you.",
    "share.policy": "Which notes leave: `approved` by a person, or all `in-use` that were found by counting, too.",
    "share.trusted": "What these people approved is quoted to agents unasked.",
    "share.quorum": "What so many people approved is quoted to agents unasked; 0: nothing.",
    "patterns.catalog": "Without effect: earlier versions wrote one file for each pattern there.",
    "repositories.read": "Whether checkouts on this machine are read: commits, words of files, and the scripts and"
    " targets that they define.",
    "repositories.checkouts": "A repository and the folder of its checkout, where no session ran in it here:"
    ' `"github.com/acme/orchard" = "~/src/orchard"`.',
    "recall.preferences": "Whether preferences in user memory join the brief.",
    "recall.budget_tokens": "At most so many tokens for the brief.",
    "recall.confidence": "Above which confidence a note that was counted may stand on the brief.",
    "recall.learns_at_end": "Whether the end of a session starts a `learn` of that session, in the background.",
    "agents.<agent>.homes": "Folders with this agent's logs. Default: where the agent itself puts them.",
    "agents.<agent>.enabled": "Whether `learn` looks for this agent.",
    "aliases.repos": "A remote, owner/name, folder or name, and the repository it counts to.",
    "aliases.tools": "A tool's name, and the tool it counts as.",
    "aliases.users": "A user as the home folder has it, and the name to keep for it.",
    "prices.<model>.input": "Input tokens.",
    "prices.<model>.output": "Output tokens.",
    "prices.<model>.cache_read": "Tokens read from a cache. Default: as input.",
    "prices.<model>.cache_write": "Tokens written to a cache. Default: as input.",
    "prices.<model>.cache_write_1h": "Tokens written to a cache to be kept for an hour. Default: as `cache_write`.",
    "redaction.people": "Names of people to replace by a pseudonym wherever they stand as a word.",
    "redaction.strings": "Other texts to replace.",
    "redaction.allow": "Values that are no secrets, as patterns of RE2 that must fit a value from end to end:"
    " `test-key-[0-9]+`. They stay wherever they stand, also addresses and names; a list that is too wide lets secrets"
    " through. What was stored before changes with `afterwit store rebuild`.",
}
_EDITOR = re.compile(r"(\.config|Application Support|Roaming)/[^/]+/User")
_VARIABLES = {
    "AFTERWIT_HOME": "The data folder. Goes before `[store] home` of the file.",
    "AFTERWIT_CONFIG": "The configuration file. Goes before the one in the data folder; `--config` goes before it.",
    "AFTERWIT_PROFILE": "The profile. Goes before `[store] profile`; `--profile` goes before it.",
    "AFTERWIT_MEMORY_BACKEND": "The memory backend. Goes before `[memory] backend`.",
    "AFTERWIT_MEMORY_DSN": "Connection string of PostgreSQL. Goes before `[memory] postgres_dsn`; may hold a password.",
    "AFTERWIT_READING": "Set by Afterwit where an agent reads sessions for it: its hooks say and note nothing there.",
    "GEMINI_API_KEY": "The key for Gemini CLI. Without it Gemini CLI is not asked to read sessions.",
    "HONCHO_API_KEY": "The key for Honcho. Used only where Honcho is the memory backend, or evaluated as one.",
    "NO_COLOR": "If set to anything, no colour.",
}


def main(arguments: list[str]) -> int:
    """Writes or checks all pages."""
    wanted = dict(_pages())
    if arguments == ["--check"]:
        return _check(wanted)
    if arguments:
        sys.stderr.write("usage: python docs/generate.py [--check]\n")
        return 2
    for path in _left_over(wanted):
        (_HERE / path).unlink()
    for path, text in wanted.items():
        (_HERE / path).parent.mkdir(parents=True, exist_ok=True)
        (_HERE / path).write_text(text, encoding="utf-8", newline="\n")
    return 0


def _check(wanted: dict[str, str]) -> int:
    faults = [f"docs/{path} is left over: there is no such group of commands.\n" for path in _left_over(wanted)]
    for path, text in wanted.items():
        file = _HERE / path
        found = file.read_text(encoding="utf-8") if file.exists() else ""
        faults.extend(
            difflib.unified_diff(found.splitlines(True), text.splitlines(True), f"docs/{path}", "as it should be")
        )
    if faults:
        sys.stderr.writelines([*faults, "The reference pages are not up to date. Run `make docs`.\n"])
    return 1 if faults else 0


def _left_over(wanted: dict[str, str]) -> list[str]:
    present = (f"{_COMMANDS}/{file.name}" for file in sorted((_HERE / _COMMANDS).glob("*.md")))
    return [path for path in present if path not in wanted]


def _pages() -> Iterator[tuple[str, str]]:
    for file, text in _command_pages().items():
        yield f"{_COMMANDS}/{file}", text
    yield "reference/configuration.md", _configuration_page()
    yield "reference/agents.md", _agents_page()
    yield "reference/modules.md", _modules_page()
    yield "explanation/architecture.md", _architecture_page()


def _command_pages() -> dict[str, str]:
    """The overview, a page for each group of the top level, and one for all commands that are in no group."""
    texts = list(command_texts())
    pages: dict[str, list[str]] = {_INDEX: [], _EVERYDAY: ["# Everyday commands", _NOTE]}
    files = {text.name: _file(text, texts) for text in texts}
    for text in texts:
        page = pages.setdefault(files[text.name], [])
        page += _command_parts(text, files, level="##" if page else "#")
    return {file: "\n\n".join(part.strip("\n") for part in parts) + "\n" for file, parts in pages.items()}


def _file(text: CommandText, texts: list[CommandText]) -> str:
    """`afterwit store stat` → store.md."""
    names = text.name.split()[1:]
    if not names:
        return _INDEX
    is_group = any(top.children for top in texts if top.name == f"afterwit {names[0]}")
    return f"{names[0]}.md" if is_group else _EVERYDAY


def _command_parts(text: CommandText, files: dict[str, str], *, level: str) -> Iterator[str]:
    yield f"{level} {text.name}"
    if level == "#":
        yield _NOTE
    yield f"```\n{text.usage}\n```"
    yield from text.paragraphs
    if text.short_name:
        yield f"Short: `{text.short_name}`."
    rows = [(_link(child.name, files), child.first) for child in text.children]
    rows += [(name, f"Short for {_link(long, files)}.") for name, long in text.short_names.items()]
    if rows:
        yield _table(("command", "what it does"), rows)
    options = [
        (
            ", ".join(f"`{name}`" for name in option.names),
            option.meaning,
            f"`{option.default}`" if option.default else "",
        )
        for option in text.options
        if level == "#" or "--help" not in option.names  # once a page is enough
    ]
    if options:
        yield _table(("option", "meaning", "default"), options)
    if text.exits:
        yield _table(("exit code", "meaning"), [(str(code), said) for code, said in text.exits])
    if text.examples:
        yield "```\n" + "\n".join(text.examples) + "\n```"


def _link(name: str, files: dict[str, str]) -> str:
    return f"[{name}]({files[name]}#{name.replace(' ', '-')})"


def _configuration_page() -> str:
    opening = (_HERE / "parts" / "configuration.md").read_text(encoding="utf-8")
    parts = [opening.replace("<!-- note -->", _NOTE.strip())]
    described: set[str] = set()
    for name, kind, about in _TABLES:
        rows = list(_setting_rows(name, kind, described)) if kind else []
        body = f"{about}\n\n{_table(('key', 'type', 'default', 'meaning'), rows)}" if rows else about
        parts.append(f"### `[{name}]`\n\n{body}")
    if described != set(_SETTINGS):
        raise SystemExit(f"described, but no settings: {sorted(set(_SETTINGS) - described)}")
    parts.append(_section("Environment", _table(("variable", "meaning"), _variable_rows())))
    parts.append(_section("Agents", _agent_text()))
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def _setting_rows(name: str, kind: type[msgspec.Struct], described: set[str]) -> Iterator[tuple[str, ...]]:
    info = shapes.type_info(kind)
    assert isinstance(info, shapes.StructType)
    for field in info.fields:
        key = f"{name}.{field.name}"
        if key not in _SETTINGS:
            raise SystemExit(f"docs/generate.py describes no setting {key}")
        described.add(key)
        yield f"`{field.name}`", _kind(field.type), _field_default(field), _SETTINGS[key]


def _field_default(field: shapes.Field) -> str:
    if field.required:
        return "must be given"
    made = field.default_factory is not msgspec.NODEFAULT
    value: Any = field.default_factory() if made else field.default
    empty = {(): "`[]`", True: "`true`", False: "`false`"}
    if value is None or isinstance(value, dict):
        return ""
    if isinstance(value, bool | tuple):
        return empty[value]
    return f'`"{value}"`' if isinstance(value, str) else f"`{value}`"


def _kind(kind: shapes.Type) -> str:
    match kind:
        case shapes.UnionType():
            return " or ".join(_kind(part) for part in kind.types if not isinstance(part, shapes.NoneType))
        case shapes.BoolType():
            return "true or false"
        case shapes.IntType():
            return f"whole number, {kind.ge} to {kind.le}"
        case shapes.FloatType():
            return f"number, {kind.ge} to {kind.le}"
        case shapes.StrType():
            return "name" if kind == shapes.type_info(ProfileName) else "text"
        case shapes.VarTupleType():
            return f"list of {_kind(kind.item_type)}s"
        case shapes.DictType():
            return "table of texts"
        case shapes.EnumType():
            return " or ".join(f'"{choice.value}"' for choice in kind.cls)
    return "path"


def _variable_rows() -> list[tuple[str, str]]:
    own = [(f"`{name}`", text) for name, text in _VARIABLES.items()]
    moved: dict[str, list[str]] = {}
    for agent in AGENTS:
        for variable in agent.variables:
            below = f" (in its `{variable.below}`)" if variable.below else ""
            moved.setdefault(variable.name, []).append(f"{agent.name}{below}")
    return own + [(f"`{name}`", f"Moves the logs of {', '.join(agents)}.") for name, agents in sorted(moved.items())]


def _agent_text() -> str:
    rows = [(agent.name, "yes" if agent.is_read else "not yet", _places(agent)) for agent in AGENTS]
    return (
        "Where `learn` looks for each agent, below the home folder. An agent without a reader is found and counted, "
        "not read. [Agents](agents.md) says what is read of each. "
        "`<editor>` stands for Code, Code - Insiders, VSCodium, Cursor and Windsurf.\n\n"
        + _table(("agent", "reader", "folders"), rows)
    )


def _agents_page() -> str:
    parts = _HERE / "parts"
    opening = (parts / "agents.md").read_text(encoding="utf-8").replace("<!-- note -->", _NOTE.strip())
    told = tomllib.loads((parts / "agents.toml").read_text(encoding="utf-8"))
    if list(told) != [agent.name for agent in AGENTS]:
        raise SystemExit("docs/parts/agents.toml does not have the agents of the registry, in its order")
    rows = [_agent_row(agent, told[agent.name]) for agent in AGENTS]
    table = _table(("agent", "logs", "what is read", "evidence", "known limits"), rows)
    measured = _section("On real material", (parts / "agents-measured.md").read_text(encoding="utf-8"))
    return "\n\n".join(part.strip("\n") for part in (opening, table, measured)) + "\n"


def _architecture_page() -> str:
    text = (_HERE / "parts" / "architecture.md").read_text(encoding="utf-8")
    rooms.check_names("docs/parts/architecture.md", text)
    rows = [
        (rooms.tier(room), f"`{room}`", rooms.purpose(room)[0], ", ".join(rooms.imports(room)) or "nothing")
        for room in rooms.rooms()
        if room != "extras"
    ]
    table = _table(("tier", "room", "what it is for", "imports"), rows)
    brought = _table(
        ("extra", "what it is for"), [(f"`{extra}`", rooms.purpose(f"extras.{extra}")[0]) for extra in rooms.extras()]
    )
    text = text.replace("<!-- note -->", _NOTE.strip()).replace("<!-- rooms -->", table)
    return text.replace("<!-- extras -->", brought)


def _modules_page() -> str:
    parts = [
        "# Modules",
        _NOTE,
        "Every module of `src/afterwit` with its first sentence, room by room, from the top down.",
    ]
    for room in rooms.rooms():
        rows = [(f"`{name}`", first) for name, first in rooms.modules(room)]
        parts.append(
            _section(f"`{room}`", "\n\n".join([*rooms.purpose(room), _table(("module", "what it is for"), rows)]))
        )
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def _agent_row(agent: Agent, told: dict[str, str]) -> tuple[str, ...]:
    reader = reader_for(agent.name)
    where = _codes(agent.homes) or f"no home; {', '.join(f'`{pattern}`' for pattern in agent.transcripts)}"
    return agent.name, where, told["read"], reader.evidence.value if reader else "no reader yet", told["limits"]


def _places(agent: Agent) -> str:
    places = [_codes(agent.homes) or "none of its own: use `--sessions-dir`, or set `homes`"]
    for system, homes in (("macOS", agent.mac_homes), ("Windows", agent.windows_homes)):
        if homes is not None:
            places.append(f"{system}: {_codes(homes)}")
    return "; ".join(places)


def _codes(texts: tuple[str, ...]) -> str:
    """Paths as code; those that differ in the editor only are one."""
    joined = dict.fromkeys(_EDITOR.sub(r"\1/<editor>/User", text) if len(texts) > 1 else text for text in texts)
    return ", ".join(f"`{text}`" for text in joined)


def _section(title: str, body: str) -> str:
    return f"## {title}\n\n{body}"


def _table(columns: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [columns, tuple("---" for _ in columns), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
