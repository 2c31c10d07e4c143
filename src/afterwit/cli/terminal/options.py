"""What commands share: options (where the store is, JSON, names of agents, sizes, times), and how this program is
started again.

Which agents people have declared is known only when the configuration is read, so an option takes any name, and the
command checks it.
"""

import datetime as dt
import functools
import os
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from afterwit.agents.declared.description import Description
from afterwit.agents.registry import agents_with
from afterwit.cli.commands import config_option, profile_option
from afterwit.config.calendar import EXAMPLES, Calendar, Period
from afterwit.config.calendar import period as period_in
from afterwit.config.show import Configured, load, user_home
from afterwit.config.world import World
from afterwit.model.errors import did_you_mean
from afterwit.model.text import regex
from afterwit.store.layout import Layout


class FolderOrUrl(click.Path):
    """A folder that is there, or a URL, which stays a text."""

    def __init__(self) -> None:
        super().__init__(exists=True, file_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, str) and "://" in value and not value.startswith(_FILE):
            return value
        return super().convert(value.removeprefix(_FILE) if isinstance(value, str) else value, param, ctx)


Command = Callable[..., Any]
_FILE = "file://"
json_option = click.option("--json", "is_json", is_flag=True, help="Print JSON, in a stable shape.")
timed = click.option("--utc", "is_utc", is_flag=True, help="Show and take times in UTC, not in local time.")
agreed = click.option("--yes", "is_agreed", is_flag=True, help="Do not ask.")


class Here(NamedTuple):
    """Where the command runs: the settings in force, and the world they describe."""

    configured: Configured
    world: World

    @property
    def calendar(self) -> Calendar:
        return self.world.calendar


def in_place(command: Command) -> Command:
    """Adds `--config` and `--profile`, and passes what they lead to as `here`; with `timed` below, in the zone that
    `--utc` asks for."""

    @config_option
    @profile_option
    @functools.wraps(command)
    def in_here(*args: Any, config: Path | None, profile: str | None, is_utc: bool = False, **options: Any) -> Any:
        here = here_from(config, profile)
        if is_utc:
            here = here._replace(world=here.world._replace(zone=dt.UTC))
        return command(*args, here=here, **options)

    return in_here


def reporting(command: Command) -> Command:
    """Adds the options of a command that works on the store and prints a result: `--json`, `--config`, `--profile`."""
    return json_option(in_place(command))


def many(
    option: str, name: str, metavar: str, text: str, values: "Iterable[str] | click.Choice[str] | None" = None
) -> Callable[[Command], Command]:
    """An option that can be given several times, with any text or with one of these values."""
    kind = click.Choice([*map(str, values)]) if values and not isinstance(values, click.Choice) else values
    return click.option(option, name, multiple=True, type=kind, metavar=metavar, help=text)


def added(options: Sequence[Callable[[Command], Command]], command: Command) -> Command:
    """The command with all these options, in their order."""
    for option in reversed(options):
        command = option(command)
    return command


def here_from(config: Path | None, profile: str | None) -> Here:
    """What a configuration file and a profile lead to, or without them the usual places."""
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


def refuse_unknown(names: Iterable[str], declared: Iterable[Description], option: str) -> None:
    """Raises for the first name that is no agent's, neither built in nor declared."""
    agents = sorted(agent.name for agent in agents_with(declared))
    for name in names:
        if name not in agents:
            hint = did_you_mean(name, agents) or f"Known are: {', '.join(agents)}."
            raise click.BadParameter(f"there is no agent named {name!r}. {hint}", param_hint=f"'{option}'")


def own_command() -> tuple[str, ...]:
    """The command as it was called, a link kept as a link; else the interpreter with the package, which it must not
    look for in the folder where it is started."""
    called = Path(sys.argv[0])
    if called.stem == "afterwit" and called.is_file():
        return (str(called.absolute()),)
    return (sys.executable, "-P", "-m", "afterwit")


COUNT = click.IntRange(min=0, max=1_000_000_000)  # more than a store can hold, and less than SQLite can count
_TYPED_SIZE = regex(r"(?i)(?P<number>\d{1,15}(?:\.\d{1,6})?)\s?(?P<unit>(?:[KMGT]i?)?)B?")
_DECIMAL = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_BINARY = {"KI": 1 << 10, "MI": 1 << 20, "GI": 1 << 30, "TI": 1 << 40}


class ByteSize(click.ParamType):  # type: ignore[type-arg]  # generic in later versions of click alone
    """A size in bytes, as people type it: `20MB`, `1.5 GB`, `2GiB`, or a number."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        match = _TYPED_SIZE.fullmatch(str(value).strip())
        if match is None:
            self.fail(
                f"{value!r} is no size. Write a number of bytes, or one with a unit: 500MB, 2.5GB, 2GiB.", param, ctx
            )
        return int(float(match["number"]) * (_DECIMAL | _BINARY)[match["unit"].upper()])


def since_ms(text: str | None, calendar: Calendar) -> int | None:
    """From when on; None where nothing was typed."""
    return None if text is None else period(text, calendar, "--since").begin_ms


def until_ms(text: str | None, calendar: Calendar) -> int | None:
    """Up to when."""
    return None if text is None else period(text, calendar, "--until").end_ms


def period(text: str, calendar: Calendar, option: str) -> Period:
    """The period that somebody means. What names none is wrong use, and the message shows what does."""
    meant = period_in(text, calendar)
    if meant is None:
        raise click.BadParameter(f"{text!r} is no time that is understood. Examples: {EXAMPLES}.", param_hint=option)
    return meant
