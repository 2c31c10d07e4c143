"""Sessions that may have got the same task: at the same place, each soon after another, with the same first words."""

from typing import NamedTuple

import apsw


class Near(NamedTuple):
    id: int
    native_id: str
    at_ms: int
    task: str


def same_tasks(db: apsw.Connection, session: int, soon_ms: int, opening: int) -> list[Near]:
    """The series that a session belongs to, the earliest first: all that stand at the root of theirs and begin with the
    same characters, without a longer pause between two than this."""
    query = """WITH RECURSIVE own AS (
                   SELECT repo, branch, substr(task, 1, :opening) AS opening, started_ms FROM sessions
                   WHERE id = :session),
               series(at_ms) AS (
                   SELECT started_ms FROM own
                   UNION SELECT others.started_ms FROM series JOIN own JOIN sessions AS others
                       ON others.repo = own.repo
                           AND others.started_ms BETWEEN series.at_ms - :soon_ms AND series.at_ms + :soon_ms
                   WHERE others.branch = own.branch AND substr(others.task, 1, :opening) = own.opening)
               SELECT others.id, others.native_id, others.started_ms, others.task FROM own JOIN sessions AS others
                   ON others.repo = own.repo AND others.started_ms
                       BETWEEN (SELECT min(at_ms) FROM series) AND (SELECT max(at_ms) FROM series)
               WHERE others.branch = own.branch AND substr(others.task, 1, :opening) = own.opening
                   AND NOT EXISTS (SELECT 1 FROM sessions AS above WHERE above.agent = others.agent
                       AND above.native_id = others.parent AND above.id <> others.id)
               ORDER BY others.started_ms, others.native_id, others.id"""
    values = {"session": session, "soon_ms": soon_ms, "opening": opening}
    return [Near(*row) for row in db.execute(query, values)]
