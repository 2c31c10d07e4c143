"""Sessions near in time, at the same place, that begin alike; and those whose story they change."""

import apsw
from tests.store.planted_rows import plant

from afterwit.store.rows.sightings import (
    HarvestedRow,
    MatterKey,
    SightingRow,
    forget_deleted_sessions,
    harvest_of,
    matters_touched,
    put_drafts,
    put_seen,
    same_tasks,
    sessions_near,
    tell_otherwise,
)

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
    return [near.native_id for near in same_tasks(db, own, 10 * HOUR_MS, opening)]


def seen(db: apsw.Connection, *ids: int) -> dict[int, MatterKey]:
    """Lets each session have a matter of its own, which is concluded."""
    matters = {one: MatterKey("rules", f"R{one}") for one in ids}
    for one, matter in matters.items():
        row = HarvestedRow(one, "a:1", "orchard", b"given", b"ref")
        put_seen(db, row, [SightingRow(*matter, 1, 0, one, 0, b"x")], is_other=True)
        put_drafts(db, matter, [])
    return matters


def changed_by(db: apsw.Connection, changed: int, *others: int) -> list[int]:
    """The sessions whose matters are touched."""
    matters = seen(db, changed, *others)
    tell_otherwise(db, sessions_near(db, [changed], 10 * HOUR_MS, 10))
    named_anew = [one for one in matters if (kept := harvest_of(db, one)) and not kept.ref]
    assert named_anew == [one for one, matter in matters.items() if matter in matters_touched(db)]
    return [one for one, matter in matters.items() if matter in matters_touched(db)]


def test_the_earliest_comes_first(db: apsw.Connection) -> None:
    session(db, "late", 3)
    session(db, "early", 1)
    assert names(db, session(db, "own", 2)) == ["early", "own", "late"]


def test_a_series_goes_on_until_there_is_a_pause(db: apsw.Connection) -> None:
    own = session(db, "own", 30)
    for name, hours in (("apart", 1), ("first", 12), ("next", 21), ("last", 40), ("later", 51)):
        session(db, name, hours)
    assert names(db, own) == ["first", "next", "own", "last"]


def test_another_place_time_or_beginning_is_not_near(db: apsw.Connection) -> None:
    session(db, "elsewhere", 1, repo="harbour")
    session(db, "branch", 1, branch="fix/plums")
    session(db, "other", 1, task="Pick the plums")
    session(db, "tomorrow", 30)
    own = session(db, "own", 2)
    assert names(db, own) == ["own"]
    assert names(db, own, opening=1) == ["other", "own"]


def test_subagents_of_sessions_that_are_here_stand_below_them(db: apsw.Connection) -> None:
    own, _ = session(db, "own", 2), session(db, "top", 1, task="Pick the plums")
    session(db, "below", 1, parent="top")
    session(db, "orphan", 1, parent="nobody")
    assert names(db, own) == ["orphan", "own"]


def test_the_matters_of_a_session_and_all_below_it_are_touched(db: apsw.Connection) -> None:
    top, below, deepest = session(db, "top", 1), session(db, "a", 1, parent="top"), session(db, "b", 1, parent="a")
    other = session(db, "other", 0)
    assert changed_by(db, top, below, deepest, other) == [top, below, deepest]


def test_what_began_soon_after_is_touched_with_all_below_it(db: apsw.Connection) -> None:
    """Whatever its task is: that of the changed session may have been the same before."""
    own, soon = session(db, "own", 1), session(db, "soon", 2, task="Pick the plums")
    below = session(db, "below", 2, parent="soon", repo="")
    elsewhere, late = session(db, "elsewhere", 2, repo="harbour"), session(db, "late", 12)
    assert changed_by(db, own, soon, below, elsewhere, late) == [own, soon, below]


def test_what_began_soon_after_one_below_is_touched(db: apsw.Connection) -> None:
    own, below, soon = session(db, "own", 1), session(db, "below", 9, parent="own"), session(db, "soon", 18)
    assert changed_by(db, own, below, soon) == [own, below, soon]


def test_a_series_that_goes_on_is_touched_to_its_end(db: apsw.Connection) -> None:
    own, soon, other = session(db, "own", 1), session(db, "soon", 10), session(db, "other", 19, task="Pick the plums")
    later, apart = session(db, "later", 19), session(db, "apart", 30)
    assert changed_by(db, own, soon, other, later, apart) == [own, soon, later]


def test_what_is_where_a_session_was_before_is_touched(db: apsw.Connection) -> None:
    own, soon = session(db, "own", 1), session(db, "soon", 2)
    matters = seen(db, own, soon)
    db.execute("UPDATE sessions SET repo = 'harbour' WHERE id = ?", (own,))
    tell_otherwise(db, sessions_near(db, [own], 10 * HOUR_MS, 10))
    assert matters_touched(db) == sorted(matters.values())


def test_what_shared_a_repository_with_one_that_is_gone_is_touched(db: apsw.Connection) -> None:
    own, soon, elsewhere = session(db, "own", 1), session(db, "soon", 2), session(db, "elsewhere", 2, repo="harbour")
    matters = seen(db, own, soon, elsewhere)
    db.execute("DELETE FROM parts WHERE session_id = ?", (own,))
    db.execute("DELETE FROM sessions WHERE id = ?", (own,))
    forget_deleted_sessions(db)
    assert matters_touched(db) == [matters[own], matters[soon]]
