"""`afterwit sessions repos`: one repository under its many names."""

import click

from afterwit.cli.commands import Command
from afterwit.cli.options import Here, as_json, in_place
from afterwit.cli.output import human_count, print_json, print_table, talk
from afterwit.cli.sessions.names import EMPTY, EXITS, decide, merge_options
from afterwit.usecases import identities


@click.command(
    cls=Command,
    examples=(
        "afterwit sessions repos",
        "afterwit sessions repos --merge old-orchard --into github.com/acme/orchard",
        "afterwit sessions repos --undo old-orchard",
    ),
    exits=EXITS,
)
@merge_options
@as_json
@in_place
def repos(here: Here, merged: str | None, into: str | None, undone: str | None, is_json: bool) -> None:
    """Show how folders and remotes were resolved to repositories, or merge two.

    One repository goes by many names: remotes, worktrees, clones, other users' homes. A merge is a decision: it goes
    into the journal, survives a rebuild, and can be undone.
    """
    decide(here, "repo", merged, into, undone)
    found = identities.repos(here.world)
    if is_json:
        print_json(found)
    elif not found:
        talk(EMPTY)
    else:
        print_table(
            ("repository", "sessions", "domain", "folder", "remote", "how"),
            [(row.repo or "–", row.sessions, row.domain, row.root, _other(row), row.how) for row in found],
            numbers=frozenset({"sessions"}),
            optional=frozenset({"domain", "remote"}),
        )
        names = {row.repo for row in found if row.repo}
        count = human_count(sum(row.sessions for row in found), "session")
        talk(f"{human_count(len(names), 'repository', 'repositories')}, {count}.")


def _other(row: identities.RepoSeen) -> str:
    """The remote, where it is not the repository's own name."""
    return "" if row.remote == row.repo else row.remote
