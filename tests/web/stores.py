"""Stores that have what the demo lacks: a checkout with fixes, a replay that was kept, sessions that were drawn for."""

import random
import sys
from pathlib import Path

from tests.extras.fixes.orchards import BLIND, BROKEN, MENDED, TEST
from tests.homes import Silent, world_of
from tests.measure.histories import HOUR_S, Log
from tests.measure.live.drawn import AT_MS, draw
from tests.sources.repositories import commit_on_top, git, repository

from afterwit.config.show import load
from afterwit.config.world import World
from afterwit.engine.replay import past_of, players_named
from afterwit.engine.sweep import sweep
from afterwit.extras.demo.run import SHOWN
from afterwit.extras.fixes.check import CheckOptions, check, plan_check, settle_notes
from afterwit.extras.fixes.history import database_of, fixes_of, place_of, redactor_here
from afterwit.extras.lab.templates.create import create
from afterwit.measure.backtest import backtest, keep_backtest
from afterwit.measure.report import report
from afterwit.model.learn_run import Options
from afterwit.recall.recall import repo_at
from afterwit.sessions.filters import Filter

REPO = "github.com/acme/orchard"
_EVEN = {"held": 0.5, "told": 0.5}


def with_checkout(world: World, folder: Path) -> World:
    """A checkout of a repository of the demo: a fix with a test, one without, and one that takes another back."""
    git_dir = repository(folder)
    git(git_dir, "symbolic-ref", "HEAD", "refs/heads/main")
    (folder / ".venv").symlink_to(sys.prefix, target_is_directory=True)
    commit_on_top(git_dir, {"orchard.py": BROKEN}, "Begin")
    commit_on_top(git_dir, {"orchard.py": MENDED, "test_orchard.py": TEST}, "fix: count every tree once (#12)")
    commit_on_top(git_dir, {"frost.py": b"LIMIT = 0\n"}, "Warn of frost")
    commit_on_top(git_dir, {"frost.py": b"LIMIT = 2\n"}, "fix: warn two degrees earlier")
    config = world.layout.root / "config.toml"
    before = config.read_text(encoding="utf-8") if config.exists() else ""
    config.write_text(f'{before}\n[repositories.checkouts]\n"{REPO}" = "{folder}"\n', encoding="utf-8")
    return world._replace(settings=load(world.environ, sys.platform).settings)


def checked(world: World) -> None:
    """Lets the fixes of the checkout be judged, as `guards check` does."""
    place, options = place_of(world, None, REPO, repo_at), CheckOptions(seconds=60)
    with database_of(world) as db:
        fixes = list(fixes_of(place, redactor_here(world), db))
    planned = [plan_check(place, fix, options) for fix in fixes]
    check(world, place, redactor_here(world), planned, options, Silent())
    settle_notes(world)


def replayed(world: World, *strategies: str) -> None:
    """A replay, kept as `measure backtest` keeps it, and a report."""
    with past_of(world) as past:
        result = backtest(world, players_named(strategies, past), Filter(), Silent())
    keep_backtest(world, result, "afterwit measure backtest --table")
    report(world, None, 0, Silent())


def furnished(world: World, folder: Path) -> World:
    """All of it: a checkout whose fixes were judged but for one, a replay, a template."""
    world = with_checkout(world, folder)
    checked(world)
    commit_on_top(folder / ".git", {"orchard.py": BROKEN, "test_orchard.py": BLIND}, "Count in another way")
    commit_on_top(folder / ".git", {"orchard.py": MENDED, "test_orchard.py": TEST}, "fix: count as before")
    replayed(world, "nothing", "frequent", "afterwit")
    create(world, SHOWN)
    return world


def drawn_store(folder: Path, sessions: int = 60) -> World:
    """Sessions of which a half was told something, drawn evenly, and loses fewer actions."""
    chance = random.Random(5)
    for number in range(sessions):
        is_told = chance.random() < _EVEN["told"]
        fails = chance.choice((0, 1, 1, 2)) if is_told else chance.choice((2, 3, 3, 4))
        log = Log(number, number * HOUR_S).prompt("Let the cider press stop when the barrel is full")
        for word in ("barrel", "press")[: 1 if is_told else 2]:
            log.search(word)
        log.edit("src/press.py")
        for _ in range(fails):
            log.shell("make prune", "make: *** No rule to make target 'prune'.", fails=True)
        log.shell("pytest -q", "3 passed").put(folder / "home")
        draw(folder, log.session, "told" if is_told else "held", AT_MS + number * HOUR_S * 1000, odds=_EVEN)
    world = world_of(folder / "home", folder / "store")
    sweep(world, Options(), Silent())
    return world
