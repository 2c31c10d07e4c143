"""The `afterwit` command, from its first moment on: Ctrl-C while the program loads ends it without a traceback."""

import sys

PARTLY_DONE = 3  # the exit code after Ctrl-C, as everywhere


def main() -> None:
    """Loads the program and runs it."""
    try:
        from afterwit.cli.main import main as run
    except KeyboardInterrupt:
        sys.exit(PARTLY_DONE)
    run()


if __name__ == "__main__":
    main()
