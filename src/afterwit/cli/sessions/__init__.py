"""`afterwit sessions`: what was captured. One file and one registry line per command."""

import click

from afterwit.cli.terminal.lazy import Entry, LazyGroup

COMMANDS = {
    "list": Entry("afterwit.cli.sessions.list:list_sessions", "All agents' sessions in one table."),
    "show": Entry("afterwit.cli.sessions.show:show", "One session as a readable transcript."),
    "search": Entry("afterwit.cli.sessions.search:search", "Full text over what was said and done."),
    "restore": Entry("afterwit.cli.sessions.restore:restore", "The original files back, byte for byte."),
    "export": Entry("afterwit.cli.sessions.export:export", "Sessions as normalised JSON lines."),
    "cost": Entry("afterwit.cli.sessions.cost:cost", "What was spent, by day, repository, model or agent."),
    "pin": Entry("afterwit.cli.sessions.pin:pin", "Keep originals, whatever the storage budget says."),
    "unpin": Entry("afterwit.cli.sessions.pin:unpin", "Let the storage budget decide about originals again."),
    "repos": Entry("afterwit.cli.sessions.repos:repos", "How folders and remotes were resolved to repositories."),
    "tools": Entry("afterwit.cli.sessions.tools:tools", "The agents' tools and what kind each is."),
    "users": Entry("afterwit.cli.sessions.users:users", "Whose home folders the sessions ran in."),
}


@click.group(cls=LazyGroup, entries=COMMANDS)
def sessions() -> None:
    """What was captured, and whose it is."""
