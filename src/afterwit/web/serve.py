"""Serves the page on this machine alone, until Ctrl-C or until nobody has asked for anything for an hour.

The port is bound before the link is told, so that nobody else can sit there. No process stays behind. A command line
can be read by every user of the machine, so the browser is opened with a file that holds the token, not with a link.
"""

import asyncio
import os
import socket
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from afterwit.model.errors import AfterwitError, BusyError, ConfigError, UsageError
from afterwit.store.database import MOST_WAIT_SECONDS
from afterwit.web.answering import HERE, Ask, OpenPlace, WebAnswer, WebRoute, extra_pages, render
from afterwit.web.pages import brief, checks, knowledge, more, proof, sessions, today, transcript
from afterwit.web.safety import ENTRY, Guarded, Secrets, is_of_another_user

PATIENCE_SECONDS = 3.0
ROUTES: tuple[WebRoute, ...] = (
    *today.ROUTES,
    *brief.ROUTES,
    *checks.ROUTES,
    *knowledge.ROUTES,
    *sessions.ROUTES,
    *transcript.ROUTES,
    *proof.ROUTES,
    *more.ROUTES,
)


def make_app(open_place: OpenPlace, csrf: str) -> Starlette:
    """The whole site. `csrf` is the token that its forms hold."""
    kept: dict[str, Any] = {}

    def ask_of(request: Request) -> Ask:
        return Ask(
            place=open_place(),
            path=request.url.path,
            names={name: str(value) for name, value in request.path_params.items()},
            query={name: request.query_params.getlist(name) for name in request.query_params},
            form=request.scope.get("afterwit.form", {}),
            is_fragment="hx-request" in request.headers and "hx-boosted" not in request.headers,
            kept=kept,
            csrf=csrf,
        )

    def endpoint_of(handler: Callable[[Ask], WebAnswer]) -> Callable[[Request], Any]:
        def answer(request: Request) -> WebAnswer:
            MOST_WAIT_SECONDS.set(PATIENCE_SECONDS)  # each request has a context of its own
            return _answer(ask_of(request), handler)

        async def endpoint(request: Request) -> Response:
            try:
                given = await run_in_threadpool(answer, request)
            except (ConfigError, OSError) as error:  # before there is a world to draw a page from
                given = WebAnswer(f"{error}\n".encode(), 500, "text/plain; charset=utf-8")
            headers = {"cache-control": "no-store", **dict(given.headers)}
            return Response(given.body, given.status, headers, given.kind)

        return endpoint

    def not_there(ask: Ask) -> WebAnswer:
        return _complaint(ask, 404, "There is no such page.")

    added = (route for page in extra_pages() for route in page.ROUTES)
    routes = [Route(route.path, endpoint_of(route.handler), methods=[route.method]) for route in (*ROUTES, *added)]
    static = Mount("/static", StaticFiles(directory=HERE / "static"))
    return Starlette(routes=[static, *routes, Route("/{rest:path}", endpoint_of(not_there), methods=["GET", "POST"])])


def _answer(ask: Ask, handler: Callable[[Ask], WebAnswer]) -> WebAnswer:
    try:
        return handler(ask)
    except (UsageError, ConfigError) as error:
        return _complaint(ask, 400, str(error))
    except BusyError as error:
        return _complaint(ask, 503, str(error))._replace(headers=(("retry-after", "5"),))
    except AfterwitError as error:
        return _complaint(ask, 500, str(error))
    except Exception as error:  # noqa: BLE001 - the last resort: what gets here is a fault of ours
        from afterwit.engine.faults import describe_fault

        return _complaint(ask, 500, describe_fault(error, "afterwit web"))


def _complaint(ask: Ask, status: int, words: str) -> WebAnswer:
    return render(ask, "complaint_part.html" if ask.is_fragment else "complaint.html", status, words=words)


LOOPBACK = "127.0.0.1"
IDLE_SECONDS = 3600.0
_LOOK_EVERY_SECONDS = 5.0
_FORM = """<!doctype html><meta charset="utf-8"><title>Afterwit</title>
<form method="post" action="{action}"><input type="hidden" name="token" value="{token}"><button>Afterwit</button></form>
<script>document.forms[0].submit()</script>
"""
Announce = Callable[[str, Path], None]


def serve(open_place: OpenPlace, port: int, announce: Announce, idle_seconds: float = IDLE_SECONDS) -> None:
    """Serves until it is stopped. `announce` gets the link once it works, and the file that a browser is to be opened
    with; port 0 means any that is free."""
    with _bind(port) as listening, tempfile.TemporaryDirectory(prefix="afterwit-web-") as folder:
        keys = Secrets()
        real_port = listening.getsockname()[1]
        is_foreign = partial(is_of_another_user, server=listening.getsockname())
        guarded = Guarded(make_app(open_place, keys.csrf), keys, real_port, is_foreign)
        settings = uvicorn.Config(guarded, log_level="error", lifespan="off", server_header=False, access_log=False)
        server = uvicorn.Server(settings)
        root = f"http://{LOOPBACK}:{real_port}"
        announce(f"{root}{guarded.entry_path()}", _private_file(Path(folder), root, keys.link))
        with suppress(KeyboardInterrupt):
            asyncio.run(_until_idle(server, listening, guarded, idle_seconds))


async def _until_idle(server: uvicorn.Server, listening: socket.socket, guarded: Guarded, idle_seconds: float) -> None:
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    while not serving.done():
        left = guarded.asked_at + idle_seconds - time.monotonic()
        if left <= 0:
            server.should_exit = True
            break
        await asyncio.wait([serving], timeout=min(left, _LOOK_EVERY_SECONDS))
    await serving


def _private_file(folder: Path, root: str, token: str) -> Path:
    """The form that gets in, where nobody but the owner can read it."""
    path = folder / "open.html"
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(_FORM.format(action=f"{root}{ENTRY}", token=token))
    return path


def _bind(port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listening.bind((LOOPBACK, port))
        listening.listen()
    except OSError as error:
        listening.close()
        raise UsageError(
            f"Port {port} of {LOOPBACK} cannot be used ({error.strerror}). Leave --port out to take one that is free."
        ) from error
    return listening
