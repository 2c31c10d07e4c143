"""`afterwit knowledge reconcile` and `rejected`: what does not go together, and what was kept out."""

import click

from afterwit.cli.commands import command
from afterwit.cli.knowledge.items import EXITS
from afterwit.cli.terminal.amounts import COUNT, human_count
from afterwit.cli.terminal.options import Here, reporting
from afterwit.cli.terminal.output import print_json, print_line, print_text, talk
from afterwit.knowledge.door.list import rejected as list_rejected
from afterwit.knowledge.door.reconcile import Reconciliation, Side
from afterwit.knowledge.door.reconcile import reconcile as run_reconcile
from afterwit.knowledge.gate import Rejection


@command(examples=("afterwit knowledge reconcile", "afterwit knowledge reconcile --json"), exits=EXITS)
@reporting
def reconcile(here: Here, is_json: bool) -> None:
    """Show where instruction files contradict each other or the notes, and notes that may say the same.

    Reads AGENTS.md, CLAUDE.md and the like in repositories on this machine, and the agents' own memory files. Changes
    nothing.
    """
    result = run_reconcile(here.world)
    if is_json:
        print_json(result)
    else:
        _show(result)


def _show(result: Reconciliation) -> None:
    pairs = [(f"{clash.repo or 'everywhere'}: about {clash.about}", clash.one, clash.other) for clash in result.clashes]
    pairs += [("These may say the same:", double.one, double.other) for double in result.doubles]
    for heading, *sides in pairs:
        print_line(heading)
        for side in sides:
            print_text(_side(side), first="  ", rest="    ")
    clashes = human_count(len(result.clashes), "contradiction")
    doubles = human_count(len(result.doubles), "likely duplicate")
    talk(f"{human_count(result.files, 'instruction file')} read: {clashes}, {doubles}.")
    if result.clashes or result.doubles:
        talk("`afterwit knowledge retire NOTE` takes a note out, `edit` rewords it; the files are yours to change.")
    if any(clash.one.item and clash.other.file for clash in result.clashes):
        talk("No agent is told a note that a file contradicts; `afterwit knowledge pin NOTE` tells it all the same.")


def _side(side: Side) -> str:
    return f"{side.file}:{side.line}: {side.text}" if side.file else f"{side.item}: {side.text}"


@command(
    examples=("afterwit knowledge rejected", "afterwit knowledge rejected --reason momentary --samples 0"),
    exits=EXITS,
)
@click.option(
    "--reason",
    type=click.Choice([reason.value for reason in Rejection]),
    default=None,
    metavar="REASON",
    help=f"Only this reason: {', '.join(Rejection)}.",
)
@click.option("--samples", type=COUNT, metavar="N", default=3, show_default=True, help="0 means all.")
@reporting
def rejected(here: Here, reason: str | None, samples: int, is_json: bool) -> None:
    """Show what was found and did not become a note: how much for which reason, with samples."""
    groups = list_rejected(here.world, reason or "", samples)
    if is_json:
        print_json(groups)
        return
    for refused in groups:
        print_text(f"{human_count(refused.count)} {refused.reason}: {refused.why}")
        for sample in refused.samples:
            print_text(f"{sample['fact']}  ({sample['harvester']}, {sample['scope']})", first="  ", rest="    ")
    if not groups:
        talk("Nothing was kept out. `afterwit learn` makes notes from what your agents log.")
