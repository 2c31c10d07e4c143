"""Small repositories with fixes, and what a check of them needs."""

import os
import sys
from pathlib import Path

from tests.sources.repositories import commit_on_top, git, repository

from afterwit.capture.checkouts import GitCheckout
from afterwit.cli.terminal.options import Here
from afterwit.config.show import load
from afterwit.config.world import World, redactor_of
from afterwit.extras.fixes.check import CheckOptions, check, plan_check
from afterwit.extras.fixes.history import ListedFix, fixes_of
from afterwit.model.guards import GuardVerdict
from afterwit.store.layout import Layout

BROKEN = b"def count(trees):\n    return len(trees) + 1\n"
MENDED = b"def count(trees):\n    return len(trees)\n"
TEST = b"from orchard import count\n\n\ndef test_count():\n    assert count(['apple']) == 1\n"
BLIND = b"from orchard import count\n\n\ndef test_count():\n    assert count(['apple']) > 0\n"


class Quiet:
    """Nobody watches."""

    def begin(self, files: int, total_bytes: int) -> None:
        pass

    def advance(self, files: int, done_bytes: int) -> None:
        pass

    def stage(self, label: str, count: int, unit: str) -> None:
        pass


def checkout(folder: Path) -> Path:
    """A checkout whose installed dependencies are those of this test run."""
    git_dir = repository(folder)
    git(git_dir, "symbolic-ref", "HEAD", "refs/heads/main")
    (folder / ".venv").symlink_to(sys.prefix, target_is_directory=True)
    return git_dir


def fixed(git_dir: Path, before: dict[str, bytes], after: dict[str, bytes], message: str = "fix: count once") -> str:
    commit_on_top(git_dir, before, "Begin")
    return commit_on_top(git_dir, after, message)


def world_of(folder: Path) -> World:
    home = folder / "user"
    home.mkdir(exist_ok=True)
    environ = {"PATH": os.environ["PATH"], "HOME": str(home), "AFTERWIT_HOME": str(folder / "store")}
    configured = load(environ, sys.platform)
    layout = Layout(configured.place.store)
    layout.create()
    return Here(
        configured, World(layout=layout, settings=configured.settings, user_home=home, environ=environ, now_ms=1)
    ).world


def place_of_checkout(git_dir: Path) -> GitCheckout:
    return GitCheckout("orchard", git_dir.parent, git_dir)


def fixes(git_dir: Path, world: World) -> list[ListedFix]:
    return list(fixes_of(place_of_checkout(git_dir), redactor_of(world), None))


def verdicts(git_dir: Path, world: World, options: CheckOptions | None = None) -> list[GuardVerdict]:
    """How all fixes of a repository are judged."""
    wanted = options or CheckOptions(seconds=60)
    place = place_of_checkout(git_dir)
    planned = [plan_check(place, listed, wanted) for listed in fixes(git_dir, world)]
    return check(world, place, redactor_of(world), planned, wanted, Quiet())
