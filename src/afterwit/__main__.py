"""The `afterwit` command, from its first moment on: Ctrl-C while the program loads ends it without a traceback."""

import gc
import os
import sys

from afterwit import __version__

_COLLECT_AFTER = 200_000  # new values: more than loading makes
PARTLY_DONE = 3  # the exit code after Ctrl-C, as everywhere


def main() -> None:
    """Loads the program and runs it."""
    if sys.argv[1:] == ["--version"]:
        try:
            os.write(1, f"afterwit {__version__}\n".encode())
        except OSError:
            pass  # what becomes of it is said by the program
        else:
            return
    gc.set_threshold(_COLLECT_AFTER)  # commands make many values and few circles of them
    try:
        from afterwit.cli.main import main as run
    except KeyboardInterrupt:
        sys.exit(PARTLY_DONE)
    run()


if __name__ == "__main__":
    main()
