"""`afterwit measure report`: the summary, the page, the rows behind figures, and the report of every day."""

import datetime as dt
import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.homes import CLAUDE, ORCHARD
from tests.knowledge_home import learnable_home

from afterwit.measure.collect import EXPLAINED


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return learnable_home(tmp_path / "home")


@pytest.fixture
def reported(run: Run, tmp_path: Path) -> Path:
    run("learn")
    run("measure", "report")
    return tmp_path / "store" / "metrics"


def test_it_says_the_most_important_first_and_where_the_rest_is(run: Run, tmp_path: Path) -> None:
    run("learn")
    done = run("measure", "report")
    assert (done.returncode, done.stderr) == (0, "")
    first, *_, last = done.stdout.splitlines()
    assert first.startswith("Does it help? Nobody can tell yet: notes were told in 0 sessions")
    assert last == f"The whole report: {tmp_path / 'store' / 'metrics' / 'dashboard.md'}"
    assert "3 of 3 (too few for a share) ended well." in done.stdout


def test_a_store_without_sessions_is_told_what_to_do(run: Run, tmp_path: Path) -> None:
    bare = {"HOME": str(tmp_path / "bare"), "AFTERWIT_HOME": str(tmp_path / "bare-store")}
    (tmp_path / "bare" / CLAUDE).mkdir(parents=True)
    run("learn", **bare)
    done = run("measure", "report", **bare)
    assert done.returncode == 0
    assert "No session was learned yet: `afterwit learn` reads what your agents have logged." in done.stdout


def test_without_a_store_it_says_so(run: Run) -> None:
    done = run("measure", "report")
    assert done.returncode == 1
    assert "afterwit learn" in done.stderr


@pytest.mark.parametrize("name", EXPLAINED)
def test_what_a_figure_was_counted_from_is_shown(run: Run, reported: Path, name: str) -> None:
    before = (reported / "dashboard.md").stat().st_mtime_ns
    done = run("measure", "report", "--explain", name)
    assert done.returncode == 0
    assert done.stdout or done.stderr == f"Nothing was counted for {name} yet.\n"
    rows = json.loads(run("measure", "report", "--explain", name, "--json").stdout)
    assert len(done.stdout.splitlines()) == (len(rows) + 2 if rows else 0)
    assert (reported / "dashboard.md").stat().st_mtime_ns == before


def test_rows_name_sessions_and_notes(run: Run, reported: Path) -> None:
    heading, _, first, *_ = run("measure", "report", "--explain", "recurrence").stdout.splitlines()
    assert heading.split("  ")[0] == "when"
    assert first.startswith("May 1")
    assert " s1 " in first


def test_a_figure_that_is_none_is_refused(run: Run, reported: Path) -> None:
    assert run("measure", "report", "--explain", "beauty").returncode == 2


def test_its_json_is_what_it_writes(run: Run, reported: Path) -> None:
    printed, written = (
        json.loads(text)
        for text in (run("measure", "report", "--json").stdout, (reported / "metrics.json").read_text())
    )
    assert printed.keys() == written.keys()
    assert printed["velocity"] == written["velocity"]
    assert printed["made_at"].endswith("Z")


def test_since_and_a_folder_of_its_own_can_be_given(run: Run, tmp_path: Path) -> None:
    run("learn")
    done = run("measure", "report", "--since", "2026-05-03", "--out", str(tmp_path / "there"))
    assert done.returncode == 0
    assert "from 1 sessions since" in (tmp_path / "there" / "dashboard.md").read_text(encoding="utf-8")


def test_a_run_that_is_killed_loses_nothing_and_the_next_one_mends_it(run: Run, reported: Path) -> None:
    history = reported / "history.jsonl"
    history.write_text(history.read_text().replace('"day":"20', '"day":"19') + history.read_text())
    kills = 0
    while run("measure", "report", AFTERWIT_KILL_AT_STEP=str(kills + 1)).returncode < 0:
        kills += 1
        lines = history.read_text().splitlines()
        assert [json.loads(line)["day"][:2] for line in lines] == ["19", "20"]
        assert (reported / "dashboard.md").read_text(encoding="utf-8").startswith("# What memory does")
        assert json.loads((reported / "metrics.json").read_text())["version"] == 1
    assert kills >= 2


def test_learn_writes_it_once_a_day_where_that_is_set(run: Run, tmp_path: Path) -> None:
    store = tmp_path / "store"
    store.mkdir()
    (store / "config.toml").write_text("[measure]\ndaily_report = true\n", encoding="utf-8")
    assert run("learn").returncode == 0
    page = store / "metrics" / "dashboard.md"
    first = page.stat().st_mtime_ns
    run("learn")
    assert page.stat().st_mtime_ns == first


def test_learn_writes_none_unasked_and_none_for_single_sessions(run: Run, tmp_path: Path) -> None:
    run("learn")
    assert not (tmp_path / "store" / "metrics").exists()
    (tmp_path / "store" / "config.toml").write_text("[measure]\ndaily_report = true\n", encoding="utf-8")
    run("learn", "--session", "claude-code/s1")
    run("learn", "--dry-run")
    assert not (tmp_path / "store" / "metrics").exists()


def test_a_report_that_cannot_be_written_stops_no_learn(run: Run, tmp_path: Path) -> None:
    store = tmp_path / "store"
    store.mkdir()
    (store / "config.toml").write_text("[measure]\ndaily_report = true\n", encoding="utf-8")
    (store / "metrics").write_text("in the way", encoding="utf-8")
    done = run("learn")
    assert done.returncode == 0
    assert f"The report could not be written to {store / 'metrics'}" in done.stderr


def test_what_a_real_hook_told_is_counted(run: Run, environ: dict[str, str], home: Path) -> None:
    run("learn")
    assert run("measure", "skipping", "--sessions", "0", "--notes", "0").returncode == 0
    payload = {
        "hook_event_name": "PostToolUseFailure",
        "session_id": "s4",
        "cwd": ORCHARD,
        "tool_name": "Bash",
        "tool_use_id": "call",
        "tool_input": {"command": "rtk make count"},
        "error": "Exit code 2\nerror: unrecognized subcommand 'make'",
    }
    hook = [sys.executable, "-I", "-m", "afterwit.hook", "claude-code", "after"]
    heard = subprocess.run(hook, input=json.dumps(payload), env=environ, capture_output=True, text=True, check=True)
    assert "which fails, call `make" in heard.stdout
    learnable_home(home, 4, since=dt.datetime.now(tz=dt.UTC).date())
    run("learn")
    page = _page(run)
    assert "## Does it help?\n\nNobody can tell yet: notes were told in 1 session, and 0 sessions were skipped" in page
    assert "1 told right at their moment" in page
    (row,) = json.loads(run("measure", "report", "--explain", "hit-rate", "--json").stdout)
    assert (row["session"], row["told_at"], row["moment"]) == ("s4", "after", "was there")
    (cost,) = json.loads(run("measure", "report", "--explain", "cost", "--json").stdout)
    assert (cost["session"], cost["times"], cost["is_skipped"]) == ("s4", 1, False)
    assert cost["tokens"] > 10
    assert cost["hook_ms"] is not None


def _page(run: Run) -> str:
    return Path(run("measure", "report").stdout.split()[-1]).read_text(encoding="utf-8")
