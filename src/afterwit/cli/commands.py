"""The shapes of our commands: exit codes, groups that show their help, commands that bring examples.

What a command says of itself here is shown by `--help` and written into the reference pages by `docs/generate.py`.
Independent of click's version where versions differ: a group called without arguments prints its help and exits 0.
"""

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any

import click


class ExitCode(IntEnum):
    """How a command ended, for scripts."""

    FINE = 0
    FAILED = 1
    WRONG_USE = 2
    PARTLY_DONE = 3


COUNT = click.IntRange(min=0, max=1_000_000_000)  # more than a store can hold, and less than SQLite can count


EXITS: Mapping[ExitCode, str] = {
    ExitCode.FINE: "Fine.",
    ExitCode.FAILED: "Failed; a message on standard error says why.",
    ExitCode.WRONG_USE: "Wrong use: an unknown option or name, or a configuration that cannot be used.",
    ExitCode.PARTLY_DONE: "Partly done: some of the work failed, or Ctrl-C stopped it. What was done is kept.",
}


class Command(click.Command):
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


class Group(click.Group):
    """A group that shows its help when it is called alone."""

    command_class = Command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help())
            ctx.exit(ExitCode.FINE)
        return super().parse_args(ctx, args)
