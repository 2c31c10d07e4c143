"""What the settings leave out is never captured; what was captured before stays; without the setting it comes in."""

import json
from pathlib import Path

import pytest
from tests.engine.archive.planted import WORD, places_of
from tests.homes import CLAUDE, Silent, claude_records, codex_records, put, rows, world_of

from afterwit.engine.archive.delete import DeleteRequest, delete
from afterwit.engine.archive.upkeep import verify
from afterwit.engine.doctor.doctor import examine
from afterwit.engine.sweep import sweep
from afterwit.engine.unchanged import nothing_new
from afterwit.model.learn_run import Options, Report
from afterwit.redaction.markers import reading_request

THREAD = "01970001-0000-7000-8000-00000000000a"


def learned(home: Path, store: Path, *exclude: str) -> Report:
    """One run with this in the configuration."""
    store.mkdir(mode=0o700, exist_ok=True)
    listed = ", ".join(f'"{entry}"' for entry in exclude)
    (store / "config.toml").write_text(f"[learn]\nexclude = [{listed}]\n", encoding="utf-8")
    return sweep(world_of(home, store), Options(), Silent())


def sessions(store: Path) -> set[str]:
    return {row[0] for row in rows(store, "SELECT native_id FROM sessions")}


def client_records(home: Path, session: str, folder: str) -> list[dict[str, object]]:
    return claude_records(session, cwd=str(home / folder))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A session of a client with a word of its own, one of an orchard, a Codex rollout, and two histories."""
    home = tmp_path / "home"
    client = [
        {**record, "gitBranch": WORD} if number else record
        for number, record in enumerate(client_records(home, "client", "clients/acme"))
    ]
    put(home / CLAUDE / "client.jsonl", client)
    put(home / CLAUDE / "orchard.jsonl", claude_records("orchard"))
    put(home / ".codex" / "sessions" / f"rollout-2026-05-01T10-00-00-{THREAD}.jsonl", codex_records(THREAD))
    typed = {"timestamp": 1_777_629_600_000, "pastedContents": {}}
    put(
        home / ".claude" / "history.jsonl",
        [
            {"display": f"all of {WORD}", "project": str(home / "clients/acme"), "sessionId": "client", **typed},
            {"display": "water the hedge", "project": "/srv/orchard", "sessionId": "hedge", **typed},
        ],
    )
    put(home / ".codex" / "history.jsonl", [{"session_id": THREAD, "ts": 1_777_629_600, "text": "pick the row"}])
    return home


def test_a_folder_that_is_left_out_leaves_no_byte_in_the_store(home: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    report = learned(home, store, "folder:~/clients/**")
    assert sessions(store) == {"orchard", "hedge", THREAD}
    assert report.excluded == 1
    assert places_of(WORD, store) == []
    assert places_of("acme", store) == []
    assert list(verify(world_of(home, store).layout)) == []


def test_a_repository_that_only_the_log_names_is_left_out(home: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    learned(home, store, "repo:fruit/*")
    assert THREAD not in sessions(store)
    assert places_of("git.example/fruit", store) == []


def test_a_history_that_does_not_say_where_a_session_ran_tells_nothing_of_one_that_is_left_out(
    home: Path, tmp_path: Path
) -> None:
    learned(home, tmp_path / "store", "repo:orchard")
    assert sessions(tmp_path / "store") == {"client"}
    assert places_of("pick the row", tmp_path / "store") == []


def test_an_agent_that_is_left_out_is_counted_and_not_read(home: Path, tmp_path: Path) -> None:
    report = learned(home, tmp_path / "store", "agent:codex")
    assert THREAD not in sessions(tmp_path / "store")
    assert report.excluded == 2
    assert [agent.agent for agent in report.agents] == ["claude-code"]


def test_a_second_run_finds_nothing_new_and_says_the_same(home: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    first = learned(home, store, "folder:~/clients/**")
    second = nothing_new(world_of(home, store))
    assert second is not None
    assert (second.excluded, second.sessions) == (first.excluded, first.sessions)


def test_what_is_left_out_comes_in_when_it_no_longer_is(home: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    learned(home, store, "folder:~/clients/**", "agent:codex")
    report = learned(home, store)
    assert sessions(store) == {"client", "orchard", "hedge", THREAD}
    assert report.excluded == 0
    whole = tmp_path / "whole"
    learned(home, whole)
    query = "SELECT agent, native_id, events, first_prompt FROM sessions ORDER BY 1, 2"
    assert rows(store, query) == rows(whole, query)


def test_what_was_learned_before_stays_and_is_pointed_out_until_it_is_deleted(home: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    learned(home, store)
    report = learned(home, store, "folder:~/clients/**")
    assert "client" in sessions(store)
    assert report.excluded_stored == 1
    world = world_of(home, store)
    assert "excluded-stored" in {finding.code for finding in examine(world).findings}
    assert delete(world, DeleteRequest(is_excluded=True), lambda _: True) is not None
    assert sessions(store) == {"orchard", "hedge", THREAD}
    assert places_of(WORD, store) == []
    assert learned(home, store, "folder:~/clients/**").excluded_stored == 0


def test_a_session_that_goes_on_after_it_was_left_out_gets_nothing_added(home: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    learned(home, store)
    before = rows(store, "SELECT events FROM sessions WHERE native_id = 'client'")
    put(home / CLAUDE / "client.jsonl", claude_records("client", 9, cwd=str(home / "clients/acme")))
    learned(home, store, "folder:~/clients/**")
    assert rows(store, "SELECT events FROM sessions WHERE native_id = 'client'") == before


def test_a_rebuild_keeps_to_what_is_left_out(home: Path, tmp_path: Path) -> None:
    from tests.engine.archive.planted import rebuilt

    store = tmp_path / "store"
    learned(home, store, "folder:~/clients/**")
    before = sessions(store)
    rebuilt(world_of(home, store))
    learned(home, store, "folder:~/clients/**")
    assert sessions(store) == before
    assert places_of(WORD, store) == []


def read_for_us(session: str) -> list[dict[str, object]]:
    """A session in which an agent was given a request of ours."""
    first, *others = claude_records(session, 2)
    return [{**first, "message": {"role": "user", "content": reading_request("1 user: Prune the trees")}}, *others]


def test_a_session_that_begins_with_a_request_of_ours_is_never_learned(home: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    put(home / CLAUDE / "reader.jsonl", read_for_us("reader"))
    history = home / ".codex" / "history.jsonl"
    typed = {"session_id": "reader-too", "ts": 1_777_629_700, "text": reading_request("1 user: Pick")}
    put(history, [*map(json.loads, history.read_text(encoding="utf-8").splitlines()), typed])
    report = learned(home, store)
    assert sessions(store) == {"client", "orchard", "hedge", THREAD}
    assert (report.own, report.excluded) == (1, 0)
    assert places_of("Prune the trees", store) == []


def test_nor_is_one_that_worked_in_our_folder_or_a_subagent_of_one(home: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    put(home / CLAUDE / "there.jsonl", claude_records("there", cwd=str(store / "reading" / "work")))
    put(home / CLAUDE / "reader.jsonl", read_for_us("reader"))
    child = [record | {"isSidechain": True} for record in claude_records("reader", 1)]
    put(home / CLAUDE / "reader" / "subagents" / "agent-f00d.jsonl", child)
    report = learned(home, store)
    assert sessions(store) == {"client", "orchard", "hedge", THREAD}
    assert report.own == 3
    again = nothing_new(world_of(home, store))
    assert again is not None
    assert again.own == 3


def test_a_subagent_of_a_session_that_read_for_us_is_left_out_in_a_later_run_too(home: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    put(home / CLAUDE / "reader.jsonl", read_for_us("reader"))
    learned(home, store)
    child = [record | {"isSidechain": True} for record in claude_records("reader", 1)]
    put(home / CLAUDE / "reader" / "subagents" / "agent-f00d.jsonl", child)
    assert learned(home, store).own == 2
    assert sessions(store) == {"client", "orchard", "hedge", THREAD}


def test_a_folder_beside_ours_is_learned(home: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    put(home / CLAUDE / "there.jsonl", claude_records("there", cwd=f"{store}/reading-list"))
    assert (learned(home, store).own, "there" in sessions(store)) == (0, True)
