"""`afterwit connect`: ties Afterwit to other programs. One registry line per command.

The names of agents stand in the place of a command: `afterwit connect codex` is short for `afterwit connect agents
codex`.
"""

import click

from afterwit.cli.commands import LazyGroup, Subcommand

COMMANDS = {
    "agents": Subcommand("connect.agents:agents", "Let agents hear from Afterwit."),
    "file": Subcommand("connect.agents:file", "Write a marked block into a file such as AGENTS.md."),
    "schedule": Subcommand("connect.schedule:schedule", "Let your own scheduler run `learn` regularly."),
    "status": Subcommand("connect.status:status", "Show what is connected."),
}
_OWN_OPTIONS = ("-h", "--help")


class _Connect(LazyGroup):
    """Takes what is no command for the names and options of `agents`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in COMMANDS and args[0] not in _OWN_OPTIONS:
            args = ["agents", *args]
        return super().parse_args(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command, or for the name of an agent what connects it."""
        from afterwit.agents.installing import is_known

        return super().get_command(ctx, "agents" if cmd_name not in COMMANDS and is_known(cmd_name) else cmd_name)


@click.group(cls=_Connect, entries=COMMANDS)
def connect() -> None:
    """Connect Afterwit with other programs, and see what is connected.

    `afterwit connect codex` is short for `afterwit connect agents codex`. `afterwit disconnect` undoes it.
    """
