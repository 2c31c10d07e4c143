"""`afterwit sessions`: what was captured, under which names, and merging two names into one."""

import click

from afterwit.cli.commands import ExitCode, Group
from afterwit.cli.options import Here, as_json, in_place
from afterwit.cli.output import human_count, print_json, print_table, talk
from afterwit.usecases import identities

_EMPTY = "No session yet. Run `afterwit learn` first."
_EXITS = {ExitCode.FAILED: "There is no store yet, or it cannot be used."}


@click.group(cls=Group)
def sessions() -> None:
    """What was captured, and whose it is."""


def _merge_options(command: click.decorators.FC) -> click.decorators.FC:
    """`--merge NAME --into NAME` and `--undo NAME`."""
    for option in (
        click.option("--undo", "undone", metavar="NAME", help="Undo the merge of NAME."),
        click.option("--into", metavar="NAME", help="What --merge goes into."),
        click.option("--merge", "merged", metavar="NAME", help="Count NAME to the one given with --into."),
    ):
        command = option(command)
    return command


def _decide(here: Here, subject: str, merged: str | None, into: str | None, undone: str | None) -> None:
    if (merged is None) != (into is None):
        raise click.UsageError("--merge and --into go together.")
    if merged is not None and undone is not None:
        raise click.UsageError("Merge or undo, one at a time.")
    if merged is not None and into is not None:
        identities.merge(here.world, subject, merged, into)
        talk(f"{merged} now counts as {into}. Take it back with --undo {merged}.")
    if undone is not None:
        identities.unmerge(here.world, subject, undone)
        talk(f"{undone} stands for itself again.")


@sessions.command(
    examples=(
        "afterwit sessions repos",
        "afterwit sessions repos --merge old-orchard --into github.com/acme/orchard",
        "afterwit sessions repos --undo old-orchard",
    ),
    exits=_EXITS,
)
@_merge_options
@as_json
@in_place
def repos(here: Here, merged: str | None, into: str | None, undone: str | None, is_json: bool) -> None:
    """Show how folders and remotes were resolved to repositories, or merge two.

    One repository goes by many names: remotes, worktrees, clones, other users' homes. A merge is a decision: it goes
    into the journal, survives a rebuild, and can be undone.
    """
    _decide(here, "repo", merged, into, undone)
    found = identities.repos(here.world)
    if is_json:
        print_json(found)
    elif not found:
        talk(_EMPTY)
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


@sessions.command(
    examples=("afterwit sessions tools", "afterwit sessions tools --merge run_shell --into Bash"), exits=_EXITS
)
@_merge_options
@as_json
@in_place
def tools(here: Here, merged: str | None, into: str | None, undone: str | None, is_json: bool) -> None:
    """Show the agents' tools and what kind each is, or let one count as another.

    A merge applies to what is learned from now on; `afterwit store rebuild` applies it to everything.
    """
    _decide(here, "tool", merged, into, undone)
    found = identities.tools(here.world)
    if is_json:
        print_json([row._asdict() for row in found])
    elif not found:
        talk(_EMPTY)
    else:
        rows = [(row.agent, row.tool, row.kind, row.actions, row.failures) for row in found]
        print_table(("agent", "tool", "kind", "actions", "failed"), rows, frozenset({"actions", "failed"}))


@sessions.command(
    examples=("afterwit sessions users", "afterwit sessions users --merge ada-laptop --into ada"), exits=_EXITS
)
@_merge_options
@as_json
@in_place
def users(here: Here, merged: str | None, into: str | None, undone: str | None, is_json: bool) -> None:
    """Show whose home folders the sessions ran in, or count one user as another.

    Users are shown by pseudonym. A merge names the user as the home folder does; the name it goes into is kept as you
    write it. It applies to what is learned from now on; `afterwit store rebuild` applies it to everything.
    """
    _decide(here, "user", merged, into, undone)
    found = identities.users(here.world)
    if is_json:
        print_json([{"user": row.user, "agents": row.agents.split(","), "sessions": row.sessions} for row in found])
    elif not found:
        talk(_EMPTY)
    else:
        rows = [(row.user or "–", row.sessions, row.agents.replace(",", ", ")) for row in found]
        print_table(("user", "sessions", "agents"), rows, frozenset({"sessions"}))
