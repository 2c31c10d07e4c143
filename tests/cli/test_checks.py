"""`afterwit checks`: added in a form, tried on past sessions, turned on, off and out."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.cli.conftest import Run

from afterwit.model.check import Check, CheckKind
from afterwit.store import spool
from afterwit.store.decide import decide
from afterwit.store.decisions import BriefCompiled, KnowledgeEntry
from afterwit.store.layout import Layout
from afterwit.store.store import open_store

REPO = "github.com/acme/orchard"
LISTS = "never run ls unless asked"  # what a session of the orchard did after "Prune the apples"
COUNTS = "make trees instead of make count"


def add(run: Run, form: str = LISTS, *options: str) -> str:
    """The id of a check that was added."""
    return str(answer(run, "add", form, "--repo", "orchard", *options)["id"])


def answer(run: Run, *arguments: str) -> Any:
    done = run("checks", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def said(run: Run, *arguments: str, code: int = 0) -> tuple[str, str]:
    """What a command printed, and what it said beside it."""
    done = run(*arguments)
    assert done.returncode == code, done.stderr
    return done.stdout, done.stderr


def propose(place: Path, *checks: Check) -> None:
    """As a compilation of the brief does it."""
    body = BriefCompiled(
        request="r1", repo=REPO, items=(), until_ms=0, model="m", prompt="p", run_ms=0, checks=1, proposals=checks
    )
    with open_store(Layout(place / "store")) as store:
        decide(store, KnowledgeEntry.COMPILED, msgspec.to_builtins(body), 1_780_000_000_000)


def test_a_check_is_added_off_and_says_what_to_do_next(learned: Run) -> None:
    out, talk = said(learned, "checks", "add", LISTS, "--repo", "orchard")
    name = out.split()[0]
    assert out == f"{name}  off: Never run `ls` unless asked.\n"
    assert f"afterwit checks try {name}" in talk
    assert f"afterwit checks on {name}" in talk


def test_a_form_may_be_typed_as_words_or_quoted(learned: Run) -> None:
    quoted = add(learned)
    assert answer(learned, "add", *LISTS.split(), "--repo", "orchard")["id"] == quoted


def test_what_has_no_form_is_answered_with_the_forms(learned: Run) -> None:
    _, talk = said(learned, "checks", "add", "be careful", "--repo", "orchard", code=2)
    assert "before COMMAND: COMMAND" in talk
    assert "never edit PATH" in talk


def test_a_form_with_an_option_has_to_be_quoted(learned: Run) -> None:
    _, talk = said(learned, "checks", "add", "never", "run", "git", "push", "--force", "--repo", "orchard", code=2)
    assert "Put the form in quotes" in talk
    assert add(learned, "never run git push --force unless asked")


def test_the_list_says_how_each_check_stands_and_who_wants_it(learned: Run) -> None:
    name = add(learned)
    out, _ = said(learned, "checks", "orchard")
    assert out == f"- Never run `ls` unless asked.\n  {name[:8]}  off; the user wants this\n"
    learned("checks", "on", name, "--yes")
    assert "on; the user wants this; stopped nothing yet" in said(learned, "checks", "list", "orchard")[0]


def test_the_list_says_what_a_check_did(learned: Run, tmp_path: Path) -> None:
    name = add(learned)
    learned("checks", "on", name, "--yes")
    record = {"kind": "draw", "agent": "codex", "session": "s1", "moment": "before", "items": {name: 1}, "repo": REPO}
    for number, act in enumerate(("check", "check", "repeated")):
        more = {"at": 1_780_000_000_000 + number, "act": act, "text": "" if act == "repeated" else "Stopped."}
        spool.append(tmp_path / "store" / "spool", "codex", "s1", record | more)
    learned("learn")
    assert "stopped 2 calls in 1 session: 1 obeyed, 1 made again" in said(learned, "checks", "orchard")[0]
    assert answer(learned, "orchard")[0]["did"] == {"sessions": 1, "stopped": 2, "repeated": 1, "obeyed": 1}


def test_an_empty_list_says_how_to_add_one(learned: Run) -> None:
    out, talk = said(learned, "checks", "orchard")
    assert out == ""
    assert "afterwit checks add" in talk


def test_without_a_repository_the_message_names_the_remedy(learned: Run) -> None:
    assert "`afterwit sessions repos` lists them" in said(learned, "checks", code=2)[1]


def test_a_trial_shows_a_row_a_sentence_and_the_users_words(learned: Run) -> None:
    name = add(learned)
    out, _ = said(learned, "checks", "try", name[:6])
    assert "1 time in 3 sessions" in out
    assert "- ls trees (" in out
    place = next(line for line in out.splitlines() if "sessions show" in line).split()
    assert "Prune the apples" in said(learned, *place[1:])[0]
    (trial,) = answer(learned, "try", name)
    assert (trial["sessions"], trial["sessions_stopped"], len(trial["stops"])) == (3, 1, 1)
    assert trial["objected"] + trial["asked"] + trial["unminded"] == 1


def test_all_checks_of_a_repository_are_tried_at_once(learned: Run) -> None:
    names = {add(learned), add(learned, COUNTS)}
    assert {trial["id"] for trial in answer(learned, "try", "--repo", "orchard")} == names


def test_a_form_is_tried_without_being_added(learned: Run) -> None:
    (trial,) = answer(learned, "try", "--form", COUNTS, "--repo", "orchard")
    assert trial["form"] == COUNTS
    assert len(trial["stops"]) == 1
    assert answer(learned, "orchard") == []


def test_turning_on_shows_the_trial_and_asks(learned: Run) -> None:
    name = add(learned)
    out, talk = said(learned, "checks", "on", name, code=1)
    assert "1 time in 3 sessions" in out
    assert "Turn it on?" in talk
    assert answer(learned, "orchard")[0]["status"] == "off"


@pytest.mark.parametrize(
    ("options", "status", "everywhere"),
    [((), "on", False), (("--strict",), "strict", False), (("--everywhere",), "on", True)],
)
def test_a_check_is_turned_on_strict_or_everywhere(
    learned: Run, options: tuple[str, ...], status: str, everywhere: bool
) -> None:
    name = add(learned)
    state = answer(learned, "on", name, "--yes", *options)
    assert (state["status"], state["is_everywhere"]) == (status, everywhere)


def test_a_check_goes_off_and_out_and_undo_names_each_step_in_words(learned: Run) -> None:
    name = add(learned)
    learned("checks", "on", name, "--yes", "--strict")
    assert answer(learned, "off", name)["status"] == "off"
    assert answer(learned, "remove", name)["status"] == "removed"
    assert answer(learned, "orchard") == []
    undone = [said(learned, "undo")[1].strip() for _ in range(4)]
    assert undone == [
        f"Undone: remove the check {name}: {LISTS}",
        f"Undone: turn off the check {name}: {LISTS}",
        f"Undone: turn on the check {name}, strict: {LISTS}",
        f"Undone: add the check {name}: {LISTS}",
    ]
    assert answer(learned, "orchard") == []


@pytest.mark.parametrize("command", ["on", "off", "remove", "try"])
def test_an_unknown_id_is_answered_with_where_ids_are(learned: Run, command: str) -> None:
    assert "`afterwit checks` shows them" in said(learned, "checks", command, "zzz", code=2)[1]


def test_proposals_come_last_and_those_that_nobody_would_have_missed_only_with_all(
    learned: Run, tmp_path: Path
) -> None:
    add(learned)
    good = Check(kind=CheckKind.NOT_FILE, text="Leave the map as it is.", path="map.txt", notes=("n1",), repo=REPO)
    bad = Check(kind=CheckKind.NOT_COMMAND, text="Never list.", command="ls trees", repo=REPO)
    propose(tmp_path, good, bad)
    out, talk = said(learned, "checks", "orchard")
    assert out.index("Never run `ls`") < out.index("Leave the map as it is.")
    assert "proposed; the user wants this; rests on 1 note; never in 3 sessions" in out
    assert "decided as: never edit map.txt" in out
    assert "Never list." not in out
    assert "1 proposal would have been in the way too often: --all shows" in talk
    assert "Never list." in said(learned, "checks", "orchard", "--all")[0]


def test_a_line_of_the_brief_becomes_a_check(learned: Run, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "## How the user wants it\n\n- Never run `git push` unless the user asks.\n- Be kind.\n", encoding="utf-8"
    )
    assert learned("brief", "edit", "orchard", "--from", str(page)).returncode == 0
    pushes, kind = (line["id"] for line in json.loads(learned("brief", "show", "orchard", "--json").stdout)["lines"])
    out, talk = said(learned, "brief", "check", pushes[:8], "--repo", "orchard")
    assert "off: Never run `git push` unless the user asks." in out
    assert "afterwit checks try" in talk
    assert answer(learned, "orchard")[0]["form"] == "never run git push unless asked"
    assert "The forms are: never run COMMAND" in said(learned, "brief", "check", kind, "--repo", "orchard", code=2)[1]
