"""A generator of homes with logs that have the shape of real ones and invented content.

Run as `python -m bench.homes --sessions 2000 --out FOLDER`. The same arguments give the same bytes. The mix of records,
the sizes of lines and, at length 1, the sizes of files follow `bench/shape.json`; one file in 400 belongs to the long
tail, which ends at 20 MB. Beside the logs lies `truth.json`: what a reader has to find in each file.
"""

import argparse
import os
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Protocol

import msgspec

from bench import claude_log, codex_log
from bench.claude_log import ClaudeLog
from bench.codex_log import CodexLog
from bench.draws import Deck, Places, Sizes, deck_of
from bench.log_file import FileTruth, LogFile, Scene, uuid4, uuid7
from bench.shape import AGENTS, Shape, load, quantile
from bench.texts import Pool, Shelf
from bench.words import BRANCHES, REPOS, USERS

SHAPE = Path(__file__).with_name("shape.json")
LENGTH = 0.36  # of real sessions: then 21,000 are about 6 GB
_TRUTH = "truth.json"
_UNITS = 6_000
_FIRST_MS = 1_767_225_600_000  # 2026-01-01
_BETWEEN_MS = 600_000
_TAIL_EVERY = 400
_TAIL_BYTES = (5_000_000, 20_000_000)
_REACH_BYTES = {"claude-code": 19_000, "codex": 36_000}  # found by trying: logs then pack as real ones do


class Log(Protocol):
    """A log of one agent, written unit by unit. `begin` says which units every log begins with."""

    def begin(self) -> tuple[str, ...]: ...
    def write(self, unit: str) -> None: ...
    def end(self) -> None: ...


class Made(NamedTuple):
    """A log as it is to be written."""

    path: Path
    lines: list[bytes]
    ended_ms: int
    truth: FileTruth


class _Agent:
    """What the logs of one agent are made from."""

    def __init__(self, rng: random.Random, name: str, shape: Shape) -> None:
        units = claude_log.units if name == "claude-code" else codex_log.units
        self.name = name
        self._units: Deck[str] = deck_of(rng, units(shape.kinds), _UNITS)
        self.sizes = Sizes(rng, shape.kinds)
        self._places = Places(rng, 50)
        self._bytes = shape.bytes_per_file
        self._owed = 0.0
        self._early: Counter[str] = Counter()

    def unit(self) -> str:
        """The next unit. One that a log began with was dealt early and is passed over."""
        unit = self._units.draw()
        while self._early[unit] > 0:
            self._early[unit] -= 1
            unit = self._units.draw()
        return unit

    def deal(self, early: tuple[str, ...]) -> None:
        self._early.update(early)

    def target(self, length: float) -> float:
        """The size of the next file; what the last one was too large is taken off."""
        return quantile(self._bytes, self._places.draw()) * length - self._owed

    def settle(self, target: float, written: int) -> None:
        self._owed = written - target


def made(sessions: int, seed: int = 1, length: float = LENGTH, shape: dict[str, Shape] | None = None) -> Iterator[Made]:
    """The logs of a home, one after the other."""
    rng = random.Random(seed)
    shape = shape or load(SHAPE)
    pool = Pool(rng)
    agents = {name: _Agent(rng, name, one) for name, one in shape.items()}
    order = deck_of(rng, {name: one.files for name, one in shape.items()}, sum(one.files for one in shape.values()))
    for number in range(sessions):
        agent = agents[order.draw()]
        target = _tail(rng, number) or agent.target(length)
        scene = _scene(rng, number)
        log, path = _begun(rng, agent, scene, pool)
        written = _write(log, agent, target)
        if number % _TAIL_EVERY != _TAIL_EVERY - 1:
            agent.settle(target, written.size_bytes)
        written.truth.path = str(path)
        yield Made(path, written.lines, written.now_ms, written.truth)


def _tail(rng: random.Random, number: int) -> float:
    """The size of a file of the long tail, 0 for others. The first of them is the largest."""
    if number % _TAIL_EVERY != _TAIL_EVERY - 1:
        return 0.0
    least, most = _TAIL_BYTES
    return float(least * (most / least) ** rng.random()) if number > _TAIL_EVERY else float(most)


def _scene(rng: random.Random, number: int) -> Scene:
    start_ms = _FIRST_MS + number * _BETWEEN_MS + rng.randrange(_BETWEEN_MS)
    return Scene(rng.choice(USERS), rng.choice(REPOS), rng.choice(BRANCHES), start_ms)


class _Begun(NamedTuple):
    log: LogFile
    writer: Log


def _begun(rng: random.Random, agent: _Agent, scene: Scene, pool: Pool) -> tuple[_Begun, Path]:
    shelf = Shelf(rng, pool, _REACH_BYTES[agent.name])
    log = LogFile(rng, scene, shelf, agent.sizes, FileTruth(agent.name, ""))
    if agent.name == "claude-code":
        session = uuid4(rng)
        folder = Path(".claude", "projects", scene.cwd.replace("/", "-"))
        return _Begun(log, ClaudeLog(log, session)), folder / f"{session.decode()}.jsonl"
    thread = uuid7(rng, scene.start_ms)
    stamp = log.tick().decode()[:19].replace(":", "-")
    folder = Path(".codex", "sessions", *stamp[:10].split("-"))
    return _Begun(log, CodexLog(log, thread)), folder / f"rollout-{stamp}-{thread.decode()}.jsonl"


def _write(begun: _Begun, agent: _Agent, target: float) -> LogFile:
    log, writer = begun
    agent.deal(writer.begin())
    while log.size_bytes < target:
        writer.write(agent.unit())
    writer.end()
    return log


def write_home(
    folder: Path,
    sessions: int,
    seed: int = 1,
    length: float = LENGTH,
) -> list[FileTruth]:
    """Writes a home and its `truth.json`."""
    truths: list[FileTruth] = []
    for one in made(sessions, seed, length):
        path = folder / one.path
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            file.writelines(one.lines)
        os.utime(path, ns=(one.ended_ms * 1_000_000, one.ended_ms * 1_000_000))
        truths.append(one.truth)
    (folder / _TRUTH).write_bytes(msgspec.json.encode(truths))
    return truths


def home_in(folder: Path, sessions: int) -> Path:
    """The home of this many sessions in a folder of homes: the one that is there, or one that is written now."""
    home = folder / f"h{sessions}"
    if not is_generated(home):
        write_home(home, sessions)
    return home


def is_generated(home: Path) -> bool:
    """Whether this home was written here, and wholly: the truth comes last."""
    return (home / _TRUTH).exists()


def logs_of(home: Path) -> list[Path]:
    """The logs of the agents that are generated."""
    return sorted(path for pattern in AGENTS.values() for path in home.glob(pattern))


def main() -> None:
    parser = argparse.ArgumentParser(description="Writes a home with invented logs of realistic shape.")
    parser.add_argument("--sessions", type=int, default=2000)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--length", type=float, default=LENGTH, help="of real sessions; 1 gives files of real size")
    arguments = parser.parse_args()
    write_home(arguments.out, arguments.sessions, arguments.seed, arguments.length)


if __name__ == "__main__":
    main()
