"""`afterwit sessions repos`, `tools` and `users`: names, what they were resolved to, and merging two."""

from functools import partial

import click

from afterwit.cli.commands import command
from afterwit.cli.sessions.filters import EMPTY
from afterwit.cli.terminal.options import Here, added, reporting
from afterwit.cli.terminal.output import print_json, talk
from afterwit.cli.terminal.table import Column, print_table
from afterwit.model.figures import human_count
from afterwit.sessions import identities

_MERGING = (
    click.option("--merge", "merged", metavar="NAME", help="Count NAME as the one given with --into."),
    click.option("--into", metavar="NAME", help="The name that stays."),
    click.option("--undo", "undone", metavar="NAME", help="Undo the merge of NAME."),
)
_merge_options = partial(added, _MERGING)
_REPOS = (
    *(Column("repository"), Column("sessions", is_number=True), Column("domain", gives_way=1)),
    *(Column("folder"), Column("remote", gives_way=1), Column("how")),
)
_COUNTS = (Column("actions", is_number=True), Column("failed", is_number=True))
_TOOLS = (Column("agent"), Column("tool"), Column("kind"), *_COUNTS)
_USERS = (Column("user"), Column("sessions", is_number=True), Column("agents"))


def _decide(here: Here, subject: str, merged: str | None, into: str | None, undone: str | None) -> None:
    """Merges or undoes, as the options say; nothing without them."""
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


@command(
    examples=(
        "afterwit sessions repos",
        "afterwit sessions repos --merge old-orchard --into github.com/acme/orchard",
        "afterwit sessions repos --undo old-orchard",
    ),
)
@_merge_options
@reporting
def repos(here: Here, merged: str | None, into: str | None, undone: str | None, is_json: bool) -> None:
    """Show which repository each folder and remote counts as, or merge two.

    One repository goes by many names: remotes, worktrees, clones, other users' homes. A merge is a decision: it goes
    into the journal, survives a rebuild, and can be undone.
    """
    _decide(here, "repo", merged, into, undone)
    places = identities.repos(here.world)
    if is_json:
        print_json(places)
    elif not places:
        talk(EMPTY)
    else:
        rows = [(row.repo or "–", row.sessions, row.domain, row.root, _other(row), row.how) for row in places]
        print_table(_REPOS, rows)
    if places and not is_json:
        names = {row.repo for row in places if row.repo}
        count = human_count(sum(row.sessions for row in places), "session")
        talk(f"{human_count(len(names), 'repository', 'repositories')}, {count}.")


def _other(row: identities.RepoSeen) -> str:
    """The remote, where it is not the repository's own name."""
    return "" if row.remote == row.repo else row.remote


@command(examples=("afterwit sessions tools", "afterwit sessions tools --merge run_shell --into Bash"))
@_merge_options
@reporting
def tools(here: Here, merged: str | None, into: str | None, undone: str | None, is_json: bool) -> None:
    """Show the agents' tools and what kind each is, or let one count as another.

    A merge applies to what is learned from now on; `afterwit store rebuild` applies it to everything.
    """
    _decide(here, "tool", merged, into, undone)
    summaries = identities.tools(here.world)
    if is_json:
        print_json([row._asdict() for row in summaries])
    elif not summaries:
        talk(EMPTY)
    else:
        rows = [(row.agent, row.tool, row.kind, row.actions, row.failures) for row in summaries]
        print_table(_TOOLS, rows)


@command(examples=("afterwit sessions users", "afterwit sessions users --merge ada-laptop --into ada"))
@_merge_options
@reporting
def users(here: Here, merged: str | None, into: str | None, undone: str | None, is_json: bool) -> None:
    """Show whose home folders the sessions ran in, or count one user as another.

    Users are shown by pseudonym. A merge names the user as the home folder does; the name it goes into is kept as you
    write it. Whose words are told to whom follows it with the next `afterwit learn`. Else it applies to what is learned
    from now on; `afterwit store rebuild` applies it to everything.
    """
    _decide(here, "user", merged, into, undone)
    summaries = identities.users(here.world)
    if is_json:
        print_json([{"user": row.user, "agents": row.agents.split(","), "sessions": row.sessions} for row in summaries])
    elif not summaries:
        talk(EMPTY)
    else:
        rows = [(row.user or "–", row.sessions, row.agents.replace(",", ", ")) for row in summaries]
        print_table(_USERS, rows)
