"""Sessions near in time, at the same place, that begin alike."""

import apsw
from tests.store.rows import plant

from afterwit.store.reruns import near_tasks
from afterwit.store.sightings import Matter, SightingRow, put_drafts, put_seen, touch_families, touched

HOUR_MS = 3_600_000


def session(db: apsw.Connection, name: str, hours: int, **columns: object) -> int:
    planted = plant(db, name, f"{name}.jsonl").session_id
    given = {
        "started_ms": hours * HOUR_MS,
        "repo": "orchard",
        "branch": "main",
        "task": f"Prune the plums, {name}",
        "parent": "",
        **columns,
    }
    for column, value in given.items():
        db.execute(f"UPDATE sessions SET {column} = ? WHERE id = ?", (value, planted))
    return planted


def names(db: apsw.Connection, own: int, opening: int = 10) -> list[str]:
    return [near.native_id for near in near_tasks(db, own, 0, 10 * HOUR_MS, opening)]


def test_the_earliest_comes_first_and_the_session_itself_is_left_out(db: apsw.Connection) -> None:
    session(db, "late", 3)
    session(db, "early", 1)
    assert names(db, session(db, "own", 2)) == ["early", "late"]


def test_another_place_time_or_beginning_is_not_near(db: apsw.Connection) -> None:
    session(db, "elsewhere", 1, repo="harbour")
    session(db, "branch", 1, branch="fix/plums")
    session(db, "other", 1, task="Pick the plums")
    session(db, "tomorrow", 30)
    own = session(db, "own", 2)
    assert names(db, own) == []
    assert names(db, own, opening=1) == ["other"]


def test_subagents_of_sessions_that_are_here_stand_below_them(db: apsw.Connection) -> None:
    own, _ = session(db, "own", 2), session(db, "top", 1, task="Pick the plums")
    session(db, "below", 1, parent="top")
    session(db, "orphan", 1, parent="nobody")
    assert names(db, own) == ["orphan"]


def test_the_matters_of_a_session_and_all_below_it_are_touched(db: apsw.Connection) -> None:
    top, below, deepest = session(db, "top", 1), session(db, "a", 1, parent="top"), session(db, "b", 1, parent="a")
    other = session(db, "other", 1)
    matters = {one: Matter("rules", f"R{one}") for one in (top, below, deepest, other)}
    for one, matter in matters.items():
        put_seen(db, one, "a:1", "orchard", [SightingRow(*matter, one, 0, b"x")])
        put_drafts(db, matter, [])
    touch_families(db, [top])
    assert touched(db) == [matters[top], matters[below], matters[deepest]]
