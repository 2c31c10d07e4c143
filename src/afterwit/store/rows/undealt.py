"""Rows of what changed since the deck was dealt last, and what is asked in order to deal it.

Triggers of the database note the changes, whoever makes them. Each question is about one repository or scope, and costs
what it has, not what there is.
"""

from typing import NamedTuple

import apsw


class Undealt(NamedTuple):
    scope: str
    session_id: int  # 0: notes of the scope


def undealt(db: apsw.Connection) -> list[Undealt]:
    return [Undealt(*row) for row in db.execute("SELECT scope, session_id FROM undealt")]


def forget_undealt(db: apsw.Connection) -> None:
    db.execute("DELETE FROM undealt")


def repos_with_sessions(db: apsw.Connection) -> list[str]:
    """Each once, by the kept counts."""
    query = "SELECT DISTINCT repo FROM session_places WHERE repo <> '' ORDER BY repo"
    return [row[0] for row in db.execute(query)]


def scopes_with_items(db: apsw.Connection) -> list[str]:
    """Each once, by a look for the next one in the index."""
    query = """WITH RECURSIVE names (scope) AS (
                   SELECT min(scope) FROM items
                   UNION ALL
                   SELECT (SELECT min(items.scope) FROM items WHERE items.scope > names.scope) FROM names
                   WHERE names.scope IS NOT NULL
               )
               SELECT scope FROM names WHERE scope IS NOT NULL"""
    return [row[0] for row in db.execute(query)]


def newest_in(db: apsw.Connection, repo: str, most: int) -> list[int]:
    """The sessions of a repository that began last."""
    query = """SELECT id FROM sessions WHERE repo = ?
               ORDER BY started_ms DESC, agent DESC, native_id DESC LIMIT ?"""
    return [row[0] for row in db.execute(query, (repo, most))]


def count_stories(db: apsw.Connection, repo: str, agent: str) -> int:
    """How many sessions there, or of that agent where no repository is named, came out of no other, by the kept
    counts."""
    place = "repo = :repo" if repo else "agent = :agent" if agent else "TRUE"
    query = f"SELECT ifnull(sum(stories), 0) FROM session_places WHERE {place}"  # noqa: S608
    return int(db.execute(query, {"repo": repo, "agent": agent}).get)
