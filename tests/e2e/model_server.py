"""A model on 127.0.0.1 that follows a script: it has the client run shell commands one by one, then says goodbye.

It remembers no conversation: which step is due follows from the results that a request carries. So retries, and
requests for a title or a summary, which offer no tools, cannot put it out of step. What it was asked is kept in
`requests`, so that a test can see what reached the model. The four wire formats are left to `wire_formats`.
"""

import json
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from tests.e2e.wire_formats import Anthropic, Asked, Call, Chat, Format, Gemini, Json, Responses, Said, Schema, Turn

SHELL_TOOLS = ("Bash", "bash", "exec_command", "shell_command", "run_shell_command", "terminal", "Shell")
_COMMAND = ("command", "cmd")
_FORMATS: tuple[tuple[str, Format], ...] = (
    (r"/messages$", Anthropic()),
    (r"/chat/completions$", Chat()),
    (r"/responses$", Responses()),
    (r":(?:streamG|g)enerateContent$", Gemini()),
)
_MODEL = "scripted"
_ASIDE = "An orchard"
_VALUES: Json = {"string": _ASIDE, "integer": 10_000, "number": 10_000, "boolean": False, "array": [], "object": {}}


class Script(NamedTuple):
    """What the model does: a shell command for each turn, and what it says at the end."""

    commands: Sequence[str]
    goodbye: str


class ModelServer(ThreadingHTTPServer):
    """The server; `url` is where it listens."""

    daemon_threads = True

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script = script
        self.requests: list[Asked] = []
        self.url = f"http://127.0.0.1:{self.server_port}"

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
            server.shutdown()
            thread.join()


def next_turn(script: Script, asked: Asked, number: int) -> Turn:
    name = f"{number:08d}"
    tool = next((tool for tool in SHELL_TOOLS if tool in asked.tools), None)
    if tool is None:
        return Said(name, _ASIDE)
    if asked.results < len(script.commands):
        return Call(name, tool, _arguments(script.commands[asked.results], asked.tools[tool]))
    return Said(name, script.goodbye)


def _arguments(command: str, schema: Schema) -> Json:
    """The command under the name that the tool gives it, and a value for all else that the tool requires."""
    properties = schema.get("properties", {})
    filled = {name: _VALUES[_type(properties.get(name, {}))] for name in schema.get("required", ())}
    return filled | {name: command for name in _COMMAND if name in properties}


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
        self.server.requests.append(asked)
        turn = next_turn(self.server.script, asked, len(self.server.requests))
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
