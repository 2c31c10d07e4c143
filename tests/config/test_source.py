"""Logs that people have described, from the file beside the configuration to sessions in the store."""

from pathlib import Path
from typing import Any

import pytest
from tests.homes import Silent, chat_records, hash_of, learned, mixed_home, put, rows, world_of

from afterwit.capture import tasks
from afterwit.config.file import read_descriptions
from afterwit.config.show import load
from afterwit.engine.archive.rebuild import rebuild
from afterwit.engine.doctor.doctor import examine
from afterwit.model.errors import ConfigError, DamagedError
from afterwit.sessions.filters import Filter
from afterwit.sessions.search import best_hits

TOML = """\
name = "tinker"
homes = ["~/.tinker"]
transcripts = ["logs/*.jsonl"]
sniff = { type = "hello" }
session = "sid"
time = "ts"

[[facts]]
when = { type = "hello" }
cwd = "dir"
version = "v"

[[event]]
when = { type = "user" }
kind = "prompt"
text = "message"

[[event]]
when = { type = "tool" }
kind = "call"
id = "id"
tool = "name"
arguments = "input"

[[event]]
when = { type = "done" }
kind = "result"
id = "id"
text = "output"
exit_code = "code"
"""


def records(session: str) -> list[dict[str, Any]]:
    return [
        {"type": "hello", "sid": session, "ts": 1777629600, "dir": "/srv/orchard", "v": "1.2"},
        {"type": "user", "sid": session, "ts": 1777629601, "message": "Water the beds"},
        {"type": "tool", "sid": session, "ts": 1777629602, "id": "1", "name": "bash", "input": {"command": "hose"}},
        {"type": "done", "sid": session, "ts": 1777629603, "id": "1", "output": "no such valve", "code": 2},
    ]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    place = tmp_path / "home"
    put(place / ".tinker/logs/monday.jsonl", records("mon-1"))
    put(place / ".tinker/logs/tuesday.jsonl", records("tue-1"))
    return place


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


def describe(store: Path, text: str = TOML) -> Path:
    return put(store / "sources" / "tinker.toml", text.encode())


def remove(file: Path) -> None:
    """As its owner takes a description out of use."""
    file.rename(file.with_name(f"{file.name}.removed"))


def sessions(store: Path) -> list[tuple[Any, ...]]:
    return rows(store, "SELECT agent, native_id FROM sessions ORDER BY agent, native_id")


def test_two_descriptions_of_one_name_are_refused(store: Path) -> None:
    file = describe(store)
    (file.parent / "other.toml").write_text(file.read_text())
    with pytest.raises(ConfigError, match="has the same"):
        read_descriptions(file.parent)


def test_a_description_that_cannot_be_used_stops_the_command_with_its_file_and_key(home: Path, store: Path) -> None:
    put(store / "sources" / "odd.toml", b'name = "odd"\ncolour = 1\n')
    with pytest.raises(ConfigError, match=r"odd\.toml: colour: there is no such key"):
        load({"HOME": str(home), "AFTERWIT_HOME": str(store)}, "linux")
    put(store / "sources" / "odd.toml", b"\xff\xfe")
    with pytest.raises(ConfigError, match=r"odd\.toml is not UTF-8"):
        load({"HOME": str(home), "AFTERWIT_HOME": str(store)}, "linux")


def test_a_removed_description_finds_nothing_and_is_still_known(store: Path) -> None:
    remove(describe(store))
    assert [(each.name, each.homes, each.transcripts) for each in read_descriptions(store / "sources")] == [
        ("tinker", (), ())
    ]


def test_declared_logs_are_learned_like_those_of_agents(home: Path, store: Path) -> None:
    describe(store)
    mixed_home(home)
    report = learned(home, store)
    assert {agent.agent: agent.read for agent in report.agents} == {
        "tinker": 2,
        "claude-code": 2,
        "codex": 1,
        "hermes": 1,
    }
    assert [each for each in sessions(store) if each[0] == "tinker"] == [("tinker", "mon-1"), ("tinker", "tue-1")]
    assert learned(home, store, agents=frozenset(["tinker"])).agents[0].unchanged == 2
    put(home / ".tinker/logs/monday.jsonl", [*records("mon-1"), {"type": "user", "sid": "mon-1", "message": "Again"}])
    assert learned(home, store).agents[0].events == 1


def test_worker_processes_know_declared_logs(home: Path, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    describe(store)
    monkeypatch.setattr(tasks, "_WORTH_A_POOL_BYTES", 0)
    assert learned(home, store, jobs=2).agents[0].read == 2


def test_declared_logs_are_recognised_in_any_folder_before_plain_chats(tmp_path: Path, store: Path) -> None:
    describe(store, TOML.replace('{ type = "hello" }', '{ role = "user" }', 1))
    put(tmp_path / "logs" / "talk.jsonl", chat_records())
    report = learned(tmp_path / "home", store, folder=tmp_path / "logs")
    assert [agent.agent for agent in report.agents] == ["tinker"]


def test_the_configuration_can_move_a_declared_source_or_switch_it_off(home: Path, store: Path) -> None:
    describe(store)
    put(store / "config.toml", b"[agents.tinker]\nenabled = false\n")
    assert learned(home, store).agents == []
    put(store / "config.toml", b'[agents.tinker]\nhomes = ["~/elsewhere"]\n')
    assert world_of(home, store).settings.agents["tinker"].homes == (home / "elsewhere",)


def test_doctor_shows_a_declared_source_with_its_evidence(home: Path, store: Path) -> None:
    describe(store)
    learned(home, store)
    agents = {agent.agent: agent for agent in examine(world_of(home, store)).agents}
    assert agents["tinker"].evidence == "a description of your own"
    assert (agents["tinker"].files_on_disk, agents["tinker"].sessions) == (2, 2)
    assert [version.version for version in agents["tinker"].versions] == ["1.2"]


def test_texts_of_declared_logs_are_found_and_shown(home: Path, store: Path) -> None:
    describe(store)
    learned(home, store)
    hits = best_hits(world_of(home, store), "valve", Filter(), "", 10, 80).hits
    assert [(hit.agent, hit.snippet) for hit in hits] == [("tinker", "no such valve")] * 2


def test_a_rebuild_reads_declared_logs_again_even_when_the_source_is_removed(home: Path, store: Path) -> None:
    file = describe(store)
    learned(home, store)
    before = hash_of(store)
    assert rebuild(world_of(home, store), Silent()).faults == []
    remove(file)
    assert rebuild(world_of(home, store), Silent()).faults == []
    assert hash_of(store) == before


def test_without_its_description_a_log_is_a_fault_of_a_rebuild_and_the_rest_is_read(home: Path, store: Path) -> None:
    file = describe(store)
    mixed_home(home)
    learned(home, store)
    file.unlink()
    with pytest.raises(DamagedError, match="no reader for tinker"):
        rebuild(world_of(home, store), Silent())
    done = rebuild(world_of(home, store), Silent(), accepts_archive=True)
    assert [fault.partition(": ")[2] for fault in done.faults] == ["no reader for tinker"] * 2
    assert {agent for agent, _ in sessions(store)} == {"claude-code", "codex", "hermes"}
