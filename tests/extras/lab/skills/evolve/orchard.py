"""An invented orchard: a checkout with a Makefile, and sessions that run the same checks by hand before they commit."""

import random
from collections.abc import Callable
from pathlib import Path

from tests.homes import Silent, world_of
from tests.measure.histories import HOUR_S, Log

from afterwit.config.world import World
from afterwit.engine.sweep import sweep
from afterwit.model.learn_run import Options

DAY_S = 24 * HOUR_S
MAY_MS = 1_777_593_600_000  # 2026-05-01
BEGIN_S = 36_000  # when the first session of a log begins, by `Log`
CHECKS = ("make lint", "make types", "make test")
MAKEFILE = "lint:\n\ttrue\ntypes:\n\ttrue\ntest:\n\ttrue\n"
_TASKS = ("Count apples", "Mend fences", "Press pears", "Water plums", "Paint sheds", "Sort crates", "Prune cherries")


def at_ms(seconds: int) -> int:
    """The moment of a session that begins so many seconds into the history."""
    return MAY_MS + 1000 * (BEGIN_S + seconds)


class Orchard:
    """A home, a store and a checkout below one folder."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.store = folder / "store"
        self.root = self.home / "src/orchard"
        self.root.mkdir(parents=True)
        (self.root / ".git").mkdir()
        (self.root / ".git/HEAD").write_text("ref: refs/heads/main\n")
        (self.root / ".git/config").write_text("[core]\n\tbare = false\n")
        (self.root / ".git/objects").mkdir()
        (self.root / ".git/refs").mkdir()
        (self.root / "Makefile").write_text(MAKEFILE)
        self.now_ms = at_ms(8 * DAY_S)
        self._number = 0

    @property
    def world(self) -> World:
        return world_of(self.home, self.store)._replace(now_ms=self.now_ms)

    def clock(self) -> int:
        return self.now_ms

    def log(self, start_s: int) -> Log:
        self._number += 1
        log = Log(self._number, start_s, str(self.root))
        return log.prompt(f"{_TASKS[self._number % len(_TASKS)]} in row {self._number}")

    def checked(self, start_s: int, checks: tuple[str, ...] = CHECKS, *, skill: str = "") -> Log:
        """A session that edits, runs the checks, and commits."""
        log = self.log(start_s)
        if skill:
            log.skill(skill)
        log.edit(f"src/row{self._number}.py")
        for line in checks:
            log.shell(line, "all fine")
        return log.shell("git commit -m 'Count them'", "[main 1a2b3c4] Count them\n 1 file changed")

    def by_hand(self, sessions: int = 4, checks: tuple[str, ...] = CHECKS) -> "Orchard":
        """So many sessions that run the checks by hand, one a day, and learns from them."""
        for day in range(sessions):
            self.checked(day * DAY_S, checks).put(self.home)
        return self.learned()

    def learned(self) -> "Orchard":
        sweep(self.world, Options(), Silent())
        return self

    def skill(self, name: str, agent: str = ".claude") -> Path:
        return self.home / agent / "skills" / name / "SKILL.md"

    def getting_on(self, start_s: int, share: float, rng: random.Random, *, skill: str = "") -> None:
        """A session in which this share of actions edits, and most of the rest fails."""
        log = self.log(start_s)
        if skill:
            log.skill(skill)
        for at in range(10):
            if rng.random() < share:
                log.edit(f"src/tree{at}.py")
            elif rng.random() < 0.6:
                log.shell(f"make row{at}", "make: *** No rule to make target", fails=True)
            else:
                log.shell("ls src")
        log.put(self.home)


Share = Callable[[bool], float]
