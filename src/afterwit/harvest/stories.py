"""Which sessions count as one story: a session with its subagents, forks and resumes, and the same task given again.

The story of a session depends on the set of sessions alone. A session that comes late, or is another than it was, may
change the story of others; `store.rows.sightings.touch_stories` finds those whose evidence has to be weighed again.
"""

import apsw

from afterwit.harvest.reruns import OPENING, SOON_MS, Given, Tasks
from afterwit.store.rows.session_list import SessionRow, session_of
from afterwit.store.rows.sightings import same_tasks

_DEEPEST = 16


def root_of(db: apsw.Connection, row: SessionRow) -> SessionRow:
    """The session at the root of subagents, forks and resumes."""
    for _ in range(_DEEPEST):
        above = session_of(db, row.agent, row.parent) if row.parent else None
        if above is None or above.id == row.id:
            break
        row = above
    return row


class Stories:
    """Names stories, as long as no session comes or goes: each series of the same task is gone through once."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        self._first: dict[int, str] = {}

    def of(self, row: SessionRow) -> str:
        """The root's id; where its task was given before, that of the session that got it first."""
        root = root_of(self._db, row)
        if root.id not in self._first:
            self._first[root.id] = root.native_id
            self._first.update(self._series(root))
        return self._first[root.id]

    def _series(self, root: SessionRow) -> dict[int, str]:
        if not root.repo or not root.started_ms or not root.task:
            return {}
        tasks = Tasks()
        return {
            task.id: tasks.first(task.native_id, Given(root.repo, root.branch, task.at_ms, task.task))
            for task in same_tasks(self._db, root.id, SOON_MS, OPENING)
        }
