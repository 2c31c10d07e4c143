"""Serves the page on this machine alone, until Ctrl-C or until nobody has asked for anything for an hour.

The port is bound before the link is told, so that nobody else can sit there. No process stays behind. A command line
can be read by every user of the machine, so the browser is opened with a file that holds the token, not with a link.
"""

import asyncio
import os
import socket
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import uvicorn

from afterwit.config.world import redactor_of
from afterwit.model.errors import AfterwitError, UsageError
from afterwit.web.answering import compile_templates
from afterwit.web.app import make_app
from afterwit.web.peers import is_of_another_user
from afterwit.web.place import OpenPlace
from afterwit.web.safety import ENTRY, Guarded, Secrets

_SAMPLE = "token=sk-0123456789abcdef0123456789abcdef, mail to ada@orchard.example, in /home/ada"
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
    with _bound(port) as listening, tempfile.TemporaryDirectory(prefix="afterwit-web-") as folder:
        keys = Secrets()
        real_port = listening.getsockname()[1]
        is_foreign = partial(is_of_another_user, server=listening.getsockname())
        guarded = Guarded(make_app(open_place, keys.csrf), keys, real_port, is_foreign)
        settings = uvicorn.Config(guarded, log_level="error", lifespan="off", server_header=False, access_log=False)
        server = uvicorn.Server(settings)
        warming = threading.Thread(target=warm, args=(open_place,), name="warming", daemon=True)
        warming.start()
        root = f"http://{LOOPBACK}:{real_port}"
        announce(f"{root}{guarded.entry_path()}", _private_file(Path(folder), root, keys.link))
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


def _private_file(folder: Path, root: str, token: str) -> Path:
    """The form that gets in, where nobody but the owner can read it."""
    path = folder / "open.html"
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(_FORM.format(action=f"{root}{ENTRY}", token=token))
    return path


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
