"""`afterwit skills evolve`, as people call it."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.extras.lab.skills.evolve.orchard import Orchard
from tests.processes import COMMAND, run_text

NAME = "orchard-commit-checks"


@pytest.fixture
def orchard(tmp_path: Path) -> Orchard:
    return Orchard(tmp_path).by_hand()


def called(orchard: Orchard, *words: str, **more: str) -> "subprocess.CompletedProcess[str]":
    environ = {"HOME": str(orchard.home), "AFTERWIT_HOME": str(orchard.store), "TZ": "UTC", **more}
    return run_text(COMMAND, words, environ)


def evolve(orchard: Orchard, *words: str) -> "subprocess.CompletedProcess[str]":
    return called(orchard, "skills", "evolve", *words)


def answer(orchard: Orchard, *words: str) -> Any:
    done = evolve(orchard, *words, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def test_a_proposal_is_listed_shown_tried_and_taken_back(orchard: Orchard) -> None:
    (proposal,) = answer(orchard, "list")["proposals"]
    assert (proposal["skill"], proposal["is_offered"], proposal["old"]) == (NAME, True, None)
    assert "proposed" in evolve(orchard, "list").stdout
    shown = evolve(orchard, "show", proposal["id"][:6]).stdout
    assert "+1. `make lint`" in shown
    assert "make lint → make types → make test → git commit" in shown

    trial = answer(orchard, "accept", proposal["id"][:6], "--yes")
    assert trial["verdict"] is None
    assert orchard.skill(NAME).exists() == (trial["on_disk"] == "new")
    assert [block["chance"] for block in trial["blocks"]] == [0.5]
    listed = evolve(orchard, "list").stdout
    assert "being tried" in listed
    assert "no evidence yet" in listed

    assert "There is no file again" in evolve(orchard, "rollback", NAME).stdout
    assert not orchard.skill(NAME).exists()
    log = evolve(orchard, "log").stdout
    assert f"{NAME}: " in log
    assert "from nothing" in log
    assert "taken back by a person" in log
    (version,) = answer(orchard, "log", NAME)["versions"]
    assert version["verdict"] == "stopped"


def test_nothing_happens_without_a_yes(orchard: Orchard) -> None:
    (proposal,) = answer(orchard, "list")["proposals"]
    done = evolve(orchard, "accept", proposal["id"])
    assert "Nobody answered" in done.stderr
    assert answer(orchard, "log") == {"versions": [], "rejected": []}
    assert not (orchard.home / ".claude/skills").exists()


def test_what_is_not_offered_is_shown_with_its_reason_on_demand(orchard: Orchard) -> None:
    (orchard.root / "Makefile").unlink()
    assert answer(orchard, "list")["proposals"] == []
    (proposal,) = answer(orchard, "list", "--all")["proposals"]
    assert proposal["refusals"]
    assert "not offered" in evolve(orchard, "list", "--all").stdout
    done = evolve(orchard, "accept", proposal["id"], "--yes")
    assert done.returncode == 2
    assert "is not offered" in done.stderr


def test_an_empty_list_says_why(orchard: Orchard) -> None:
    (proposal,) = answer(orchard, "list")["proposals"]
    evolve(orchard, "reject", proposal["id"])
    assert "Nothing to propose" in evolve(orchard, "list").stderr
    assert [one["skill"] for one in answer(orchard, "log")["rejected"]] == [NAME]
    assert evolve(orchard, "show", "nonsense").returncode == 2
    assert evolve(orchard, "log", "nonsense").returncode == 2


@pytest.mark.slow
def test_killed_anywhere_the_next_learn_leaves_the_version_that_is_due(orchard: Orchard, tmp_path: Path) -> None:
    (proposal,) = answer(orchard, "list")["proposals"]
    kept = tmp_path / "kept"
    shutil.copytree(orchard.store, kept)
    kills, begun = 0, 0
    while True:
        killed = called(
            orchard, "skills", "evolve", "accept", proposal["id"], "--yes", AFTERWIT_KILL_AT_STEP=str(kills + 1)
        )
        if killed.returncode >= 0:
            break
        kills += 1
        called(orchard, "learn")
        versions = answer(orchard, "log")["versions"]
        begun += len(versions)
        for version in versions:
            assert orchard.skill(NAME).exists() == (version["on_disk"] == "new")
            assert version["blocks"][-1]["started_at"] != ""
        if not versions:
            assert not (orchard.home / ".claude/skills").exists()
        shutil.rmtree(orchard.store)
        shutil.rmtree(orchard.home / ".claude/skills", ignore_errors=True)
        shutil.copytree(kept, orchard.store)
    assert killed.returncode == 0
    assert kills >= 3
    assert begun >= 2
