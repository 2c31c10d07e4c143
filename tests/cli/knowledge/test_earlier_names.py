"""Options and values that had other names before are still taken, and shown nowhere."""

import json

import pytest
from tests.cli.conftest import Run
from tests.cli.knowledge.conftest import ITEM


def test_the_earlier_names_of_options_say_the_same(knowing: Run) -> None:
    words = ("--scope", "everywhere", "--trigger", "command:make count", "--advice", "make index")
    assert knowing("knowledge", "edit", ITEM, *words).returncode == 0
    item = json.loads(knowing("knowledge", "show", ITEM, "--json").stdout)
    assert (item["scope"], item["advice"], len(item["triggers"])) == ("global", "make index", 1)
    found = json.loads(knowing("knowledge", "list", "--harvester", item["harvester"], "--json").stdout)
    assert [note["id"] for note in found["items"]] == [ITEM]


@pytest.mark.parametrize("words", [("waiting", "needs-your-approval"), ("candidate", "quarantined")])
def test_a_status_goes_by_both_of_its_names(knowing: Run, words: tuple[str, str]) -> None:
    done = knowing("knowledge", "list", "--status", words[0], "--status", words[1], "--json")
    assert (done.returncode, json.loads(done.stdout)["found"]) == (0, 0)
    assert "in use" in knowing("knowledge", "list", "--status", words[0]).stderr


def test_the_earlier_shares_of_notes_are_set(knowing: Run) -> None:
    assert json.loads(knowing("measure", "skipping", "--items", "20", "--json").stdout)["item_share"] == 0.2


@pytest.mark.parametrize(
    ("command", "earlier"),
    [
        ("knowledge add", ("--scope", "--trigger", "--advice")),
        ("knowledge list", ("--harvester", "candidate")),
        ("measure skipping", ("--items",)),
        ("measure backtest", ("--player",)),
        ("learn", ("--reharvest",)),
    ],
)
def test_help_shows_the_present_names_alone(run: Run, command: str, earlier: tuple[str, ...]) -> None:
    text = run(*command.split(), "--help").stdout
    assert [name for name in earlier if name in text] == []
