"""What a command is made of: exit codes, examples, and groups that load a subcommand only when it is called.

What a command says of itself is shown by `--help` and written into the reference pages by `docs/generate.py`. A group
has one registry line per subcommand, which says where it is and what the overview shows of it, so that help and
completion cost no imports; it may have short names for commands of its groups. Independent of click's version where
versions differ: a group called alone prints its help and exits 0, and a wrong name is answered in our words.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from afterwit.config.extras import Subcommand, commands_below, load

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


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


config_option = click.option(
    "--config",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Use this configuration file instead of config.toml in the data folder.",
)
profile_option = click.option(
    "--profile", metavar="NAME", help="Use the store of this profile, which has its own data folder."
)


def flag(option: str, name: str, text: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """An option that is there or not."""
    return click.option(option, name, is_flag=True, help=text)


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

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if not ctx.resilient_parsing and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            ctx.fail(self._refusal(ctx, args[0]))
        return super().resolve_command(ctx, args)

    def names(self, ctx: click.Context) -> list[str]:
        """All that may stand in the place of a command."""
        return self.list_commands(ctx)

    def _refusal(self, ctx: click.Context, name: str) -> str:
        from afterwit.model.errors import did_you_mean

        hint = did_you_mean(name, self.names(ctx), lambda near: f"`{ctx.command_path} {near}`")
        return f"No such command {name!r}. {hint or self.overview(ctx)}"

    def overview(self, ctx: click.Context) -> str:
        """What is said where no name is near."""
        return f"`{ctx.command_path} --help` lists what there is."


class DefaultGroup(CliGroup):
    """A group that does what one of its commands does where no command of it is named."""

    def __init__(self, *args: Any, default: str, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.default = default

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        is_known = bool(args) and (args[0] in self.commands or args[0] in ("-h", "--help"))
        return super().parse_args(ctx, args if is_known or ctx.resilient_parsing else [self.default, *args])


def _absolute(entry: Subcommand, package: str) -> Subcommand:
    return entry._replace(place=f"{package}{entry.place}") if entry.place.startswith(".") else entry


class LazyGroup(CliGroup):
    """Imports a subcommand when it is called, not before. A place that begins with a dot is below the package. Extras
    may add to it, if it has a place for them."""

    def __init__(
        self,
        *args: Any,
        package: str,
        entries: Mapping[str, Subcommand],
        short_names: Mapping[str, str] | None = None,
        first: Sequence[str] = (),
        extras_below: str | None = None,
        **attributes: Any,
    ) -> None:
        super().__init__(*args, **attributes)
        self._own = {name: _absolute(entry, package) for name, entry in entries.items()}
        self._extras_below = extras_below  # the words of this group after `afterwit`; None: no place for extras
        self.short_names = short_names or {}  # name → the group and the command that it is short for
        self._first = first  # names that the help shows alone; without any it shows all

    @cached_property
    def _entries(self) -> Mapping[str, Subcommand]:
        added = {} if self._extras_below is None else commands_below(self._extras_below)
        return {**self._own, **{name: entry for name, entry in added.items() if name not in self._own}}

    def _entry(self, cmd_name: str) -> Subcommand | None:
        """Extras are asked for what is not ours alone."""
        return self._own.get(cmd_name) or self._entries.get(cmd_name)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click passes it
        return list(self._entries)

    def names(self, ctx: click.Context) -> list[str]:
        return [*self.list_commands(ctx), *self.short_names]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in self.short_names:
            return self._long(ctx, self.short_names[cmd_name].split())
        entry = self._entry(cmd_name)
        subcommand: click.Command | None = load(entry.place) if entry is not None else None
        return subcommand

    def loaded_command(self, cmd_name: str) -> click.Command | None:
        """A subcommand that was imported already; None for others, whatever may be wrong with them."""
        if cmd_name in self.short_names:
            group, _, rest = self.short_names[cmd_name].partition(" ")
            inner = self.loaded_command(group)
            return inner.loaded_command(rest) if isinstance(inner, LazyGroup) else None
        entry = self._entry(cmd_name)
        module, _, name = entry.place.partition(":") if entry is not None else ("", "", "")
        subcommand = getattr(sys.modules.get(module), name, None)
        return subcommand if isinstance(subcommand, click.Command) else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if self._first:
            self._write(ctx, formatter, "Commands", self._first)
        else:
            self.format_all(ctx, formatter)

    def format_all(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """All commands: the first ones, the others, and apart from them what extras add and what is short."""
        self._write(ctx, formatter, "Every day", self._first)
        rest = [name for name in self._entries if name not in self._first]
        own = [name for name in rest if name in self._own]
        self._write(ctx, formatter, "Commands", own if self._first else rest)
        self._write(ctx, formatter, "Extras", [name for name in rest if name not in own] if self._first else [])
        self._write(ctx, formatter, "Short names", [name for name in self.short_names if name not in self._first])

    def _write(self, ctx: click.Context, formatter: click.HelpFormatter, title: str, names: Sequence[str]) -> None:
        if names:
            with formatter.section(title):
                formatter.write_dl([(name, self.line_of(ctx, name)) for name in names])

    def line_of(self, ctx: click.Context, name: str) -> str:
        """What an overview says of a command, for which only its group is loaded, if that is a lazy one."""
        if name not in self.short_names:
            return self._entries[name].line
        group, _, own = self.short_names[name].partition(" ")
        inner = self.get_command(ctx, group)
        if isinstance(inner, LazyGroup):
            return inner.line_of(ctx, own)
        command = self.get_command(ctx, name)
        return command.get_short_help_str(limit=200) if command is not None else ""

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        """The names of commands without loading them, then the options."""
        from click.shell_completion import CompletionItem

        lines = {name: entry.line for name, entry in self._entries.items()}
        lines |= {name: f"Short for {long}." for name, long in self.short_names.items()}
        commands = [CompletionItem(name, help=line) for name, line in lines.items() if name.startswith(incomplete)]
        return [*commands, *click.Command.shell_complete(self, ctx, incomplete)]

    def _long(self, ctx: click.Context, words: list[str]) -> click.Command | None:
        command: click.Command | None = self
        for word in words:
            command = command.get_command(ctx, word) if isinstance(command, click.Group) else None
        return command
