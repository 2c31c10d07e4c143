"""`afterwit sessions`: what was captured. One registry line per command, whose module is named after it."""

import click

from afterwit.cli.commands import LazyGroup
from afterwit.config.extras import Subcommand

COMMANDS = {
    "list": Subcommand(".list:list_sessions", "All agents' sessions in one table."),
    "show": Subcommand(".show:show", "One session as a readable transcript."),
    "search": Subcommand(".search:search", "Full text over what was said and done."),
    "restore": Subcommand(".originals:restore", "The original files back, byte for byte."),
    "export": Subcommand(".originals:export", "Sessions as normalised JSON lines."),
    "cost": Subcommand(".cost:cost", "What was spent, by day, repository, model or agent."),
    "pin": Subcommand(".originals:pin", "Keep originals, whatever the storage budget says."),
    "unpin": Subcommand(".originals:unpin", "Let the storage budget decide about originals again."),
    "delete": Subcommand(".delete:delete", "Erase sessions from all that Afterwit keeps."),
    "repos": Subcommand(".identities:repos", "Which repository each folder and remote counts as."),
    "tools": Subcommand(".identities:tools", "The agents' tools and what kind each is."),
    "users": Subcommand(".identities:users", "Whose home folders the sessions ran in."),
}


@click.group(cls=LazyGroup, package=__name__, entries=COMMANDS)
def sessions() -> None:
    """What was captured, and whose it is."""
