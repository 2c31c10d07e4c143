"""`afterwit knowledge rejected`: what the gate kept out, and why."""

import click

from afterwit.cli.commands import COUNT, Command
from afterwit.cli.knowledge.shapes import EXITS
from afterwit.cli.terminal.options import Here, as_json, in_place
from afterwit.cli.terminal.output import human_count, print_json, print_text, talk
from afterwit.knowledge import list as item_views
from afterwit.knowledge.gate import Rejection


@click.command(
    cls=Command,
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
@as_json
@in_place
def rejected(here: Here, reason: str | None, samples: int, is_json: bool) -> None:
    """Show what was drafted and kept out: how much for which reason, with samples."""
    found = item_views.rejected(here.world, reason or "", samples)
    if is_json:
        print_json(found)
        return
    for one in found:
        print_text(f"{human_count(one.count)} {one.reason}: {one.why}")
        for sample in one.samples:
            print_text(f"{sample['fact']}  ({sample['harvester']}, {sample['scope']})", first="  ", rest="    ")
    if not found:
        talk("Nothing was kept out. `afterwit learn` harvests what your agents have logged.")
