"""What commands about a hub have in common: the option that names it, and exit codes."""

import functools
from collections.abc import Callable
from typing import Any

import click

from afterwit.cli.commands import ExitCode
from afterwit.cli.terminal.options import Here, added
from afterwit.cli.terminal.output import talk
from afterwit.extras.team.hub.address import HubAddress, address_of

EXITS = {ExitCode.FAILED: "The hub does not answer, or refused. Nothing is lost."}
_HUB = click.option("--hub", "url", default="", metavar="URL", help="The hub's address. Default: `url` under [hub].")


def hub_at(here: Here, url: str) -> HubAddress:
    """The hub that was named, or that the settings name."""
    named = url or here.world.settings.hub.url or ""
    if not named:
        raise click.UsageError("Which hub? Give its address, or say `url = …` under [hub] in config.toml.")
    address = address_of(named, here.world.environ, here.world.user_home)
    if address.warning:
        talk(address.warning)
    return address


def of_hub(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds `--hub`, passed as `address`. Goes below `in_place`."""

    @functools.wraps(command)
    def wrapped(*args: Any, here: Here, url: str, **options: Any) -> Any:
        return command(*args, here=here, address=hub_at(here, url), **options)

    return added((_HUB,), wrapped)
