"""The store of the demo, learned once for all tests of a module, and a copy of it for each test."""

import datetime as dt
import shutil
import sys
from pathlib import Path

from tests.homes import NOW_MS, Silent

from afterwit.config.world import World
from afterwit.extras.demo.run import DemoPlace, demo_of, learn_demo, write_demo

_DAY = dt.datetime.fromtimestamp(NOW_MS / 1000, dt.UTC).date()


def learned_demo(folder: Path) -> Path:
    place = DemoPlace(folder, sys.platform)
    write_demo(place, _DAY, (sys.executable, "-m", "afterwit"))
    learn_demo(demo_of(place, NOW_MS), Silent())
    return folder


def copied_demo(learned: Path, to: Path) -> World:
    shutil.copytree(learned, to)
    return demo_of(DemoPlace(to, sys.platform), NOW_MS).world
