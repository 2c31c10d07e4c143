"""A program of its own: runs a command, and ends it and all of its children as soon as whoever asked for it is gone.

`python lifeline.py PIPE STATUS COMMAND…`: PIPE is one that the asker holds open; STATUS is where the command's
exit code is written. Leads the process group that it ends, itself included, so that no process of the
group outlives the command. Standard library only, and nothing of ours: it is started by its path.
"""

import os
import signal
import subprocess
import sys
import threading

_NOT_STARTED = 127  # as a shell has it


def main() -> None:
    pipe, status, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    threading.Thread(target=_end_with, args=(pipe,), daemon=True).start()
    try:
        code = subprocess.run(command, check=False).returncode
    except OSError as error:
        sys.stderr.write(f"{command[0]} cannot be started: {error.strerror or error}\n")
        sys.stderr.flush()
        code = _NOT_STARTED
    os.write(status, b"%d" % code)
    _end_group()


def _end_with(pipe: int) -> None:
    """Waits for the end of a pipe into which nobody writes."""
    os.read(pipe, 1)
    _end_group()


def _end_group() -> None:
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main()
