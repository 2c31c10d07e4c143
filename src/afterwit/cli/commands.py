"""What a command is made of: exit codes, examples, and groups that load a subcommand only when it is called.

What a command says of itself is shown by `--help` and written into the reference pages by `docs/generate.py`. A group
has one registry line per subcommand, which says where it is and what the overview shows of it, so that help costs no
imports. Independent of click's version where versions differ: a group called alone prints its help and exits 0.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from importlib import import_module
from typing import Any, NamedTuple

import click


class ExitCode(IntEnum):
    """How a command ended, for scripts."""

    FINE = 0
    FAILED = 1
    WRONG_USE = 2
    PARTLY_DONE = 3


EXITS: Mapping[ExitCode, str] = {
    ExitCode.FINE: "Fine.",
    ExitCode.FAILED: "Failed; a message on standard error says why.",
    ExitCode.WRONG_USE: "Wrong use: an unknown option or name, or a configuration that cannot be used.",
    ExitCode.PARTLY_DONE: "Partly done: some of the work failed, or Ctrl-C stopped it. What was done is kept.",
}


class CliCommand(click.Command):
    """A command with examples, and with what its exit codes mean where that differs from the rule."""

    def __init__(
        self,
        *args: Any,
        examples: Sequence[str] = (),
        exits: Mapping[ExitCode, str] | None = None,
        **attributes: Any,
    ) -> None:
        super().__init__(*args, **attributes)
        self.examples = tuple(examples)
        self.exits = {**EXITS, **(exits or {})}

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_epilog(ctx, formatter)
        if self.examples:
            with formatter.section("Examples"):
                for example in self.examples:
                    formatter.write(f"{'':>{formatter.current_indent}}{example}\n")


def command(name: str | None = None, **attributes: Any) -> Callable[[Callable[..., Any]], CliCommand]:
    """Makes a command of a function; its docstring is the help."""
    return click.command(name, cls=CliCommand, **attributes)


class CliGroup(click.Group):
    """A group that shows its help when it is called alone."""

    command_class = CliCommand

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help())
            ctx.exit(ExitCode.FINE)
        return super().parse_args(ctx, args)


class Subcommand(NamedTuple):
    """Where a subcommand is below `afterwit.cli`, and the line that the overview shows of it without loading it."""

    place: str
    line: str


class LazyGroup(CliGroup):
    """Imports a subcommand when it is called, not before."""

    def __init__(self, *args: Any, entries: Mapping[str, Subcommand], **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self._entries = entries

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click passes it
        return list(self._entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in self._entries:
            return None
        module, name = self._place(cmd_name)
        subcommand: click.Command = getattr(import_module(module), name)
        return subcommand

    def loaded(self, cmd_name: str) -> click.Command | None:
        """A subcommand that was imported already; None for others, whatever may be wrong with them."""
        module, name = self._place(cmd_name)
        subcommand = getattr(sys.modules.get(module), name, None)
        return subcommand if isinstance(subcommand, click.Command) else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.line) for name, entry in self._entries.items()])

    def _place(self, cmd_name: str) -> tuple[str, str]:
        module, _, name = self._entries[cmd_name].place.partition(":")
        return f"afterwit.cli.{module}", name
