"""How each agent's command line is asked for one answer, kept apart from the user's own sessions, and what it says.

A client is told to load no hooks, servers, tools and instructions and to keep no transcript, as far as its options go;
one whose installed version lacks an option that this needs is not used. Which options there are it says itself. Pure:
arguments, settings and output as values. Running a client is left to `client_process`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import msgspec

from afterwit.reader.answers import GivenAnswer
from afterwit.reader.ways.client_process import ClientRun
from afterwit.reader.ways.way import ModelQuestion

_LONGEST_FAULT = 300
_NO_ANSWER = "it ended without an answer"
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


class ClientCall(NamedTuple):
    """One call: the arguments, variables on top of the surroundings, and files that it finds in its own folder."""

    arguments: tuple[str, ...]
    environ: Mapping[str, str] = {}
    files: Mapping[str, str] = {}


class ReadingClient(Protocol):
    """The command line of one agent."""

    label: str
    program: str
    vendor: str
    most_at_once: int
    overhead_tokens: int
    questions: tuple[tuple[str, ...], ...]  # what it is asked first, about itself: arguments of calls that send nothing

    def lack(self, environ: Mapping[str, str]) -> str:
        """What the surroundings lack, and what to do; "" where it can be used."""

    def refusal(self, told: Sequence[str]) -> str:
        """What the installed version lacks, by what it told; "" where it can be kept apart."""

    def call(self, model: str, question: ModelQuestion, folder: Path, told: Sequence[str]) -> ClientCall:
        """The call with the prompt of a question; its text is given on standard input. The folder is the call's own."""

    def answer(self, request: str, run: ClientRun) -> GivenAnswer:
        """What it answered."""


class ClaudeCodeClient:
    label, program, vendor = "Claude Code", "claude", "Anthropic"
    most_at_once = 2
    overhead_tokens = 600
    questions: tuple[tuple[str, ...], ...] = (("--help",),)
    _needed = (
        "--print",
        "--safe-mode",  # no instructions, skills, plugins, hooks, servers
        "--tools",
        "--strict-mcp-config",
        "--no-session-persistence",
        "--system-prompt",
        "--output-format",
    )

    def lack(self, environ: Mapping[str, str]) -> str:  # noqa: ARG002 - it finds its login itself
        return ""

    def refusal(self, told: Sequence[str]) -> str:
        return _missing(self._needed, told[0])

    def call(self, model: str, question: ModelQuestion, folder: Path, told: Sequence[str]) -> ClientCall:  # noqa: ARG002
        options = ("--print", "--safe-mode", "--strict-mcp-config", "--no-session-persistence", "--tools", "")
        chosen = ("--model", model) if model else ()
        return ClientCall((*options, "--output-format", "json", "--system-prompt", question.system, *chosen))

    def answer(self, request: str, run: ClientRun) -> GivenAnswer:
        said = _json(run.stdout)
        used = [usage for usage in _table(said, "modelUsage").values() if isinstance(usage, dict)]
        given, written = ("inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens"), ("outputTokens",)
        text = said.get("result")
        has_failed = run.code != 0 or said.get("is_error") is not False or not isinstance(text, str)
        fault = _fault(run, text) if has_failed else ""
        return GivenAnswer(request, "" if fault else str(text), _sum(used, given), _sum(used, written), fault)


class CodexClient:
    label, program, vendor = "Codex", "codex", "OpenAI"
    most_at_once = 2
    overhead_tokens = 3_000  # with the user's own instruction file
    questions: tuple[tuple[str, ...], ...] = (("exec", "--help"), ("features", "list"), ("mcp", "list", "--json"))
    _needed = ("--ephemeral", "--output-schema", "--sandbox", "--json", "--disable", "--skip-git-repo-check")
    _off = ("hooks", "shell_tool")  # features that must be known, because they must be off
    _off_too = (
        "apps",
        "browser_use",
        "computer_use",
        "goals",
        "image_generation",
        "memories",
        "multi_agent",
        "plugins",
        "skill_search",
        "sleep_tool",
        "tool_suggest",
        "unified_exec",
        "view_image",
    )
    _settings = (
        "notify=[]",
        'web_search="disabled"',
        'history.persistence="none"',
        "project_doc_max_bytes=0",
        'developer_instructions=""',
        "include_permissions_instructions=false",
        "include_environment_context=false",
        "include_apps_instructions=false",
        "skills.include_instructions=false",
    )
    _server = re.compile(r"[A-Za-z0-9_-]+\Z")

    def lack(self, environ: Mapping[str, str]) -> str:  # noqa: ARG002 - it finds its login itself
        return ""

    def refusal(self, told: Sequence[str]) -> str:
        options, features, servers = told
        if missing := _missing(self._needed, options):
            return missing
        if unknown := [name for name in self._off if name not in self._features(features)]:
            return f"it does not say how to turn off {' and '.join(unknown)}"
        names = self._servers(servers)
        if names is None:
            return "it does not say which MCP servers it would start"
        if odd := [name for name in names if not self._server.match(name)]:
            return f"the MCP server {odd[0]!r} cannot be turned off for one call, because of its name"
        return ""

    def call(self, model: str, question: ModelQuestion, folder: Path, told: Sequence[str]) -> ClientCall:
        prompt, form = folder / "prompt.md", folder / "schema.json"
        features = self._features(told[1])
        off = [name for name in (*self._off, *self._off_too) if features.get(name)]
        servers = [f"mcp_servers.{name}.enabled=false" for name in self._servers(told[2]) or ()]
        instructions = f"model_instructions_file={msgspec.json.encode(str(prompt)).decode()}"
        arguments = (
            *("exec", "--ephemeral", "--skip-git-repo-check", "--sandbox", "read-only", "--json"),
            *(("--output-schema", str(form)) if question.schema else ()),
            *_each("--disable", off),
            *_each("-c", (*self._settings, instructions, *servers)),
            *(("--model", model) if model else ()),
            "-",
        )
        return ClientCall(
            arguments, files={prompt.name: question.system, form.name: msgspec.json.encode(question.schema).decode()}
        )

    def answer(self, request: str, run: ClientRun) -> GivenAnswer:
        events = [event for line in run.stdout.splitlines() if (event := _json(line))]
        used = [_table(event, "usage") for event in events if event.get("type") == "turn.completed"]
        items = [_table(event, "item") for event in events if event.get("type") == "item.completed"]
        texts = [item.get("text") for item in items if item.get("type") == "agent_message"]
        told = [event.get("message") or _table(event, "error").get("message") for event in events]
        text = texts[-1] if texts else None
        fault = _fault(run, *told) if run.code != 0 or not used or not isinstance(text, str) else ""
        given, written = _sum(used, ("input_tokens",)), _sum(used, ("output_tokens",))
        return GivenAnswer(request, "" if fault else str(text), given, written, fault)

    def _features(self, listed: str) -> dict[str, bool]:
        rows = [line.split() for line in listed.splitlines()]
        return {row[0]: row[-1] == "true" for row in rows if len(row) > 2}

    def _servers(self, listed: str) -> list[str] | None:
        try:
            return [str(server["name"]) for server in msgspec.json.decode(listed)]
        except (msgspec.DecodeError, TypeError, KeyError):
            return None


class GeminiClient:
    """Always leaves a transcript: so it gets a home of its own for each call, where only a key in the environment
    reaches it. A login is kept in the user's home, where it would leave its transcripts as well."""

    label, program, vendor = "Gemini CLI", "gemini", "Google"
    most_at_once = 2
    overhead_tokens = 400
    questions: tuple[tuple[str, ...], ...] = (("--help",),)
    _key = "GEMINI_API_KEY"
    _needed = ("--output-format", "--extensions", "--skip-trust", "--approval-mode", "--model")
    _settings: Mapping[str, Any] = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "general": {"enableAutoUpdate": False, "disableAutoUpdate": True},
        "tools": {"core": []},
        "hooksConfig": {"enabled": False},
        "skills": {"enabled": False},
        "context": {"fileName": ["afterwit-has-none.md"]},
    }
    _cheap = "flash"  # its own short name for a fast model; without a model it asks one which to take

    def lack(self, environ: Mapping[str, str]) -> str:
        if environ.get(self._key):
            return ""
        return (
            f"Gemini CLI can be kept apart from your own sessions with an API key only, and {self._key} is not set."
            " Set it, or choose another model: with a Google login it would leave transcripts among yours."
        )

    def refusal(self, told: Sequence[str]) -> str:
        return _missing(self._needed, told[0])

    def call(self, model: str, question: ModelQuestion, folder: Path, told: Sequence[str]) -> ClientCall:  # noqa: ARG002
        prompt, settings = folder / "prompt.md", ".gemini/settings.json"
        files = {prompt.name: question.system, settings: msgspec.json.encode(self._settings).decode()}
        return ClientCall(
            (
                *("--output-format", "json", "--extensions", "none", "--skip-trust", "--approval-mode", "default"),
                *("--model", model or self._cheap),
            ),
            {"GEMINI_CLI_HOME": str(folder), "GEMINI_SYSTEM_MD": str(prompt)},
            files,
        )

    def answer(self, request: str, run: ClientRun) -> GivenAnswer:
        said = _json(run.stdout)
        models = _table(_table(said, "stats"), "models").values()
        used = [_table(model, "tokens") for model in models if isinstance(model, dict)]
        text = said.get("response")
        has_failed = run.code != 0 or not isinstance(text, str)
        error = _table(said or _json(run.stderr), "error").get("message")
        fault = _fault(run, error) if has_failed else ""
        given, written = _sum(used, ("prompt",)), _sum(used, ("candidates", "thoughts"))
        return GivenAnswer(request, "" if fault else str(text), given, written, fault)


def _missing(needed: Iterable[str], told: str) -> str:
    options = set(_OPTION.findall(told))
    missing = [option for option in needed if option not in options]
    return f"it has no {' and no '.join(missing)}" if missing else ""


def _each(option: str, values: Iterable[str]) -> tuple[str, ...]:
    return tuple(word for value in values for word in (option, value))


def _json(text: str) -> Mapping[str, Any]:
    """The object that a text consists of, or ends with."""
    for begin in (0, text.find("{"), text.find("\n{") + 1):
        try:
            value = msgspec.json.decode(text[max(begin, 0) :])
        except (msgspec.DecodeError, RecursionError):
            continue
        return value if isinstance(value, dict) else {}
    return {}


def _table(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    inner = value.get(name)
    return inner if isinstance(inner, dict) else {}


def _sum(used: Iterable[Mapping[str, Any]], names: Sequence[str]) -> int | None:
    """Tokens, None where nothing tells them."""
    counts = [usage.get(name) for usage in used for name in names]
    told = [count for count in counts if isinstance(count, int) and not isinstance(count, bool) and count >= 0]
    return sum(told) if told else None


def _fault(run: ClientRun, *told: object) -> str:
    """Why there is no answer, in the client's own words where it has some."""
    words = [text.strip() for text in told if isinstance(text, str) and text.strip()]
    lines = [line.strip() for line in run.stderr.splitlines() if line.strip()]
    reason = run.fault or " ".join([*words, *lines[-1:], _NO_ANSWER][0].split())
    ended = "" if run.fault or run.code in (0, None) else f" (exit code {run.code})"
    return f"{reason[:_LONGEST_FAULT]}{ended}"
