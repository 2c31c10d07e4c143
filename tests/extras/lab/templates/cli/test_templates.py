"""`afterwit templates`, in processes of their own."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.extras.lab.templates.logs import GOOD, session
from tests.extras.lab.templates.samples import sample
from tests.homes import put

from afterwit.model.templates import TemplateStatus
from afterwit.store.layout import Layout
from afterwit.store.template_files import put_template

CALM = tuple(call for call in GOOD if not call.is_error)


@pytest.fixture
def learned(run: Run, home: Path) -> Run:
    put(home / ".claude/projects/-srv-orchard/good.jsonl", session("good", CALM))
    assert run("learn").returncode == 0
    return run


def made(run: Run) -> str:
    created = json.loads(run("templates", "create", "good", "--tags", "trees,tests", "--json").stdout)
    return str(created["template"]["id"])


def test_an_empty_store_says_what_to_do(run: Run, home: Path) -> None:
    assert "Run `afterwit learn` first" in run("templates", "list").stderr
    run("learn")
    done = run("templates", "list")
    assert (done.returncode, done.stdout) == (0, "")
    assert "afterwit templates auto" in done.stderr
    assert json.loads(run("templates", "list", "--json").stdout) == {"templates": [], "problems": []}
    assert "afterwit templates auto" in run("templates", "stats").stderr


def test_a_template_is_made_listed_and_shown(learned: Run) -> None:
    done = learned("templates", "create", "good", "--max-examples", "3", "--description", "Pruning", "--type", "mixed")
    assert "version 1: 3 calls for mixed tasks." in done.stdout
    assert "5 to 10 calls are advised" in done.stderr
    (listed,) = json.loads(learned("templates", "list", "--json").stdout)["templates"]
    assert (listed["description"], listed["type"], listed["examples"]) == ("Pruning", "mixed", 3)
    assert listed["id"] in learned("templates", "list").stdout
    assert learned("templates", "list", "--type", "code").stdout == ""
    shown = learned("templates", "show", listed["id"][:4]).stdout
    assert "3 passed" not in shown
    assert "Bash  pytest -q\n   4 passed" in shown
    assert json.loads(learned("templates", "show", listed["id"], "--json").stdout)["examples"][0]["tool"] == "Edit"
    assert '{"command":"pytest -q"}' in learned("templates", "show", listed["id"], "--full").stdout


def test_tags_find_templates(learned: Run) -> None:
    name = made(learned)
    assert name in learned("templates", "list", "--tags", "trees").stdout
    assert name in learned("templates", "list", "--tags", "tests,trees").stdout
    assert learned("templates", "list", "--tags", "trees,pears").stdout == ""


def test_a_template_is_called_by_the_name_that_it_was_given(learned: Run) -> None:
    learned("templates", "create", "good", "--name", "pruning")
    assert "pruning" in learned("templates", "list").stdout
    assert json.loads(learned("templates", "show", "pruning", "--json").stdout)["name"] == "pruning"


def test_stats_are_told_by_type_in_total(learned: Run) -> None:
    learned("templates", "apply", made(learned))
    learned("templates", "apply")
    stats = json.loads(learned("templates", "stats", "--json").stdout)
    assert stats["types"] == {stats["templates"][0]["type"]: {"templates": 1, "uses": 2, "told": 0}}
    assert "1 template, 2 uses" in learned("templates", "stats").stdout


def test_nothing_is_written_without_a_word(learned: Run) -> None:
    done = learned("templates", "auto")
    assert done.returncode == 1
    assert "calls of claude-code good" in done.stdout
    assert "Nothing was written." in done.stderr
    proposed = json.loads(learned("templates", "auto", "--json").stdout)
    assert (len(proposed["proposals"]), proposed["is_written"]) == (1, False)
    assert learned("templates", "list").stdout == ""
    assert learned("templates", "auto", "--yes").returncode == 0
    assert "in use" in learned("templates", "list").stdout
    assert "No session qualifies" in learned("templates", "auto").stderr


def test_messages_and_text_are_printed_and_counted(learned: Run) -> None:
    name = made(learned)
    messages = json.loads(learned("templates", "apply", name, "--as", "anthropic").stdout)
    assert [message["role"] for message in messages[:3]] == ["user", "assistant", "user"]
    assert "- ran `pytest -q`" in learned("templates", "apply").stdout
    (row,) = json.loads(learned("templates", "stats", "--json").stdout)["templates"]
    assert (row["uses"], row["ways"], row["effect"]) == (2, {"anthropic": 1, "text": 1}, None)
    assert "nobody can tell yet" in learned("templates", "stats").stdout


def test_deleting_asks_first(learned: Run) -> None:
    name = made(learned)
    assert learned("templates", "delete", name).returncode == 1
    assert name in learned("templates", "list").stdout
    assert learned("templates", "delete", name, "--yes").returncode == 0
    assert learned("templates", "list").stdout == ""
    assert learned("templates", "delete", name, "--yes").returncode == 2


def test_a_template_is_written_into_a_file_that_is_not_there(learned: Run, tmp_path: Path) -> None:
    name, file = made(learned), tmp_path / "pruning.json"
    assert learned("templates", "export", name, "--output", str(file)).returncode == 0
    assert "is there already" in learned("templates", "export", name, "--output", str(file)).stderr
    assert json.loads(learned("templates", "export", name).stdout) == json.loads(file.read_text())


def test_what_an_earlier_version_took_in_and_nobody_approved_is_not_used(learned: Run, tmp_path: Path) -> None:
    waiting = sample(status=TemplateStatus.QUARANTINED)
    put_template(Layout(tmp_path / "store"), waiting)
    refused = learned("templates", "apply", waiting.id)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "removes it" in refused.stderr


def test_an_experiment_with_seeded_starts_needs_a_template(learned: Run) -> None:
    arms = ("measure", "experiment", "start", "--arm", "told", "--arm", "template")
    refused = learned(*arms)
    assert refused.returncode == 2
    assert "`afterwit templates auto` proposes some" in refused.stderr
    made(learned)
    assert learned(*arms).returncode == 0
    assert "a worked example" in learned("measure", "experiment", "show").stdout
