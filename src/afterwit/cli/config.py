"""`afterwit config`: what is set, and where it comes from."""

import json
from pathlib import Path
from typing import Any

import click

from afterwit.cli.commands import Group
from afterwit.cli.sources import source
from afterwit.cli.terminal.options import Here, as_json, in_place
from afterwit.cli.terminal.output import print_json, print_line
from afterwit.config.show import Row, rows


@click.group(cls=Group)
def config() -> None:
    """What is set, and where it comes from."""


config.add_command(source)


@config.command(examples=("afterwit config show", "afterwit config show --json"))
@as_json
@in_place
def show(here: Here, is_json: bool) -> None:
    """Show every setting with its value and its source.

    A flag goes before the environment, the environment before the file, the file before the default. Each line can be
    put into config.toml as it is.
    """
    found = rows(here.configured)
    place = here.configured.place
    if is_json:
        settings = [{"key": row.key, "value": row.value, "source": row.source} for row in found]
        print_json(
            {"file": str(place.config), "store": str(place.store), "profile": place.profile, "settings": settings}
        )
        return
    state = "" if place.config.exists() else " (not there; defaults apply)"
    print_line(f"# file   {place.config}{state}")
    print_line(f"# store  {place.store}")
    for row in found:
        print_line(_line(row))


def _line(row: Row) -> str:
    """As TOML has it, which for these values is as JSON has it."""
    if row.value is None:
        return f"# {row.key} is not set"
    return f"{row.key} = {json.dumps(row.value, default=_text, ensure_ascii=False)}  # {row.source}"


def _text(value: Any) -> str:
    if isinstance(value, Path):
        return str(value)
    raise TypeError(type(value).__name__)
