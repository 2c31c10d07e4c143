"""A model on 127.0.0.1 that follows a script: it has the client call tools one by one, then says goodbye.

It remembers no conversation: which step is due follows from the results that a request carries. So retries, and
requests for a title or a summary, cannot put it out of step. Once in a script it can say that the context is nearly
full, so that the client compacts it; the steps then begin again. It can hold its answers back. What it was asked is
kept in `requests`, so that a test can see what reached the model; and in `seen` what a look at the files showed when
it was asked, so that a test can see what had been done. The four wire formats are left to `wire_formats`.
"""

import json
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import takewhile
from typing import Any, NamedTuple

from tests.e2e.wire_formats import Anthropic, Asked, Call, Chat, Format, Gemini, Json, Responses, Said, Schema, Turn

SHELL_TOOLS = (
    "Bash",
    "bash",
    "exec_command",
    "shell_command",
    "run_shell_command",
    "run_commands",
    "terminal",
    "Shell",
)
_COMMAND = ("command", "cmd", "commands")
_CALLS_OTHERS = "tool_call"  # by which Qwen Code calls tools that it does not offer by themselves
_FORMATS: tuple[tuple[str, Format], ...] = (
    (r"/messages$", Anthropic()),
    (r"/chat/completions$", Chat()),
    (r"/responses$", Responses()),
    (r":(?:streamG|g)enerateContent$", Gemini()),
)
_MODEL = "scripted"
_NEARLY_ALL = 990_000
_PATIENCE = 30  # seconds
_SNAPSHOT = "<state_snapshot>"  # asked for by Gemini CLI and Qwen Code, which doubt one that read less than there was
_SUMMARY = re.compile(r"(?i)summary of (?:the|our|this) conversation|context checkpoint|respond with text only")
_ASIDE = "An orchard"
_VALUES: Json = {"string": _ASIDE, "integer": 10_000, "number": 10_000, "boolean": False, "array": [], "object": {}}


Look = Callable[[], Any]


class Use(NamedTuple):
    """A call of a tool of an MCP server, under whatever name the client offers it; or of one of the client's own."""

    server: str
    tool: str
    arguments: Json | str


class Script(NamedTuple):
    """What the model does: a shell command or another call for each turn, and what it says at the end."""

    commands: Sequence[str | Use]
    goodbye: str
    fills_at: int | None = None  # the step at which it says once that the context is nearly full
    aside: str = _ASIDE  # what it says where it is offered no shell
    subagent: "Script | None" = None  # of whoever was not told the prompt; the others wait for it


class ModelServer(ThreadingHTTPServer):
    """The server; `url` is where it listens."""

    daemon_threads = True

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script = script
        self.requests: list[Asked] = []
        self.look: Look | None = None
        self.seen: dict[int, Any] = {}  # by the number of results
        self.prompt = ""
        self.has_filled = False
        self.subagent_ended = threading.Event()
        self.was_asked = threading.Event()
        self.may_answer = threading.Event()
        self.may_answer.set()
        self.url = f"http://127.0.0.1:{self.server_port}"

    def play(self, script: Script, prompt: str = "", look: Look | None = None) -> None:
        """From here on another script."""
        self.script, self.prompt, self.requests, self.has_filled = script, prompt, [], False
        self.look, self.seen = look, {}
        self.subagent_ended.clear()

    def answer(self, asked: Asked) -> Turn:
        """The turn that is due, when it may be told."""
        self.requests.append(asked)
        if self.look:
            self.seen[asked.results] = self.look()
        self.was_asked.set()
        self.may_answer.wait()
        if self.script.subagent and self.prompt not in asked.text:
            turn = next_turn(self.script.subagent, asked, len(self.requests))
            if turn[1] == self.script.subagent.goodbye:
                self.subagent_ended.set()
            return turn
        if self.script.subagent and asked.results:
            self.subagent_ended.wait(_PATIENCE)
        turn = next_turn(self.script, asked, len(self.requests))
        is_aside = isinstance(turn, Said) and turn.text == self.script.aside
        if is_aside:
            is_full = self.has_filled and _SNAPSHOT in asked.text
        else:
            is_full = not self.has_filled and asked.results == self.script.fills_at
            self.has_filled = self.has_filled or is_full
        return turn._replace(input_tokens=_NEARLY_ALL) if is_full else turn

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up early is no concern of ours."""


@contextmanager
def serving(script: Script) -> Iterator[ModelServer]:
    """A server on a free port, for as long as the block lasts."""
    with ModelServer(script) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server
        finally:
            server.may_answer.set()
            server.shutdown()
            thread.join()


def next_turn(script: Script, asked: Asked, number: int) -> Turn:
    name = f"{number:08d}"
    tool = next((tool for tool in SHELL_TOOLS if tool in asked.tools), None)
    if tool is None or _is_for_a_summary(asked):
        return Said(name, script.aside)
    if asked.results >= len(script.commands):
        return Said(name, script.goodbye)
    step = script.commands[asked.results]
    if isinstance(step, str):
        return Call(name, tool, _arguments(step, asked.tools[tool]))
    return _use(name, step, asked)


def _use(name: str, step: Use, asked: Asked) -> Turn:
    for tool in asked.tools:
        if tool == step.tool or (step.server in tool and tool.endswith(step.tool)):
            given = step.arguments
            return Call(name, tool, given if isinstance(given, str) else _required(asked.tools[tool]) | given)
    if _CALLS_OTHERS in asked.tools:
        return Call(name, _CALLS_OTHERS, {"name": f"mcp__{step.server}__{step.tool}", "arguments": step.arguments})
    return Said(name, f"{step.server} offers no {step.tool}")


def _is_for_a_summary(asked: Asked) -> bool:
    """Whether the last message asks for one, or the one before it, where a reminder of the client's own came after."""
    open_ones = list(takewhile(lambda message: message.get("role") == "user", reversed(asked.messages[:-1])))
    latest = [*asked.messages[-1:], *open_ones[:1]]
    return any(_SUMMARY.search(json.dumps(message)) for message in latest)


def _arguments(command: str, schema: Schema) -> Json:
    """The command under the name that the tool gives it, and a value for all else that the tool requires."""
    properties = schema.get("properties", {})
    named = {name: properties[name] for name in _COMMAND if name in properties}
    return _required(schema) | {name: [command] if _type(of) == "array" else command for name, of in named.items()}


def _required(schema: Schema) -> Json:
    properties = schema.get("properties", {})
    return {name: _value(properties.get(name, {})) for name in schema.get("required", ())}


def _value(schema: Schema) -> Any:
    return schema["enum"][0] if schema.get("enum") else _VALUES[_type(schema)]


def _type(schema: Schema) -> str:
    kind = schema.get("type", "string")
    kinds = kind if isinstance(kind, list) else [kind]
    return next((one.lower() for one in kinds if one.lower() in _VALUES), "string")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ModelServer

    def do_GET(self) -> None:
        if self._path().endswith("/models"):
            self._answer({"object": "list", "data": [{"id": _MODEL, "object": "model", "owned_by": "loopback"}]})
        else:
            self._refuse()

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        path = self._path()
        spoken = next((one for pattern, one in _FORMATS if re.search(pattern, path)), None)
        if spoken is None:
            self._refuse()
            return
        asked = spoken.read(body)
        turn = self.server.answer(asked)
        model = body.get("model", _MODEL)
        if body.get("stream") or ":stream" in path:
            self._send("".join(spoken.stream(model, turn)), "text/event-stream")
        else:
            self._answer(spoken.answer(model, turn))

    def _path(self) -> str:
        return self.path.partition("?")[0]

    def _refuse(self) -> None:
        self._answer({"error": {"message": "this model does not do that"}}, status=404)

    def _answer(self, body: Json, status: int = 200) -> None:
        self._send(json.dumps(body), "application/json", status)

    def _send(self, text: str, kind: str, status: int = 200) -> None:
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
        """The console belongs to the tests."""
