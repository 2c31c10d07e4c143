"""What people wait for, and whether it grows with what they have: every such command, on a small home and a large one.

    python -m bench.growth [--sizes 300,2000] [--full] [--homes FOLDER | --home FOLDER …] [--install-peers] [--keep]

Each command runs as a whole, in a new process: its CPU and that of its children, wall time, memory of all its processes
(`bench.processes` says what that means). Beside them, in the same run on the same files: one `orjson.loads` per line,
one `stat` per file, the bare interpreter, and the peers that are there. Commands take turns, so that a busy moment of
the machine hits all; figures are medians, of several runs where these are quick. `--homes` names a folder in which
generated homes are kept for the next time, `--home` a home that is there already; `--full` adds 21,000 sessions (6 GB,
an hour).
"""

import argparse
import itertools
import shutil
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from afterwit.cli.commands import ExitCode
from afterwit.engine.unchanged import nothing_new
from afterwit.store.layout import Layout
from afterwit.store.rows.items import all_items
from afterwit.store.rows.sessions import count_sessions
from afterwit.store.spool import backlog
from afterwit.store.store import open_store
from bench import peers
from bench.floors import bare_interpreter, decode_lines, stat_files, timed
from bench.growth_figures import BESIDE, Command, Growth, PeerVersion, Size, judged, row_of, rows_of, steps
from bench.homes import home_in, logs_of
from bench.peers import AGENTSVIEW, CCUSAGE, Peer
from bench.processes import Run, afterwit, environ_of, run
from bench.prompts import TASK
from bench.results import command_line, report
from bench.workplace import Workplace
from bench.worlds import world_of

SIZES = (300, 2_000)
FULL_SIZE = 21_000
ROUNDS = 5
_ENOUGH_S = 60.0  # after which no further round begins
_LEAST_GROWN = 3
_BUSIEST = "SELECT repo FROM sessions WHERE repo != '' GROUP BY repo ORDER BY count(*) DESC, repo LIMIT 1"
_WORD = "harvest"
_FINE = (ExitCode.FINE, ExitCode.PARTLY_DONE)
_DIAGNOSES = (Command.DOCTOR, Command.DOCTOR_FULL)  # fail where they find something


class _Bench:
    """One home while it is measured."""

    def __init__(self, home: Path, scratch: Path, found: Sequence[Peer], rounds: int) -> None:
        self._scratch = scratch
        self._place = Workplace(home, scratch)
        self._peers = {peer.name: peer for peer in found}
        self._rounds = rounds
        self._store = scratch / "store"
        self._taken: dict[Command, list[Run]] = defaultdict(list)

    def measured(self) -> Size:
        logs = self._place.logs
        input_mb, lines = sum(log.stat().st_size for log in logs) / 1e6, decode_lines(logs)
        self._read_all()
        self._sweep()
        self._grow()
        self._ask()
        for _ in self._turns():
            self._command(Command.RELEARN, "learn", "--relearn")
        rows = rows_of(self._taken)
        one, two = (row_of(rows, name) for name in (Command.ONE_JOB, Command.TWO_JOBS))
        with open_store(Layout(self._store)) as store:
            return Size(
                sessions=len(logs),
                stored_sessions=count_sessions(store.db),
                items=sum(1 for _ in all_items(store.db)),
                input_mb=input_mb,
                lines=lines,
                two_cores_speedup=one.wall_s / two.wall_s,
                beside=[row for row in rows if row.command in BESIDE],
                commands=[row for row in rows if row.command not in BESIDE],
                goals=list(judged(rows)),
            )

    def _read_all(self) -> None:
        """The last store of one job is the one that is measured on. The floor is taken before and after each run."""
        self._decode()
        for _ in self._turns():
            other = self._place.new_store(self._scratch / "other")
            self._note(Command.TWO_JOBS, afterwit(self._place.home, other, "learn", "--jobs", "2"))
            shutil.rmtree(other)
            self._decode()
            self._place.new_store(self._store)
            self._command(Command.ONE_JOB, "learn", "--jobs", "1")
            self._decode()
            shutil.rmtree(self._scratch / AGENTSVIEW, ignore_errors=True)
            self._peer(Command.FIRST_SYNC, AGENTSVIEW)
            self._peer(Command.COUNTED, CCUSAGE)

    def _decode(self) -> None:
        self._note(Command.ORJSON, timed(lambda: decode_lines(self._place.logs)))

    def _sweep(self) -> None:
        for _ in self._turns():
            self._note(Command.STAT, timed(lambda: stat_files(self._place.logs)))
            self._note(Command.GLANCE, timed(self._glance))
            self._note(Command.BARE, bare_interpreter())
            self._command(Command.SWEEP, "learn")
            self._peer(Command.SYNC, AGENTSVIEW)

    def _glance(self) -> None:
        if nothing_new(world_of(self._place.home, self._store)) is None:
            raise RuntimeError("Something changed while it was measured.")

    def _grow(self) -> None:
        for _ in self._turns(_LEAST_GROWN):
            self._place.grow()
            self._command(Command.GREW, "learn")
        for _ in self._turns(_LEAST_GROWN):
            command = self._place.end(self._store, self._place.grow())
            self._note(Command.ENDED, run(command, environ_of(self._place.home, self._store)))
            if backlog(Layout(self._store).spool)[0]:
                raise RuntimeError("The session that ended was not read.")
        afterwit(self._place.home, self._store, "learn")  # what the ends left to the next run

    def _ask(self) -> None:
        with open_store(Layout(self._store)) as store:
            repo = store.db.execute(_BUSIEST).get
        for _ in self._turns():
            self._command(Command.LIST, "sessions", "list", "--limit", "20")
            self._command(Command.SEARCH, "sessions", "search", _WORD)
            self._command(Command.DOCTOR, "doctor")
            self._command(Command.DOCTOR_FULL, "doctor", "--full")
            self._command(Command.RECALL, "recall", "--repo", repo, "--task", TASK)
            self._command(Command.PLACES, "places", "--repo", repo, TASK)
            self._command(Command.KNOWLEDGE, "knowledge", "list")
            self._command(Command.STATUS, "status")

    def _turns(self, least: int = 1) -> Iterator[int]:
        """Some rounds; fewer where they take long."""
        started = time.perf_counter()
        for number in range(self._rounds):
            if number >= least and time.perf_counter() - started > _ENOUGH_S:
                return
            yield number

    def _command(self, name: Command, *arguments: str) -> None:
        self._note(name, afterwit(self._place.home, self._store, *arguments))

    def _peer(self, name: Command, program: str) -> None:
        if program in self._peers:
            self._note(name, self._peers[program].read(self._place.home, self._scratch / program))

    def _note(self, name: Command, done: Run) -> None:
        if done.code not in _FINE and not (name in _DIAGNOSES and done.code == ExitCode.FAILED):
            raise RuntimeError(f"{name}: ended with {done.code}.")
        self._taken[name].append(done)


def measure(home: Path, scratch: Path, found: Sequence[Peer] = (), rounds: int = ROUNDS) -> Size:
    """All commands on one home, which stays as it is. What they write goes below `scratch`, which is removed."""
    try:
        return _Bench(home, scratch, found, rounds).measured()
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def table(homes: Sequence[Path], found: Sequence[Peer] = (), rounds: int = ROUNDS) -> Growth:
    """All homes, and what the commands take on each beside the one before it."""
    with tempfile.TemporaryDirectory(prefix="afterwit-bench-") as folder:
        sizes = [measure(home, Path(folder, "scratch"), found, rounds) for home in homes]
    grown = [step for smaller, larger in itertools.pairwise(sizes) for step in steps(smaller, larger)]
    return Growth([PeerVersion(peer.name, peer.version()) for peer in found], sizes, grown)


def options(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """What can be said about the homes and the peers."""
    parser.add_argument("--sizes", type=_numbers, default=SIZES, metavar="N,N", help="sessions of generated homes")
    parser.add_argument("--full", action="store_true", help=f"also {FULL_SIZE:,} sessions: an hour, 12 GB on disk")
    parser.add_argument("--homes", type=Path, metavar="FOLDER", help="keep generated homes here, and use those there")
    parser.add_argument("--home", type=Path, action="append", metavar="FOLDER", help="measure this home instead")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="at most so many runs of each command")
    parser.add_argument("--install-peers", action="store_true", help="install peers that are missing, for this run")
    return parser.parse_args()


@contextmanager
def homes_of(asked: argparse.Namespace) -> Iterator[list[Path]]:
    """The homes that are asked for, the smallest first."""
    with tempfile.TemporaryDirectory(prefix="afterwit-homes-") as folder:
        if asked.home:
            yield sorted((home.absolute() for home in asked.home), key=lambda home: len(logs_of(home)))
        else:
            sizes = sorted({*asked.sizes, *([FULL_SIZE] if asked.full else [])})
            yield [home_in((asked.homes or Path(folder)).absolute(), size) for size in sizes]


@contextmanager
def peers_of(asked: argparse.Namespace) -> Iterator[list[Peer]]:
    """The peers that are there; installed ones are gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="afterwit-peers-") as folder:
        yield peers.found(Path(folder) if asked.install_peers else None)


def _numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",")]


def main() -> None:
    asked = options(command_line(__doc__))
    with homes_of(asked) as homes, peers_of(asked) as found:
        report("growth", table(homes, found, asked.rounds), keep=asked.keep)


if __name__ == "__main__":
    main()
