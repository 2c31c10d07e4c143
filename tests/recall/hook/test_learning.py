"""What a hook starts at the end of a session has nothing of the agent's, and nobody waits for it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.recall.hook.conftest import MAIN, Hook

from afterwit.recall.deck.reader import Deck
from afterwit.recall.hook.call import learn_soon


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    """Where the command that is started waits until somebody reads."""
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


def ended(hook: Hook, *more: int) -> None:
    """The end of a session, told by an agent that leaves these handles open."""
    content = json.dumps({"session_id": "s1", "cwd": str(hook.project)}).encode()
    command = [sys.executable, "-I", "-c", MAIN, "claude-code", "end"]
    done = subprocess.run(
        command, input=content, capture_output=True, env=hook.environ, pass_fds=more, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_nobody_waits_for_it_at_any_pipe(hook: Hook, pipe: Path) -> None:
    hook.compile(learn_command=("/bin/sh", "-c", 'echo started > "$0"', str(pipe)))
    reading, writing = os.pipe()
    ended(hook, writing)
    os.close(writing)
    os.set_blocking(reading, False)
    assert os.read(reading, 1) == b""
    os.close(reading)
    assert pipe.read_text() == "started\n"


def test_it_reads_nothing_and_leads_a_session_of_its_own(hook: Hook, pipe: Path) -> None:
    script = (
        "import os, sys; told = (os.read(0, 1), os.write(1, b'x'), os.write(2, b'x'), os.getsid(0) == os.getpid(),"
        " os.nice(0)); open(sys.argv[1], 'w').write(repr(told))"
    )
    hook.compile(learn_command=(sys.executable, "-I", "-c", script, str(pipe)))
    ended(hook)
    assert pipe.read_text() == "(b'', 1, 1, True, 19)"


def test_without_the_users_leave_nothing_is_started(hook: Hook, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr(os, "posix_spawnp", lambda path, words, environ, **how: started.append(words))
    for is_wanted, command in ((False, ("learn",)), (True, ()), (True, ("learn",))):
        hook.compile(learn_command=command, learns_at_end=is_wanted)
        learn_soon(Deck(str(hook.layout.deck)))
    assert started == [["nice", "-n", "19", "learn"]]
