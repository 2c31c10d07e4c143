"""Eviction: what goes, what stays, and what is known of it afterwards."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.homes import (
    CLAUDE,
    PARENT,
    Silent,
    claude_records,
    codex_records,
    family_home,
    hash_of,
    learned,
    lines,
    mixed_home,
    put,
    rows,
    world_of,
)

from afterwit.config.world import World
from afterwit.engine.archive.evict import evict
from afterwit.engine.archive.rebuild import rebuild
from afterwit.engine.archive.upkeep import dropped, verify
from afterwit.engine.doctor.doctor import examine
from afterwit.engine.sweep import sweep
from afterwit.model.errors import AfterwitError, StoreFullError, UsageError
from afterwit.model.learn_run import Eviction, Options, Report
from afterwit.model.settings import EvictionOrder, RetentionSettings
from afterwit.sessions.filters import Filter, find_session
from afterwit.sessions.list import Order, list_sessions
from afterwit.sessions.originals import files_of, source_of
from afterwit.sessions.pin import pin
from afterwit.sessions.restore import RestoreChoice, plan_restore, refuse_dropped
from afterwit.sessions.search import best_hits
from afterwit.sessions.show import GoneTexts, SessionMoment, WantedMoments, moments
from afterwit.store.layout import Layout
from afterwit.store.store import open_store


def limited(home: Path, store: Path, **limits: Any) -> World:
    """A world with this storage budget; what is not given is beyond all reach."""
    world = world_of(home, store)
    kept = RetentionSettings(**{"raw_soft_cap_bytes": 1 << 40, "raw_hard_cap_bytes": 1 << 41, **limits})
    return world._replace(settings=replace(world.settings, retention=kept))


def evicted(home: Path, store: Path, soft_cap_bytes: int = 0, **limits: Any) -> Eviction:
    done = evict(limited(home, store, **limits), lambda _: True, soft_cap_bytes=soft_cap_bytes)
    assert done is not None
    return done


def undigest(store: Path, sessions: Iterable[str]) -> None:
    with open_store(Layout(store)) as one:
        for session in sessions:
            one.db.execute("UPDATE sessions SET is_digested = 0 WHERE native_id = ?", (session,))


def archived(store: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (store / "archive").rglob("*") if path.is_file()}


def is_sound(store: Path) -> bool:
    return [finding.what for finding in verify(Layout(store))] == []


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return family_home(mixed_home(tmp_path / "home"))


@pytest.fixture
def store(tmp_path: Path, home: Path) -> Path:
    learned(home, tmp_path / "store")
    return tmp_path / "store"


def test_everything_analysed_goes_below_a_soft_cap_of_nothing(home: Path, store: Path) -> None:
    before = sum(len(content) for content in archived(store).values())
    done = evicted(home, store)
    assert done.before_bytes == before
    assert (done.after_bytes, done.freed_bytes, done.data_loss) == (0, before, [])
    assert rows(store, "SELECT count(*) FROM files WHERE held_bytes > 0") == [(0,)]
    assert [(one.reason, one.files) for one in done.passes] == [("soft-cap", len(done.dropped))]
    assert is_sound(store)


def test_nothing_goes_within_the_budget(home: Path, store: Path) -> None:
    before = archived(store)
    done = evicted(home, store, soft_cap_bytes=1 << 30)
    assert (done.dropped, done.freed_bytes, archived(store)) == ([], 0, before)


def test_only_as_much_goes_as_the_soft_cap_asks_for(home: Path, store: Path) -> None:
    total = sum(len(content) for content in archived(store).values())
    done = evicted(home, store, soft_cap_bytes=total - 1)
    assert len(done.dropped) == 1
    assert done.after_bytes < total


def test_the_rows_that_digests_and_lists_are_made_of_stay(home: Path, store: Path) -> None:
    queries = (
        "SELECT call_id, tool, kind, target, status, error, at_ms, duration_ms FROM actions ORDER BY id",
        "SELECT * FROM spends ORDER BY 1, 2",
        "SELECT * FROM notes ORDER BY 1, 2, 3",
        "SELECT id, kind, at_ms, is_copied FROM events ORDER BY id",
        "SELECT * FROM sessions ORDER BY id",
        "SELECT * FROM digests ORDER BY 1",
        "SELECT * FROM claims ORDER BY 1",
        "SELECT rowid FROM texts WHERE texts MATCH 'orchard' ORDER BY 1",
    )
    before = [rows(store, query) for query in queries]
    evicted(home, store)
    assert [rows(store, query) for query in queries] == before


def test_a_rebuild_from_remains_knows_the_same(home: Path, store: Path) -> None:
    evicted(home, store)
    before = hash_of(store)
    done = rebuild(world_of(home, store), Silent())
    assert (done.before, done.after, done.faults) == (before, before, [])
    assert is_sound(store)
    assert rows(store, "SELECT count(*) FROM sessions WHERE is_digested = 0") == [(0,)]


def test_a_rebuild_finds_prompts_commands_and_errors_of_what_is_gone(home: Path, store: Path) -> None:
    evicted(home, store)
    rebuild(world_of(home, store), Silent())
    for query, kind in (("prune row", "prompt"), ("make", "command"), ('"no rule to make target"', "error")):
        answer = best_hits(world_of(home, store), query, Filter(), kind, 10, 80)
        assert answer.hits, query
        assert {hit.snippet for hit in answer.hits} == {None}


def test_search_still_finds_everything_after_an_eviction(home: Path, store: Path) -> None:
    world = world_of(home, store)
    queries = (("orchard", ""), ('"pruned 3 trees"', "output"), ('"no rule"', "error"))
    before = [best_hits(world, query, Filter(), kind, 0, 80).total for query, kind in queries]
    evicted(home, store)
    after = [best_hits(world, query, Filter(), kind, 0, 80) for query, kind in queries]
    assert [answer.total for answer in after] == before
    assert all(hit.snippet is None for answer in after for hit in answer.hits)


def test_learning_again_leaves_alone_what_was_dropped(home: Path, store: Path) -> None:
    evicted(home, store)
    before, content = hash_of(store), archived(store)
    learned(home, store)
    for path in home.rglob("*.jsonl"):
        path.touch()
    learned(home, store)
    rebuild(world_of(home, store), Silent())
    learned(home, store)
    assert hash_of(store) == before
    assert archived(store) == content


def test_a_dropped_file_that_grows_is_whole_again(tmp_path: Path) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    path = put(home / CLAUDE / "s1.jsonl", claude_records("s1", 2))
    learned(home, store)
    evicted(home, store)
    path.write_bytes(lines(claude_records("s1", 3)))
    learned(home, store)
    assert rows(store, "SELECT generation, is_live, dropped_ms FROM files") == [(1, 1, None)]
    learned(home, tmp_path / "alone")
    assert rows(store, "SELECT * FROM sessions") == rows(tmp_path / "alone", "SELECT * FROM sessions")
    assert is_sound(store)
    assert len(archived(store)) == 1
    before = hash_of(store)
    assert rebuild(world_of(home, store), Silent()).after == before


def test_a_dropped_file_that_is_cut_keeps_its_remains(tmp_path: Path) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    path = put(home / CLAUDE / "s1.jsonl", claude_records("s1", 4))
    learned(home, store)
    counts = rows(store, "SELECT prompts, actions, tokens_output FROM sessions")
    evicted(home, store)
    path.write_bytes(lines(claude_records("s1", 2)))
    learned(home, store)
    assert rows(store, "SELECT prompts, actions, tokens_output FROM sessions") == counts
    assert rows(store, "SELECT generation, is_live, dropped_ms IS NULL FROM files") == [(0, 0, 0), (1, 1, 1)]
    before = hash_of(store)
    assert rebuild(world_of(home, store), Silent()).after == before
    assert is_sound(store)


def test_what_a_dropped_file_owns_stays_its_own_whoever_comes_later(tmp_path: Path) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    copied = claude_records("s1", 3)
    fork = [{**record, "sessionId": "z-fork"} for record in copied] + claude_records("z-fork", 1, start=900)
    put(home / CLAUDE / "z-fork.jsonl", fork)
    learned(home, store)
    owned = rows(store, "SELECT prompts, actions FROM sessions WHERE native_id = 'z-fork'")
    evicted(home, store)
    put(home / CLAUDE / "s1.jsonl", copied)
    learned(home, store)
    assert rows(store, "SELECT prompts, actions FROM sessions WHERE native_id = 'z-fork'") == owned
    assert rows(store, "SELECT sum(prompts), sum(actions) FROM sessions") == owned
    before = hash_of(store)
    assert rebuild(world_of(home, store), Silent()).after == before
    evicted(home, store)
    before = hash_of(store)
    assert rebuild(world_of(home, store), Silent()).after == before
    assert is_sound(store)


def test_a_pinned_session_stays(home: Path, store: Path) -> None:
    pin(world_of(home, store), [PARENT])
    done = evicted(home, store)
    assert PARENT not in {name for one in done.dropped for name in one.sessions}
    assert rows(store, "SELECT count(*) FROM files WHERE held_bytes > 0")[0][0] > 0
    rebuild(world_of(home, store), Silent())
    assert evicted(home, store).dropped == []
    pin(world_of(home, store), [PARENT], is_wanted=False)
    assert [one.sessions for one in evicted(home, store).dropped] == [[PARENT]]


def test_a_session_that_is_not_there_cannot_be_pinned(home: Path, store: Path) -> None:
    with pytest.raises(UsageError, match="No session"):
        pin(world_of(home, store), [PARENT, "nobody"])
    assert rows(store, "SELECT count(*) FROM pins") == [(0,)]


def test_pinned_sessions_are_marked_in_lists(home: Path, store: Path) -> None:
    pin(world_of(home, store), [PARENT])
    listed = list_sessions(world_of(home, store), Filter(), Order.START, 0).sessions
    assert [one.row.native_id for one in listed if one.is_pinned] == [PARENT]


def test_what_is_not_analysed_stays_above_the_soft_cap(home: Path, store: Path) -> None:
    undigest(store, [PARENT])
    done = evicted(home, store)
    assert PARENT not in {name for one in done.dropped for name in one.sessions}
    assert done.data_loss == []


def test_what_is_not_analysed_goes_above_the_hard_cap_and_is_named(home: Path, store: Path) -> None:
    undigest(store, [PARENT])
    done = evicted(home, store, raw_hard_cap_bytes=1)
    assert (done.data_loss, done.after_bytes, done.has_failed) == ([PARENT], 0, True)
    assert [one.sessions for one in dropped(Layout(store)) if one.is_data_loss] == [[PARENT]]
    finding = next(one for one in examine(world_of(home, store)).findings if one.code == "data-loss")
    assert finding.level == "alarm"
    before = hash_of(store)
    assert rebuild(world_of(home, store), Silent()).faults == []
    learned(home, store)
    assert is_sound(store)
    assert before


def test_records_that_nobody_understands_are_not_analysed(tmp_path: Path) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    put(home / CLAUDE / "s1.jsonl", [{"type": "of-tomorrow", "sessionId": "s1"}])
    learned(home, store)
    assert evicted(home, store).dropped == []
    done = evicted(home, store, raw_hard_cap_bytes=1)
    assert done.data_loss == [one.path for one in done.dropped]
    before = hash_of(store)
    assert rebuild(world_of(home, store), Silent()).after == before


def test_pinned_sessions_above_the_hard_cap_are_said_and_stay(home: Path, store: Path) -> None:
    pin(world_of(home, store), [PARENT])
    done = evicted(home, store, raw_hard_cap_bytes=1)
    assert (done.is_over_hard_cap, done.has_failed, done.data_loss) == (True, True, [])
    assert done.kept_bytes == done.after_bytes > 1
    codes = {one.code for one in examine(limited(home, store, raw_soft_cap_bytes=1, raw_hard_cap_bytes=1)).findings}
    assert "over-budget" in codes


def test_a_history_of_prompts_never_goes(tmp_path: Path) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    line = {"display": "Prune the plums", "project": "/srv/orchard", "timestamp": 1_770_000_000_000, "sessionId": "s9"}
    put(home / ".claude" / "history.jsonl", [line])
    learned(home, store)
    assert evicted(home, store, raw_hard_cap_bytes=1).dropped == []


def test_companions_go_with_their_transcript(home: Path, store: Path) -> None:
    assert rows(store, "SELECT count(*) FROM files WHERE role = 'companion' AND held_bytes > 0")[0][0] > 0
    evicted(home, store)
    kinds = rows(store, "SELECT DISTINCT role, state FROM files WHERE held_bytes = 0 ORDER BY 1")
    assert kinds == [("companion", "evicted"), ("transcript", "evicted")]
    transcripts = rows(store, "SELECT count(*) FROM files WHERE role = 'transcript'")[0][0]
    assert len(archived(store)) == transcripts


def test_old_sessions_go_by_age_whatever_the_caps(home: Path, store: Path) -> None:
    last_ms = rows(store, "SELECT max(ended_ms) FROM sessions")[0][0]
    world = limited(home, store, raw_max_age_days=10)
    young = evict(world._replace(now_ms=last_ms + 9 * 86_400_000), lambda _: True)
    old = evict(world._replace(now_ms=last_ms + 11 * 86_400_000), lambda _: True)
    assert young is not None
    assert old is not None
    assert [one.reason for one in young.passes] in ([], ["age"])
    assert old.after_bytes == 0
    assert {one.reason for one in old.dropped} == {"age"}


def test_the_oldest_go_first_if_so_configured(tmp_path: Path) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    for number in range(4):
        put(home / CLAUDE / f"s{number}.jsonl", claude_records(f"s{number}", start=number * 3_600))
    learned(home, store)
    total = sum(len(content) for content in archived(store).values())
    done = evicted(home, store, soft_cap_bytes=total * 55 // 100, order=EvictionOrder.OLDEST)
    assert [one.sessions for one in done.dropped] == [["s0"], ["s1"]]


def test_learn_keeps_within_the_budget(home: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    report: Report = sweep(limited(home, store, raw_soft_cap_bytes=1), Options(), Silent())
    assert report.evicted is not None
    assert report.evicted.after_bytes == 0
    assert rows(store, "SELECT count(*) FROM sessions")[0][0] == report.sessions
    assert is_sound(store)


def test_what_was_learned_is_never_dropped_but_warned_about(home: Path, store: Path) -> None:
    world = limited(home, store, distilled_cap_bytes=1)
    report = sweep(world, Options(), Silent()).evicted
    assert report is not None
    assert (report.is_over_distilled_cap, report.has_failed, report.dropped) == (True, False, [])
    assert [(one.code, one.level) for one in examine(world).findings if one.code == "distilled-cap"] == [
        ("distilled-cap", "warning")
    ]


def test_a_dry_run_plans_and_drops_nothing(home: Path, store: Path) -> None:
    before = archived(store)
    planned = evict(limited(home, store), lambda _: False, soft_cap_bytes=0, is_dry_run=True)
    rehearsed = sweep(limited(home, store, raw_soft_cap_bytes=1), Options(is_dry_run=True), Silent()).evicted
    assert planned is not None
    assert rehearsed is not None
    assert [one.path for one in planned.dropped] == [one.path for one in rehearsed.dropped] != []
    assert archived(store) == before


def test_without_consent_nothing_is_dropped(home: Path, store: Path) -> None:
    before = archived(store)
    assert evict(limited(home, store), lambda _: False, soft_cap_bytes=0) is None
    assert archived(store) == before


def test_a_soft_cap_above_the_hard_cap_is_refused(home: Path, store: Path) -> None:
    with pytest.raises(UsageError, match="above the hard cap"):
        evicted(home, store, soft_cap_bytes=3, raw_hard_cap_bytes=2)


def test_show_tells_when_the_original_was_dropped_and_what_was_kept(home: Path, store: Path) -> None:
    world = world_of(home, store)
    evicted(home, store)
    with source_of(world) as source:
        told = list(moments(source, find_session(source.store.db, PARENT), WantedMoments()))
    gone = [one for one in told if isinstance(one, GoneTexts)]
    assert len(gone) == 1
    assert "was dropped on 2026-05-28" in gone[0].reason
    said = [one.text for one in told if isinstance(one, SessionMoment) and one.kind == "prompt"]
    assert said[0] == "Prune row 0 of the orchard"
    targets = [one.action.target for one in told if isinstance(one, SessionMoment) and one.action]
    assert "make prune-0" in targets


def test_restore_says_when_it_was_dropped_and_its_hash(home: Path, store: Path, tmp_path: Path) -> None:
    world = world_of(home, store)
    evicted(home, store)
    (sha,) = {one.sha256 for one in dropped(Layout(store)) if PARENT in one.sessions}
    with source_of(world) as source:
        planned = plan_restore(source, world, [find_session(source.store.db, PARENT)], tmp_path / "to", RestoreChoice())
    assert planned.steps == []
    assert len(planned.faults) == 1
    assert "2026-05-28" in planned.faults[0]
    assert sha in planned.faults[0]


def test_a_damaged_original_is_left_alone_and_said(tmp_path: Path) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    put(home / CLAUDE / "s1.jsonl", claude_records("s1"))
    put(home / ".codex/sessions/2026/05/01/rollout-2026-05-01T10-00-00-t1.jsonl", codex_records("t1"))
    learned(home, store)
    path = max((store / "archive").rglob("*.zst"))
    path.write_bytes(b"\0" * 100)
    done = evicted(home, store)
    assert len(done.faults) == len(done.dropped) == 1
    assert done.has_failed


@pytest.mark.slow
def test_the_database_gives_the_space_back(tmp_path: Path) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    for number in range(30):
        put(home / CLAUDE / f"s{number}.jsonl", claude_records(f"s{number}", 60))
    learned(home, store)
    with open_store(Layout(store)) as one:
        one.db.execute("CREATE TABLE filler (content BLOB)")
        one.db.executemany("INSERT INTO filler VALUES (randomblob(?))", [(4_000,)] * 500)
        one.db.execute("DROP TABLE filler")
    before = (store / "afterwit.db").stat().st_size
    evicted(home, store)
    assert (store / "afterwit.db").stat().st_size < before - 1_500_000


def test_no_room_for_remains_is_said_and_costs_nothing(
    home: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, content = hash_of(store), archived(store)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("afterwit.store.archive._write_new", full)
        with pytest.raises(StoreFullError):
            evicted(home, store)
    assert archived(store) == content
    assert hash_of(store) == before
    learned(home, store)
    assert is_sound(store)


def test_the_raw_bytes_of_a_dropped_session_are_refused(home: Path, store: Path) -> None:
    evicted(home, store)
    with source_of(world_of(home, store)) as source, pytest.raises(AfterwitError, match="was dropped on"):
        refuse_dropped(files_of(source.store, find_session(source.store.db, PARENT)))
