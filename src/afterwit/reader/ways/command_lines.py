"""The command lines of agents as ways to a model: Claude Code, Codex and Gemini CLI, set up as the user has them.

Promises: we write and remove no file of the user's; no hook, server or tool of the client runs; its transcript, if it
leaves one, lies in a folder of ours that is removed again; and what it leaves all the same is never learned: it works
below one folder of ours (`store.layout`), its text begins with a marker (`redaction.markers`), and its surroundings
silence our hooks. A client that cannot be asked like that is refused. A text cannot name files for the client to
attach: every at sign in it is written in a form that no client takes for one, and put back in the answer.
"""

import os
import shutil
import tempfile
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import msgspec

from afterwit.agents.hook_payloads import READING_VARIABLE
from afterwit.model.text import regex
from afterwit.reader.answers import GivenAnswer
from afterwit.reader.ways.client_process import ClientRun, run_client
from afterwit.reader.ways.way import ModelQuestion, WaySurroundings
from afterwit.redaction.markers import reading_request

_LONGEST_FAULT = 300
_NO_ANSWER = "it ended without an answer"
_OPTION = regex(r"(?<![\w-])--[a-z][a-z-]*")
_ASK_SECONDS = 30.0  # for what a client says of itself
_WORK = "work"  # stays empty, and is the same in all calls: clients remember where they were
_CALL = "call-"
_AT, _WRITTEN_AT, _ESCAPED_AT = "@", "\uff20", r"\uff20"
_NESTED = ("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT")  # an agent that runs us is not this one


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
        return _options_missing(self._needed, told[0])

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
    _server = regex(r"[A-Za-z0-9_-]+\Z")

    def lack(self, environ: Mapping[str, str]) -> str:  # noqa: ARG002 - it finds its login itself
        return ""

    def refusal(self, told: Sequence[str]) -> str:
        options, features, servers = told
        if missing := _options_missing(self._needed, options):
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
        return _options_missing(self._needed, told[0])

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


def _options_missing(needed: Iterable[str], told: str) -> str:
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


def claude_code(model: str, surroundings: WaySurroundings) -> "CommandLineWay":
    return CommandLineWay(ClaudeCodeClient(), model, surroundings)


def codex(model: str, surroundings: WaySurroundings) -> "CommandLineWay":
    return CommandLineWay(CodexClient(), model, surroundings)


def gemini(model: str, surroundings: WaySurroundings) -> "CommandLineWay":
    return CommandLineWay(GeminiClient(), model, surroundings)


class CommandLineWay:
    """A client that is installed here."""

    def __init__(self, client: ReadingClient, model: str, surroundings: WaySurroundings) -> None:
        self.most_at_once = client.most_at_once
        self.overhead_tokens = client.overhead_tokens
        self._client = client
        self._model = model
        self._surroundings = surroundings
        self._lock = threading.Lock()
        self._refusal: str | None = None  # None: not asked yet
        self._told: list[str] = []

    def recipient(self) -> str:
        client = self._client
        return f"whoever {client.label} is set up to talk to on this machine ({client.vendor}, unless you changed that)"

    def refusal(self) -> str:
        with self._lock:
            if self._refusal is None:
                self._refusal = self._asked()
        return self._refusal

    def answer(self, question: ModelQuestion, seconds: float) -> GivenAnswer:
        if reason := self.refusal():
            return GivenAnswer(question.id, tokens_in=0, tokens_out=0, fault=reason)
        try:
            run = self._called(question, seconds)
        except OSError as error:
            fault = f"{self._client.label} cannot be called: {error}"
            return GivenAnswer(question.id, tokens_in=0, tokens_out=0, fault=fault)
        given = self._client.answer(question.id, run)
        return given._replace(text=given.text.replace(_WRITTEN_AT, _AT).replace(_ESCAPED_AT, _AT))

    def _called(self, question: ModelQuestion, seconds: float) -> ClientRun:
        folder = self._surroundings.folder
        work = folder / _WORK
        work.mkdir(mode=0o700, parents=True, exist_ok=True)
        text = reading_request(question.text).replace(_AT, _WRITTEN_AT)
        with _own_folder(folder) as own:
            call = self._client.call(self._model, question, own, self._told)
            _put(call, own)
            return self._run(call, work, text, seconds)

    def _asked(self) -> str:
        client = self._client
        if self._model.startswith("-"):
            return f"{self._model!r} is no name of a model."
        if self._program() is None:
            return f"{client.label} is not installed: there is no `{client.program}` on the PATH. Install it first."
        if lack := client.lack(self._surroundings.environ):
            return lack
        with tempfile.TemporaryDirectory() as folder:
            call = client.call("", ModelQuestion("", "", ""), Path(folder), [""] * len(client.questions))
            for question in client.questions:
                run = self._run(call._replace(arguments=question), Path(folder), "", _ASK_SECONDS)
                if run.code != 0:
                    fault = run.fault or f"exit code {run.code}"
                    words = f"`{client.program} {' '.join(question)}` does not say what it can do ({fault})"
                    return f"{client.label} cannot be used: {words}. Run that yourself, then try again."
                self._told.append(run.stdout)
        if reason := client.refusal(self._told):
            words = "cannot be kept apart from your own sessions in the installed version"
            return f"{client.label} {words}: {reason}. Update it, or choose another model."
        return ""

    def _run(self, call: ClientCall, folder: Path, text: str, seconds: float) -> ClientRun:
        program = self._program() or self._client.program
        return run_client([program, *call.arguments], self._environ(call.environ, folder), folder, text, seconds)

    def _program(self) -> str | None:
        return shutil.which(self._client.program, path=self._surroundings.environ.get("PATH", os.defpath))

    def _environ(self, more: Mapping[str, str], folder: Path) -> dict[str, str]:
        own = {name: value for name, value in self._surroundings.environ.items() if name not in _NESTED}
        home = str(self._surroundings.home)
        return {**own, "HOME": home, "PWD": str(folder), "NO_COLOR": "1", READING_VARIABLE: "1", **more}


@contextmanager
def _own_folder(folder: Path) -> Iterator[Path]:
    """A folder for one call, gone after it. What calls of processes left that were killed goes too."""
    for left in folder.glob(f"{_CALL}*"):
        process = left.name.removeprefix(_CALL).partition("-")[0]
        if process.isdecimal() and not _is_alive(int(process)):
            shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=f"{_CALL}{os.getpid()}-", dir=folder, ignore_cleanup_errors=True) as own:
        yield Path(own)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _put(call: ClientCall, folder: Path) -> None:
    for name, text in call.files.items():
        path = folder / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
