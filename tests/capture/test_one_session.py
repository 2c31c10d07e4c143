"""`learn` of one session: what it reads, what it leaves alone, and that a sweep afterwards finds nothing to do."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.agents.contract_cases import make_database
from tests.homes import (
    CLAUDE,
    CODEX,
    PARENT,
    THREAD,
    claude_records,
    codex_records,
    family_home,
    hash_of,
    learned,
    mixed_home,
    put,
    rows,
    world_of,
)

from afterwit.engine.unchanged import nothing_new
from afterwit.model.learn_run import WantedSession
from afterwit.recall.deck.compile import compile_deck
from afterwit.recall.deck.reader import Deck
from afterwit.recall.hook.call import DECK
from afterwit.store import spool
from afterwit.store.layout import Layout
from afterwit.store.store import hold_lease

AGENTS = Path(__file__).parents[1] / "agents"
FILES = "SELECT path FROM files WHERE role = 'transcript' ORDER BY path"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return family_home(mixed_home(tmp_path / "home"))


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


def read(home: Path, store: Path, *wanted: WantedSession) -> list[str]:
    """Learns these sessions; the files that were read."""
    learned(home, store, sessions=wanted)
    return [row[0] for row in rows(store, FILES)]


def below(folder: str, name: str) -> str:
    return f"{folder.partition('/')[2]}/{name}"


def note_end(store: Path, agent: str, session: str, transcript: str = "") -> None:
    record: dict[str, Any] = {"kind": "ended", "at": 1, "agent": agent, "session": session, "transcript": transcript}
    spool.append(Layout(store).spool, agent, session, record)


def test_a_session_is_found_by_its_id_with_its_subagents_and_companions(home: Path, store: Path) -> None:
    assert read(home, store, WantedSession("claude-code", PARENT)) == [
        below(CLAUDE, f"{PARENT}.jsonl"),
        below(CLAUDE, f"{PARENT}/subagents/agent-f00d.jsonl"),
    ]
    companions = rows(store, "SELECT path FROM files WHERE role = 'companion' ORDER BY path")
    assert [Path(path).name for (path,) in companions] == ["agent-f00d.meta.json", "toolu_large.txt"]


def test_a_session_is_found_where_the_agent_says_it_is(home: Path, store: Path) -> None:
    name = f"rollout-2026-05-01T10-00-00-{THREAD}.jsonl"
    assert read(home, store, WantedSession("codex", "another-name", str(home / CODEX / name))) == [below(CODEX, name)]


def test_a_sweep_after_it_finds_the_session_as_it_was(home: Path, store: Path, tmp_path: Path) -> None:
    learned(home, store, sessions=(WantedSession("claude-code", PARENT), WantedSession("codex", THREAD)))
    report = {agent.agent: agent for agent in learned(home, store).agents}
    assert (report["claude-code"].read, report["claude-code"].unchanged, report["codex"].read) == (2, 2, 0)
    learned(home, tmp_path / "whole")
    assert hash_of(store) == hash_of(tmp_path / "whole")


def test_what_a_session_has_grown_by_is_read_when_it_ends_again(home: Path, store: Path) -> None:
    wanted = WantedSession("codex", THREAD)
    read(home, store, wanted)
    put(home / CODEX / f"rollout-2026-05-01T10-00-00-{THREAD}.jsonl", codex_records(THREAD, 3))
    assert learned(home, store, sessions=(wanted,)).agents[0].read == 1
    assert learned(home, store, sessions=(wanted,)).agents[0].unchanged == 1
    assert rows(store, "SELECT prompts FROM sessions") == [(3,)]


@pytest.mark.parametrize("way", ["plain", "upwards", "link"])
def test_a_log_outside_of_the_agents_home_is_never_read(home: Path, store: Path, tmp_path: Path, way: str) -> None:
    outside = put(tmp_path / "elsewhere" / "projects" / "-srv-x" / "lonely.jsonl", claude_records("lonely"))
    places = {
        "plain": outside,
        "upwards": home / ".claude/projects/../../../elsewhere/projects/-srv-x/lonely.jsonl",
        "link": home / CLAUDE / "linked.jsonl",
    }
    places["link"].symlink_to(outside)
    assert read(home, store, WantedSession("claude-code", "lonely", str(places[way]))) == []


def test_a_file_in_the_home_that_is_no_log_is_not_read(home: Path, store: Path) -> None:
    secret = put(home / ".claude/.credentials.json", b'{"token": "x"}')
    assert read(home, store, WantedSession("claude-code", "nobody", str(secret))) == []
    assert read(home, store, WantedSession("codex", "nobody", str(home / CLAUDE / f"{PARENT}.jsonl"))) == []


@pytest.mark.parametrize("place", ["", "relative.jsonl", "/", "\0", "/nowhere/at/all.jsonl", "x" * 9_000])
def test_a_place_that_makes_no_sense_leaves_the_id(home: Path, store: Path, place: str) -> None:
    assert read(home, store, WantedSession("codex", THREAD, place)) == [
        below(CODEX, f"rollout-2026-05-01T10-00-00-{THREAD}.jsonl")
    ]


@pytest.mark.parametrize("session", ["", "*", "..", "/", "1111", "a" * 500, "s1", "jsonl1"])
def test_a_part_of_an_id_names_nothing(home: Path, store: Path, session: str) -> None:
    assert read(home, store, WantedSession("claude-code", session)) == []


def test_a_linked_folder_of_logs_is_looked_through_once(home: Path, store: Path, tmp_path: Path) -> None:
    (home / ".claude/projects").rename(tmp_path / "disk")
    (home / ".claude/projects").symlink_to(tmp_path / "disk")
    put(tmp_path / "disk" / "-srv-far" / "linked-1.jsonl", claude_records("linked-1"))
    (tmp_path / "disk" / "-srv-far" / "again").symlink_to(home / ".claude" / "projects")
    assert read(home, store, WantedSession("claude-code", "linked-1")) == ["projects/-srv-far/linked-1.jsonl"]


def test_a_link_out_of_the_folder_of_logs_is_not_looked_through(home: Path, store: Path, tmp_path: Path) -> None:
    put(tmp_path / "disk" / "linked-1.jsonl", claude_records("linked-1"))
    (home / ".claude/projects/-srv-far").symlink_to(tmp_path / "disk")
    assert read(home, store, WantedSession("claude-code", "linked-1")) == []


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="permissions do not bind this user")
def test_a_folder_that_cannot_be_entered_is_passed_over(home: Path, store: Path) -> None:
    closed = home / ".codex/sessions/2026/06"
    closed.mkdir(mode=0o000)
    assert read(home, store, WantedSession("codex", THREAD)) != []


def test_a_session_in_a_database_is_read_without_the_others(tmp_path: Path, store: Path) -> None:
    home = tmp_path / "home"
    make_database(AGENTS / "opencode/fixtures/basic.sql", home / ".local/share/opencode/opencode.db")
    assert read(home, store, WantedSession("opencode", "ses_a1"), WantedSession("opencode", "ses_none")) == [
        "opencode.db/ses_a1.jsonl"
    ]
    learned(home, store)
    learned(home, tmp_path / "whole")
    assert hash_of(store) == hash_of(tmp_path / "whole")


def test_a_session_of_many_small_files_is_found_although_its_dashes_are_left_out(tmp_path: Path, store: Path) -> None:
    home = tmp_path / "home"
    for name in ("0123456789abcdef0123456789abcdef", "f" * 32):
        event = b'{"id": 1, "timestamp": "2026-05-01T10:00:00", "source": "user", "action": "message"}'
        put(home / f".openhands/sessions/{name}/events/0.json", event)
    report = learned(home, store, sessions=(WantedSession("openhands", "01234567-89ab-cdef-0123-456789abcdef"),))
    assert [agent.discovered for agent in report.agents] == [1]


def test_the_end_that_an_agent_noted_is_enough(home: Path, store: Path) -> None:
    learned(home, store, sessions=(WantedSession("codex", "none"),))
    note_end(store, "claude-code", PARENT, str(home / CLAUDE / f"{PARENT}.jsonl"))
    note_end(store, "codex", THREAD)
    report = learned(home, store, is_ended=True)
    assert {agent.agent: agent.read for agent in report.agents} == {"claude-code": 2, "codex": 1}
    assert learned(home, store, is_ended=True).agents == []
    assert rows(store, "SELECT count(*) FROM files WHERE role = 'transcript'") == [(3,)]


def test_a_session_that_ends_during_a_run_is_read_by_the_same_run(
    home: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learned(home, store, sessions=(WantedSession("codex", "none"),))
    note_end(store, "codex", THREAD)
    ends = iter([("claude-code", PARENT)])

    def late(*given: Any) -> None:
        compile_deck(*given)
        for agent, session in ends:
            note_end(store, agent, session)

    monkeypatch.setattr("afterwit.engine.sweep.compile_deck", late)
    report = learned(home, store, is_ended=True)
    assert [(agent.agent, agent.read) for agent in report.agents] == [("codex", 1), ("claude-code", 2)]


def test_a_session_that_ends_during_a_whole_run_is_read_by_the_same_run(
    home: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, late = home / CODEX / f"rollout-2026-05-01T10-00-00-{THREAD}.jsonl", iter([codex_records(THREAD, 3)])

    def dealt(*given: Any) -> None:
        compile_deck(*given)
        for records in late:
            put(log, records)
            note_end(store, "codex", THREAD)

    monkeypatch.setattr("afterwit.engine.sweep.compile_deck", dealt)
    report = learned(home, store)
    assert rows(store, "SELECT prompts FROM sessions WHERE agent = 'codex'") == [(3,)]
    assert [agent.agent for agent in report.agents].count("codex") == 1
    assert report.harvested.seen >= report.sessions == 6
    assert nothing_new(world_of(home, store)) is None
    learned(home, store)
    assert nothing_new(world_of(home, store)) is not None


@pytest.mark.parametrize("stage", ["plan_sessions", "digest_pending", "harvest", "compile_deck"])
def test_an_end_is_not_lost_where_a_run_fails(
    home: Path, store: Path, monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    learned(home, store, sessions=(WantedSession("codex", "none"),))
    note_end(store, "codex", THREAD)

    def failing(*given: Any, **more: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(f"afterwit.engine.sweep.{stage}", failing)
        with pytest.raises(KeyboardInterrupt):
            learned(home, store, is_ended=True)
    assert [agent.discovered for agent in learned(home, store, is_ended=True).agents] == [1]
    assert rows(store, FILES) == [(below(CODEX, f"rollout-2026-05-01T10-00-00-{THREAD}.jsonl"),)]
    assert learned(home, store, is_ended=True).agents == []


@pytest.mark.parametrize(
    "options",
    [
        {"agents": frozenset({"codex"})},
        {"since_ms": 4_000_000_000_000},
        {"folder": Path(__file__).parent},
        {"sessions": (WantedSession("codex", THREAD),)},
        {"is_dry_run": True},
        {"is_dry_run": True, "is_ended": True},
    ],
)
def test_an_end_stays_noted_after_a_run_that_looks_elsewhere(home: Path, store: Path, options: dict[str, Any]) -> None:
    learned(home, store, sessions=(WantedSession("codex", "none"),))
    note_end(store, "claude-code", PARENT)
    learned(home, store, **options)
    assert rows(store, "SELECT count(*) FROM files WHERE agent = 'claude-code'") == [(0,)]
    assert [agent.read for agent in learned(home, store, is_ended=True).agents] == [2]


def test_an_end_is_settled_by_a_whole_run(home: Path, store: Path) -> None:
    learned(home, store, sessions=(WantedSession("codex", "none"),))
    note_end(store, "claude-code", PARENT)
    learned(home, store)
    assert learned(home, store, is_ended=True).agents == []


@pytest.mark.parametrize("odd", ["\ud800", "\0", "a\nb"])
def test_an_end_that_no_file_can_have_disturbs_no_other(home: Path, store: Path, odd: str) -> None:
    learned(home, store, sessions=(WantedSession("codex", "none"),))
    make_database(AGENTS / "opencode/fixtures/basic.sql", home / ".local/share/opencode/opencode.db")
    note_end(store, "claude-code", f"x{odd}")
    note_end(store, "opencode", odd)
    note_end(store, "claude-code", PARENT, str(home / CLAUDE / f"{odd}.jsonl"))
    note_end(store, "codex", THREAD)
    assert {agent.agent: agent.read for agent in learned(home, store, is_ended=True).agents} == {
        "claude-code": 2,
        "codex": 1,
    }
    assert learned(home, store, is_ended=True).agents == []


def test_an_agent_that_nobody_knows_or_that_is_turned_off_is_passed_over(home: Path, store: Path) -> None:
    learned(home, store, sessions=(WantedSession("codex", "none"),))
    put(store / "config.toml", b"[agents.codex]\nenabled = false\n")
    note_end(store, "codex", THREAD)
    note_end(store, "nobody", "x")
    assert learned(home, store, is_ended=True).agents == []


@pytest.mark.parametrize("is_gone", [False, True])
def test_what_hooks_start_reads_the_session_wherever_the_agent_stands(
    home: Path, store: Path, tmp_path: Path, is_gone: bool
) -> None:
    learned(home, store, sessions=(WantedSession("codex", "none"),))
    note_end(store, "codex", THREAD)
    project = tmp_path / "project"
    for name in ("afterwit", "click", "json"):
        put(project / f"{name}.py", b"raise SystemExit(7)\n")
    environ = {"HOME": str(home), "AFTERWIT_HOME": str(store), "PATH": os.environ["PATH"]}
    first = ("sh", "-c", 'rm -r "$0" && exec "$@"', str(project)) if is_gone else ()
    command = [*first, *Deck(str(store / DECK)).names("learn_command")]
    done = subprocess.run(command, env=environ, cwd=project, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert rows(store, FILES) == [(below(CODEX, f"rollout-2026-05-01T10-00-00-{THREAD}.jsonl"),)]


def test_what_hooks_start_leaves_quietly_where_another_run_is_at_work(home: Path, store: Path) -> None:
    learned(home, store, sessions=(WantedSession("codex", "none"),))
    note_end(store, "codex", THREAD)
    environ = {"HOME": str(home), "AFTERWIT_HOME": str(store), "PATH": os.environ["PATH"]}
    with hold_lease(Layout(store).lease):
        command = Deck(str(store / DECK)).names("learn_command")
        assert subprocess.run(command, env=environ, capture_output=True, check=False).returncode == 0
    assert [agent.read for agent in learned(home, store, is_ended=True).agents] == [1]
