"""`afterwit blame`, and `sessions show --standing`: what they print, for people and for programs."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.recall.writers import ClaudeWriter
from tests.sources.checkouts import Worked, worked

PRESS = "def turn_the_press(barrel):\n    wooden_screw = barrel.screw_of_oak()\n    return wooden_screw\n"
SAID = "I carve the screw first."


@pytest.fixture
def place(home: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> Worked:
    """A checkout in which a session wrote a file, and a person a line, and where the command is run."""
    made = worked(home / "orchard")
    path = str(made.root / "press.py")
    writer = ClaudeWriter("5ea50077", str(made.root)).prompt("Build a press that turns slowly").say(SAID)
    writer.write(path, PRESS).prompt("No, that is wrong: never use iron for the screw").put(home)
    made.commit({"press.py": PRESS}, "Build the press", 600)
    made.commit({"press.py": PRESS + "print_by_hand_what_the_press_gave()\n"}, "Print", 900)
    monkeypatch.chdir(made.root)
    assert run("learn").returncode == 0
    return made


def test_each_run_of_lines_takes_a_line(run: Run, place: Worked) -> None:
    first, last = place.git("log", "--format=%h", "--abbrev=8", "--reverse").splitlines()
    done = run("blame", "press.py", "--utc")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "press.py",
        f"1-3  {first}  claude-code 5ea50077  May 4  “Build a press that turns slowly”",
        f"  4  {last}  no known session wrote this (Print)",
        "3 of 4 lines written by 1 known session.",
    ]


def test_lines_can_be_named(run: Run, place: Worked) -> None:
    assert place.root.exists()
    assert run("blame", "press.py:2-3").stdout.startswith("press.py\n2-3  ")
    assert run("blame", "press.py:4").stdout.splitlines()[-1] == "0 of 1 line written by known sessions."


def test_full_tells_what_led_there(run: Run, place: Worked) -> None:
    assert place.root.exists()
    told = run("blame", "press.py:1", "--full").stdout
    assert "commit     Build the press" in told
    assert f"agent      {SAID}" in told
    assert "rejected   No, that is wrong: never use iron for the screw" in told
    (see,) = (line.split("afterwit ")[1] for line in told.splitlines() if line.strip().startswith("see"))
    assert "✓ write" in run(*see.split()).stdout


def test_a_commit_names_its_files(run: Run, place: Worked) -> None:
    commit = place.git("rev-parse", "HEAD~1")
    lines = run("blame", commit).stdout.splitlines()
    assert lines[0] == "press.py"
    assert lines[1].startswith("1-3  ")
    assert lines[-1] == "3 of 3 lines written by 1 known session."


def test_the_shape_for_programs(run: Run, place: Worked) -> None:
    first, last = place.git("log", "--format=%H", "--reverse").splitlines()
    (file,) = json.loads(run("blame", "press.py", "--json").stdout)["files"]
    runs = file.pop("runs")
    assert file == {"repo": "github.com/acme/orchard", "path": "press.py", "lines": 4, "attributed": 3}
    wrote, by_hand = runs
    assert wrote == {
        "first": 1,
        "last": 3,
        "commit": {"id": first, "committed_at": "2026-05-04T10:10:00.000Z", "subject": "Build the press"},
        "why": "",
        "session": {
            "agent": "claude-code",
            "id": "5ea50077",
            "parent": "",
            "edited_at": "2026-05-04T10:00:02.000Z",
            "match": "2",
            "is_laid_out": False,
            "asked": "Build a press that turns slowly",
        },
    }
    assert (by_hand["commit"]["id"], by_hand["session"], by_hand["why"]) == (last, None, "no known session wrote this")
    (full,) = json.loads(run("blame", "press.py", "--json", "--full").stdout)["files"]
    session = full["runs"][0]["session"]
    assert (session["said"], session["notes"]) == (SAID, [])
    assert session["rejected"] == ["No, that is wrong: never use iron for the screw"]


def test_what_is_not_there_is_wrong_use(run: Run, place: Worked) -> None:
    assert place.root.exists()
    done = run("blame", "barrel.py")
    assert done.returncode != 0
    assert "There is no file 'barrel.py' here" in done.stderr


@pytest.mark.parametrize("lines", ["99", "0", "3-2", "5-9"])
def test_lines_that_are_not_there_are_wrong_use_and_say_how_many_there_are(run: Run, place: Worked, lines: str) -> None:
    assert place.root.exists()
    done = run("blame", f"press.py:{lines}")
    assert done.returncode == 2
    assert done.stderr == f"afterwit: press.py has 4 lines: there is none at {lines}.\n"


def test_what_of_a_session_still_stands(run: Run, place: Worked) -> None:
    place.commit({"press.py": PRESS.replace("wooden", "iron")}, "Iron", 1200)
    shown = run("sessions", "show", "5ea50077", "--standing")
    assert shown.stdout.splitlines() == ["    1 of     3  press.py", "1 of 3 lines that it wrote still stand."]
    shape = json.loads(run("sessions", "show", "5ea50077", "--standing", "--json").stdout)
    (file,) = shape["files"]
    assert (shape["id"], file["path"], file["written"], file["standing"]) == ("5ea50077", "press.py", 3, 1)
    assert run("sessions", "show", "5ea50077", "--standing", "--digest").returncode == 2


def test_without_a_checkout_nothing_is_said_to_stand(run: Run, place: Worked) -> None:
    place.root.rename(place.root.parent / "elsewhere")
    done = run("sessions", "show", "5ea50077", "--standing")
    assert done.returncode != 0
    assert "No git checkout of github.com/acme/orchard can be read here" in done.stderr
