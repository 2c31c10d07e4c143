"""`afterwit knowledge reconcile`: what does not go together."""

import click

from afterwit.cli.commands import Command
from afterwit.cli.knowledge.shapes import EXITS
from afterwit.cli.terminal.options import Here, as_json, in_place
from afterwit.cli.terminal.output import human_count, print_json, print_line, print_text, talk
from afterwit.knowledge import reconcile as reconciling
from afterwit.knowledge.reconcile import Reconciliation, Side


@click.command(
    cls=Command, examples=("afterwit knowledge reconcile", "afterwit knowledge reconcile --json"), exits=EXITS
)
@as_json
@in_place
def reconcile(here: Here, is_json: bool) -> None:
    """Show where instruction files contradict each other or what was learned, and items that may say the same.

    Read are AGENTS.md, CLAUDE.md and their like in repositories that are on this machine, and the agents' own memory
    files. Nothing is changed.
    """
    found = reconciling.reconcile(here.world)
    if is_json:
        print_json(found)
    else:
        _show(found)


def _show(found: Reconciliation) -> None:
    for clash in found.clashes:
        print_line(f"{clash.repo or 'everywhere'}: about {clash.about}")
        print_text(_side(clash.one), first="  ", rest="    ")
        print_text(_side(clash.other), first="  ", rest="    ")
    for double in found.doubles:
        print_line("These may say the same:")
        print_text(_side(double.one), first="  ", rest="    ")
        print_text(_side(double.other), first="  ", rest="    ")
    clashes, doubles = (
        human_count(len(found.clashes), "contradiction"),
        human_count(len(found.doubles), "likely double"),
    )
    talk(f"{human_count(found.files, 'instruction file')} read: {clashes}, {doubles}.")
    if found.clashes or found.doubles:
        talk("`afterwit knowledge retire ITEM` takes an item out, `edit` rewords it; the files are yours to change.")


def _side(side: Side) -> str:
    return f"{side.file}:{side.line}: {side.text}" if side.file else f"{side.item}: {side.text}"
