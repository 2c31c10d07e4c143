"""`afterwit places`: what it prints, for people and for programs."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.recall.orchards import orchard
from tests.sources.checkouts import Worked, worked

TASK = "let the press stop when the barrel is full"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Worked:
    """A checkout in which no session ran, and where the command is run."""
    made = orchard(tmp_path / "fresh")
    monkeypatch.chdir(made.root)
    return made


@pytest.mark.usefixtures("place")
def test_files_are_printed_with_their_chance_tests_and_reasons(run: Run) -> None:
    ran = run("places", TASK)
    assert ran.returncode == 0
    assert ran.stderr.splitlines() == [
        "No session of this repository is known: its commits and files alone answer.",
        "A guess. The figure is the chance that such work changes the file.",
    ]
    first, second, *_ = ran.stdout.splitlines()
    assert first[:4] == f"{float(first[:4]):.2f}"
    assert first[4:].strip().startswith("cider/press.py")
    assert "work like this changed it" in second


@pytest.mark.usefixtures("place")
def test_the_shape_for_programs(run: Run) -> None:
    shape = json.loads(run("places", "--json", "--limit", "1", TASK).stdout)
    (likely,) = shape["places"]
    assert set(shape) == {"repo", "places"}
    assert set(likely) == {"path", "chance", "test", "reasons"}
    assert (shape["repo"], likely["path"], likely["test"]) == ("", "cider/press.py", "tests/test_press.py")
    assert 0 < likely["chance"] < 1
    assert all(isinstance(reason, str) for reason in likely["reasons"])


@pytest.mark.usefixtures("place")
def test_a_file_without_tests_has_none_for_programs(run: Run) -> None:
    shape = json.loads(run("places", "--json", "--limit", "1", "more rungs in field/ladder.py").stdout)
    assert [(likely["path"], likely["test"]) for likely in shape["places"]] == [("field/ladder.py", None)]


@pytest.mark.usefixtures("place")
def test_a_task_that_points_nowhere_is_told_what_may_help(run: Run) -> None:
    ran = run("places", "zymurgy")
    assert (ran.returncode, ran.stdout) == (0, "")
    assert "No file stands out for this task. More words may help" in ran.stderr


@pytest.mark.parametrize("is_checkout", [False, True])
def test_a_folder_of_which_nothing_is_known_says_so(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_checkout: bool
) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir() if not is_checkout else worked(folder)
    monkeypatch.chdir(folder)
    ran = run("places", TASK)
    assert (ran.returncode, ran.stdout) == (0, "")
    assert "it is no git checkout with a commit" in ran.stderr
    assert json.loads(run("places", "--json", TASK).stdout) == {"repo": "", "places": []}


def test_names_do_not_reach_the_terminal_as_they_are(run: Run, place: Worked) -> None:
    place.commit({"cider/press\x1b[31m\nred.py": "press barrel full stop"}, "Let the press stop when full", 240)
    ran = run("places", "--limit", "50", TASK)
    assert "\x1b" not in ran.stdout
    assert "\nred.py" not in ran.stdout


@pytest.mark.usefixtures("place")
def test_wrong_use_is_said(run: Run) -> None:
    assert run("places").returncode == 2
    assert run("places", "--limit", "0", TASK).returncode == 2
    empty = run("places", " ")
    assert (empty.returncode, empty.stdout) == (2, "")
    assert "The task is empty. Say in a few words" in empty.stderr
    early = run("places", "--repo", "harbour", TASK)
    assert (early.returncode, early.stdout) == (1, "")
    assert "afterwit learn" in early.stderr
    assert run("learn").returncode == 0
    unknown = run("places", "--repo", "harbour", TASK)
    assert (unknown.returncode, unknown.stdout) == (2, "")
    assert "No repository 'harbour'" in unknown.stderr


@pytest.mark.usefixtures("place")
def test_what_is_left_out_is_said(run: Run, tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "config.toml").write_text('[learn]\nexclude = ["repo:orchard"]\n')
    ran = run("places", TASK)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "learn.exclude" in ran.stderr
