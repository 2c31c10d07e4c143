"""`afterwit store hub members`: who belongs to which team, said by the hub's owner."""

import click

from afterwit.cli.commands import CliGroup, ExitCode, command
from afterwit.cli.terminal.options import Here, agreed, reporting
from afterwit.cli.terminal.output import is_confirmed, print_json, talk
from afterwit.cli.terminal.table import Column, print_table
from afterwit.extras.team.cli.hub.address import EXITS, of_hub
from afterwit.extras.team.hub import owner
from afterwit.extras.team.hub.address import HubAddress
from afterwit.model.figures import human_count

_MEMBERS = (Column("name"), Column("role"), Column("team"), Column("may", takes_rest=True))


@click.group(cls=CliGroup)
def members() -> None:
    """Who belongs to the teams of a hub."""


@command("list", examples=("afterwit store hub members list",), exits=EXITS)
@reporting
@of_hub
def list_members(here: Here, address: HubAddress, is_json: bool) -> None:  # noqa: ARG001
    """List members. The owner sees all, others see themselves."""
    rows = owner.members(address)
    if is_json:
        print_json(rows)
    elif rows:
        print_table(_MEMBERS, [(row.name, row.role, row.team, _may(row)) for row in rows])
    else:
        talk("Nobody yet. `afterwit store hub members add ROLE` adds somebody.")


@command(
    examples=(
        "afterwit store hub members add ada --team growers",
        "afterwit store hub members add visitor --team growers --read-only",
    ),
    exits=EXITS,
)
@click.argument("role")
@click.option("--team", default=owner.TEAM, show_default=True, metavar="NAME", help="The team that they belong to.")
@click.option("--name", default="", metavar="NAME", help="The name beside their notes. Default: that of the role.")
@click.option("--read-only", "is_read_only", is_flag=True, help="They may take notes in and not share any.")
@reporting
@of_hub
def add(
    here: Here,  # noqa: ARG001
    address: HubAddress,
    role: str,
    team: str,
    name: str,
    is_read_only: bool,
    is_json: bool,
) -> None:
    """Make a role of PostgreSQL a member of a team.

    The role has to be there: `createuser --pwprompt ROLE` makes one. It belongs to one team. One that was revoked is
    let in again.
    """
    row = owner.add_member(address, role, team, name, is_read_only=is_read_only)
    if is_json:
        print_json(row)
    else:
        talk(f"{row.name} ({row.role}) belongs to {row.team}, and may {_may(row)}.")


@command(examples=("afterwit store hub members revoke ada",), exits=EXITS)
@click.argument("role")
@reporting
@of_hub
def revoke(here: Here, address: HubAddress, role: str, is_json: bool) -> None:  # noqa: ARG001
    """Shut a member out, at once. What they shared stays; `remove` takes that back, too."""
    row = owner.revoke_member(address, role)
    if is_json:
        print_json(row)
    else:
        talk(f"{row.name} can no longer read or write on the hub.")


@command(
    examples=("afterwit store hub members remove mallory",),
    exits={**EXITS, ExitCode.FAILED: "The answer was no, or the hub does not answer, or refused."},
)
@click.argument("role")
@agreed
@reporting
@of_hub
def remove(here: Here, address: HubAddress, role: str, is_agreed: bool, is_json: bool) -> None:  # noqa: ARG001
    """Shut a member out, and take back for everybody all that they shared."""
    if not is_confirmed(f"Remove {role}, with all that they shared?", is_agreed=is_agreed):
        talk("Nobody was removed.")
        raise click.exceptions.Exit(ExitCode.FAILED)
    done = owner.remove_member(address, role)
    if is_json:
        print_json(done)
    else:
        talk(f"{role} is out. What they said about {human_count(done.notes_taken_back, 'note')} is taken back.")


def _may(row: owner.HubMember) -> str:
    return "nothing: revoked" if row.is_revoked else "read" if row.is_read_only else "read and write"


for subcommand in (list_members, add, revoke, remove):
    members.add_command(subcommand)
