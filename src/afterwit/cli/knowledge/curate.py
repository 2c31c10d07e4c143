"""`afterwit knowledge add`, `edit`, `approve`, `reject`, `pin`, `unpin`, `retire`: what people decide about notes."""

import sys

import click
import msgspec

from afterwit.cli.commands import CliCommand, ExitCode, command
from afterwit.cli.knowledge.item_options import described
from afterwit.cli.knowledge.items import EXITS
from afterwit.cli.terminal.options import Here, reporting
from afterwit.cli.terminal.output import print_json, talk
from afterwit.engine.curation import curate
from afterwit.engine.curation.curate import Judged, Words
from afterwit.knowledge.door.list import shown
from afterwit.model.knowledge import EVERYWHERE, Category, ItemStatus
from afterwit.store.decisions import DecisionKind, ItemChanges

UNDO = "`afterwit knowledge undo` takes it back."


def _judging(name: str, help_text: str, examples: str = "3fa9c1") -> CliCommand:
    """A command that decides the same about several notes."""

    @command(name, help=help_text, examples=(f"afterwit knowledge {name} {examples}",), exits=EXITS)
    @click.argument("items", nargs=-1, required=True, metavar="NOTE...")
    @reporting
    def judging(here: Here, items: tuple[str, ...], is_json: bool) -> None:
        done = curate.judge(here.world, DecisionKind[name.upper()], items)
        if is_json:
            print_json(done)
            return
        for judged in done:
            talk(_said(judged))
        if any(judged.has_changed for judged in done):
            talk(UNDO)

    return judging


approve = _judging(
    "approve",
    """Let notes be used, however little stands behind them.

    What waits or needs your approval is in use then. NOTE is an id or the beginning of one.
    """,
    "3fa9c1 0b7d22",
)
reject = _judging(
    "reject",
    """Take out notes that should never have been made. They do not come back.

    NOTE is an id or the beginning of one.
    """,
)
pin = _judging(
    "pin",
    """Keep notes in use, however old they get and whatever contradicts them.

    A note that was rejected or retired comes back. NOTE is an id or the beginning of one.
    """,
)
unpin = _judging("unpin", "Let notes grow old again. NOTE is an id or the beginning of one.")
retire = _judging(
    "retire", "Take out notes that were true once and no longer are. NOTE is an id or the beginning of one."
)


def _said(judged: Judged) -> str:
    """What became of a note, in a line."""
    if not judged.status:
        return f"{judged.id} is gone: {judged.fact}"
    before = ItemStatus(judged.before).in_words if judged.before and judged.before != judged.status else ""
    was = f" (before: {before})" if before else ""
    reason = f", {judged.reason}" if judged.reason else ""
    unchanged = "" if judged.has_changed else "Nothing to change: "
    return f"{unchanged}{judged.id}: {ItemStatus(judged.status).in_words}{was}{reason}: {judged.fact}"


@command(
    examples=(
        'afterwit knowledge add "Prune in March, never after the first blossom." --repo orchard',
        'afterwit knowledge add "`make count` needs the tree index: run `make index` first."'
        ' --shown-when "command:make count" --use "make index"',
    ),
    exits=EXITS,
)
@click.argument("sentence")
@reporting
@described
def add(here: Here, sentence: str, changes: ItemChanges, is_json: bool) -> None:
    """Write a note yourself: one sentence of at most 320 characters that says when and what to do.

    It is in use at once. Unless you say otherwise, its category is fact and it applies everywhere.
    """
    words = Words(
        sentence=sentence,
        category=changes.category or Category.FACT,
        scope=changes.scope or EVERYWHERE,
        advice=changes.advice or "",
        files=changes.files or (),
        triggers=changes.triggers or (),
    )
    done = curate.add(here.world, words)
    if is_json:
        print_json(done)
    else:
        talk(_said(done))
        if done.has_changed:
            talk(UNDO)


@command(
    examples=(
        "afterwit knowledge edit 3fa9c1",
        'afterwit knowledge edit 3fa9c1 "Run the tests with `make trees`; `make count` is gone."',
        "afterwit knowledge edit 3fa9c1 --applies-to everywhere --category pitfall",
        'afterwit knowledge edit 3fa9c1 --shown-when "command:make count" --shown-when rule:E501',
    ),
    exits=EXITS,
)
@click.argument("item", metavar="NOTE")
@click.argument("sentence", required=False)
@reporting
@described
def edit(here: Here, item: str, sentence: str | None, changes: ItemChanges, is_json: bool) -> None:
    """Change what a note says, what it applies to or when it is shown, and approve it with that.

    What is not named stays. Files and --shown-when replace all that were set before. With nothing but NOTE, your editor
    opens with the present words. NOTE is an id or the beginning of one.
    """
    if sentence is None and not changes.named:
        sentence = _edited(shown(here.world, item).sentence)
    done = curate.edit(here.world, item, msgspec.structs.replace(changes, sentence=sentence))
    if is_json:
        print_json(done)
    elif done.has_changed:
        talk(_said(done))
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
