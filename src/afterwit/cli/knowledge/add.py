"""`afterwit knowledge add`: an item in a person's own words."""

import click

from afterwit.cli.commands import Command
from afterwit.cli.knowledge.item_options import described
from afterwit.cli.knowledge.judge import UNDO, said
from afterwit.cli.knowledge.shapes import EXITS
from afterwit.cli.terminal.options import Here, as_json, in_place
from afterwit.cli.terminal.output import print_json, talk
from afterwit.curation import curate as curating
from afterwit.curation.curate import Words
from afterwit.decisions.will import ItemChanges
from afterwit.model.knowledge import EVERYWHERE, Category


@click.command(
    cls=Command,
    examples=(
        'afterwit knowledge add "Prune in March, never after the first blossom." --repo orchard',
        'afterwit knowledge add "`make count` needs the tree index: run `make index` first."'
        ' --trigger "command:make count" --advice "make index"',
    ),
    exits=EXITS,
)
@click.argument("sentence")
@as_json
@in_place
@described
def add(here: Here, sentence: str, changes: ItemChanges, is_json: bool) -> None:
    """Write an item yourself: one sentence of at most 240 characters that says when and what to do.

    It is approved with that. Unless you say otherwise, it is a fact and holds everywhere.
    """
    words = Words(
        sentence=sentence,
        category=changes.category or Category.FACT,
        scope=changes.scope or EVERYWHERE,
        advice=changes.advice or "",
        files=changes.files or (),
        triggers=changes.triggers or (),
    )
    done = curating.add(here.world, words)
    if is_json:
        print_json(done)
    else:
        talk(said(done))
        if done.has_changed:
            talk(UNDO)
