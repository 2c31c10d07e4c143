"""A client is bounded in time, and its processes end with it."""

import os
import select
import sys
from pathlib import Path

import pytest
from tests.e2e import process

pytestmark = pytest.mark.e2e

LEAVES_A_DAEMON = """
import subprocess, sys
daemon = "import signal, sys; held = open(sys.argv[1], 'w'); print('ready', flush=True); signal.pause()"
child = subprocess.Popen([sys.executable, "-c", daemon, sys.argv[1]], start_new_session=True, stdout=subprocess.PIPE)
print(child.stdout.readline())
"""


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="processes cannot be found by their environment")
def test_a_daemon_in_a_session_of_its_own_does_not_outlive_its_client(tmp_path: Path) -> None:
    held = tmp_path / "held-by-the-daemon"
    os.mkfifo(held)
    with os.fdopen(os.open(held, os.O_RDONLY | os.O_NONBLOCK), "rb") as end:
        client = [sys.executable, "-c", LEAVES_A_DAEMON, str(held)]
        ended = process.run(client, {"HOME": str(tmp_path)}, tmp_path, tmp_path / "log")
        assert "ready" in ended.output
        assert select.select([end], [], [], 10)[0] == [end]
        assert end.read() == b""


def test_a_client_whose_time_is_up_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "LIMIT_SECONDS", 0.01)
    ended = process.run(
        [sys.executable, "-c", "import signal; signal.pause()"], {"HOME": str(tmp_path)}, tmp_path, tmp_path / "log"
    )
    assert ended.exit_code is None
