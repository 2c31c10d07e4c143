"""`afterwit mcp`: the MCP server, for agents to start.

Loads as little as possible before the client has its first answer: the store and the settings are looked at when a tool
is called, so that a broken configuration is the answer of a tool and not a server that does not start.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from afterwit.agents.hook_payloads import RUN
from afterwit.cli.commands import command
from afterwit.mcp.server import McpDesk
from afterwit.mcp.stdio import serve

if TYPE_CHECKING:
    from afterwit.config.world import World


@command(examples=("claude mcp add afterwit -- afterwit mcp", "afterwit mcp --profile work"))
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Use this configuration file instead of config.toml in the data folder.",
)
@click.option("--profile", metavar="NAME", help="Use the store of this profile, which has its own data folder.")
def mcp(config: Path | None, profile: str | None) -> None:
    """Serve the notes to one agent, over standard input and output.

    An agent starts this by itself once `afterwit connect` has set it up. Tools: recall, explain_item,
    search_sessions, record_lesson, report_item, open_questions, memory. It never listens on a network.
    """
    run = f"{RUN}{os.urandom(8).hex()}"

    def world() -> "World":
        from afterwit.cli.terminal.options import in_place

        here_world: World = in_place(lambda here: here.world)(config=config, profile=profile)
        return here_world

    def open_desk() -> McpDesk:
        from afterwit.mcp.desk import StoreDesk

        return StoreDesk(world, _folder(), run)

    serve(open_desk)


def _folder() -> Path | None:
    try:
        return Path.cwd()
    except OSError:  # it was removed
        return None
