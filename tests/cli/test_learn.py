"""`afterwit learn` on the small home."""

import json
import os
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import Run, claude_session
from tests.homes import world_of
from tests.knowledge_home import learnable_home

from afterwit.cli.learned import next_command, show_report
from afterwit.cli.terminal.options import Here
from afterwit.config.show import load
from afterwit.model.learn_run import AgentReport, Harvested, News, Report
from afterwit.store.store import hold_lease

KEYS = {
    *("agent", "discovered", "read", "unchanged", "empty", "failed", "no_reader", "events", "actions", "problems"),
    *("bytes", "errors", "left_out"),
}


def test_it_reports_what_was_read_and_what_has_no_reader(run: Run) -> None:
    done = run("learn")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["agent", "logs", "read", "actions", "bytes"]
    assert lines[2].split()[:4] == ["claude-code", "2", "2", "2"]
    assert "no reader yet: 1 log of codex" in lines
    assert "The store holds 5 sessions." in lines


def test_it_ends_with_what_it_was_good_for(run: Run, home: Path) -> None:
    learnable_home(home)
    done = run("learn")
    assert "Read 8 sessions of 3 agents." in done.stdout
    assert "The agents will delete 5 of these logs themselves, from " in done.stdout
    assert (
        "The best finds:\n- Instead of `rtk make …`, which fails, call `make …`. (orchard, worked in 3 sessions)"
        in done.stdout
    )
    assert "The store holds 8 sessions and 1 note in use." in done.stdout
    assert done.stdout.splitlines()[-1].startswith("Next: afterwit connect agents --all  # ")


def test_where_logs_hold_more_sessions_than_one_it_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    world = world_of(tmp_path, tmp_path / "store")
    here = Here(load(world.environ, sys.platform), world)
    agent = AgentReport(agent="claude-code", discovered=2, read=2)
    report = Report(agents=[agent], sessions=5, news=News(sessions=5, new_sessions=5, agents=["claude-code"]))
    show_report(here, report, None, has_next=False)
    assert "Read 5 sessions of 1 agent in 2 logs (a subagent counts as a session)." in capsys.readouterr().out


def test_the_next_command_is_the_most_useful_one() -> None:
    waiting, quiet = Harvested(needs_approval=2), Harvested(active=3)
    assert next_command(waiting, is_connected=False)[0] == "afterwit connect agents --all"
    assert next_command(waiting, is_connected=True)[0] == "afterwit review"
    assert next_command(quiet, is_connected=True)[0] == "afterwit recall"
    assert next_command(Harvested(), is_connected=False)[0] == "afterwit read --plan"


def test_once_an_agent_is_connected_it_is_not_named_again(run: Run) -> None:
    run("connect", "claude-code", "--yes")
    assert run("learn").stdout.splitlines()[-1].startswith("Next: afterwit read ")


def test_logs_that_are_overdue_may_go_any_day(run: Run, home: Path) -> None:
    for log in (home / ".claude").rglob("*.jsonl"):
        os.utime(log, (1_700_000_000, 1_700_000_000))
    assert "The agents will delete 2 of these logs themselves, any day now; the contents are kept now." in (
        run("learn").stdout
    )


def test_a_run_without_news_is_one_line(run: Run) -> None:
    run("learn")
    assert run("learn").stdout == "Nothing new. The store holds 5 sessions.\n"


def test_a_later_run_speaks_of_what_is_new_alone(run: Run, home: Path) -> None:
    run("learn")
    folder = home / ".claude" / "projects" / "-home-ada-src-orchard"
    (folder / "5ea50003.jsonl").write_text(claude_session("5ea50003", "Water them", "make water", day=3), "utf-8")
    with (folder / "5ea50001.jsonl").open("a", encoding="utf-8") as file:
        file.write(claude_session("5ea50001", "And the pears", "make pears", day=4).replace("5ea50001-", "5ea50001-9"))
    done = run("learn")
    assert [line.split()[0] for line in done.stdout.splitlines()[2:3]] == ["claude-code"]
    assert "codex" not in done.stdout
    assert "Read 2 sessions of 1 agent (1 of them new)." in done.stdout


def test_a_second_run_reads_nothing(run: Run) -> None:
    run("learn")
    agents = json.loads(run("learn", "--json").stdout)["agents"]
    assert {agent["agent"]: (agent["read"], agent["unchanged"]) for agent in agents} == {
        "claude-code": (0, 2),
        "codex": (0, 2),
        "hermes": (0, 1),
    }


def test_its_json_has_the_documented_shape(run: Run) -> None:
    report = json.loads(run("learn", "--json").stdout)
    assert set(report) == {
        *("agents", "sessions", "digested", "harvested", "evicted", "is_dry_run", "news", "is_connected", "damaged"),
        *("excluded", "excluded_stored", "own", "reading"),
    }
    assert set(report["news"]) == {
        *("sessions", "new_sessions", "agents", "tokens", "cost_usd", "is_cost_partial"),
        *("rescued", "rescued_from_at", "finds", "keeps_saying"),
    }
    assert all(set(agent) == KEYS for agent in report["agents"])
    assert report["sessions"] == 5


def test_a_dry_run_writes_nothing(run: Run, tmp_path: Path) -> None:
    assert "The store would hold 5 sessions." in run("learn", "--dry-run").stdout
    assert not (tmp_path / "store").exists()


def test_one_source_is_read_alone(run: Run) -> None:
    agents = json.loads(run("learn", "--source", "codex", "--json").stdout)["agents"]
    assert [agent["agent"] for agent in agents] == ["codex"]


def test_old_files_are_left_out(run: Run) -> None:
    report = json.loads(run("learn", "--since", "9999-01-01", "--json").stdout)
    assert sum(agent["read"] for agent in report["agents"]) == 0


@pytest.mark.parametrize("since", ["2000-01-01", "30d", "2000-01-01T10:00:00+02:00"])
def test_new_files_are_read(run: Run, since: str) -> None:
    assert "The store holds 5 sessions." in run("learn", "--since", since).stdout


def test_a_folder_of_logs_is_recognised_by_content(run: Run, tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "one.jsonl").write_text(claude_session("5ea50009", "Hello", "true"), encoding="utf-8")
    agents = json.loads(run("learn", "--sessions-dir", str(tmp_path / "logs"), "--json").stdout)["agents"]
    assert [(agent["agent"], agent["read"]) for agent in agents] == [("claude-code", 1)]


def test_a_folder_without_logs_is_said_to_be_one(run: Run, tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    done = run("learn", "--sessions-dir", str(tmp_path / "logs"))
    assert (done.returncode, done.stdout) == (0, "")
    assert "No log of a known format found" in done.stderr


def test_a_home_without_logs_is_told_what_to_do(run: Run, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    done = run("learn", HOME=str(bare), USERPROFILE=str(bare))
    assert done.returncode == 0
    assert "afterwit config show" in done.stderr
    assert "--sessions-dir" in done.stderr


def test_while_another_run_is_at_work_it_leaves(run: Run, tmp_path: Path) -> None:
    run("learn")
    with hold_lease(tmp_path / "store" / "learn.lock"):
        done = run("learn", "--json")
    assert (done.returncode, json.loads(done.stdout)) == (0, None)
    assert "at work" in done.stderr


def test_places_that_cannot_be_read_are_pointed_out(run: Run, home: Path) -> None:
    file = home / ".claude" / "projects" / "-home-ada-src-orchard" / "5ea50001.jsonl"
    file.write_text("not json\n" + file.read_text(encoding="utf-8"), encoding="utf-8")
    done = run("learn")
    assert done.returncode == 0
    assert "1 piece of logs could not be read; `afterwit store problems` shows where and why." in done.stderr
    assert "byte 0 (8 bytes long)" in run("store", "problems").stdout


def test_escapes_in_file_names_do_not_reach_the_terminal(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "odd\x1b[31mred"
    folder.mkdir()
    assert "\x1b" not in run("learn", "--sessions-dir", str(folder)).stderr


def test_one_session_is_read_alone(run: Run) -> None:
    done = run("learn", "--session", "claude-code/5ea50001", "--json")
    assert {agent["agent"]: agent["read"] for agent in json.loads(done.stdout)["agents"]} == {"claude-code": 1}


def test_a_session_without_a_log_is_said_to_have_none(run: Run) -> None:
    done = run("learn", "--session", "codex/nobody")
    assert (done.returncode, done.stdout) == (0, "")
    assert "No log of such a session was found" in done.stderr


def test_where_no_session_ended_that_is_said(run: Run) -> None:
    done = run("learn", "--ended")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.strip() == "No session has ended since the last run."


def test_what_ends_a_run_that_nobody_watches_is_told_by_doctor(run: Run, tmp_path: Path) -> None:
    run("learn")
    database = tmp_path / "store" / "afterwit.db"
    kept = database.read_bytes()
    database.write_bytes(b"no database" * 1_000)
    assert run("learn").returncode == 1
    assert run("learn", "--ended").returncode == 1
    database.write_bytes(kept)
    with hold_lease(tmp_path / "store" / "learn.lock"):
        assert run("learn", "--ended").returncode == 0
    run("learn")
    found = [one for one in json.loads(run("doctor", "--json").stdout)["findings"] if one["code"] == "learn-fault"]
    assert len(found) == 1
    assert "at the end of a session failed once in the last 7 days" in found[0]["what"]
    assert "at end, " in found[0]["what"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--session", "codex"], "AGENT/ID"),
        (["--session", "nobody/1"], "no agent named 'nobody'"),
        (["--session", "codex/1", "--source", "codex"], "go with none of"),
        (["--ended", "--since", "2d"], "go with none of"),
        (["--ended", "--dry-run"], "--dry-run"),
        (["--at-most", "0"], "--at-most"),
    ],
)
def test_sessions_named_wrongly_are_refused(run: Run, words: list[str], said: str) -> None:
    done = run("learn", *words)
    assert done.returncode == 2
    assert said in done.stderr


def test_a_run_whose_time_is_up_stops_as_at_ctrl_c(run: Run) -> None:
    done = run("learn", "--at-most", "0.000001")
    assert (done.returncode, done.stdout) == (3, "")
    assert "Stopped. What was done so far is kept" in done.stderr
