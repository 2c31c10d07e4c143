"""Options that every command shares: where the store is, and JSON output."""

import functools
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import click

from afterwit.config.show import Configured, load, user_home
from afterwit.config.world import World
from afterwit.store.layout import Layout

Command = Callable[..., Any]


class Here(NamedTuple):
    """Where the command runs: the settings in force, and the world they describe."""

    configured: Configured
    world: World


def in_place(command: Command) -> Command:
    """Adds `--config` and `--profile`, and passes what they lead to as `here`."""

    @click.option(
        "--config",
        type=click.Path(path_type=Path),
        metavar="PATH",
        help="Use this configuration file instead of config.toml in the data folder.",
    )
    @click.option("--profile", metavar="NAME", help="Use the store of this profile.")
    @functools.wraps(command)
    def wrapped(*args: Any, config: Path | None, profile: str | None, **options: Any) -> Any:
        return command(*args, here=_here(config, profile), **options)

    return wrapped


def as_json(command: Command) -> Command:
    """Adds `--json`, passed as `is_json`."""
    option = click.option("--json", "is_json", is_flag=True, help="Print JSON, in a stable shape.")
    return option(command)


def _here(config: Path | None, profile: str | None) -> Here:
    configured = load(os.environ, sys.platform, config, profile)
    world = World(
        layout=Layout(configured.place.store),
        settings=configured.settings,
        user_home=Path(user_home(os.environ, sys.platform)).absolute(),
        environ=os.environ,
        now_ms=time.time_ns() // 1_000_000,
        declared=configured.declared,
    )
    return Here(configured, world)
