"""Sessions in the checkpoints of a git repository, from its refs to the store."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.homes import CLAUDE, Silent, claude_records, codex_records, hash_of, learned, lines, put, rows, world_of
from tests.sources.repositories import commit, repository

from afterwit.engine.archive.rebuild import rebuild
from afterwit.sessions.filters import Filter
from afterwit.sessions.search import best_hits

SESSION = "33333333-cccc-4ccc-8ccc-000000000001"
THREAD = "01970009-0000-7000-8000-00000000000c"


def checkpoint(folder: str, session: str, transcript: bytes) -> dict[str, bytes]:
    metadata = {"session_id": session, "agent": "Gemini CLI", "checkpoint_id": folder.replace("/", "")}
    return {f"{folder}/full.jsonl": transcript, f"{folder}/metadata.json": json.dumps(metadata).encode()}


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return tmp_path / "orchard"


@pytest.fixture
def git_dir(repo: Path) -> Path:
    git_dir = repository(repo)
    commit(
        git_dir,
        {
            **checkpoint("0a/1b2c3d4e5f/0", SESSION, lines(claude_records(SESSION, 1))),
            **checkpoint("0b/1b2c3d4e5f/0", SESSION, lines(claude_records(SESSION, 3))),
            **checkpoint("0b/1b2c3d4e5f/1", THREAD, lines(codex_records(THREAD))),
        },
    )
    return git_dir


def sessions(store: Path) -> list[tuple[Any, ...]]:
    """What is known of each. Their prompts are nobody's words: anybody can commit any."""
    return rows(store, "SELECT agent, native_id, prompts, actions FROM sessions ORDER BY agent, native_id")


@pytest.mark.usefixtures("git_dir")
def test_a_repository_given_by_hand_is_read_once(tmp_path: Path, repo: Path) -> None:
    store = tmp_path / "store"
    report = learned(tmp_path / "home", store, folder=repo)
    assert [(agent.agent, agent.read, agent.failed) for agent in report.agents] == [("entire", 2, 0)]
    assert sessions(store) == [("entire", THREAD, 0, 2), ("entire", SESSION, 0, 3)]
    again = learned(tmp_path / "home", store, folder=repo)
    assert [(agent.read, agent.unchanged) for agent in again.agents] == [(0, 2)]


def test_a_later_checkpoint_adds_to_its_session(tmp_path: Path, repo: Path, git_dir: Path) -> None:
    store = tmp_path / "store"
    learned(tmp_path / "home", store, folder=repo)
    commit(git_dir, checkpoint("0c/1b2c3d4e5f/0", SESSION, lines(claude_records(SESSION, 5))))
    report = learned(tmp_path / "home", store, folder=repo)
    assert [(agent.read, agent.events) for agent in report.agents] == [(1, 10)]
    assert ("entire", SESSION, 0, 5) in sessions(store)


@pytest.mark.usefixtures("git_dir")
def test_a_repository_can_be_a_home(tmp_path: Path, repo: Path) -> None:
    store = tmp_path / "store"
    put(store / "config.toml", f'[agents.entire]\nhomes = ["{repo.as_posix()}"]\n'.encode())
    assert [agent.read for agent in learned(tmp_path / "home", store).agents] == [2]


@pytest.mark.usefixtures("git_dir")
def test_what_the_agent_s_own_log_holds_too_is_counted_once(tmp_path: Path, repo: Path) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    put(home / CLAUDE / f"{SESSION}.jsonl", claude_records(SESSION, 3))
    learned(home, store)
    learned(home, store, folder=repo)
    total = rows(store, "SELECT sum(actions) FROM sessions WHERE native_id = ?", SESSION)
    assert total == [(3,)]


@pytest.mark.usefixtures("git_dir")
def test_texts_are_found_and_a_rebuild_needs_no_repository(tmp_path: Path, repo: Path) -> None:
    home, store = tmp_path / "home", tmp_path / "store"
    learned(home, store, folder=repo)
    before = hash_of(store)
    repo.rename(tmp_path / "elsewhere")
    world = world_of(home, store)
    assert [hit.agent for hit in best_hits(world, "ladder", Filter(), "", 10, 80).hits] == ["entire", "entire"]
    assert rebuild(world, Silent()).faults == []
    assert hash_of(store) == before


def test_a_repository_that_git_cannot_read_is_an_error_of_that_place(tmp_path: Path, repo: Path, git_dir: Path) -> None:
    (git_dir / "HEAD").unlink()
    report = learned(tmp_path / "home", tmp_path / "store", folder=repo)
    assert [(agent.agent, agent.failed) for agent in report.agents] == [("entire", 1)]
    assert "git for-each-ref failed" in report.agents[0].errors[0]
