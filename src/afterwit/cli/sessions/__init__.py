"""`afterwit sessions`: what was captured. One registry line per command, whose module is named after it."""

import click

from afterwit.cli.commands import LazyGroup
from afterwit.config.extras import Subcommand

COMMANDS = {
    "list": Subcommand("afterwit.cli.sessions.list:list_sessions", "All agents' sessions in one table."),
    "show": Subcommand("afterwit.cli.sessions.show:show", "One session as a readable transcript."),
    "search": Subcommand("afterwit.cli.sessions.search:search", "Full text over what was said and done."),
    "restore": Subcommand("afterwit.cli.sessions.restore:restore", "The original files back, byte for byte."),
    "export": Subcommand("afterwit.cli.sessions.export:export", "Sessions as normalised JSON lines."),
    "cost": Subcommand("afterwit.cli.sessions.cost:cost", "What was spent, by day, repository, model or agent."),
    "pin": Subcommand("afterwit.cli.sessions.pin:pin", "Keep originals, whatever the storage budget says."),
    "unpin": Subcommand("afterwit.cli.sessions.pin:unpin", "Let the storage budget decide about originals again."),
    "delete": Subcommand("afterwit.cli.sessions.delete:delete", "Erase sessions from all that Afterwit keeps."),
    "repos": Subcommand("afterwit.cli.sessions.identities:repos", "Which repository each folder and remote counts as."),
    "tools": Subcommand("afterwit.cli.sessions.identities:tools", "The agents' tools and what kind each is."),
    "users": Subcommand("afterwit.cli.sessions.identities:users", "Whose home folders the sessions ran in."),
}


@click.group(cls=LazyGroup, entries=COMMANDS)
def sessions() -> None:
    """What was captured, and whose it is."""
