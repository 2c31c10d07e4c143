"""A store to back up: learned once, and copied for each test."""

import shutil
from pathlib import Path

import pytest
from tests.homes import family_home, learned, world_of

from afterwit.config.world import World


@pytest.fixture(scope="session")
def learned_family(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A session with companions and a subagent, all of it learned."""
    folder = tmp_path_factory.mktemp("learned")
    learned(family_home(folder / "home"), folder / "store")
    return folder


@pytest.fixture
def world(learned_family: Path, tmp_path: Path) -> World:
    for name in ("home", "store"):
        shutil.copytree(learned_family / name, tmp_path / name)
    return world_of(tmp_path / "home", tmp_path / "store")
