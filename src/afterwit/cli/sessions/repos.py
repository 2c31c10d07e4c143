"""`afterwit sessions repos`: one repository under its many names."""

import itertools
import sys

import click

from afterwit.cli.commands import Command
from afterwit.cli.sessions.names import EMPTY, EXITS, decide, merge_options
from afterwit.cli.terminal.options import Here, as_json, in_place
from afterwit.cli.terminal.output import human_count, print_json, print_line, print_table, talk
from afterwit.sessions import identities


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
    elif sys.stdout.isatty():
        _print_groups(found)
    else:
        print_table(
            ("repository", "sessions", "domain", "folder", "remote", "how"),
            [(row.repo or "–", row.sessions, row.domain, row.root, _other(row), row.how) for row in found],
            numbers=frozenset({"sessions"}),
            optional=frozenset({"domain", "remote"}),
        )
    if found and not is_json:
        names = {row.repo for row in found if row.repo}
        count = human_count(sum(row.sessions for row in found), "session")
        talk(f"{human_count(len(names), 'repository', 'repositories')}, {count}.")


def _print_groups(found: list[identities.RepoSeen]) -> None:
    """Each repository with its places below it: paths are long, and terminals are narrow."""
    for repo, places in itertools.groupby(found, key=lambda row: (row.repo, row.domain)):
        name, domain = repo
        print_line(f"{name or 'no repository'}{f'  ({domain})' if domain else ''}")
        for row in places:
            print_line(f"  {row.sessions:>5,}  {row.root or row.remote or 'nowhere'}")
            remote = f", remote {row.remote}" if _other(row) else ""
            print_line(f"         {row.how}{remote}")


def _other(row: identities.RepoSeen) -> str:
    """The remote, where it is not the repository's own name."""
    return "" if row.remote == row.repo else row.remote
