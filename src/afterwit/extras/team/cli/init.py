"""`afterwit share init`: begin a share in a checkout, or join a repository of shares."""

import click

from afterwit.cli.commands import command
from afterwit.cli.terminal.options import Here, reporting
from afterwit.cli.terminal.output import print_json, talk
from afterwit.extras.fixes.cli.places import placed
from afterwit.extras.fixes.history import FixPlace
from afterwit.extras.team.cli.words import EXITS
from afterwit.extras.team.init import init as begin


@command(
    examples=(
        "afterwit share init",
        "afterwit share init --through git@example.org:orchard/notes.git",
    ),
    exits=EXITS,
)
@click.option("--through", "url", default="", metavar="URL", help="A git repository of its own, not a folder here.")
@reporting
@placed
def init(here: Here, place: FixPlace, url: str, is_json: bool) -> None:
    """Begin to share the notes of a repository.

    Makes the folder `.afterwit` in the checkout, to be committed like any other file. With --through the notes lie in a
    git repository of their own, which may hold those of several repositories; a clone of it is kept in the store.
    Nothing is shared before `afterwit share push`.
    """
    begun = begin(here.world, place, url)
    if is_json:
        print_json(begun)
        return
    talk(f"The notes of {place.repo} are shared through {begun.folder}.")
    talk("Next: afterwit share push  # shows what would be shared, and asks")
