"""`afterwit connect status`: what is connected."""

import click
import msgspec

from afterwit.cli.commands import Command
from afterwit.cli.connect.host import this_host
from afterwit.cli.options import Here, as_json, in_place
from afterwit.cli.output import print_json, print_line, talk
from afterwit.schedule.cadence import Cadence
from afterwit.usecases import schedule
from afterwit.usecases.schedule import Installed


@click.command(cls=Command, examples=("afterwit connect status", "afterwit connect status --json"))
@as_json
@in_place
def status(here: Here, is_json: bool) -> None:
    """Show what is connected.

    Whether a regular `learn` is set up for this store, by which scheduler, how often, and in which files.
    """
    host = this_host(here)
    installed = schedule.status(host, schedule.label_for(here.configured.place, host))
    wanted = here.world.settings.schedule.cadence
    if is_json:
        print_json({"schedule": {**msgspec.structs.asdict(installed), "configured_cadence": wanted}})
    else:
        _show(installed, wanted)


def _show(installed: Installed, wanted: str) -> None:
    if not installed.is_installed:
        print_line("No schedule. `afterwit connect schedule` sets one up.")
        return
    when = Cadence.of(installed.cadence).words if installed.cadence else "at times of its own"
    print_line(f"`learn` runs {when}, by {installed.scheduler}:")
    for place in installed.places:
        print_line(f"    {place}")
    if not installed.is_running:
        talk("But the scheduler does not know of it. `afterwit connect schedule` sets it up again.")
    if installed.cadence != wanted:
        talk(f"The setting schedule.cadence is {wanted}; `afterwit connect schedule` applies it.")
