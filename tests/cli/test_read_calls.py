"""`afterwit read --with`: nothing is sent unasked, the plan comes first, and what a run took is shown."""

import json
import subprocess
from pathlib import Path

import pytest
from tests.cli.conftest import Run, command
from tests.reader.entry_points import told_way


@pytest.fixture
def told(run: Run, tmp_path: Path) -> Run:
    path = told_way(tmp_path / "site")
    assert run("learn").returncode == 0

    def runs(*arguments: str, **more: str) -> object:
        return run(*arguments, PYTHONPATH=path, **more)

    return runs  # type: ignore[return-value]


def test_the_first_time_it_asks_and_without_a_terminal_it_says_how_to_agree(told: Run) -> None:
    result = told("read", "--with", "told")
    assert result.returncode == 2
    assert "--yes" in result.stderr
    assert "It goes to a script on this machine." in result.stderr
    assert json.loads(told("read", "--spent", "--json").stdout)["ledger"] == []


def test_it_reads_and_says_what_came_of_it_and_asks_no_second_time(told: Run) -> None:
    result = told("read", "--with", "told", "--yes", "--limit", "2")
    assert result.returncode == 0, result.stderr
    assert "2 sessions read (2 answers): 0 notes" in result.stdout
    assert "200 tokens read, 20 written" in result.stderr
    again = told("read", "--with", "told", "--json")
    assert again.returncode == 0, again.stderr
    shape = json.loads(again.stdout)
    assert (shape["sessions"], shape["answered"], shape["tokens_in"], shape["failed"]) == (3, 3, 300, [])
    assert "Nothing waits" in told("read", "--with", "told").stderr


@pytest.mark.slow
def test_a_plan_sends_nothing(told: Run) -> None:
    assert told("read", "--plan", "--with", "told", "--yes").returncode == 0
    assert told("read").returncode == 0
    assert json.loads(told("read", "--spent", "--json").stdout)["ledger"] == []


def test_without_a_model_it_names_the_ways_that_there_are(told: Run) -> None:
    assert "`afterwit read --with told` lets it read, and sends to a script on this machine." in told("read").stderr


def test_the_model_that_is_set_reads_without_being_named(told: Run, tmp_path: Path) -> None:
    (tmp_path / "store" / "config.toml").write_text('[reading]\nmodel = "told:apple"\n')
    result = told("read", "--limit", "1", "--json")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["model"] == "told:apple"


@pytest.mark.slow
def test_a_way_that_cannot_be_used_says_why(told: Run) -> None:
    result = told("read", "--with", "told:gone", "--yes")
    assert result.returncode == 1
    assert "told:gone cannot read: There is no orchard here. Plant one." in result.stderr
    assert "Plant one" in told("read", "--plan", "--with", "told:gone").stderr
    broken = told("read", "--with", "broken", "--yes")
    assert broken.returncode == 1
    assert "'broken'" in broken.stderr
    assert "Only files reach orchard-1" in told("read", "--with", "orchard-1").stderr
    assert "Your agent reads these when you ask it to" in told("read", "--with", "agent-at-hand").stderr


@pytest.mark.slow
def test_failures_end_the_run_pause_and_are_shown_by_doctor(told: Run) -> None:
    result = told("read", "--with", "told:failing", "--yes")
    assert result.returncode == 1
    assert "the orchard is closed" in result.stderr
    assert "Several calls failed in a row" in result.stderr
    assert "reading-failed" in {finding["code"] for finding in json.loads(told("doctor", "--json").stdout)["findings"]}
    assert "Left alone for a while" in told("read", "--plan", "--with", "told:failing").stderr


@pytest.mark.slow
def test_the_ledger_shows_days_models_and_repositories_and_the_caps(told: Run) -> None:
    told("read", "--with", "told", "--yes")
    result = told("read", "--spent")
    assert result.returncode == 0
    assert "told" in result.stdout
    assert "Models without a known price. Spent or reserved: 550 of 1.0M tokens today" in result.stderr
    shape = json.loads(told("read", "--spent", "--json").stdout)
    assert sum(row["tokens_in"] for row in shape["ledger"]) == 500
    assert shape["spent"]["day"]["unpriced_tokens"] == 550
    assert shape["caps"]["usd_per_day"] == 1.0
    assert "reading" in told("status").stdout


@pytest.mark.slow
def test_two_processes_at_once_pay_nothing_twice_and_pass_no_cap(
    told: Run, environ: dict[str, str], tmp_path: Path
) -> None:
    shape = json.loads(told("read", "--plan", "--with", "told:whole", "--json").stdout)
    cap = sum(session["tokens_in"] + 2_000 for session in shape["sessions"][:4])
    settings = f'[reading]\nmodel = "told:whole"\ntokens_per_day = {cap}\ntokens_per_month = {cap}\n'
    (tmp_path / "store" / "config.toml").write_text(settings)
    own = environ | {"PYTHONPATH": str(tmp_path / "site"), "TOLD_LOG": str(tmp_path / "asked")}
    both = [subprocess.Popen(command(("read", "--json")), env=own, stdout=subprocess.DEVNULL) for _ in range(2)]
    assert [process.wait(120) for process in both] == [0, 0]
    asked = (tmp_path / "asked").read_text().splitlines()
    assert len(asked) == len(set(asked)) == 4
    spent = json.loads(told("read", "--spent", "--json").stdout)["spent"]
    assert 0 < spent["day"]["unpriced_tokens"] <= cap


def test_an_empty_ledger_says_what_to_do(told: Run) -> None:
    assert "`afterwit read --plan`" in told("read", "--spent").stderr
    assert "reading" not in told("status").stdout
