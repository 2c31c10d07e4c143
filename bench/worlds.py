"""What the product runs in where it is measured inside our own process: a home of its own, and nobody who watches."""

import sys
import time
from pathlib import Path

from afterwit.config.show import load
from afterwit.config.world import World
from afterwit.store.layout import Layout


class Silent:
    """A progress that nobody watches."""

    def begin(self, files: int, total_bytes: int) -> None: ...
    def advance(self, files: int, done_bytes: int) -> None: ...
    def stage(self, label: str, count: int, unit: str) -> None: ...


def world_of(home: Path, store: Path) -> World:
    """A world in which nothing of this machine is read."""
    environ = {"HOME": str(home), "AFTERWIT_HOME": str(store)}
    return World(
        layout=Layout(store),
        settings=load(environ, sys.platform).settings,
        user_home=home,
        environ=environ,
        now_ms=time.time_ns() // 1_000_000,
    )
