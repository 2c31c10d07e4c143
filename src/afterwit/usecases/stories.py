"""Which sessions count as one story: a session with its subagents, forks and resumes, and the same task given again.

The story of a session depends on the set of sessions alone. A session that comes late may change the story of others,
so `retold` names those whose evidence has to be weighed again.
"""

from collections.abc import Iterator

import apsw

from afterwit.harvest.reruns import OPENING, SOON_MS, Given, is_again
from afterwit.store.browsing import SessionRow, session_of
from afterwit.store.reruns import Near, near_tasks

_DEEPEST = 16


def root_of(db: apsw.Connection, row: SessionRow) -> SessionRow:
    """The session at the root of subagents, forks and resumes."""
    for _ in range(_DEEPEST):
        above = session_of(db, row.agent, row.parent) if row.parent else None
        if above is None or above.id == row.id:
            break
        row = above
    return row


def story_of(db: apsw.Connection, row: SessionRow) -> str:
    """The root's id; where its task was given before, that of the first session that got it."""
    root = root_of(db, row)
    at_ms = root.started_ms or 0
    given = _given(root)
    for near in _near(db, root, at_ms - SOON_MS, at_ms):
        is_earlier = (near.at_ms, near.native_id) < (at_ms, root.native_id)
        if is_earlier and is_again(given, given._replace(at_ms=near.at_ms, task=near.task)):
            return near.native_id
    return root.native_id


def retold(db: apsw.Connection, row: SessionRow) -> Iterator[int]:
    """Sessions that got the task of this one again: their story is another once this one is there."""
    at_ms, given = row.started_ms or 0, _given(row)
    for near in _near(db, row, at_ms, at_ms + SOON_MS):
        if is_again(given._replace(at_ms=near.at_ms, task=near.task), given):
            yield near.id


def _given(row: SessionRow) -> Given:
    return Given(row.repo, row.branch, row.started_ms or 0, row.task)


def _near(db: apsw.Connection, row: SessionRow, since_ms: int, until_ms: int) -> list[Near]:
    if not row.repo or not row.started_ms or not row.task:
        return []
    return near_tasks(db, row.id, since_ms, until_ms, OPENING)
