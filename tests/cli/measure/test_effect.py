"""`afterwit measure effect`, `skipping` and `experiment`, as people call them."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Run
from tests.measure.histories import HOUR_S, Log
from tests.measure.live.drawn import AT_MS, draw

FIGURES = 14


@pytest.fixture
def lived(run: Run, home: Path, tmp_path: Path) -> list[str]:
    """Twelve sessions that hooks drew for, every third of them told nothing."""
    sessions = []
    for number in range(12):
        log = Log(number, number * HOUR_S).prompt("Let the cider press stop when the barrel is full").search("press")
        log.edit("src/press.py").shell("make prune", "no rule to make target 'prune'", fails=number % 3 == 0)
        log.put(home)
        arm = "held" if number % 3 == 0 else "told"
        draw(tmp_path, log.session, arm, AT_MS + number * HOUR_S * 1000, repo="orchard")
        sessions.append(log.session)
    run("learn")
    return sessions


def answer(run: Run, *words: str) -> Any:
    done = run(*words, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def test_it_says_in_a_sentence_whether_it_helps_and_then_shows_every_figure(run: Run, lived: list[str]) -> None:
    lines = run("measure", "effect").stdout.splitlines()
    assert lines[0].startswith("No evidence yet: 12 sessions are too few to tell.")
    assert lines[1].endswith("8 sessions told, 4 sessions told nothing, on purpose.")
    assert sum(line.endswith("no evidence yet") for line in lines[2:]) == FIGURES
    report = answer(run, "measure", "effect")
    assert (report["sessions"], report["told"], report["not_told"]) == (len(lived), 8, 4)
    assert (round(report["main"]["told"], 6), round(report["main"]["not_told"], 6)) == (10, 20)


def test_every_figure_can_be_traced_to_its_sessions(run: Run, lived: list[str]) -> None:
    rows = answer(run, "measure", "effect", "--explain", "failures")
    assert [row["session"] for row in rows] == lived
    sides = {(row["is_told"], row["value"], round(row["chance"], 2)) for row in rows}
    assert sides == {(False, 10, 0.1), (True, 0, 0.9)}
    behind_note = answer(run, "measure", "effect", "--explain", "rule-1")
    assert [row["session"] for row in behind_note] == [session for at, session in enumerate(lived) if at % 3]
    wrong = run("measure", "effect", "--explain", "failure")
    assert (wrong.returncode, "--explain failures" in wrong.stderr) == (2, True)
    assert all(session in run("measure", "effect", "--explain", "failures").stdout for session in lived)


def test_what_single_notes_do_is_said_only_where_it_can_be(run: Run, lived: list[str]) -> None:
    assert run("measure", "effect", "--by", "note").stdout.startswith("Of 1 note nothing can be said yet")
    assert run("measure", "effect", "--by", "note", "--explain", "failures").returncode == 2


@pytest.mark.usefixtures("learned")
def test_without_any_draw_it_says_where_to_look(run: Run) -> None:
    done = run("measure", "effect")
    assert done.returncode == 0
    assert "there are no sessions to compare" in done.stdout
    assert "afterwit connect status" in done.stdout


def test_without_a_store_it_says_what_to_do(run: Run) -> None:
    done = run("measure", "effect")
    assert done.returncode == 1
    assert "afterwit learn" in done.stderr


@pytest.mark.usefixtures("learned")
def test_an_experiment_is_started_shown_and_stopped(run: Run, home: Path, tmp_path: Path) -> None:
    assert run("measure", "experiment", "show").stdout.startswith("No experiment yet.")
    assert run("measure", "experiment", "stop").returncode == 2
    assert run("measure", "experiment", "start", "--arm", "cold").returncode == 2
    assert run("measure", "experiment", "start", "--arm", "cold", "--arm", "template").returncode == 2
    done = run("measure", "experiment", "start", "--arm", "cold", "--arm", "block")
    assert done.stdout.startswith("Every new session falls into one of 2 arms: cold, block.")
    again = run("measure", "experiment", "start", "--arm", "cold", "--arm", "told")
    assert (again.returncode, "is under way" in again.stderr) == (2, True)
    started = answer(run, "measure", "experiment", "show")
    assert ([arm["arm"] for arm in started["arms"]], started["stopped_at"]) == (["cold", "block"], "")
    assert "split between cold, block" in run("measure", "skipping").stdout
    assert "splits sessions between cold, block" in run("status").stdout
    log = Log(3, 0).prompt("Prune the trees").search("trees")
    log.put(home)
    draw(tmp_path, log.session, "block", AT_MS + 10**12, odds={"cold": 0.5, "block": 0.5})
    run("learn")
    run("measure", "experiment", "stop")
    ended = answer(run, "measure", "experiment", "show")
    assert [(arm["arm"], arm["sessions"]) for arm in ended["arms"]] == [("cold", 0), ("block", 1)]
    assert ended["stopped_at"]
    assert "arm" in run("measure", "experiment", "show").stdout
