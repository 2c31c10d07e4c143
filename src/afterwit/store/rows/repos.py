"""Rows of identities: how repositories were resolved, with the decisions behind it, and which tools and users occur."""

from collections.abc import Mapping
from typing import NamedTuple

import apsw

from afterwit.store.database import columns_of, insert_into

_BEHIND_ALL = "\U0010ffff"  # no name of a repository
_KNOWN = {
    "repo": """SELECT EXISTS (SELECT 1 FROM repos WHERE :name IN (repo, remote, root) OR repo LIKE :ending
               OR remote LIKE :ending OR root LIKE :ending)""",
    "tool": "SELECT EXISTS (SELECT 1 FROM actions WHERE tool = :name)",
    "user": "SELECT EXISTS (SELECT 1 FROM sessions WHERE user = :name)",
}


class ToolSummary(NamedTuple):
    agent: str
    tool: str
    kind: str
    actions: int
    failures: int


class UserSummary(NamedTuple):
    user: str
    agents: str
    sessions: int


class RepoRow(NamedTuple):
    root: str
    remote: str
    repo: str
    how: str


def repo_rows(db: apsw.Connection) -> list[RepoRow]:
    query = f"SELECT {columns_of(RepoRow)} FROM repos ORDER BY repo, root, remote"  # noqa: S608
    return [RepoRow(*row) for row in db.execute(query)]


def put_repos(db: apsw.Connection, rows: list[RepoRow]) -> None:
    """Replaces the resolutions, and the repository of every session with them."""
    db.execute("DELETE FROM repos")
    db.executemany(insert_into("repos", columns_of(RepoRow)), rows)
    query = """UPDATE sessions INDEXED BY sessions_by_repo SET repo = :repo
               WHERE repo = :before AND root = :root AND remote = :remote"""
    for place in places_to_resolve(db):
        db.execute(query, place._asdict())


class UnresolvedPlace(NamedTuple):
    root: str
    remote: str
    before: str
    repo: str


def places_to_resolve(db: apsw.Connection) -> list[UnresolvedPlace]:
    """Where sessions do not bear the repository that their place was resolved to."""
    query = """SELECT DISTINCT places.root, places.remote, places.repo, repos.repo FROM session_places AS places
               JOIN repos ON repos.root = places.root AND repos.remote = places.remote
               WHERE places.repo <> repos.repo"""
    return [UnresolvedPlace(*row) for row in db.execute(query)]


def aliases(db: apsw.Connection, subject: str) -> dict[str, str]:
    """What people merged: name → the name it goes by."""
    query = "SELECT name, target FROM aliases WHERE subject = ? ORDER BY name"
    return dict(db.execute(query, (subject,)))


def put_alias(db: apsw.Connection, subject: str, name: str, target: str) -> None:
    db.execute("INSERT OR REPLACE INTO aliases VALUES (?, ?, ?)", (subject, name, target))


def delete_alias(db: apsw.Connection, subject: str, name: str) -> None:
    db.execute("DELETE FROM aliases WHERE subject = ? AND name = ?", (subject, name))


def checkouts(db: apsw.Connection) -> dict[str, str]:
    """Remotes of folders as they were on this machine: root → remote."""
    return dict(db.execute("SELECT root, remote FROM checkouts"))


def put_checkouts(db: apsw.Connection, remotes: Mapping[str, str]) -> None:
    db.executemany("INSERT OR REPLACE INTO checkouts VALUES (?, ?)", sorted(remotes.items()))


class RepoSummary(NamedTuple):
    repo: str
    root: str
    remote: str
    how: str
    sessions: int
    last_ms: int | None


def repo_summaries(db: apsw.Connection) -> list[RepoSummary]:
    """How every place was resolved, with its sessions."""
    query = """SELECT repos.repo, repos.root, repos.remote, repos.how, count(*), max(sessions.ended_ms)
               FROM repos JOIN sessions ON sessions.root = repos.root AND sessions.remote = repos.remote
               GROUP BY repos.root, repos.remote ORDER BY repos.repo, count(*) DESC, repos.root, repos.remote"""
    return [RepoSummary(*row) for row in db.execute(query)]


def tool_summaries(db: apsw.Connection) -> list[ToolSummary]:
    query = """SELECT sessions.agent, actions.tool, actions.kind, count(*),
               count(*) FILTER (WHERE actions.status = 'failed')
               FROM parts JOIN sessions ON sessions.id = parts.session_id
               JOIN actions ON actions.id >= parts.id << 24 AND actions.id < (parts.id + 1) << 24
               GROUP BY sessions.agent, actions.tool, actions.kind
               ORDER BY sessions.agent, count(*) DESC, actions.tool"""
    return [ToolSummary(*row) for row in db.execute(query)]


def user_summaries(db: apsw.Connection) -> list[UserSummary]:
    query = """SELECT user, group_concat(DISTINCT agent ORDER BY agent), count(*) FROM sessions
               GROUP BY user ORDER BY count(*) DESC, user"""
    return [UserSummary(*row) for row in db.execute(query)]


def users_by_repo(db: apsw.Connection) -> dict[str, list[str]]:
    """Who had sessions in each repository, "" for sessions outside of all."""
    users: dict[str, list[str]] = {}
    query = "SELECT user, repo FROM sessions WHERE (user, repo) > (?, ?) ORDER BY user, repo LIMIT 1"
    last = ("", _BEHIND_ALL)
    while (row := db.execute(query, last).fetchone()) is not None:  # from pair to pair, not from session to session
        last = (str(row[0]), str(row[1]))
        users.setdefault(last[1], []).append(last[0])
    return dict(sorted(users.items()))


def is_known(db: apsw.Connection, subject: str, name: str) -> bool:
    """Whether any session has this repository, tool or user. A repository goes by its name, remote or last part."""
    return bool(db.execute(_KNOWN[subject], {"name": name, "ending": f"%/{name}"}).get)
