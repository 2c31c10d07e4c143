"""The home and the command that tests of commands have, for the commands of extras."""

from tests.cli.conftest import environ, home, learned, learned_store, run

__all__ = ["environ", "home", "learned", "learned_store", "run"]
