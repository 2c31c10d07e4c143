"""`afterwit store hub status` and `search`: what a team has on its hub."""

import functools
from collections.abc import Callable
from typing import Any

import click

from afterwit.cli.commands import CliGroup, ExitCode, command
from afterwit.cli.terminal.options import COUNT, Here, added, agreed, reporting
from afterwit.cli.terminal.output import is_confirmed, print_json, print_line, print_text, talk
from afterwit.cli.terminal.table import Column, print_table
from afterwit.extras.team.hub import owner
from afterwit.extras.team.hub.address import HubAddress, address_of
from afterwit.extras.team.hub.owner import TEAM
from afterwit.extras.team.hub.owner import init as run_init
from afterwit.extras.team.hub.rows import MemberRow, MemberSum
from afterwit.model.figures import human_count

EXITS = {ExitCode.FAILED: "The hub does not answer, or refused. Nothing is lost."}
_HUB = click.option("--hub", "url", default="", metavar="URL", help="The hub's address. Default: `url` under [hub].")


def hub_at(here: Here, url: str) -> HubAddress:
    """The hub that was named, or that the settings name."""
    named = url or here.world.settings.hub.url or ""
    if not named:
        raise click.UsageError("Which hub? Give its address, or say `url = …` under [hub] in config.toml.")
    address = address_of(named, here.world.environ, here.world.user_home)
    if address.warning:
        talk(address.warning)
    return address


def of_hub(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds `--hub`, passed as `address`. Goes below `in_place`."""

    @functools.wraps(command)
    def wrapped(*args: Any, here: Here, url: str, **options: Any) -> Any:
        return command(*args, here=here, address=hub_at(here, url), **options)

    return added((_HUB,), wrapped)


_SUMS = (
    Column("member"),
    *(Column(name, is_number=True) for name in ("notes", "sessions", "ended well", "actions", "failed")),
    Column("tokens", is_number=True, gives_way=1),
    Column("digests", is_number=True, gives_way=2),
    Column("version", gives_way=3),
)
_LIMIT = 20


@command(examples=("afterwit store hub status", "afterwit store hub status --json"), exits=EXITS)
@reporting
@of_hub
def status(here: Here, address: HubAddress, is_json: bool) -> None:  # noqa: ARG001
    """What your team has on the hub: notes by repository, and sums by member.

    Sums are counts: sessions, actions, failures, tokens. No transcript is on the hub, and digests of sessions only of
    those who share them.
    """
    state = owner.status(address)
    if is_json:
        print_json(state)
        return
    may = "read" if state.is_read_only else "read and write"
    print_line(f"hub {state.hub}, schema {state.schema}; you are {state.name} of {state.team}, and may {may}")
    for row in state.repos:
        print_line(f"{row.repo}: {human_count(row.notes, 'note')}")
    if state.members:
        print_table(_SUMS, [_row(row) for row in state.members])
    else:
        talk("Nothing is there yet. `afterwit store sync` brings the first notes.")


def _row(row: MemberSum) -> tuple[str, ...]:
    numbers = (row.notes, row.sessions, row.successes, row.actions, row.failures, row.tokens, row.digests)
    return row.name, *map(human_count, numbers), ", ".join(row.versions)


@command(
    examples=("afterwit store hub search press crates", "afterwit store hub search press OR crates"),
    exits=EXITS,
)
@click.argument("words", nargs=-1, required=True)
@click.option(
    "--limit", type=COUNT, default=_LIMIT, show_default=True, metavar="N", help="Show at most N; 0 means all."
)
@reporting
@of_hub
def search(here: Here, address: HubAddress, words: tuple[str, ...], limit: int, is_json: bool) -> None:  # noqa: ARG001
    """Find notes of your team by their words, and tasks of sessions that members share.

    All words have to be there; "quotes", OR and -word work as in a web search. What is found is not taken in: that does
    `afterwit store sync`.
    """
    hits = owner.search(address, " ".join(words), limit or None)
    if is_json:
        print_json(hits)
        return
    for row in hits:
        print_text(f"{row.kind} {row.id} by {row.by}, {row.repo}: {row.text}", rest="  ")
    if not hits:
        talk("Nothing on the hub has these words.")


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


def _may(row: MemberRow) -> str:
    return "nothing: revoked" if row.is_revoked else "read" if row.is_read_only else "read and write"


for subcommand in (list_members, add, revoke, remove):
    members.add_command(subcommand)
