"""`afterwit knowledge review`: keys in, decisions out."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.demo_store import copied_demo, learned_demo
from tests.processes import COMMAND
from tests.processes import run as run_program

Asked = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return learned_demo(tmp_path_factory.mktemp("learned") / "demo")


@pytest.fixture
def asked(demo: Path, tmp_path: Path) -> Asked:
    """The command on the demo, with these keys on its standard input."""
    world = copied_demo(demo, tmp_path / "demo")
    environ = {"PATH": os.environ["PATH"], "HOME": str(world.user_home), "AFTERWIT_HOME": str(world.layout.root)}

    def ask(*arguments: str, keys: str = "") -> "subprocess.CompletedProcess[bytes]":
        return run_program(COMMAND, ("knowledge", *arguments), environ, keys.encode())

    return ask


def _listed(asked: Asked) -> list[str]:
    """What is asked about, in this order."""
    found = json.loads(asked("review", "--json").stdout)
    return [note["id"] for note in (*found["not_looked_at"], *found["notes"])]


def _unseen(asked: Asked) -> list[dict[str, Any]]:
    return list(json.loads(asked("review", "--json").stdout)["not_looked_at"])


def test_a_note_is_shown_with_its_evidence_and_what_the_keys_do(asked: Asked) -> None:
    said = asked("review", keys="s\n" * len(_unseen(asked)) + "q\n").stderr.decode()
    assert "1 of " in said
    assert "waits: said in 3 sessions: a note only if you say so" in said
    assert "applies to harbour" in said
    assert "y approve, n reject, a approve all of its kind, r reject all of its kind, e edit, s skip" in said


def test_what_is_told_and_nobody_looked_at_comes_first_until_somebody_did(asked: Asked) -> None:
    first, *_ = unseen = _unseen(asked)
    said = asked("review", keys="q\n").stderr.decode()
    assert f"{len(unseen)} notes are in use and not looked at, 2 notes need your approval" in said
    assert f"1 of {len(_listed(asked))}: {first['fact']}\n" in said
    assert "said in 2 sessions, told at start" in said
    assert "in use, not looked at; found by standing-rules, as 1 other here" in said
    asked("review", keys="y\n")
    assert [note["id"] for note in _unseen(asked)] == [note["id"] for note in unseen[1:]]


def test_all_of_one_kind_are_rejected_by_one_key_and_come_back_by_another(asked: Asked) -> None:
    before = _unseen(asked)
    kind = [note["id"] for note in before if note["harvester"] == before[0]["harvester"]]
    assert len(kind) == 2
    done = asked("review", keys="r\nu\nr\nq\n")
    assert done.stdout.decode().startswith("0 approved, 2 rejected, 0 edited, 0 skipped, ")
    assert [note["id"] for note in _unseen(asked)] == [note["id"] for note in before if note["id"] not in kind]
    asked("undo")
    assert _unseen(asked) == before


def test_answers_are_kept_when_the_input_ends(asked: Asked) -> None:
    before = _listed(asked)
    done = asked("review", keys="y\nn\n")
    assert done.stdout.decode() == f"1 approved, 1 rejected, 0 edited, 0 skipped, {len(before) - 2} left.\n"
    assert _listed(asked) == before[2:]


def test_a_slip_is_told_and_undo_brings_the_note_back(asked: Asked) -> None:
    before = _listed(asked)
    done = asked("review", keys="x\nu\ny\nu\nq\n")
    assert "'x' is no answer" in done.stderr.decode()
    assert "nothing to undo yet" in done.stderr.decode()
    assert done.stdout.decode().startswith("0 approved, 0 rejected")
    assert _listed(asked) == before


def test_new_words_come_from_the_next_line_and_all_evidence_can_be_seen_first(asked: Asked) -> None:
    done = asked("review", "--limit", "1", keys="w\ne\nUse uv for everything here.\n")
    assert "For it: 2 independent sessions on 2 days" in done.stderr.decode()
    assert done.stdout.decode() == "0 approved, 0 rejected, 1 edited, 0 skipped, 0 left.\n"
    assert b"Use uv for everything here." in asked("list").stdout


def test_with_nobody_to_answer_it_says_what_to_do(asked: Asked) -> None:
    done = asked("review")
    assert done.returncode == 1
    assert "Nobody answered. Run `afterwit knowledge review` in a terminal" in done.stderr.decode()


def test_all_of_the_users_words_are_shown_and_approved_only_after_a_yes(asked: Asked) -> None:
    assert asked("review", "--all-from", "user", keys="n\n").returncode == 1
    done = asked("review", "--all-from", "user", "--yes")
    assert b"Always write dates in UTC" in done.stderr
    assert done.stdout == b"2 notes approved.\n"
    assert "Nothing waits for you" in asked("review", "--all-from", "user").stderr.decode()
