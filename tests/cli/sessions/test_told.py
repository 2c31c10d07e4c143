"""`sessions show --told`: what a session heard from us, where it heard it, and what was kept from it."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Run

from afterwit.model.times import ms_from_any
from afterwit.store import spool

SESSION = "5ea50001"
NOTE = "- Instead of `make count` call `make trees`. (0.90)"
OTHER = "- `make count` takes a minute. (0.70)"


@pytest.fixture
def told(tmp_path: Path, learned: Run) -> Any:
    """Lets a hook say something in the session, at a second of it."""

    def tells(second: float, moment: str, text: str, **more: Any) -> None:
        at_ms = (ms_from_any("2026-05-01T10:00:00Z") or 0) + int(second * 1_000)
        record = {"kind": "draw", "at": at_ms, "agent": "claude-code", "session": SESSION, "moment": moment}
        spool.append(
            tmp_path / "store" / "spool", "claude-code", SESSION, {**record, "text": text, "items": {}, **more}
        )

    return tells


def transcript(run: Run, *options: str) -> list[str]:
    done = run("sessions", "show", SESSION, "--told", *options)
    assert done.returncode == 0, done.stderr
    return [line.strip() for line in done.stdout.splitlines() if line.strip()]


def place(lines: list[str], beginning: str) -> int:
    return next(number for number, line in enumerate(lines) if beginning in line)


def test_what_was_told_stands_where_it_was_told(run: Run, told: Any) -> None:
    told(0.5, "start", "Notes from earlier sessions")
    told(3.5, "after", NOTE)
    lines = transcript(run)
    marks = ["◆ told at the start of a session", "❯ Count the trees", "make count  exit 2"]
    marks += ["◆ told after a failure", NOTE, "● That is all."]
    places = [place(lines, mark) for mark in marks]
    assert places == sorted(places)
    assert "Told something at 2 moments (◆). What it had been told already was not said again." in lines


def test_it_says_the_same_once_it_is_learned_but_that_it_waits(run: Run, told: Any) -> None:
    told(3.5, "after", NOTE)
    before = transcript(run)
    run("learn")
    after = transcript(run)
    assert [line.replace(" (not learned yet)", "") for line in before] == after
    assert before != after


def test_a_session_that_was_skipped_on_purpose_shows_what_it_would_have_been_told(run: Run, told: Any) -> None:
    told(3.5, "after", "", would=NOTE, held=1, items={"a": 0})
    lines = transcript(run)
    head = place(lines, "◇ not told after a failure")
    assert "the session is skipped on purpose, to compare" in lines[head]
    assert lines[head + 1] == NOTE
    assert not any("◆ " in line for line in lines)


def test_a_note_that_was_left_out_is_told_from_those_that_were_not(run: Run, told: Any) -> None:
    told(3.5, "after", NOTE, would=f"{NOTE}\n{OTHER}", items={"a": 1, "b": 0})
    lines = transcript(run)
    assert lines[place(lines, "◆ told after") + 1] == NOTE
    head = place(lines, "◇ not told after")
    assert "these notes are skipped on purpose, to compare" in lines[head]
    assert lines[head + 1] == OTHER


def test_what_checks_stopped_is_counted_with_what_was_made_again(run: Run, told: Any) -> None:
    told(1.5, "before", "Stopped before it ran: never count.", act="check", items={"c": 1})
    told(1.7, "before", "", act="repeated", items={"c": 1})
    told(3.5, "before", "Stopped before it ran: never prune.", act="check", items={"d": 1})
    lines = transcript(run)
    assert any(line.endswith("Checks stopped 2 calls: 1 obeyed, 1 made again.") for line in lines)
    assert place(lines, "stopped a call by a check") < place(lines, "the call was made again")


@pytest.mark.usefixtures("learned")
def test_a_session_in_which_no_hook_called_says_so(run: Run) -> None:
    assert any("told nothing: no hook of claude-code called in it." in line for line in transcript(run))


@pytest.mark.usefixtures("learned")
def test_a_session_in_which_there_was_nothing_to_say_says_so(run: Run, tmp_path: Path) -> None:
    noted = {"kind": "started", "at": 1, "agent": "claude-code", "session": SESSION}
    spool.append(tmp_path / "store" / "spool", "claude-code", SESSION, noted)
    assert any("its hooks called, and there was nothing to say." in line for line in transcript(run))


def test_secrets_in_what_waits_are_not_shown(run: Run, told: Any) -> None:
    secret = "AKIA" + "QX3LNB7TPWZV5RMD"
    told(3.5, "after", f"- use {secret}")
    assert secret not in "\n".join(transcript(run))


def test_without_the_option_nothing_is_marked(run: Run, told: Any) -> None:
    told(3.5, "after", NOTE)
    assert "◆" not in run("sessions", "show", SESSION).stdout


def test_its_json_is_what_was_told_and_nothing_else(run: Run, told: Any) -> None:
    told(3.5, "after", NOTE, would=f"{NOTE}\n{OTHER}", items={"a": 1, "b": 0})
    shape = json.loads(run("sessions", "show", SESSION, "--told", "--json").stdout)
    assert set(shape) == {"agent", "id", "told"}
    (telling,) = shape["told"]
    assert set(telling) == {
        *("happened_at", "moment", "act", "context", "text", "withheld", "is_session_skipped", "told", "skipped"),
        "is_learned",
    }
    assert (telling["text"], telling["withheld"]) == (NOTE, OTHER)
    assert (telling["told"], telling["skipped"], telling["is_learned"]) == (["a"], ["b"], False)


@pytest.mark.parametrize("other", ["--raw", "--digest"])
@pytest.mark.usefixtures("learned")
def test_it_marks_a_transcript_and_nothing_else(run: Run, other: str) -> None:
    assert run("sessions", "show", SESSION, "--told", other).returncode == 2


def test_a_call_that_a_check_stopped_is_shown_and_whether_it_was_made_again(run: Run, told: Any) -> None:
    told(3.0, "before", "Nobody asked for `git push`.", act="check", items={"c1": 1})
    told(3.5, "before", "", act="repeated", items={"c1": 1})
    lines = transcript(run)
    assert lines[place(lines, "◆ stopped a call by a check") + 1] == "Nobody asked for `git push`."
    assert place(lines, "◆ the call was made again") > place(lines, "◆ stopped a call")
    assert any(line.startswith("Told something at 1 moment (◆)") for line in lines)
