"""A server that follows the published API of Honcho, version 3, as far as sessions, peers and messages go.

What a real one does and matters here: ids of letters, digits, - and _ only; get-or-create by POST, with metadata
replaced; deletion accepted with 202 and done later, the id refused with 404 until then; listings by pages and filters;
a search over the messages of a peer that knows words; a bearer key; limits of sizes answered with 422.
"""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

_NAME = re.compile(r"^[a-zA-Z0-9_-]+$")
_LONGEST_NAME = 512
_LONGEST_MESSAGE = 25_000
_MOST_METADATA = 100
_AT = "2026-05-01T10:00:00Z"
KEY = "-".join(("hch", "v3", "test"))


class RefusalError(Exception):
    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail


class HonchoState:
    """What the server holds, and how it is to misbehave."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.sessions: dict[str, dict[str, Any]] = {}
        self.messages: list[dict[str, Any]] = []
        self.calls: list[str] = []
        self.break_after = -1  # so many calls are answered, then the line is cut, after the work was done
        self.status = 0  # answered instead of anything else

    def work_off(self) -> None:
        """What the real one does in the background: deleted sessions go."""
        gone = {name for name, session in self.sessions.items() if not session["is_active"]}
        self.sessions = {name: session for name, session in self.sessions.items() if name not in gone}
        self.messages = [message for message in self.messages if message["session_id"] not in gone]

    def answer(self, method: str, path: str, query: dict[str, list[str]], body: Any) -> tuple[int, Any]:
        parts = path.strip("/").split("/")
        if parts[:2] != ["v3", "workspaces"]:
            raise RefusalError(404, "Not Found")
        match method, parts[2:]:
            case "POST", []:
                return 200, _resource(_name(body), workspace=False)
            case "POST", [workspace, "peers"]:
                return 200, _resource(_name(body)) | {"workspace_id": workspace}
            case "POST", [workspace, "peers", peer, "search"]:
                return 200, self._search(peer, body)
            case "POST", [workspace, "sessions"]:
                return 200, self._session(workspace, body)
            case "POST", [_, "sessions", "list"]:
                return 200, self._listed(query, body)
            case "DELETE", [_, "sessions", name]:
                self._active(name)["is_active"] = False
                return 202, {"message": "Session deletion accepted"}
            case "POST", [_, "sessions", name, "messages"]:
                return 201, self._add(name, body)
            case "POST", [_, "sessions", name, "messages", "list"]:
                self._active(name)
                return 200, _page([one for one in self.messages if one["session_id"] == name], query)
        raise RefusalError(404, "Not Found")

    def _session(self, workspace: str, body: Any) -> dict[str, Any]:
        name = _name(body)
        if name in self.sessions:
            session = self._active(name)
            session["metadata"] = body.get("metadata", session["metadata"])
        else:
            session = _resource(name) | {"workspace_id": workspace, "is_active": True}
            session |= {"metadata": body.get("metadata") or {}, "configuration": body.get("configuration") or {}}
            self.sessions[name] = session
        if len(session["metadata"]) > _MOST_METADATA:
            raise RefusalError(422, "Metadata exceeds maximum of 100 top-level keys")
        return session

    def _active(self, name: str) -> dict[str, Any]:
        if name not in self.sessions or not self.sessions[name]["is_active"]:
            raise RefusalError(404, f"Session {name} not found")
        return self.sessions[name]

    def _listed(self, query: dict[str, list[str]], body: Any) -> dict[str, Any]:
        filters = (body or {}).get("filters")
        found = [one for one in self.sessions.values() if one["is_active"] and _fits(one, filters)]
        return _page(found, query)

    def _add(self, name: str, body: Any) -> list[dict[str, Any]]:
        session = self._active(name)
        added = []
        for number, message in enumerate(body["messages"]):
            if len(message["content"]) > _LONGEST_MESSAGE:
                raise RefusalError(422, "String should have at most 25000 characters")
            added.append(
                {
                    "id": f"{name}-{len(self.messages) + number}",
                    "content": message["content"],
                    "peer_id": message["peer_id"],
                    "session_id": name,
                    "metadata": message.get("metadata") or {},
                    "created_at": _AT,
                    "workspace_id": session["workspace_id"],
                    "token_count": len(message["content"]) // 4,
                }
            )
        self.messages += added
        return added

    def _search(self, peer: str, body: Any) -> list[dict[str, Any]]:
        wanted = {word[:5] for word in re.findall(r"\w+", body["query"].lower())}
        scored = []
        for message in self.messages:
            words = {word[:5] for word in re.findall(r"\w+", message["content"].lower())}
            if message["peer_id"] == peer and words & wanted:
                scored.append((len(words & wanted), message))
        scored.sort(key=lambda pair: -pair[0])
        return [message for _, message in scored[: body.get("limit", 10)]]


def _name(body: Any) -> str:
    name = body["id"]
    if not isinstance(name, str) or not _NAME.match(name) or len(name) > _LONGEST_NAME:
        raise RefusalError(422, "String should match pattern '^[a-zA-Z0-9_-]+$'")
    return name


def _resource(name: str, *, workspace: bool = True) -> dict[str, Any]:
    found: dict[str, Any] = {"id": name, "metadata": {}, "configuration": {}, "created_at": _AT}
    return found | ({"workspace_id": ""} if workspace else {})


def _fits(session: dict[str, Any], filters: Any) -> bool:
    for name, wanted in (filters or {}).items():
        if name == "OR":
            if not any(_fits(session, one) for one in wanted):
                return False
        elif name == "metadata":
            held = session["metadata"]
            if any(value != "*" and held.get(key) != value for key, value in wanted.items()):
                return False
        else:
            raise RefusalError(422, f"Column {name!r} is not used in these tests")
    return True


def _page(items: list[Any], query: dict[str, list[str]]) -> dict[str, Any]:
    page, size = int(query.get("page", ["1"])[0]), int(query.get("size", ["50"])[0])
    if not 1 <= size <= 100:
        raise RefusalError(422, "Input should be less than or equal to 100")
    shown = items[(page - 1) * size : page * size]
    return {"items": shown, "total": len(items), "page": page, "size": size, "pages": -(-len(items) // size)}


class _Handler(BaseHTTPRequestHandler):
    state: HonchoState
    protocol_version = "HTTP/1.1"
    wbufsize = 65_536  # head and body in one piece, or the client waits for the second

    def do_POST(self) -> None:
        self._handle("POST")

    def do_DELETE(self) -> None:
        self._handle("DELETE")

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it
        return

    def _handle(self, method: str) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length)) if length else None
        url = urlsplit(self.path)
        state = self.state
        with state.lock:
            state.calls.append(f"{method} {url.path}")
            try:
                if self.headers.get("Authorization") != f"Bearer {KEY}":
                    raise RefusalError(401, "Invalid API key")
                if state.status:
                    raise RefusalError(state.status, "as told")
                status, answer = state.answer(method, url.path, parse_qs(url.query), body)
            except RefusalError as refusal:
                status, answer = refusal.status, {"detail": refusal.detail}
            is_cut = state.break_after == 0
            state.break_after -= 1
        if is_cut:
            self.close_connection = True
            self.connection.close()
            return
        content = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


class HonchoServer:
    def __init__(self, state: HonchoState, port: int) -> None:
        self.state = state
        self.base_url = f"http://127.0.0.1:{port}"


@contextmanager
def running() -> Iterator[HonchoServer]:
    state = HonchoState()
    handler = type("Handler", (_Handler,), {"state": state})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        server.handle_error = lambda *_: None  # type: ignore[method-assign]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield HonchoServer(state, server.server_address[1])
        finally:
            server.shutdown()
            thread.join()
