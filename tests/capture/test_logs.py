"""What lies in a home, and above all what lies there unread."""

from pathlib import Path, PurePosixPath

import pytest
from tests.homes import codex_records, learned, put

from afterwit.agents.registry import agent, reader_for
from afterwit.capture.logs import look_into
from afterwit.sources.discovery import list_home

UNREAD = [
    ("codex", "sessions/2025/04/20/rollout-2025-04-20-ae0e94b8.json"),
    ("codex", "sessions/rollout-2025-04-20-ae0e94b8.json"),
    ("grok-cli", "conversations.db"),
    ("cursor-cli", "chats/0cc175b9c0f1b6a8/5e55/store.db"),
]


@pytest.mark.parametrize(("name", "path"), UNREAD)
def test_a_transcript_that_its_agents_reader_refuses_is_listed_as_unread(name: str, path: str, tmp_path: Path) -> None:
    put(tmp_path / path, b"{}")
    lying = look_into(list_home(tmp_path), agent(name), reader_for(name))
    assert lying.unread == [PurePosixPath(path)]
    assert (lying.units, lying.sources) == ([], [])


@pytest.mark.parametrize(("name", "path"), UNREAD)
def test_learn_counts_it_beside_what_it_reads(name: str, path: str, tmp_path: Path) -> None:
    home = {"codex": ".codex", "grok-cli": ".grok", "cursor-cli": ".cursor"}[name]
    put(tmp_path / "home" / home / path, b"{}")
    put(tmp_path / "home/.codex/sessions/rollout-a.jsonl", codex_records("a"))
    report = learned(tmp_path / "home", tmp_path / "store")
    assert {one.agent: one.no_reader for one in report.agents if one.no_reader} == {name: 1}
    assert {one.agent: one.read for one in report.agents if one.read} == {"codex": 1}
    assert not report.has_failures


def test_an_agent_without_a_reader_has_all_its_transcripts_unread(tmp_path: Path) -> None:
    put(tmp_path / "threads/T-1.json", b"{}")
    lying = look_into(list_home(tmp_path), agent("amp"), None)
    assert lying.unread == [PurePosixPath("threads/T-1.json")]


def test_what_looks_like_no_transcript_is_neither_read_nor_listed(tmp_path: Path) -> None:
    put(tmp_path / "sessions/notes.json", b"{}")
    put(tmp_path / "config.toml", b"")
    lying = look_into(list_home(tmp_path), agent("codex"), reader_for("codex"))
    assert lying[:5] == ([], [], [], [], [])
    assert {str(file.path) for file in lying.strangers} == {"sessions/notes.json", "config.toml"}
