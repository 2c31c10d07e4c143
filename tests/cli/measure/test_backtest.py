"""`afterwit measure backtest`: the sentence, the table, the walk and the JSON."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run


@pytest.fixture
def learned(run: Run) -> Run:
    run("learn")
    return run


def test_the_summary_opens_with_a_sentence_and_shows_every_player(learned: Run) -> None:
    done = learned("measure", "backtest")
    sentence, _, heading, _, *rows = done.stdout.splitlines()
    assert done.returncode == 0
    assert sentence.startswith("Had Afterwit spoken in these")
    assert heading.split()[0] == "player"
    players = [row.split()[0] for row in rows]
    assert players == ["nothing", "frequent", "similar", "bm25", "memoriser", "echo", "places", "afterwit"]


def test_json_has_the_documented_shape(learned: Run) -> None:
    found = json.loads(learned("measure", "backtest", "--player", "places", "--json").stdout)
    assert set(found) == {"sentence", "sessions", "actions", "reports", "comparisons"}
    assert set(found["reports"][0]) == {
        *("player", "whole", "interval", "start_tokens_median", "start_tokens_p95"),
        *("by_repo", "by_agent", "by_class", "by_source"),
    }


def test_a_filter_chooses_what_is_scored(learned: Run) -> None:
    everything = json.loads(learned("measure", "backtest", "--json").stdout)["sessions"]
    some = json.loads(learned("measure", "backtest", "--agent", "codex", "--json").stdout)["sessions"]
    assert 0 < some < everything


def test_explain_walks_through_one_session(learned: Run) -> None:
    done = learned("measure", "backtest", "--explain", "5ea50001")
    assert done.returncode == 0
    assert done.stdout.startswith("claude-code 5ea50001")
    assert "afterwit: said nothing" in done.stdout


def test_notes_are_written_one_a_line(learned: Run, tmp_path: Path) -> None:
    done = learned("measure", "backtest", "--player", "echo", "--notes", str(tmp_path / "notes.jsonl"))
    assert done.returncode == 0
    moments = [json.loads(line)["moment"] for line in (tmp_path / "notes.jsonl").read_text().splitlines()]
    assert set(moments) == {"after"}


def test_an_unknown_player_is_wrong_use(learned: Run) -> None:
    done = learned("measure", "backtest", "--player", "oracle")
    assert done.returncode == 2
    assert "Known are: nothing" in done.stderr


def test_an_empty_store_says_what_to_do_next(run: Run) -> None:
    assert "afterwit learn" in (done := run("measure", "backtest")).stdout + done.stderr


def test_a_walk_is_to_read_and_nothing_else(learned: Run) -> None:
    done = learned("measure", "backtest", "--explain", "5ea50001", "--json")
    assert done.returncode == 2
    assert "--explain" in done.stderr
