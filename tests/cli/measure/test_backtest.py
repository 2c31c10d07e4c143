"""`afterwit measure backtest`: the sentence, the table, the walk and the JSON."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Run
from tests.measure.histories import HOUR_S, Log

RULE = "Prune the old trees with the short saw."


def test_where_nothing_would_have_helped_it_says_so_and_what_to_do_next(learned: Run) -> None:
    done = learned("measure", "backtest")
    assert done.returncode == 0
    assert done.stdout.startswith("No note that was known in time would have spared an action")
    assert "`afterwit connect schedule`" in done.stdout
    assert "might have been spared" not in done.stdout  # an interval from 0 to 0 says nothing
    assert "recall@5" not in done.stdout


def test_it_opens_with_the_moments_in_which_it_would_have_helped_most(run: Run, tmp_path: Path) -> None:
    run("demo", "--to", str(tmp_path / "demo"), "--day", "2026-05-01")
    place = {"HOME": str(tmp_path / "demo" / "home"), "AFTERWIT_HOME": str(tmp_path / "demo" / "store")}
    title, _, first, happened, told, spared, *rest = run("measure", "backtest", **place).stdout.splitlines()
    assert title == "Here it would have helped most:"
    assert re.match(r"1\. Apr 29(?:, 2026| 2026)?  github\.com/acme/orchard  codex  \(session ", first)
    assert happened == "   happened  `pytest tests/test_harvest.py -q` failed: zsh:1: command not found: pytest"
    assert told.startswith("   told      When `pytest` is not found here, call `uv run pytest …`.")
    assert spared == "   spared    4 actions (33 s) until `uv run pytest tests/test_harvest.py -q`"
    assert "answered correctly 100 % of those that can be checked" in rest[-2]


def test_the_table_shows_every_strategy(learned: Run) -> None:
    lines = learned("measure", "backtest", "--table").stdout.splitlines()
    heading = next(at for at, line in enumerate(lines) if line.startswith("strategy "))
    assert {"answered", "correctly"} < set(lines[heading].split())
    strategies = [row.split()[0] for row in lines[heading + 2 :]]
    assert strategies == ["nothing", "frequent", "places", "afterwit"]


def test_a_strategy_that_is_asked_for_is_shown(learned: Run) -> None:
    done = learned("measure", "backtest", "--strategy", "frequent")
    assert done.stdout.splitlines()[-1].split()[0] == "frequent"


def test_json_has_the_documented_shape(learned: Run) -> None:
    found = json.loads(learned("measure", "backtest", "--strategy", "places", "--json").stdout)
    assert set(found) == {"sentence", "sessions", "actions", "reports", "moments"}
    assert set(found["reports"][0]) == {
        *("player", "whole", "interval", "start_tokens_median", "start_tokens_p95"),
        *("by_repo", "by_agent"),
    }


_RULES = (RULE, "Wash the crates before they are stacked.", "Write the labels in green ink.")


def _asked(run: Run, home: dict[str, str], folder: Path, answer: Callable[[str], dict[str, Any]]) -> str:
    """Writes what is to be asked into a file, and takes in what is answered."""
    out, back = folder / "requests.jsonl", folder / "answers.jsonl"
    out.unlink(missing_ok=True)
    run("read", "--to", str(out), "--with", "orchard-1", **home)
    requests = [json.loads(line) for line in out.read_text().splitlines()]
    answers = [
        {"custom_id": each["custom_id"], "answer": answer(json.dumps(each).replace("\\n", "\n"))} for each in requests
    ]
    back.write_text("".join(f"{json.dumps(each)}\n" for each in answers))
    return run("read", "--from", str(back), **home).stdout


def _notes(question: str) -> dict[str, Any]:
    """Of the session in which the user said them."""
    places = {rule: [line.split()[0] for line in question.splitlines() if rule in line] for rule in _RULES}
    about = {"category": "pattern", "confidence": 0.9, "spares": 3, "often": 5}
    return {"notes": [{"sentence": rule, "lines": list(map(int, at)), **about} for rule, at in places.items() if at]}


def _lines(question: str) -> dict[str, Any]:
    """Each note as a line of the page."""
    ids = {rule: re.findall(rf"\[(\w+)\] [^\[\n]*{re.escape(rule)}", question) for rule in _RULES}
    brief = [{"heading": "machine", "text": rule, "notes": notes} for rule, notes in ids.items()]
    return {"brief": brief, "on_demand": [], "replaces": [], "checks": []}


def _read(run: Run, home: dict[str, str], folder: Path) -> None:
    """Lets a model read, and compile what it found."""
    assert "3 notes" in _asked(run, home, folder, _notes)
    assert "3" in _asked(run, home, folder, _lines)


def test_what_a_model_read_is_replayed_unless_it_is_left_out(run: Run, tmp_path: Path) -> None:
    place = tmp_path / "read"
    home = {"HOME": str(place), "AFTERWIT_HOME": str(tmp_path / "read-store")}
    first = Log(0, 0).prompt("Look after the trees")
    for rule in _RULES:
        first.prompt(rule).edit("src/trees.ts")
    first.put(place)
    Log(1, HOUR_S).prompt("Count the barrels").edit("src/barrels.ts").put(place)
    run("learn", **home)
    _read(run, home, tmp_path)
    notes = tmp_path / "notes.jsonl"
    run("measure", "backtest", "--notes", str(notes), **home)
    assert RULE in notes.read_text()
    run("measure", "backtest", "--notes", str(notes), "--without-reading", **home)
    assert RULE not in notes.read_text()


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
    done = learned("measure", "backtest", "--strategy", "frequent", "--notes", str(tmp_path / "notes.jsonl"))
    assert done.returncode == 0
    moments = [json.loads(line)["moment"] for line in (tmp_path / "notes.jsonl").read_text().splitlines()]
    assert set(moments) == {"prompt"}


def test_an_unknown_strategy_is_wrong_use(learned: Run) -> None:
    done = learned("measure", "backtest", "--strategy", "oracle")
    assert done.returncode == 2
    assert "Known are: nothing" in done.stderr


def test_an_empty_store_says_what_to_do_next(run: Run) -> None:
    assert "afterwit learn" in (done := run("measure", "backtest")).stdout + done.stderr


def test_a_walk_is_to_read_and_nothing_else(learned: Run) -> None:
    done = learned("measure", "backtest", "--explain", "5ea50001", "--json")
    assert done.returncode == 2
    assert "--explain" in done.stderr


@pytest.mark.slow
def test_the_figures_are_kept_with_the_command_that_made_them(run: Run, tmp_path: Path) -> None:
    run("demo", "--to", str(tmp_path / "demo"), "--day", "2026-05-01")
    store = tmp_path / "demo" / "store"
    place = {"HOME": str(tmp_path / "demo" / "home"), "AFTERWIT_HOME": str(store)}
    kept = store / "metrics" / "backtest.json"
    run("measure", "backtest", "--explain", "4646abb1", **place)
    assert not kept.exists()
    run("measure", "backtest", "--strategy", "nothing", "--repo", "orchard", "--top", **place)
    first = json.loads(kept.read_text(encoding="utf-8"))
    assert first["command"] == "afterwit measure backtest --strategy nothing --repo orchard --top"
    assert [report["player"] for report in first["reports"]] == ["nothing"]
    shown = json.loads(run("measure", "backtest", "--strategy", "afterwit", "--json", **place).stdout)
    again = json.loads(kept.read_text(encoding="utf-8"))
    assert (again["sentence"], again["reports"]) == (shown["sentence"], shown["reports"])
    assert kept.stat().st_mode & 0o077 == 0
    run("measure", "backtest", "--repo", "orchard", "--since", "2h", **place)
    assert json.loads(kept.read_text(encoding="utf-8")) == again, "nothing was replayed"
