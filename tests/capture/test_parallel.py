"""Work in several processes ends with the process that asked for it."""

import subprocess
import sys
from pathlib import Path

import pytest

_PROGRAM = """
import threading
from afterwit.capture.tasks import spread

def work(number):
    print(number, flush=True)
    threading.Event().wait()

if __name__ == "__main__":
    list(spread(range(2), work, 2, int))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL there")
def test_workers_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "work.py"
    script.write_text(_PROGRAM)
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        assert {parent.stdout.readline().strip(), parent.stdout.readline().strip()} == {"0", "1"}
        parent.kill()
        assert parent.stdout.read() == ""  # comes when nobody is left who could write
