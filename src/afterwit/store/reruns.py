"""Sessions that may have got the same task: at the same place, near in time, with the same first characters."""

from typing import NamedTuple

import apsw


class Near(NamedTuple):
    id: int
    native_id: str
    at_ms: int
    task: str


def near_tasks(db: apsw.Connection, session: int, since_ms: int, until_ms: int, opening: int) -> list[Near]:
    """Other sessions that stand at the root of theirs and began in this time, the earliest first."""
    query = """SELECT others.id, others.native_id, others.started_ms, others.task
               FROM sessions AS own JOIN sessions AS others
                   ON others.repo = own.repo AND others.started_ms BETWEEN :since_ms AND :until_ms
               WHERE own.id = :session AND others.id <> own.id AND others.branch = own.branch
                   AND substr(others.task, 1, :opening) = substr(own.task, 1, :opening)
                   AND NOT EXISTS (SELECT 1 FROM sessions AS above WHERE above.agent = others.agent
                       AND above.native_id = others.parent AND above.id <> others.id)
               ORDER BY others.started_ms, others.native_id, others.id"""
    values = {"session": session, "since_ms": since_ms, "until_ms": until_ms, "opening": opening}
    return [Near(*row) for row in db.execute(query, values)]
