"""What stands before every page: nobody but the browser that was given the token gets an answer.

The token counts once and is changed for a strict cookie. The browser that we open posts it, by a form in a file that
only the owner can read; people may use a link that holds it. A request is refused where its socket is another user's
(as far as the system tells), where its `Host` is not ours (a name that was rebound to this machine), where another site
sent it (`Origin`, `Sec-Fetch-Site`), without the cookie, and, if it changes anything, without the token that our own
pages hold. Answers forbid inline code, framing, sniffing and referrers, and allow nothing to other origins.
"""

import os
import secrets
import socket
import sys
import time
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode

Address = tuple[str, int]
TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
_LOCAL, _REMOTE, _USER = 1, 2, 7  # columns
_MAPPED = f"{int.from_bytes(bytes((0, 0, 255, 255)), sys.byteorder):024X}"  # before an address, in the newer table
_ROOT = "0"  # may read everything in any case, and is named for sockets that were closed already


def is_of_another_user(client: Address, server: Address) -> bool:
    """Whether the client's end belongs to neither this user nor the administrator."""
    ends = tuple(map(_kernel_form, (client, server)))
    users: set[str] = set()
    for table in TABLES:
        with suppress(OSError):
            rows = (line.replace(_MAPPED, "").split() for line in table.read_text("ascii", "replace").splitlines())
            users |= {row[_USER] for row in rows if len(row) > _USER and (row[_LOCAL], row[_REMOTE]) == ends}
    return bool(users) and not users <= {str(os.getuid()), _ROOT}


def _kernel_form(address: Address) -> str:
    """As the kernel writes it: the address as a number of this machine."""
    return f"{int.from_bytes(socket.inet_aton(address[0]), sys.byteorder):08X}:{address[1]:04X}"


ENTRY = "/enter"
CSRF_FIELD = "csrf"
LARGEST_BODY = 256 * 1024
_CSRF_HEADER = b"x-csrf-token"
_READING = ("GET", "HEAD")
_TRUSTED_SITES = (b"same-origin", b"none", b"")
_HEADERS = (
    (
        b"content-security-policy",
        b"default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
    ),
    (b"x-frame-options", b"DENY"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_UNKNOWN = (
    "This page is for the browser that `afterwit web` opened. Run `afterwit web` again and use the link it prints."
)
_USED = "This link was used already, and counts once. Run `afterwit web` again to get another."
_FOREIGN = "This request came from another site, and was refused. Type or paste the link into the address bar."
_REBOUND = "This request names another host, and was refused. Use the link that `afterwit web` prints."
_UNPROVEN = "This change did not come from a page of this run. Load the page again and repeat it."
_TOO_LARGE = "This is more than a page ever sends, and was refused."
_UNFIT = "This way of asking is not known here."
_ANOTHER_USER = "This connection belongs to another user of this machine, and was refused."
_INSIDE = b'<!doctype html><meta http-equiv="refresh" content="0; url=/"><title>Afterwit</title><a href="/">Enter</a>'

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
AsgiApp = Callable[[Scope, Receive, Send], Awaitable[None]]


class Secrets:
    """What one run knows and nobody else does."""

    def __init__(self) -> None:
        self.link = secrets.token_urlsafe(32)
        self.cookie = secrets.token_urlsafe(32)
        self.csrf = secrets.token_urlsafe(32)
        self._is_link_used = False

    def takes_link(self, token: str) -> bool:
        """Whether it is the token of the link, for the first time."""
        is_ours = secrets.compare_digest(token.encode(), self.link.encode()) and not self._is_link_used
        self._is_link_used = self._is_link_used or is_ours
        return is_ours


class Guarded:
    """The application behind all checks. `port` is where it listens; it notes when it was last asked."""

    def __init__(self, app: AsgiApp, keys: Secrets, port: int, is_foreign: Callable[[Address], bool]) -> None:
        self._app = app
        self._is_foreign = is_foreign
        self._keys = keys
        self._hosts = {f"127.0.0.1:{port}".encode(), f"localhost:{port}".encode()}
        self._cookie = f"afterwit_{port}"
        self.asked_at = time.monotonic()

    def entry_path(self) -> str:
        """Where the link leads that is told."""
        return f"{ENTRY}?{urlencode({'token': self._keys.link})}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        headers = {name.lower(): value for name, value in scope["headers"]}
        complaint = self._complaint(scope, headers)
        if complaint is not None:
            await _refuse(send, *complaint)
        elif scope["path"] == ENTRY:
            await self._enter(scope, headers, receive, send)
        elif not self._has_cookie(headers):
            await _refuse(send, 403, _UNKNOWN)
        else:
            self.asked_at = time.monotonic()
            await self._answer(scope, headers, receive, send)

    def _complaint(self, scope: Scope, headers: dict[bytes, bytes]) -> tuple[int, str] | None:
        """Why a request is refused whoever sent it."""
        if scope.get("client") and self._is_foreign(tuple(scope["client"])):
            return 403, _ANOTHER_USER
        host = headers.get(b"host", b"")
        if host not in self._hosts:
            return 421, _REBOUND
        if scope["method"] not in (*_READING, "POST"):
            return 405, _UNFIT
        if (scope["method"], scope["path"]) == ("POST", ENTRY):  # from a file, which has no origin: the token tells
            return None
        site, origin = headers.get(b"sec-fetch-site", b""), headers.get(b"origin")
        if site == b"same-origin" and origin == b"null":  # a form of ours: pages without referrers send no origin
            origin = None
        if site not in _TRUSTED_SITES or origin not in (None, b"http://" + host):
            return 403, _FOREIGN
        return None

    async def _enter(self, scope: Scope, headers: dict[bytes, bytes], receive: Receive, send: Send) -> None:
        if scope["method"] == "HEAD":  # a look at where a link leads is no use of it
            await _respond(send, 204, [], b"")
            return
        is_form = scope["method"] == "POST"
        given = await _body(receive) if is_form else scope["query_string"]
        token = parse_qs((given or b"").decode("latin-1")).get("token", [""])[0]
        if self._keys.takes_link(token):
            cookie = f"{self._cookie}={self._keys.cookie}; Path=/; HttpOnly; SameSite=Strict"
            entered = [(b"set-cookie", cookie.encode())]
            if is_form:  # browsers would follow a redirect in the name of the file, without the cookie
                await _respond(send, 200, [*entered, (b"content-type", b"text/html; charset=utf-8")], _INSIDE)
            else:
                await _respond(send, 303, [*entered, (b"location", b"/")], b"")
        elif self._has_cookie(headers):
            await _respond(send, 303, [(b"location", b"/")], b"")
        else:
            is_ours = secrets.compare_digest(token.encode(), self._keys.link.encode())
            await _refuse(send, 403, _USED if is_ours else _UNKNOWN)

    def _has_cookie(self, headers: dict[bytes, bytes]) -> bool:
        try:
            given = SimpleCookie(headers.get(b"cookie", b"").decode("latin-1")).get(self._cookie)
        except CookieError:
            return False
        return given is not None and secrets.compare_digest(given.value.encode(), self._keys.cookie.encode())

    async def _answer(self, scope: Scope, headers: dict[bytes, bytes], receive: Receive, send: Send) -> None:
        if scope["method"] == "POST":
            body = await _body(receive)
            if body is None:
                await _refuse(send, 413, _TOO_LARGE)
                return
            form = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True)
            given = headers.get(_CSRF_HEADER, b"").decode("latin-1") or form.get(CSRF_FIELD, [""])[0]
            if not secrets.compare_digest(given.encode(), self._keys.csrf.encode()):
                await _refuse(send, 403, _UNPROVEN)
                return
            scope["afterwit.form"] = {name: values[-1] for name, values in form.items()}
        began = time.perf_counter()

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                spent = f"page;dur={(time.perf_counter() - began) * 1000:.1f}".encode()
                message["headers"] = [*message.get("headers", []), *_HEADERS, (b"server-timing", spent)]
            await send(message)

        await self._app(scope, receive, send_with_headers)


async def _body(receive: Receive) -> bytes | None:
    """All that was sent; None where that is too much."""
    pieces, size, is_more = [], 0, True
    while is_more:
        message = await receive()
        if message["type"] != "http.request":
            return None
        pieces.append(message.get("body", b""))
        size += len(pieces[-1])
        if size > LARGEST_BODY:
            return None
        is_more = message.get("more_body", False)
    return b"".join(pieces)


async def _refuse(send: Send, status: int, words: str) -> None:
    await _respond(send, status, [(b"content-type", b"text/plain; charset=utf-8")], f"{words}\n".encode())


async def _respond(send: Send, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
    always = [(b"content-length", str(len(body)).encode()), (b"cache-control", b"no-store"), *_HEADERS]
    await send({"type": "http.response.start", "status": status, "headers": [*headers, *always]})
    await send({"type": "http.response.body", "body": body})
