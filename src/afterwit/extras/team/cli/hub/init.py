"""`afterwit store hub init`: make a hub, or bring one to a newer schema."""

import click

from afterwit.cli.commands import command
from afterwit.cli.terminal.options import Here, reporting
from afterwit.cli.terminal.output import print_json, talk
from afterwit.extras.team.cli.hub.address import EXITS, of_hub
from afterwit.extras.team.hub.address import HubAddress
from afterwit.extras.team.hub.owner import TEAM
from afterwit.extras.team.hub.owner import init as run_init


@command(
    examples=(
        "afterwit store hub init --hub postgresql://keeper@db.example.org/hub --team growers",
        "afterwit store hub init --restored",
    ),
    exits=EXITS,
)
@click.option(
    "--team", default=TEAM, show_default=True, metavar="NAME", help="A team to make, if there is none so named."
)
@click.option(
    "--restored",
    "is_restored",
    is_flag=True,
    help="The database was restored from a backup: let all machines begin anew.",
)
@reporting
@of_hub
def init(here: Here, address: HubAddress, team: str, is_restored: bool, is_json: bool) -> None:  # noqa: ARG001
    """Make a hub in a PostgreSQL database, or bring one to the schema of this version.

    Everything lies in the schema `afterwit_hub`, which belongs to the role that you log in with: its owner. Run it
    again for another team, or after an upgrade.
    """
    made = run_init(address, team, is_restored=is_restored)
    if is_json:
        print_json(made)
        return
    talk(f"The hub {made.hub} at {address.in_words} has schema {made.schema}.")
    if made.is_new_team:
        talk(f"Next: afterwit store hub members add ROLE --team {team}  # for each who belongs to {team}")
