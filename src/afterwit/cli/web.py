"""`afterwit web`: the page to look at. What it needs besides Afterwit comes with an extra, and is looked for first."""

import sys
import threading
import webbrowser
from importlib.util import find_spec
from pathlib import Path

import click

from afterwit.cli.commands import ExitCode, command
from afterwit.cli.terminal.options import here_from
from afterwit.cli.terminal.output import talk
from afterwit.model.errors import UsageError, install_command
from afterwit.store.store import require

_NEEDED = ("starlette", "uvicorn", "jinja2")


@command(
    examples=("afterwit web", "afterwit web --port 8765 --no-open", "afterwit web --profile work"),
    exits={
        ExitCode.FAILED: "There is no store yet, or it cannot be used.",
        ExitCode.WRONG_USE: "Wrong use: the port is taken, or the extra `afterwit[web]` is not installed.",
    },
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    metavar="PORT",
    help="Listen on this port of 127.0.0.1. Default: one that is free.",
)
@click.option("--no-open", "is_quiet", is_flag=True, help="Print the link, and open no browser.")
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Use this configuration file instead of config.toml in the data folder.",
)
@click.option("--profile", metavar="NAME", help="Use the store of this profile, which has its own data folder.")
def web(port: int, is_quiet: bool, config: Path | None, profile: str | None) -> None:
    """Open a page in the browser: today, notes, sessions, search, proof.

    It is served from this machine to this machine alone, and to the browser that came in first: by the file that it is
    opened with, which only you can read, or by the link that is printed. What is used first counts, and counts once. It
    ends with Ctrl-C, or when nobody has looked for an hour.
    """
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise UsageError(
            f"The page needs {', '.join(missing)}, which the extra `web` brings: `{install_command('web')}`."
        )
    require(here_from(config, profile).world.layout)
    from afterwit.cli.connect.machine import this_machine
    from afterwit.web.place import WebPlace
    from afterwit.web.serve import serve

    def open_place() -> WebPlace:
        here = here_from(config, profile)
        return WebPlace(here.configured, here.world, this_machine(here))

    def announce(link: str, page: Path) -> None:
        if not is_quiet:  # a browser in the foreground ends when its user has seen what we serve meanwhile
            threading.Thread(target=webbrowser.open, args=(page.as_uri(),), daemon=True).start()
        talk(f"{'Open this in your browser' if is_quiet else 'If no page opens, use this'}; it works once: {link}")
        talk("Ctrl-C ends it; so does an hour in which nobody looks.")
        sys.stderr.flush()

    serve(open_place, port, announce)
