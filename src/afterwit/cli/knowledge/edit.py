"""`afterwit knowledge edit`: gives an item other words."""

import sys

import click

from afterwit.cli.commands import Command, ExitCode
from afterwit.cli.knowledge.judge import said
from afterwit.cli.knowledge.shapes import EXITS
from afterwit.cli.options import Here, as_json, in_place
from afterwit.cli.output import print_json, talk
from afterwit.usecases import curating
from afterwit.usecases.item_views import shown


@click.command(
    cls=Command,
    examples=(
        "afterwit knowledge edit 3fa9c1",
        'afterwit knowledge edit 3fa9c1 "Run the tests with `make trees`; `make count` is gone."',
    ),
    exits=EXITS,
)
@click.argument("item")
@click.argument("sentence", required=False)
@as_json
@in_place
def edit(here: Here, item: str, sentence: str | None, is_json: bool) -> None:
    """Give an item other words, and approve it with them.

    Without SENTENCE, your editor opens with the present words. ITEM is an id or the beginning of one.
    """
    words = sentence if sentence is not None else _edited(shown(here.world, item).sentence)
    done = curating.edit(here.world, item, words)
    if is_json:
        print_json(done)
    else:
        talk(said(done) if done.has_changed else "The words are the same. Nothing was changed.")


def _edited(present: str) -> str:
    if not sys.stdin.isatty():
        raise click.UsageError("There is no terminal to open an editor on. Give the sentence.")
    words = click.edit(present)
    if words is None:
        talk("Nothing was changed.")
        raise click.exceptions.Exit(ExitCode.FINE)
    return words
