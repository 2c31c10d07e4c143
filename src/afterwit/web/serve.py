"""Serves the page on this machine alone, until Ctrl-C or until nobody has asked for anything for an hour.

The port is bound before the link is told, so that nobody else can sit there. No process stays behind.
"""

import asyncio
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress

import uvicorn

from afterwit.config.world import redactor_of
from afterwit.model.errors import AfterwitError, UsageError
from afterwit.web.answering import compile_templates
from afterwit.web.app import make_app
from afterwit.web.place import OpenPlace
from afterwit.web.safety import Guarded, Secrets

_SAMPLE = "token=sk-0123456789abcdef0123456789abcdef, mail to ada@orchard.example, in /home/ada"
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
        warming = threading.Thread(target=warm, args=(open_place,), name="warming", daemon=True)
        warming.start()
        announce(f"http://{LOOPBACK}:{real_port}{guarded.entry_path()}")
        with suppress(KeyboardInterrupt):
            asyncio.run(_until_idle(server, listening, guarded, idle_seconds))
        warming.join()  # an interpreter that ends beside a thread in compiled code is aborted


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


def warm(open_place: OpenPlace) -> None:
    """Makes what the first pages would wait for, and nothing that depends on the store: templates, and the rules of
    redaction. What cannot be made here is made, or complained about, by the page that needs it."""
    compile_templates()
    with suppress(AfterwitError, OSError):
        redactor_of(open_place().world).text(_SAMPLE)  # its automata grow with what they first read
