"""`afterwit connect`: ties Afterwit to other programs. One registry line per command.

The names of agents stand in the place of a command: `afterwit connect codex` is short for `afterwit connect agents
codex`.
"""

import click

from afterwit.cli.commands import LazyGroup
from afterwit.config.extras import Subcommand

COMMANDS = {
    "agents": Subcommand(".agents:agents", "Let agents hear from Afterwit."),
    "file": Subcommand(".agents:file", "Write a marked block into a file such as AGENTS.md."),
    "schedule": Subcommand(".schedule:schedule", "Let your own scheduler run `learn` regularly."),
    "status": Subcommand(".schedule:status", "Show what is connected."),
}
_OWN_OPTIONS = ("-h", "--help")


class _Connect(LazyGroup):
    """Takes what is no command for the names and options of `agents`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in _OWN_OPTIONS and (args[0].startswith("-") or args[0] in _agents()):
            args = ["agents", *args]
        return super().parse_args(ctx, args)

    def names(self, ctx: click.Context) -> list[str]:
        return [*super().names(ctx), *_agents()]

    def overview(self, ctx: click.Context) -> str:  # noqa: ARG002
        return f"Agents that can be connected: {', '.join(_agents())}."

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command, or for the name of an agent what connects it."""
        is_agent = cmd_name not in COMMANDS and cmd_name in _agents()
        return super().get_command(ctx, "agents" if is_agent else cmd_name)


def _agents() -> list[str]:
    """The agents that can be connected, and the names that people use for them."""
    from afterwit.agents.registry import connectable

    return connectable()


@click.group(cls=_Connect, package=__name__, entries=COMMANDS)
def connect() -> None:
    """Let agents hear from Afterwit, and see which do.

    `afterwit connect codex` is short for `afterwit connect agents codex`. `afterwit disconnect` undoes it.
    """
