"""`afterwit memory call`: one call of the tool for agents, for a plugin that cannot import us."""

import sys
from typing import Any

import click
import msgspec

from afterwit.cli.commands import Command
from afterwit.cli.terminal.options import Here, in_place
from afterwit.cli.terminal.output import print_json
from afterwit.mcp.tools.memory import answer
from afterwit.memory.tool import ToolError


@click.command(
    cls=Command,
    examples=("""echo '{"action": "query", "text": "indent"}' | afterwit memory call""",),
)
@in_place
def call(here: Here) -> None:
    """Answer one call of the memory tool, for a plugin of an agent.

    Reads the arguments as a JSON object on standard input, and prints a JSON object whose `text` is for the model. The
    same tool as the MCP server's. An error is told on standard error, in words for the model.
    """
    print_json({"text": answer(here.world, _arguments(), "hermes")})


def _arguments() -> dict[str, Any]:
    try:
        return msgspec.json.decode(sys.stdin.buffer.read(), type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise ToolError(
            f'The arguments must be a JSON object on standard input, such as {{"action": "list"}}; {error}.'
        ) from error
