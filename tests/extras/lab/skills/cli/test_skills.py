"""`afterwit skills`, as people call it."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Run
from tests.homes import rows
from tests.measure.histories import HOUR_S, Log

SESSIONS = 24


@pytest.fixture
def learned(run: Run, home: Path) -> Run:
    """Every second session uses a skill, and edits after it; in the others the same moment passes with searches."""
    for number in range(SESSIONS):
        log = Log(number, number * HOUR_S).prompt(f"Let press number {number} stop when the barrel is full, please")
        is_using = number % 2 == 0
        for at in range(8):
            log.edit(f"src/row{at}.py") if at == number % 5 else log.search(f"row{at}")
        if is_using:
            log.skill("press")
        else:
            log.search("press")
        if number in (0, 2, 4):
            log.calls_skill("taste")
        for at in range(10):
            log.edit(f"src/press{at}.py") if is_using and at % 2 else log.search("barrel")
        log.wait(400)
        for at in range(8):
            log.edit(f"src/tree{at}.py") if at == number % 3 else log.search("tree")
        log.put(home)
    run("learn")
    return run


def answer(run: Run, *words: str) -> Any:
    done = run("skills", *words, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def test_the_list_tells_what_follows_and_whether_it_helps(learned: Run) -> None:
    press, taste = answer(learned, "list")
    assert (press["skill"], press["uses"], press["sessions"], press["agents"]) == ("press", 12, 12, ["claude-code"])
    assert press["finding"] == "helps"
    assert 0.2 < press["low"] < press["effect"] < press["high"] < 0.8
    assert press["confidence"] > 0.5
    assert press["last_at"].startswith("2026-05-")
    assert (taste["skill"], taste["finding"], taste["effect"]) == ("taste", "too-few", None)
    text = learned("skills", "list").stdout
    assert "press" in text
    assert "helps" in text
    assert "15 edits, 0 failures followed" in text


def test_filters_choose_sessions(learned: Run) -> None:
    assert answer(learned, "list", "--agent", "codex") == []
    assert [skill["uses"] for skill in answer(learned, "list", "--since", "2026-05-02")] == [5]
    nothing = learned("skills", "list", "--agent", "codex")
    assert (nothing.returncode, nothing.stdout) == (0, "")
    assert nothing.stderr.startswith("No session uses a skill.")


def test_one_skill_is_shown_with_its_uses(learned: Run) -> None:
    shown = answer(learned, "show", "press", "--limit", "2")
    assert shown["by_agent"]["claude-code"]["finding"] == "helps"
    first, second = shown["latest"]
    assert first["happened_at"] > second["happened_at"]
    assert (first["actions"], first["edits"], first["failures"], first["is_again"]) == (10, 5, 0, False)
    assert first["reinforcement"] > 0.2
    text = learned("skills", "show", "press").stdout
    assert text.startswith("press: 12 uses in 12 sessions of orchard\n")
    assert "agent: claude-code" in text


def test_a_name_that_nobody_uses_is_asked_about(learned: Run) -> None:
    wrong = learned("skills", "show", "pres")
    assert wrong.returncode == 2
    assert "press" in wrong.stderr


def test_pairs_are_counted_against_chance(learned: Run) -> None:
    (pair,) = answer(learned, "pairs")
    assert (pair["skills"], pair["sessions"]) == (["press", "taste"], 3)
    assert pair["expected_sessions"] == pytest.approx(12 * 3 / SESSIONS, abs=0.2)
    assert "press + taste" in learned("skills", "pairs").stdout


def test_trends_compare_the_later_half_with_the_earlier(learned: Run) -> None:
    (trend,) = answer(learned, "trends")
    assert (trend["skill"], trend["since"], trend["finding"]) == ("press", "later half", "unclear")
    assert trend["low"] < 0 < trend["high"]
    assert "later half" in learned("skills", "trends").stdout


def test_what_helps_becomes_a_note_that_calls_itself_approximate(learned: Run) -> None:
    notes = json.loads(learned("knowledge", "list", "--all", "--json").stdout)["items"]
    (note,) = [note for note in notes if note["harvester"] == "skills"]
    assert "approximate" in note["fact"]


def test_a_rebuilt_store_says_the_same(learned: Run) -> None:
    before = answer(learned, "list")
    assert learned("store", "rebuild").returncode == 0
    assert answer(learned, "list") == before


def test_a_store_that_an_earlier_version_learned_asks_for_learning(learned: Run, tmp_path: Path) -> None:
    rows(tmp_path / "store", "UPDATE harvested SET version = 'earlier'")
    done = learned("skills", "list")
    assert done.stderr == "No session was looked at for skills yet. Run `afterwit learn` first.\n"


def test_a_store_without_skills_says_so(run: Run, home: Path) -> None:
    run("learn")
    for command in ("list", "pairs", "trends"):
        done = run("skills", command)
        assert (done.returncode, done.stdout) == (0, "")
        assert done.stderr.startswith("No ")
