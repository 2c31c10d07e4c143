"""`afterwit knowledge add`, `edit`, `approve`, `reject`, `pin`, `retire`, `forget` and `undo`."""

import json

import pytest
from tests.cli.conftest import Run
from tests.cli.knowledge.conftest import ITEM
from tests.knowledge_home import FACT


def status(run: Run, item: str = ITEM) -> str:
    found: str = json.loads(run("knowledge", "show", item, "--json").stdout)["status"]
    return found


@pytest.mark.parametrize("verb", ["retire", "reject"])
def test_an_item_is_taken_out_and_comes_back_by_undo(knowing: Run, verb: str) -> None:
    done = knowing("knowledge", verb, ITEM[:5])
    assert done.stderr.splitlines()[0].startswith(f"{ITEM}: retired (before: in use), {verb}")
    assert knowing("knowledge", "undo").stderr == f"Undone: {verb} {ITEM}\n"
    assert status(knowing) == "active"


def test_a_pin_is_shown_in_the_list(knowing: Run) -> None:
    knowing("knowledge", "pin", ITEM)
    assert f"[pinned] {FACT}" in knowing("knowledge", "list").stdout
    knowing("knowledge", "unpin", ITEM)
    assert "[pinned]" not in knowing("knowledge", "list").stdout


def test_decisions_have_the_documented_shape(knowing: Run) -> None:
    (done,) = json.loads(knowing("knowledge", "approve", ITEM, "--json").stdout)
    assert set(done) == {"id", "fact", "before", "status", "reason", "has_changed"}
    (past,) = json.loads(knowing("knowledge", "undo", "--list", "--json").stdout)
    assert set(past) == {"number", "machine", "happened_at", "what", "item", "is_undone"}


def test_decisions_survive_a_rebuild(knowing: Run) -> None:
    knowing("knowledge", "retire", ITEM)
    assert knowing("store", "rebuild").returncode == 0
    assert status(knowing) == "retired"


def test_an_item_gets_other_words(knowing: Run) -> None:
    knowing("knowledge", "edit", ITEM, "Call `make` itself: `rtk` cannot run it.")
    assert "Call `make` itself: `rtk` cannot run it." in knowing("knowledge", "list").stdout
    assert knowing("knowledge", "edit", ITEM).returncode == 2


def test_an_empty_file_takes_all_files_away(knowing: Run) -> None:
    def files() -> list[str]:
        found: list[str] = json.loads(knowing("knowledge", "show", ITEM, "--json").stdout).get("files", [])
        return found

    knowing("knowledge", "edit", ITEM, "--file", "Makefile", "--file", "press.py")
    assert files() == ["Makefile", "press.py"]
    assert knowing("knowledge", "edit", ITEM, "--file", "").returncode == 0
    assert files() == []


def test_an_item_gets_another_place_category_and_triggers(knowing: Run) -> None:
    options = (
        "--applies-to",
        "everywhere",
        "--category",
        "pitfall",
        "--shown-when",
        "command:rtk",
        "--shown-when",
        "rule:E501",
    )
    done = knowing("knowledge", "edit", ITEM, *options)
    changed = "Changed: category pitfall; applies to global; shown when: 2 conditions."
    assert done.stderr.splitlines()[1:] == [changed, "`afterwit knowledge undo` takes it back."]
    shown = json.loads(knowing("knowledge", "show", ITEM, "--json").stdout)
    assert (shown["scope"], shown["category"]) == ("global", "pitfall")
    assert shown["triggers"] == [{"program": "rtk"}, {"rule": "E501"}]
    assert "It is so already" in knowing("knowledge", "edit", ITEM, *options).stderr
    undone = knowing("knowledge", "undo").stderr
    assert undone == f"Undone: edit {ITEM}: category pitfall; applies to global; shown when: 2 conditions\n"
    assert json.loads(knowing("knowledge", "show", ITEM, "--json").stdout)["scope"] == "repo"
    knowing("knowledge", "edit", ITEM, "--shown-when", "none")
    assert "shown when" not in knowing("knowledge", "show", ITEM).stdout


def test_what_is_added_can_be_undone_and_says_so(knowing: Run) -> None:
    done = knowing("knowledge", "add", "Prune in March, never later.")
    assert done.stderr.splitlines()[-1] == "`afterwit knowledge undo` takes it back."
    assert "Nothing to change" in knowing("knowledge", "add", "Prune in March, never later.").stderr
    assert "Undone: add" in knowing("knowledge", "undo").stderr


@pytest.mark.parametrize("option", [("--agent", "parrot"), ("--found-by", "parrot"), ("--repo", "parrot")])
def test_lists_refuse_names_that_nobody_knows(knowing: Run, option: tuple[str, str]) -> None:
    done = knowing("knowledge", "list", *option)
    assert (done.returncode, "'parrot'" in done.stderr) == (2, True)


def test_a_person_adds_an_item_with_what_it_fires_on(knowing: Run) -> None:
    words = "Prune in March, never after the first blossom."
    options = (
        "--repo",
        "orchard",
        "--category",
        "pattern",
        "--shown-when",
        "command: make prune --all",
        "--shown-when",
        "rule:E501",
        "--shown-when",
        "topic:pruning",
    )
    done = json.loads(knowing("knowledge", "add", words, *options, "--json").stdout)
    shown = json.loads(knowing("knowledge", "show", done["id"], "--json").stdout)
    assert (shown["repo"], shown["category"], shown["status"]) == ("orchard", "pattern", "active")
    assert shown["triggers"] == [
        {"program": "make", "words": ["prune", "--all"]},
        {"rule": "E501"},
        {"topic": ["prun"]},
    ]
    assert "written by a person" in knowing("knowledge", "why", done["id"]).stdout


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--repo", "harbour"), "No repository 'harbour'"),
        (("--agent", "parrot"), "no agent named 'parrot'"),
        (("--repo", "orchard", "--agent", "codex"), "only one of --applies-to, --repo and --agent"),
        (("--applies-to", "moon"), "'moon' is none of everywhere, repo:NAME and agent:NAME"),
        (("--applies-to", "agent:parrot"), "no agent named 'parrot'"),
        (("--shown-when", "command:a | b"), "is not one simple command"),
        (("--shown-when", "moon:full"), "'moon:full' is none of command:…"),
        (("--shown-when", "topic:the"), "has no word that tells a task from others"),
        (("--shown-when", "none", "--shown-when", "rule:E501"), "`none` cannot be combined"),
    ],
)
def test_an_item_that_holds_nowhere_is_refused(knowing: Run, options: tuple[str, ...], complaint: str) -> None:
    done = knowing("knowledge", "add", "Prune in March, never later.", *options)
    assert (done.returncode, complaint in done.stderr) == (2, True)


def test_forgetting_shows_its_plan_and_needs_a_yes(knowing: Run) -> None:
    dry = knowing("knowledge", "forget", "--session", "s2", "--dry-run")
    assert dry.stdout == f"{ITEM}  2 of 3 pieces of evidence left: {FACT}\n"
    unanswered = knowing("knowledge", "forget", "--repo", "orchard")
    assert (unanswered.returncode, "Nobody answered. Use --yes" in unanswered.stderr) == (1, True)
    assert status(knowing) == "active"
    done = json.loads(knowing("knowledge", "forget", "--repo", "orchard", "--yes", "--json").stdout)
    assert (done["what"], done["losses"][0]["left"]) == ("repo", 0)
    assert knowing("knowledge", "show", ITEM).returncode == 2
    knowing("knowledge", "undo")
    assert status(knowing) == "active"


def test_what_to_forget_must_be_said(knowing: Run) -> None:
    assert knowing("knowledge", "forget").returncode == 2
    assert knowing("knowledge", "forget", "--session", "s1", "--repo", "orchard").returncode == 2


def test_the_past_is_listed_with_numbers(knowing: Run) -> None:
    assert "Nothing was decided yet" in knowing("knowledge", "undo", "--list").stderr
    assert knowing("knowledge", "undo").returncode == 2
    knowing("knowledge", "retire", ITEM)
    knowing("knowledge", "undo")
    rows = [line.split() for line in knowing("knowledge", "undo", "--list").stdout.splitlines()[2:]]
    (undo, undone), retired = rows[0][-2:], rows[1]
    assert (undo, undone) == ("undo", retired[0])
    assert retired[-2:] == ["retire", ITEM]
    knowing("knowledge", "undo", rows[0][0])
    assert status(knowing) == "retired"
