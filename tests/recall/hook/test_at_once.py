"""Many hooks at once, beside a `learn` that runs and takes in what they leave."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.homes import mixed_home
from tests.recall.hook.conftest import MAIN, Hook

from afterwit.recall.spooled import take_in
from afterwit.redaction.redaction import Redactor
from afterwit.store.rows import hooks
from afterwit.store.store import open_store

SESSIONS = 25


def started(hook: Hook, session: str, event: str, **fields: object) -> "subprocess.Popen[bytes]":
    """A hook that runs, with its input given."""
    given = hook.project / f"{session}.json"
    given.write_text(json.dumps({"session_id": session, "cwd": str(hook.project), **fields}))
    with given.open("rb") as file:
        return subprocess.Popen(
            [sys.executable, "-I", "-c", MAIN, "claude-code", event],
            stdin=file,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=hook.environ,
        )


@pytest.mark.slow
def test_fifty_hooks_beside_a_learn_fail_nowhere_and_lose_nothing(hook: Hook, tmp_path: Path) -> None:
    home = tmp_path / "home"
    mixed_home(home)
    learning = subprocess.Popen(
        [sys.executable, "-m", "afterwit", "learn"],
        env={**hook.environ, "HOME": str(home)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    running = [started(hook, f"s{number}", "start", source="startup") for number in range(SESSIONS)]
    running += [started(hook, "shared", "start", source="startup") for _ in range(SESSIONS)]
    outputs = [process.communicate(timeout=120) for process in running]
    assert learning.wait(timeout=120) == 0
    assert [process.returncode for process in running] == [0] * 2 * SESSIONS
    assert {err for _, err in outputs} == {b""}
    shown = [bool(out) for out, _ in outputs]
    with open_store(hook.layout) as store:
        take_in(store, Redactor(b"k" * 32), 0)
        draws = hooks.draws(store.db)
    assert sum(shown[SESSIONS:]) == 1
    assert sum(shown) == len(draws)
    assert {draw.session for draw in draws} == {*(f"s{n}" for n in range(SESSIONS) if shown[n]), "shared"}
    assert sum(shown[:SESSIONS]) == SESSIONS
