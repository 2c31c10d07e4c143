"""`afterwit sessions`: what was captured. One registry line per command, whose module is named after it."""

import click

from afterwit.cli.commands import LazyGroup, Subcommand

COMMANDS = {
    "list": Subcommand("sessions.list:list_sessions", "All agents' sessions in one table."),
    "show": Subcommand("sessions.show:show", "One session as a readable transcript."),
    "search": Subcommand("sessions.search:search", "Full text over what was said and done."),
    "restore": Subcommand("sessions.restore:restore", "The original files back, byte for byte."),
    "export": Subcommand("sessions.export:export", "Sessions as normalised JSON lines."),
    "cost": Subcommand("sessions.cost:cost", "What was spent, by day, repository, model or agent."),
    "pin": Subcommand("sessions.pin:pin", "Keep originals, whatever the storage budget says."),
    "unpin": Subcommand("sessions.pin:unpin", "Let the storage budget decide about originals again."),
    "delete": Subcommand("sessions.delete:delete", "Erase sessions from all that Afterwit keeps."),
    "repos": Subcommand("sessions.identities:repos", "Which repository each folder and remote is, or merge two."),
    "tools": Subcommand("sessions.identities:tools", "The agents' tools and what kind each is."),
    "users": Subcommand("sessions.identities:users", "Whose home folders the sessions ran in."),
}


@click.group(cls=LazyGroup, entries=COMMANDS)
def sessions() -> None:
    """What was captured, and whose it is."""
