"""`learn` as a whole: what it stores, that it is idempotent, and that neither order nor cuts matter."""

import itertools
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.homes import (
    CLAUDE,
    CODEX,
    THREAD,
    Silent,
    claude_records,
    codex_records,
    hash_of,
    learned,
    lines,
    mixed_home,
    put,
    rows,
    world_of,
)
from tests.secrets_planted import planted
from tests.thoroughness import examples

from afterwit.engine.archive.rebuild import rebuild
from afterwit.model import zstd
from afterwit.store.layout import Layout

FIRST = "11111111-aaaa-4aaa-8aaa-000000000001"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return mixed_home(tmp_path / "home")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


def test_a_mixed_home_is_read_into_sessions_events_and_actions(home: Path, store: Path) -> None:
    report = learned(home, store)
    assert {agent.agent: (agent.read, agent.actions) for agent in report.agents} == {
        "claude-code": (2, 5),
        "codex": (1, 2),
        "hermes": (1, 2),
    }
    found = rows(
        store, "SELECT agent, prompts, actions, failures, tokens_output FROM sessions ORDER BY agent, native_id"
    )
    assert found == [
        ("claude-code", 3, 3, 2, 3 * 48),
        ("claude-code", 2, 2, 1, 2 * 48),
        ("codex", 2, 2, 1, 18),
        ("hermes", 2, 2, 0, 0),
    ]


def test_actions_have_kind_target_status_and_error(home: Path, store: Path) -> None:
    learned(home, store, agents=frozenset({"claude-code"}))
    query = "SELECT kind, target, status, exit_code, error FROM actions ORDER BY id LIMIT 2"
    assert rows(store, query) == [
        ("shell", "make prune-0", "failed", 2, "make: *** No rule to make target 'prune'."),
        ("shell", "make prune-1", "succeeded", None, ""),
    ]


def test_one_response_over_several_lines_is_counted_once_with_its_last_usage(home: Path, store: Path) -> None:
    learned(home, store, agents=frozenset({"claude-code"}))
    assert rows(store, "SELECT count(*), max(output), min(output) FROM spends") == [(10, 41, 7)]


def test_learning_twice_equals_learning_once(home: Path, store: Path) -> None:
    learned(home, store)
    before = hash_of(store)
    report = learned(home, store)
    assert all(agent.read == 0 and agent.unchanged == agent.discovered for agent in report.agents)
    assert hash_of(store) == before


def test_a_touched_file_is_not_read_again(home: Path, store: Path) -> None:
    learned(home, store)
    before = hash_of(store)
    os.utime(home / CLAUDE / f"{FIRST}.jsonl", (1, 1))
    report = learned(home, store)
    assert sum(agent.read for agent in report.agents) == 0
    assert hash_of(store) == before


def test_any_order_of_files_gives_the_same_store(tmp_path: Path) -> None:
    whole = mixed_home(tmp_path / "whole")
    paths = sorted(path.relative_to(whole) for path in whole.rglob("*.jsonl"))
    hashes = set()
    for number, order in enumerate(itertools.islice(itertools.permutations(paths), 0, 24, 5)):
        home, store = tmp_path / f"home{number}", tmp_path / f"store{number}"
        for path in order:
            put(home / path, (whole / path).read_bytes())
            learned(home, store)
        hashes.add(hash_of(store))
    assert len(hashes) == 1


@settings(max_examples=examples(12), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_split_into_appends_equals_the_whole(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder = tmp_path_factory.mktemp("split")
    whole = mixed_home(folder / "whole")
    learned(whole, folder / "whole-store")
    cuts = data.draw(st.lists(st.floats(0, 1), min_size=1, max_size=3).map(sorted))
    for share in [*cuts, 1.0]:
        for path in whole.rglob("*.jsonl"):
            content = path.read_bytes()
            put(folder / "home" / path.relative_to(whole), content[: int(len(content) * share)])
        learned(folder / "home", folder / "store")
    assert hash_of(folder / "store") == hash_of(folder / "whole-store")


def test_appends_are_read_from_the_cursor(home: Path, store: Path) -> None:
    path = home / CLAUDE / f"{FIRST}.jsonl"
    learned(home, store)
    with path.open("ab") as file:
        file.write(lines(claude_records("s1", 4)[-5:]))
    report = learned(home, store)
    claude = next(agent for agent in report.agents if agent.agent == "claude-code")
    assert (claude.read, claude.unchanged, claude.events, claude.actions) == (1, 1, 5, 1)


def test_a_call_whose_result_comes_with_the_next_append_is_joined(home: Path, store: Path) -> None:
    path = home / CLAUDE / f"{FIRST}.jsonl"
    content = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(content[:3]))
    learned(home, store, agents=frozenset({"claude-code"}))
    status = "SELECT status FROM actions WHERE call_id = 'toolu_s1_0'"
    assert rows(store, status) == [("unknown",)]
    path.write_bytes(b"".join(content))
    learned(home, store, agents=frozenset({"claude-code"}))
    assert rows(store, status) == [("failed",)]


def test_a_rewritten_file_that_holds_everything_replaces_the_old_one(home: Path, store: Path) -> None:
    path = home / CLAUDE / f"{FIRST}.jsonl"
    learned(home, store)
    before = rows(store, "SELECT prompts, actions, tokens_output FROM sessions WHERE native_id = ?", FIRST)
    path.write_bytes(b'{"type":"mode","mode":"normal","sessionId":"s1"}\n' + path.read_bytes())
    learned(home, store)
    assert rows(store, "SELECT prompts, actions, tokens_output FROM sessions WHERE native_id = ?", FIRST) == before
    assert rows(store, "SELECT count(*) FROM files WHERE NOT is_live") == [(0,)]
    assert len(list((store / "archive").rglob("*.zst"))) == 4


def test_a_truncated_file_loses_no_history(home: Path, store: Path) -> None:
    path = home / CLAUDE / f"{FIRST}.jsonl"
    learned(home, store)
    before = rows(store, "SELECT prompts, actions, failures, tokens_output FROM sessions ORDER BY id")
    content = path.read_bytes()
    path.write_bytes(b"".join(content.splitlines(keepends=True)[2:8]))
    learned(home, store)
    assert rows(store, "SELECT prompts, actions, failures, tokens_output FROM sessions ORDER BY id") == before
    assert rows(store, "SELECT count(*) FROM files WHERE NOT is_live") == [(1,)]


def test_a_deleted_file_stays_known(home: Path, store: Path) -> None:
    learned(home, store)
    before = hash_of(store)
    (home / CLAUDE / f"{FIRST}.jsonl").unlink()
    learned(home, store)
    assert hash_of(store) == before


def copying_home(home: Path) -> tuple[Path, Path]:
    """A Codex thread and a fork of it that begins with a copy of its history."""
    parent, child = THREAD, "01970002-0000-7000-8000-00000000000b"
    original = codex_records(parent)
    meta = {**original[0]["payload"], "id": child, "forked_from_id": parent}
    copies = [{**record, "timestamp": "2026-05-01T15:00:00.000Z"} for record in original]
    own = codex_records(child, 1, start=20_000)[1:]
    own[0]["payload"]["turn_id"] = "01970003-0000-7000-8000-00000000000c"
    fork = [{"timestamp": "2026-05-01T15:00:00.000Z", "type": "session_meta", "payload": meta}, *copies, *own]
    for number, record in enumerate(record for record in (*original, *copies) if record["type"] == "turn_context"):
        record["payload"]["turn_id"] = f"01970001-0000-7000-8000-0000000000{10 + number % 2}"
    first = put(home / CODEX / f"rollout-2026-05-01T10-00-00-{parent}.jsonl", original)
    second = put(home / CODEX / f"rollout-2026-05-01T15-00-00-{child}.jsonl", fork)
    return first, second


@pytest.mark.parametrize("is_child_first", [False, True])
def test_copied_history_is_counted_once_whichever_file_comes_first(tmp_path: Path, is_child_first: bool) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    first, second = copying_home(home)
    later = first if is_child_first else second
    content = later.read_bytes()
    later.unlink()
    learned(home, store)
    later.write_bytes(content)
    learned(home, store)
    found = rows(store, "SELECT prompts, actions, tokens_output, parent FROM sessions ORDER BY native_id")
    assert found == [(2, 2, 18, ""), (1, 1, 9, THREAD)]
    assert rows(store, "SELECT count(*) FROM events WHERE is_copied") != [(0,)]


def test_copies_in_both_orders_give_one_content_hash(tmp_path: Path) -> None:
    hashes = set()
    for number in range(2):
        home, store = tmp_path / f"home{number}", tmp_path / f"store{number}"
        paths = copying_home(home)
        held_back = paths[number]
        content = held_back.read_bytes()
        held_back.unlink()
        learned(home, store)
        held_back.write_bytes(content)
        learned(home, store)
        hashes.add(hash_of(store))
    assert len(hashes) == 1


def test_a_copy_is_owned_by_the_fork_while_the_original_is_unknown(tmp_path: Path) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    first, _ = copying_home(home)
    first.unlink()
    learned(home, store)
    assert rows(store, "SELECT prompts, actions FROM sessions") == [(3, 3)]


def test_a_session_resumed_into_a_new_file_is_counted_once(tmp_path: Path) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    old = claude_records("s1")
    put(home / CLAUDE / "s1.jsonl", old)
    put(home / CLAUDE / "s0.jsonl", [*old, *claude_records("s0", 1, start=9000)])
    learned(home, store)
    found = rows(store, "SELECT native_id, prompts, actions FROM sessions ORDER BY native_id")
    assert found == [("s0", 1, 1), ("s1", 3, 3)]


def test_a_packed_rollout_is_read_and_archived_as_it_is(tmp_path: Path) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    packed = zstd.Compressor(3).compress(lines(codex_records(THREAD)))
    put(home / CODEX / f"rollout-2026-05-01T10-00-00-{THREAD}.jsonl.zst", packed)
    learned(home, store)
    assert rows(store, "SELECT prompts, actions FROM sessions") == [(2, 2)]
    assert rows(store, "SELECT held_bytes FROM files") == [(len(packed),)]


def test_empty_sessions_are_counted_and_not_stored(tmp_path: Path) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    path = put(home / CLAUDE / "s1.jsonl", b'{"type":"mode","mode":"normal","sessionId":"s1"}\n')
    put(home / CLAUDE / "s2.jsonl", b"")
    report = learned(home, store)
    assert [(agent.discovered, agent.read, agent.empty) for agent in report.agents] == [(2, 0, 2)]
    assert rows(store, "SELECT count(*) FROM sessions") == [(0,)]
    assert not list((store / "archive").rglob("*.zst"))
    path.write_bytes(path.read_bytes() + lines(claude_records("s1")))
    learned(home, store)
    assert rows(store, "SELECT prompts FROM sessions") == [(3,)]


def test_a_spilled_output_is_read_and_kept_with_its_session(tmp_path: Path) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    records = claude_records("s1", 1)
    records[3]["message"]["content"][0].update(
        is_error=True, content="<persisted-output>\nOutput too large. Full output saved to: out.txt\nPreview…"
    )
    records[3]["toolUseResult"] = {"persistedOutputPath": "toolu_s1_0.txt"}
    put(home / CLAUDE / "s1.jsonl", records)
    put(home / CLAUDE / "s1" / "tool-results" / "toolu_s1_0.txt", b"...\nerror: the ladder is broken\n")
    learned(home, store)
    assert rows(store, "SELECT error FROM actions") == [("error: the ladder is broken",)]
    before = hash_of(store)
    (home / CLAUDE / "s1" / "tool-results" / "toolu_s1_0.txt").unlink()
    rebuild(world_of(home, store), Silent())
    assert hash_of(store) == before


def test_a_dry_run_reports_and_writes_nothing(home: Path, store: Path) -> None:
    report = learned(home, store, is_dry_run=True)
    assert (report.sessions, sum(agent.read for agent in report.agents)) == (4, 4)
    assert not store.exists()
    learned(home, store)
    before = hash_of(store), sorted(store.rglob("*"))
    put(home / CLAUDE / "s9.jsonl", claude_records("s9"))
    assert learned(home, store, is_dry_run=True).sessions == 5
    assert (hash_of(store), sorted(store.rglob("*"))) == before


def test_a_folder_given_by_hand_is_read_by_content(tmp_path: Path) -> None:
    home, store, folder = tmp_path / "home", tmp_path / "store", tmp_path / "elsewhere"
    put(folder / "a.jsonl", claude_records("s1"))
    put(folder / "deep" / "b.jsonl", codex_records(THREAD))
    put(folder / "c.jsonl", [{"weather": "fine"}])
    report = learned(home, store, folder=folder)
    read = {agent.agent: (agent.read, agent.no_reader) for agent in report.agents}
    assert read == {"claude-code": (1, 0), "codex": (1, 0), "unrecognised": (0, 1)}


def test_only_the_named_agents_are_read(home: Path, store: Path) -> None:
    report = learned(home, store, agents=frozenset({"codex"}))
    assert [agent.agent for agent in report.agents] == ["codex"]


def test_files_older_than_since_are_left_alone(home: Path, store: Path) -> None:
    os.utime(home / CLAUDE / f"{FIRST}.jsonl", (1_600_000_000, 1_600_000_000))
    report = learned(home, store, agents=frozenset({"claude-code"}), since_ms=1_700_000_000_000)
    assert [(agent.read, agent.unchanged) for agent in report.agents] == [(1, 1)]
    assert learned(home, store, agents=frozenset({"claude-code"})).agents[0].read == 1


def test_two_processes_read_as_one_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = mixed_home(tmp_path / "home")
    learned(home, tmp_path / "one", jobs=1)
    monkeypatch.setattr("afterwit.capture.tasks._WORTH_A_POOL_BYTES", 0)
    learned(home, tmp_path / "two", jobs=2)
    assert hash_of(tmp_path / "one") == hash_of(tmp_path / "two")
    seen = """SELECT native_id, digests.body, harvester, matter, ordinal, sightings.body FROM sessions
              JOIN digests ON digests.session_id = id LEFT JOIN sightings ON sightings.session_id = id"""
    assert sorted(rows(tmp_path / "one", seen), key=str) == sorted(rows(tmp_path / "two", seen), key=str) != []


def test_files_that_no_reader_takes_are_listed(tmp_path: Path) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    put(home / ".codex/sessions/rollout-2025-05-01T10-00-00-aa.json", b"{}")
    report = learned(home, store)
    assert [(agent.agent, agent.discovered, agent.no_reader) for agent in report.agents] == [("codex", 1, 1)]


def test_profiles_are_separate_stores(tmp_path: Path) -> None:
    home, store = mixed_home(tmp_path / "home"), tmp_path / "store"
    learned(home, store)
    world = world_of(home, store, {"AFTERWIT_PROFILE": "work"})
    assert world.layout == Layout(store / "profiles" / "work")
    assert not world.layout.exists()


def test_a_file_without_a_session_is_the_same_however_it_was_cut(tmp_path: Path) -> None:
    content = b'{"type":"mode","mode":"normal","sessionId":"s"}\n'
    put(tmp_path / "whole" / CLAUDE / "s1.jsonl", content)
    learned(tmp_path / "whole", tmp_path / "whole-store")
    for size in (20, len(content)):
        put(tmp_path / "home" / CLAUDE / "s1.jsonl", content[:size])
        learned(tmp_path / "home", tmp_path / "store")
    assert hash_of(tmp_path / "store") == hash_of(tmp_path / "whole-store")


def test_a_spilled_output_that_the_agent_deleted_is_not_forgotten(tmp_path: Path) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    records = claude_records("s1", 1)
    records[3]["message"]["content"][0].update(is_error=True, content="<persisted-output>\nPreview…")
    records[3]["toolUseResult"] = {"persistedOutputPath": "toolu_s1_0.txt"}
    path = put(home / CLAUDE / "s1.jsonl", records)
    spilled = put(home / CLAUDE / "s1" / "tool-results" / "toolu_s1_0.txt", b"error: the ladder is broken\n")
    learned(home, store)
    before = hash_of(store)
    spilled.unlink()
    assert learned(home, store).agents[0].read == 0
    assert hash_of(store) == before
    put(home / CLAUDE / "s1" / "tool-results" / "other.txt", b"something else\n")
    with path.open("ab") as file:
        file.write(lines(claude_records("s1", 2)[-5:]))
    learned(home, store)
    assert rows(store, "SELECT error FROM actions WHERE call_id = 'toolu_s1_0'") == [("error: the ladder is broken",)]


def test_the_remote_of_a_local_checkout_is_redacted_before_it_is_stored(tmp_path: Path) -> None:
    secret = planted()["github token"]
    checkout = tmp_path / "work" / "orchard"
    config = f'[remote "origin"]\n\turl = https://git.example/{secret}/orchard.git\n'
    for name, content in (("config", config), ("HEAD", "ref: refs/heads/main\n")):
        put(checkout / ".git" / name, content.encode())
    for name in ("objects", "refs"):
        (checkout / ".git" / name).mkdir()
    put(tmp_path / "home" / CLAUDE / "s1.jsonl", claude_records("s1", 1, cwd=str(checkout)))
    learned(tmp_path / "home", tmp_path / "store")
    ((remote,),) = rows(tmp_path / "store", "SELECT remote FROM checkouts")
    assert "‹" in remote
    for path in (tmp_path / "store").glob("*.db*"):
        assert secret.lower().encode() not in path.read_bytes().lower()


def test_the_report_counts_copied_history_once(tmp_path: Path) -> None:
    home = tmp_path / "home"
    copying_home(home)
    (codex,) = learned(home, tmp_path / "store").agents
    assert codex.actions == 3
