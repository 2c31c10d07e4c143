"""Named steps of the write path, so that a test can stop a run dead at each of them.

`AFTERWIT_KILL_AT_STEP=n` kills this process without warning at the n-th step it reaches. Unset, a step costs one
comparison. The steps stand where a crash would leave the store between two states.
"""

import os
import signal

_KILL_AT = int(os.environ.get("AFTERWIT_KILL_AT_STEP") or 0)
_reached = 0


def step(name: str) -> None:
    """Marks a point between two durable changes; `name` says which, for whoever reads the code or a trace."""
    global _reached  # noqa: PLW0603 - one counter per process is the point
    if _KILL_AT:
        _reached += 1
        if _reached == _KILL_AT:
            os.write(2, f"killed at step {_reached}: {name}\n".encode())
            os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))
