"""Groups that know their subcommands by name and load one only when it is called.

A registry line per subcommand says where it is and what the overview shows of it, so that help costs no imports.
"""

import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple

import click

from afterwit.cli.commands import Group


class Entry(NamedTuple):
    """Where a subcommand is, and the line that the overview shows of it without loading it."""

    place: str
    line: str


class LazyGroup(Group):
    """Imports a subcommand when it is called, not before."""

    def __init__(self, *args: Any, entries: Mapping[str, Entry], **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self._entries = entries

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click passes it
        return list(self._entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in self._entries:
            return None
        module, _, name = self._entries[cmd_name].place.partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def loaded(self, name: str) -> click.Command | None:
        """A subcommand that was imported already; None for others, whatever may be wrong with them."""
        module, _, own = self._entries[name].place.partition(":")
        found = getattr(sys.modules.get(module), own, None)
        return found if isinstance(found, click.Command) else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.line) for name, entry in self._entries.items()])
