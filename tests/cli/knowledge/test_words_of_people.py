"""`afterwit knowledge list` and `show` say whose words a note is."""

import json
import re
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.homes import learned
from tests.recall.people import JONAS, MIRA, claude_session, codex_session

MIRAS = "From now on, weigh the crates before you load them."
JONAS_SAYS = "From now on, answer me in Swedish when you talk about ladders."


@pytest.fixture
def home(tmp_path: Path) -> Path:
    place = tmp_path / MIRA
    for number, task in enumerate(("Count the trees", "Pick the pears")):
        claude_session(place, MIRA, f"m{number}", 1 + number, [task, MIRAS])
        codex_session(place, JONAS, f"{number}", 1 + number, [task, JONAS_SAYS])
    learned(place, tmp_path / "store")
    return place


def rows(text: str) -> dict[str, str]:
    """The lines of a table, by whose words they hold."""
    return {said: line for said in (MIRAS, JONAS_SAYS) for line in text.splitlines() if said in line}


def test_a_list_marks_whose_words_a_note_is_and_what_is_told_here(run: Run) -> None:
    listed = rows(run("knowledge", "list").stdout)
    assert re.search(r" at start +\[your words\] ", listed[MIRAS])
    assert re.search(r" never +\[words of ‹user:\w+›\] ", listed[JONAS_SAYS])


def test_the_words_of_one_user_are_listed_by_name_or_pseudonym(run: Run) -> None:
    assert rows(run("knowledge", "list", "--user", JONAS).stdout).keys() == {JONAS_SAYS}
    (note,) = json.loads(run("knowledge", "list", "--user", JONAS, "--json").stdout)["items"]
    (pseudonym,) = note["words_of"]
    assert rows(run("knowledge", "search", "from", "--user", pseudonym).stdout).keys() == {JONAS_SAYS}
    unknown = run("knowledge", "list", "--user", "nobody-here")
    assert (unknown.returncode, "No session is of the user 'nobody-here'" in unknown.stderr) == (2, True)


def test_a_note_says_why_it_is_not_told_and_what_to_do(run: Run) -> None:
    listed = json.loads(run("knowledge", "list", "--json").stdout)["items"]
    ids = {said: note["id"] for note in listed for said in (MIRAS, JONAS_SAYS) if said in note["fact"]}
    assert "words of    you\n" in run("knowledge", "show", ids[MIRAS]).stdout
    assert re.search(r"Not told: words of ‹user:\w+›: ", run("knowledge", "why", ids[JONAS_SAYS]).stdout)
    shown = " ".join(run("knowledge", "show", ids[JONAS_SAYS]).stdout.split())
    assert re.search(r"not told words of ‹user:\w+›: `afterwit knowledge approve \w+` makes them everybody's", shown)
    run("knowledge", "approve", ids[JONAS_SAYS])
    approved = run("knowledge", "show", ids[JONAS_SAYS]).stdout
    assert "not told" not in approved
    assert "told        at start" in approved


def test_what_stands_behind_your_words_is_the_whole_turn_and_what_followed(run: Run) -> None:
    listed = json.loads(run("knowledge", "list", "--json").stdout)["items"]
    (name,) = (note["id"] for note in listed if MIRAS in note["fact"])
    said = run("knowledge", "why", name).stdout
    assert "in use, said in 2 sessions\n" in said
    assert f"  before, claude-code: Done.\n  > {MIRAS}\n  after, claude-code: Done.\n" in said
