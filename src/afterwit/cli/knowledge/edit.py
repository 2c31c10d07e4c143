"""`afterwit knowledge edit`: gives an item other words, another place, other triggers."""

import sys

import click
import msgspec

from afterwit.cli.commands import Command, ExitCode
from afterwit.cli.knowledge.item_options import described
from afterwit.cli.knowledge.judge import UNDO, said
from afterwit.cli.knowledge.shapes import EXITS
from afterwit.cli.terminal.options import Here, as_json, in_place
from afterwit.cli.terminal.output import print_json, talk
from afterwit.curation import curate as curating
from afterwit.decisions.will import ItemChanges
from afterwit.knowledge.list import shown


@click.command(
    cls=Command,
    examples=(
        "afterwit knowledge edit 3fa9c1",
        'afterwit knowledge edit 3fa9c1 "Run the tests with `make trees`; `make count` is gone."',
        "afterwit knowledge edit 3fa9c1 --scope everywhere --category pitfall",
        'afterwit knowledge edit 3fa9c1 --trigger "command:make count" --trigger rule:E501',
    ),
    exits=EXITS,
)
@click.argument("item")
@click.argument("sentence", required=False)
@as_json
@in_place
@described
def edit(here: Here, item: str, sentence: str | None, changes: ItemChanges, is_json: bool) -> None:
    """Give an item other words, another place, category, advice or triggers, and approve it with them.

    What is not named stays; triggers and files that are named take the place of all present ones. With nothing but
    ITEM, your editor opens with the present words. ITEM is an id or the beginning of one.
    """
    if sentence is None and not changes.named:
        sentence = _edited(shown(here.world, item).sentence)
    done = curating.edit(here.world, item, msgspec.structs.replace(changes, sentence=sentence))
    if is_json:
        print_json(done)
    elif done.has_changed:
        talk(said(done))
        if changes.named:
            talk(f"Changed: {changes.in_words}.")
        talk(UNDO)
    else:
        talk("It is so already. Nothing was changed.")


def _edited(present: str) -> str:
    if not sys.stdin.isatty():
        raise click.UsageError("There is no terminal to open an editor on. Give the sentence, or what else to change.")
    words = click.edit(present)
    if words is None:
        talk("Nothing was changed.")
        raise click.exceptions.Exit(ExitCode.FINE)
    return words
