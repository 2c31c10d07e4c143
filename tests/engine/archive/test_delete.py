"""Sessions that people delete: no byte of them stays, nothing brings them back, and what is others' stays as it was."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.engine.archive.planted import GONE, STAYS, WORD, called, history, places_of, planted, planted_home, rebuilt
from tests.engine.archive.store_faults import killed_at
from tests.homes import CLAUDE, CODEX, claude_records, codex_records, learned, lines, put, rows, world_of

from afterwit.config.world import World
from afterwit.engine.archive.delete import DeleteRequest, Deletion, delete, want_again
from afterwit.engine.archive.evict import evict
from afterwit.engine.archive.upkeep import verify
from afterwit.knowledge.door.list import all_items
from afterwit.model.errors import UsageError
from afterwit.sessions.filters import Filter
from afterwit.store import spool
from afterwit.store.decide import catch_up
from afterwit.store.rows.items import recorded
from afterwit.store.store import open_store


def deleted(world: World, *names: str, **more: Any) -> Deletion:
    done = delete(world, DeleteRequest(names, **more), lambda _: True)
    assert done is not None
    return done


def sessions(store: Path) -> set[str]:
    return {row[0] for row in rows(store, "SELECT native_id FROM sessions")}


def test_no_byte_of_a_deleted_session_is_left_in_the_data_folder(tmp_path: Path) -> None:
    world = planted(tmp_path)
    before = places_of(WORD, world.layout.root)
    for place in ("afterwit.db", "journal.db", "deck.db", "afterwit.db.damaged", "backups/afterwit-schema-3.db"):
        assert place in before
    assert sum(place.startswith("deck/") for place in before) == 1
    assert sum(place.startswith("archive/") for place in before) == 5
    assert sum(place.startswith("spool/") for place in before) == 2
    done = deleted(world, GONE)
    assert done.is_finished
    assert {session.session for session in done.sessions} == {GONE, "agent-cafe"}
    assert places_of(WORD, world.layout.root) == []
    assert list(verify(world.layout)) == []


def test_no_byte_is_left_of_a_restore_that_was_killed_and_the_store_of_before_one_is_named(tmp_path: Path) -> None:
    world = planted(tmp_path)
    backups = world.layout.backups
    for place in ("restoring/archive/ab", "restoring", "backing-up/git", "before-restore-20261118"):
        (backups / place).mkdir(parents=True, exist_ok=True)
        put(backups / place / "pages.db", f"pages with {WORD}".encode())
    done = deleted(world, GONE)
    assert done.set_aside == [str(backups / "before-restore-20261118")]
    assert places_of(WORD, world.layout.root) == ["backups/before-restore-20261118/pages.db"]


def test_neither_learning_nor_rebuilding_brings_a_deleted_session_back(tmp_path: Path) -> None:
    world = planted(tmp_path)
    deleted(world, GONE)
    left = sessions(world.layout.root)
    learned(world.user_home, world.layout.root)
    rebuilt(world)
    learned(world.user_home, world.layout.root)
    log = world.user_home / CLAUDE / f"{GONE}.jsonl"
    with log.open("ab") as file:
        file.write(lines(claude_records(GONE, 8)[-5:]))
    learned(world.user_home, world.layout.root)
    assert sessions(world.layout.root) == left
    assert places_of(WORD, world.layout.root) == []


def test_what_belongs_to_other_sessions_stays_as_it_was(tmp_path: Path) -> None:
    world = planted(tmp_path)
    before = sessions(world.layout.root)
    deleted(world, GONE)
    assert before - sessions(world.layout.root) == {GONE, "agent-cafe"}
    prompts = rows(world.layout.root, "SELECT first_prompt FROM sessions WHERE is_partial")
    assert prompts == [("Water the beech hedge",)]
    with open_store(world.layout) as store:
        assert [
            item.id for item in all_items(store.db) if STAYS in {piece.session.native_id for piece in item.evidence}
        ]


def test_a_log_that_others_share_is_archived_without_the_deleted_session_as_it_grows(tmp_path: Path) -> None:
    world = planted(tmp_path)
    deleted(world, GONE)
    more = {"display": "Mow the lawn", "timestamp": 1_777_700_000_000, "project": "/srv/orchard", "sessionId": "new"}
    put(world.user_home / ".claude" / "history.jsonl", [*history(), more])
    learned(world.user_home, world.layout.root)
    assert ("Mow the lawn",) in rows(world.layout.root, "SELECT first_prompt FROM sessions")
    assert places_of(WORD, world.layout.root) == []
    assert list(verify(world.layout)) == []


def test_the_journal_keeps_what_was_decided_and_none_of_the_words(tmp_path: Path) -> None:
    world = planted(tmp_path)
    deleted(world, GONE)
    with open_store(world.layout) as store:
        catch_up(store)
        kinds = {(row.kind, row.body.get("decision")) for row in recorded(store.db)}
        assert ("item-decided", "edit") in kinds
        assert ("item-decided", "pin") in kinds
        assert "lesson-recorded" not in {kind for kind, _ in kinds}
        assert store.journal.verify() == []


def test_a_changed_journal_is_still_noticed_after_something_was_deleted(tmp_path: Path) -> None:
    world = planted(tmp_path)
    deleted(world, GONE)
    with open_store(world.layout) as store:
        store.journal._db.execute("""UPDATE entries SET body = '{"draws":[]}' WHERE kind = 'drawn'""")
        assert any("was changed after it was written" in fault for fault in store.journal.verify())


def test_what_hooks_tell_of_a_deleted_session_that_goes_on_is_not_taken_in(tmp_path: Path) -> None:
    world = planted(tmp_path)
    deleted(world, GONE)
    spool.append(world.layout.spool, "claude-code", GONE, called(GONE))
    learned(world.user_home, world.layout.root)
    assert rows(world.layout.root, "SELECT session FROM live_calls WHERE session = ?", GONE) == []


def test_a_deleted_session_is_read_again_when_somebody_asks_for_it(tmp_path: Path) -> None:
    world = planted(tmp_path)
    deleted(world, GONE)
    with pytest.raises(UsageError, match="Give its whole id"):
        want_again(world, [GONE[:8]])
    want_again(world, [GONE])
    learned(world.user_home, world.layout.root)
    assert {GONE, "agent-cafe"} <= sessions(world.layout.root)
    assert list(verify(world.layout)) == []


def test_a_dry_run_and_a_no_change_nothing(tmp_path: Path) -> None:
    home, store = planted_home(tmp_path / "home"), tmp_path / "store"
    learned(home, store)
    world = world_of(home, store)
    before = places_of(WORD, store)
    planned = delete(world, DeleteRequest((GONE,)), lambda _: True, is_dry_run=True)
    assert planned is not None
    assert planned.is_dry_run
    assert delete(world, DeleteRequest((GONE,)), lambda _: False) is None
    assert places_of(WORD, store) == before


def test_the_agents_own_log_goes_only_where_that_is_wanted(tmp_path: Path) -> None:
    home, store = planted_home(tmp_path / "home"), tmp_path / "store"
    learned(home, store)
    world = world_of(home, store)
    log = home / CLAUDE / f"{GONE}.jsonl"
    done = deleted(world, GONE, takes_logs=True)
    assert not log.exists()
    assert not (home / CLAUDE / GONE / "tool-results" / "toolu_large.txt").exists()
    shared = next(entry for entry in done.logs if entry.path.endswith("history.jsonl"))
    assert (shared.is_deleted, shared.why_kept) == (False, "holds other sessions too")
    assert (home / ".claude" / "history.jsonl").exists()
    deleted(world, STAYS)
    assert (home / CLAUDE / f"{STAYS}.jsonl").exists()


def test_sessions_are_chosen_by_the_usual_filters(tmp_path: Path) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    put(home / CLAUDE / "a.jsonl", claude_records("a"))
    put(home / CLAUDE / "b.jsonl", claude_records("b", cwd="/srv/harbour"))
    learned(home, store)
    deleted(world_of(home, store), chosen=Filter(repos=("harbour",)))
    assert sessions(store) == {"a"}


def test_a_fork_keeps_its_copy_of_the_history_and_the_plan_says_so(tmp_path: Path) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    folder = home / ".codex" / "sessions" / "2026" / "05" / "01"
    first, fork = "01970001-0000-7000-8000-00000000000a", "01970001-0000-7000-8000-00000000000b"
    records = codex_records(first)
    meta = json.loads(json.dumps(records[0]))
    meta["payload"] |= {"id": fork, "forked_from_id": first}
    put(folder / f"rollout-2026-05-01T10-00-00-{first}.jsonl", records)
    put(folder / f"rollout-2026-05-01T11-00-00-{fork}.jsonl", [meta, *records, *codex_records(fork, 1, start=900)[1:]])
    learned(home, store)
    done = deleted(world_of(home, store), first)
    assert done.copied_in == [fork]
    assert sessions(store) == {fork}
    learned(home, store)
    assert sessions(store) == {fork}
    assert list(verify(world_of(home, store).layout)) == []


def test_what_the_subagents_of_a_subagent_did_goes_with_the_session(tmp_path: Path) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    top, child, grandchild = (f"01970001-0000-7000-8000-00000000000{digit}" for digit in "abc")
    for thread, parent in ((top, ""), (child, top), (grandchild, child)):
        records = codex_records(thread, 1)
        if parent:
            records[0]["payload"]["source"] = {"subagent": {"thread_spawn": {"parent_thread_id": parent}}}
        put(home / CODEX / f"rollout-2026-05-01T10-00-00-{thread}.jsonl", records)
    learned(home, store)
    assert sessions(store) == {top, child, grandchild}
    deleted(world_of(home, store), top)
    assert sessions(store) == set()


def test_what_is_left_of_a_dropped_original_goes_too(tmp_path: Path) -> None:
    home, store = planted_home(tmp_path / "home"), tmp_path / "store"
    learned(home, store)
    world = world_of(home, store)
    evict(world, lambda _: True, soft_cap_bytes=0)
    deleted(world, GONE)
    assert places_of(WORD, store) == []
    assert list(verify(world.layout)) == []


def test_one_launch_of_aider_is_cut_out_of_the_file_that_all_launches_share(tmp_path: Path) -> None:
    home, store = planted_home(tmp_path / "home"), tmp_path / "store"
    text = b"\n# aider chat started at 2026-05-01 10:00:00\n\n#### prune\n\nPruned.\n"
    other = b"\n# aider chat started at 2026-05-02 10:00:00\n\n#### water\n\nWatered.\n"
    put(tmp_path / "logs" / ".aider.chat.history.md", text + other)
    learned(home, store, folder=tmp_path / "logs")
    names = sorted(sessions(store))
    assert len(names) == 2
    deleted(world_of(home, store), names[0])
    assert sessions(store) == {names[1]}
    learned(home, store, folder=tmp_path / "logs")
    assert sessions(store) == {names[1]}


@pytest.mark.slow
def test_a_deletion_that_is_killed_at_any_step_is_finished_by_the_next_run(tmp_path: Path) -> None:
    reached: list[str] = []
    for number in range(1, 80):
        home, store = planted_home(tmp_path / f"home{number}"), tmp_path / f"store{number}"
        learned(home, store)
        world = world_of(home, store)
        step = killed_at(number, partial(deleted, world, GONE))
        if step is None:
            break
        reached.append(step)
        is_decided = bool(rows(store, "SELECT 1 FROM applied")) and _is_decided(world)
        learned(home, store)
        assert (places_of(WORD, store) == []) is is_decided, step
        assert [fault.what for fault in verify(world.layout) if not fault.is_harmless] == [], step
    assert "an erasure is in the journal, not committed" in reached
    assert "the files of what is erased are gone" in reached
    assert "what was learned from it is gone" in reached


def _is_decided(world: World) -> bool:
    with open_store(world.layout) as store:
        return any(entry.kind == "sessions-erased" for entry in store.journal.entries())
