"""`afterwit hook`, `mcp` and `web`: what others call, an agent or a browser.

Loads as little as possible before the first answer. The MCP server looks at the store and the settings when a tool is
called, so that a broken configuration is the answer of a tool and not a server that does not start. What the page needs
besides Afterwit comes with an extra, and is looked for first.
"""

import os
import sys
import threading
import webbrowser
from importlib.util import find_spec
from pathlib import Path

import click

from afterwit.cli.commands import command, config_option, flag, profile_option
from afterwit.model.errors import UsageError

_NEEDED = ("starlette", "uvicorn", "jinja2")  # by the page


@command(
    context_settings={"ignore_unknown_options": True},
    examples=["afterwit hook claude-code start < input.json"],
)
@click.argument("agent")
@click.argument("event")
@click.argument("flags", nargs=-1)
def hook(agent: str, event: str, flags: tuple[str, ...]) -> None:
    """Answer one call of an agent's hook.

    Reads what the agent says on standard input, and prints what this agent accepts, mostly nothing. EVENT is start,
    prompt, before, after, compact or end; --refuse and --rewrite allow what `afterwit connect` was asked for. Always
    exits 0.
    """
    from afterwit.recall.hook.entry import main

    sys.argv = ["afterwit-hook", agent, event, *flags]
    main()


@command(examples=("claude mcp add afterwit -- afterwit mcp", "afterwit mcp --profile work"))
@config_option
@profile_option
def mcp(config: Path | None, profile: str | None) -> None:
    """Serve the notes to one agent, over standard input and output.

    An agent starts this by itself once `afterwit connect` has set it up. Tools: recall, explain_item,
    search_sessions, record_lesson, report_item, places, blame, memory. It never listens on a network.
    """
    from afterwit.agents.hook_payloads import RUN
    from afterwit.mcp.server import McpBackend, serve

    run = f"{RUN}{os.urandom(8).hex()}"
    try:
        folder = Path.cwd()
    except OSError:  # it was removed
        folder = None

    def open_backend() -> McpBackend:
        from afterwit.cli.terminal.options import here_from
        from afterwit.mcp.backend import StoreBackend

        return StoreBackend(lambda: here_from(config, profile).world, folder, run)

    serve(open_backend)


@command(examples=("afterwit web", "afterwit web --port 8765 --no-open", "afterwit web --profile work"))
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    metavar="PORT",
    help="Listen on this port of 127.0.0.1. Default: one that is free.",
)
@flag("--no-open", "is_quiet", "Print the link, and open no browser.")
@config_option
@profile_option
def web(port: int, is_quiet: bool, config: Path | None, profile: str | None) -> None:
    """Open a page in the browser: today, notes, sessions, search, proof.

    It is served from this machine to this machine alone, and to the browser that came in first: by the file that it is
    opened with, which only you can read, or by the link that is printed. What is used first counts, and counts once. It
    ends with Ctrl-C, or when nobody has looked for an hour.
    """
    from afterwit.cli.terminal.options import here_from
    from afterwit.cli.terminal.output import talk
    from afterwit.model.errors import install_command
    from afterwit.store.store import require

    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise UsageError(
            f"The page needs {', '.join(missing)}, which the extra `web` brings: `{install_command('web')}`."
        )
    require(here_from(config, profile).world.layout)
    from afterwit.cli.connect.agents import this_machine
    from afterwit.web.answering import WebPlace
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
