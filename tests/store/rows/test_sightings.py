"""Rows of the harvest."""

import apsw
from tests.store.planted_rows import plant

from afterwit.store.rows import sightings
from afterwit.store.rows.items import put_items_mark
from afterwit.store.rows.sightings import DigestRow, DraftRow, HarvestedRow, MatterKey, SightingRow, put_digest

PRUNING = MatterKey("rules", "orchard\nR1")
PICKING = MatterKey("rules", "orchard\nR2")


ALL = (1_000, 1_000)


def seen(session: int, matter: MatterKey, body: bytes = b"x", at_ms: int = 0, is_telling: int = 1) -> SightingRow:
    return SightingRow(matter.harvester, matter.name, is_telling, at_ms, session, 0, body)


def put_seen(
    db: apsw.Connection, session: int, rows: list[SightingRow], repo: str = "orchard", *, is_other: bool = False
) -> None:
    sightings.put_seen(db, HarvestedRow(session, "a:1", repo, b"given", b"ref"), rows, is_other=is_other)


def draft(name: str, matter: MatterKey, scope: str = "repo:orchard", about: bytes = b"a") -> DraftRow:
    return DraftRow(name, *matter, scope, about, 1, b"draft")


def digested(db: apsw.Connection) -> None:
    """The session 1, of the repository orchard, with its digest."""
    assert plant(db).session_id == 1
    db.execute("UPDATE sessions SET repo = 'orchard'")
    put_digest(db, DigestRow(1, 1, b""), "success", "code")


def test_a_session_waits_until_these_harvesters_have_seen_it(db: apsw.Connection) -> None:
    digested(db)
    assert sightings.sessions_to_harvest(db, "a:1") == [1]
    put_seen(db, 1, [])
    assert sightings.sessions_to_harvest(db, "a:1") == []
    assert sightings.sessions_to_harvest(db, "a:2") == [1]


def test_a_session_that_moved_to_another_repository_is_looked_at_again(db: apsw.Connection) -> None:
    digested(db)
    put_seen(db, 1, [])
    db.execute("UPDATE sessions SET repo = 'elsewhere'")
    assert sightings.sessions_to_harvest(db, "a:1") == [1]


def test_a_new_digest_is_looked_at_again(db: apsw.Connection) -> None:
    digested(db)
    put_seen(db, 1, [])
    put_digest(db, DigestRow(1, 1, b"new"), "success", "code")
    assert sightings.sessions_to_harvest(db, "a:1") == [1]


def test_matters_before_and_after_are_touched_until_they_are_concluded(db: apsw.Connection) -> None:
    digested(db)
    put_seen(db, 1, [seen(1, PRUNING)])
    sightings.put_drafts(db, PRUNING, [draft("i1", PRUNING)])
    assert sightings.matters_touched(db) == []
    put_seen(db, 1, [seen(1, PICKING)])
    assert sightings.matters_touched(db) == [PRUNING, PICKING]
    assert sightings.sightings_of(db, PRUNING, *ALL) == []
    sightings.put_drafts(db, PRUNING, [])
    assert list(sightings.all_drafts(db)) == []
    assert sightings.matters_touched(db) == [PICKING]


def test_what_a_session_says_as_before_touches_nothing_unless_the_session_is_another(db: apsw.Connection) -> None:
    digested(db)
    put_seen(db, 1, [seen(1, PRUNING), seen(1, PICKING)])
    for matter in (PRUNING, PICKING):
        sightings.put_drafts(db, matter, [])
    put_seen(db, 1, [seen(1, PRUNING), seen(1, PICKING, b"y")])
    assert sightings.matters_touched(db) == [PICKING]
    put_seen(db, 1, [seen(1, PRUNING), seen(1, PICKING, b"y")], is_other=True)
    assert sightings.matters_touched(db) == [PRUNING, PICKING]


def test_a_matter_has_its_newest_sightings_and_all_that_are_as_old_as_the_last_of_them(db: apsw.Connection) -> None:
    for session, at_ms in ((1, 10), (2, 20), (3, 20), (4, 30)):
        put_seen(db, session, [seen(session, PRUNING, at_ms=at_ms)])
    for session, at_ms in ((5, 1), (6, 2)):
        put_seen(db, session, [seen(session, PRUNING, at_ms=at_ms, is_telling=0)])
    assert [row.session_id for row in sightings.sightings_of(db, PRUNING, 2, 1)] == [2, 3, 4, 6]
    assert [row.session_id for row in sightings.sightings_of(db, PRUNING, 9, 9)] == [1, 2, 3, 4, 5, 6]


def test_a_matter_in_which_nothing_is_telling_has_nothing_to_conclude(db: apsw.Connection) -> None:
    put_seen(db, 1, [seen(1, PRUNING, is_telling=0)])
    assert sightings.sightings_of(db, PRUNING, *ALL) == []


def test_scopes_are_unsettled_where_something_else_follows_now(db: apsw.Connection) -> None:
    sightings.put_drafts(db, PRUNING, [draft("i1", PRUNING), draft("i2", PRUNING, "global", b"b")])
    assert sightings.scopes_to_settle(db) == ["global", "repo:orchard"]
    put_items_mark(db, "mark")
    sightings.put_drafts(db, PRUNING, [draft("i1", PRUNING), draft("i2", PRUNING, "agent:codex", b"b")])
    assert sightings.scopes_to_settle(db) == ["agent:codex", "global"]


def test_drafts_come_with_those_that_are_about_the_same_elsewhere(db: apsw.Connection) -> None:
    here, there, shared = draft("i1", PRUNING), draft("i2", PICKING, "repo:barn"), draft("i3", PICKING, "repo:mill")
    other = draft("i4", PICKING, "repo:mill", b"b")
    sightings.put_drafts(db, PRUNING, [here])
    sightings.put_drafts(db, PICKING, [there, shared, other])
    assert [row.id for row in sightings.drafts_in(db, ["repo:mill"])] == ["i3", "i4"]
    assert [row.id for row in sightings.drafts_with(db, ["repo:orchard"], is_everywhere=False)] == ["i1", "i2", "i3"]
    assert [row.id for row in sightings.drafts_with(db, ["repo:well"], is_everywhere=False)] == []
    assert [row.id for row in sightings.drafts_with(db, ["repo:well"], is_everywhere=True)] == ["i1", "i2", "i3"]


def test_what_was_seen_in_a_session_that_is_gone_goes_too(db: apsw.Connection) -> None:
    digested(db)
    put_seen(db, 1, [seen(1, PRUNING)])
    gone = plant(db, "gone", "gone.jsonl").session_id
    put_seen(db, gone, [seen(gone, PRUNING)])
    db.execute("DELETE FROM parts WHERE session_id = ?", (gone,))
    db.execute("DELETE FROM sessions WHERE id = ?", (gone,))
    sightings.forget_deleted_sessions(db)
    assert [row.session_id for row in sightings.sightings_of(db, PRUNING, *ALL)] == [1]
    assert db.execute("SELECT count(*) FROM sightings").get == 1


def test_everything_can_be_concluded_again(db: apsw.Connection) -> None:
    digested(db)
    put_seen(db, 1, [seen(1, PRUNING)])
    sightings.put_drafts(db, PRUNING, [])
    sightings.touch_all(db)
    sightings.forget_harvest(db)
    assert sightings.matters_touched(db) == [PRUNING]
    assert sightings.sessions_to_harvest(db, "a:1") == [1]
