"""`afterwit memory store`: remembers something under a key."""

import json
import sys

import click

from afterwit.cli.commands import Command
from afterwit.cli.memory.user import WRITE_EXITS, as_user, end_waiting
from afterwit.cli.terminal.options import Here, as_json, in_place
from afterwit.cli.terminal.output import print_json, talk
from afterwit.memory.api import memory
from afterwit.model.memory_entry import PERSON, STORED_BY, Plain


@click.command(
    cls=Command,
    examples=(
        'afterwit memory store preference.indent "two spaces in YAML"',
        'afterwit memory store testing.runner "make test" --meta repo=orchard --meta count=3',
    ),
    exits=WRITE_EXITS,
)
@click.argument("key")
@click.argument("value")
@click.option(
    "--meta",
    "metadata",
    multiple=True,
    metavar="NAME=VALUE",
    help="Keep this beside it: a text, number, true or false.",
)
@as_user
@as_json
@in_place
def store(here: Here, key: str, value: str, metadata: tuple[str, ...], user: str | None, is_json: bool) -> None:
    """Remember something under a key.

    Storing again under the same key replaces it. What an agent stored becomes yours that way: only what you stored is
    given to agents as it stands. `-` as the value reads it from standard input. It is kept as it is,
    and nothing in it is redacted: store no secrets.
    """
    text = sys.stdin.read().strip("\n") if value == "-" else value
    with memory(here.world, user) as mine:
        stored = mine.store(key, text, {**dict(_pair(one) for one in metadata), STORED_BY: PERSON})
    if is_json:
        print_json(stored)
    if stored.is_waiting:
        end_waiting(stored.reason)
    if not is_json:
        talk(f"Stored {key}.")


def _pair(text: str) -> tuple[str, Plain]:
    name, sign, value = text.partition("=")
    if not sign or not name:
        raise click.BadParameter(f"{text!r} is not like NAME=VALUE.", param_hint="--meta")
    try:
        found = json.loads(value)
    except ValueError:
        return name, value
    return name, found if isinstance(found, str | int | float | bool) or found is None else value
