"""A browser as far as requests go: it keeps the cookie, sends what browsers send, and reads forms and links."""

import asyncio
import re
from collections.abc import Mapping
from html import unescape
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

from afterwit.web.answering import OpenPlace
from afterwit.web.safety import Guarded, Secrets
from afterwit.web.serve import make_app

PORT = 4711
ORIGIN = f"http://127.0.0.1:{PORT}"


class Reply(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def words(self) -> str:
        """What a person reads, without the markup."""
        return " ".join(unescape(re.sub(r"<[^>]+>", " ", self.text)).split())

    @property
    def links(self) -> list[str]:
        return [unescape(link) for link in re.findall(r'href="([^"]+)"', self.text)]


class Browser:
    """One browser before one run of the page."""

    def __init__(self, open_place: OpenPlace) -> None:
        self.keys = Secrets()
        self.app = Guarded(make_app(open_place, self.keys.csrf), self.keys, PORT, is_foreign=lambda _: False)
        self.cookie = ""

    def enter(self) -> Reply:
        reply = self.ask("GET", self.app.entry_path())
        self.cookie = reply.headers.get("set-cookie", "").partition(";")[0]
        return reply

    def get(self, path: str, **headers: str) -> Reply:
        return self.ask("GET", path, headers=headers)

    def part(self, path: str) -> Reply:
        """What htmx asks for."""
        return self.ask("GET", path, headers={"hx-request": "true"})

    def post(self, path: str, form: Mapping[str, str] | None = None, **headers: str) -> Reply:
        fields = {"csrf": self.keys.csrf, **(form or {})}
        return self.ask("POST", path, urlencode(fields).encode(), {"origin": ORIGIN, **headers})

    def ask(self, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None) -> Reply:
        given = {"host": f"127.0.0.1:{PORT}", "cookie": self.cookie, **(headers or {})}
        return asyncio.run(self._ask(method, path, body, given))

    async def _ask(self, method: str, path: str, body: bytes, headers: Mapping[str, str]) -> Reply:
        parts = urlsplit(path)
        scope: dict[str, Any] = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": re.sub(r"%([0-9A-Fa-f]{2})", lambda code: chr(int(code[1], 16)), parts.path),
            "raw_path": parts.path.encode(),
            "query_string": parts.query.encode(),
            "headers": [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items() if value],
            "server": ("127.0.0.1", PORT),
            "client": ("127.0.0.1", 50000),
        }
        messages: list[dict[str, Any]] = []

        waiting: list[dict[str, Any]] = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> dict[str, Any]:
            return waiting.pop() if waiting else {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            messages.append(dict(message))

        await self.app(scope, receive, send)
        start = messages[0]
        answered = {name.decode(): value.decode("latin-1") for name, value in start["headers"]}
        return Reply(start["status"], answered, b"".join(message.get("body", b"") for message in messages[1:]))
