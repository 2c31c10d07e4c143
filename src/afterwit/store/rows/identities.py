"""Which tools and users occur."""

from typing import NamedTuple

import apsw


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


def is_known(db: apsw.Connection, subject: str, name: str) -> bool:
    """Whether any session has this repository, tool or user. A repository goes by its name, remote or last part."""
    return bool(db.execute(_KNOWN[subject], {"name": name, "ending": f"%/{name}"}).get)


_KNOWN = {
    "repo": """SELECT EXISTS (SELECT 1 FROM repos WHERE :name IN (repo, remote, root) OR repo LIKE :ending
               OR remote LIKE :ending OR root LIKE :ending)""",
    "tool": "SELECT EXISTS (SELECT 1 FROM actions WHERE tool = :name)",
    "user": "SELECT EXISTS (SELECT 1 FROM sessions WHERE user = :name)",
}
