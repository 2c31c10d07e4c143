"""A home from which one item is learned, and the command on it."""

import datetime as dt
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.homes import learned
from tests.knowledge_home import learnable_home

ITEM = "96a435ffbc2e"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The sessions are of these days: the command goes by the real clock, and items age."""
    return learnable_home(tmp_path / "home", since=dt.datetime.now(dt.UTC).date() - dt.timedelta(days=10))


@pytest.fixture
def knowing(run: Run, home: Path, tmp_path: Path) -> Run:
    """The command, after something was learned."""
    learned(home, tmp_path / "store")
    return run
