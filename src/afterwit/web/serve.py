"""Serves the page on this machine alone, until Ctrl-C or until nobody has asked for anything for an hour.

The port is bound before the link is told, so that nobody else can sit there. No process stays behind.
"""

import asyncio
import socket
import time
from collections.abc import Callable
from contextlib import suppress

import uvicorn

from afterwit.model.errors import UsageError
from afterwit.web.app import make_app
from afterwit.web.place import OpenPlace
from afterwit.web.safety import Guarded, Secrets
from afterwit.web.warming import begin_warming

LOOPBACK = "127.0.0.1"
IDLE_SECONDS = 3600.0
_LOOK_EVERY_SECONDS = 5.0


def serve(
    open_place: OpenPlace, port: int, announce: Callable[[str], None], idle_seconds: float = IDLE_SECONDS
) -> None:
    """Serves until it is stopped. `announce` gets the link once it works; port 0 means any that is free."""
    listening = _bound(port)
    with listening:
        keys = Secrets()
        real_port = listening.getsockname()[1]
        guarded = Guarded(make_app(open_place, keys.csrf), keys, real_port)
        settings = uvicorn.Config(guarded, log_level="error", lifespan="off", server_header=False, access_log=False)
        server = uvicorn.Server(settings)
        begin_warming(open_place)
        announce(f"http://{LOOPBACK}:{real_port}{guarded.entry_path()}")
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


def _bound(port: int) -> socket.socket:
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
