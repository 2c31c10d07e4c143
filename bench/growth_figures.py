"""What the table of growth says: figures of commands beside floors and peers, and which goals are met.

A command that answers about one thing is not to take longer where there is more. One that reads everything may, by as
much as there is more to read.
"""

import statistics
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

import msgspec

from bench.processes import Run


class Command(StrEnum):
    """What is measured, floors and peers included."""

    ORJSON = "orjson.loads per line"
    STAT = "stat per file"
    BARE = "bare interpreter"
    ONE_JOB = "learn --jobs 1, all"
    TWO_JOBS = "learn --jobs 2, all"
    RELEARN = "learn --relearn"
    SWEEP = "learn, nothing new"
    GLANCE = "learn, nothing new, in process"
    GREW = "learn, one session grew"
    ENDED = "learn --ended"
    LIST = "sessions list --limit 20"
    SEARCH = "sessions search"
    DOCTOR = "doctor"
    DOCTOR_FULL = "doctor --full"
    RECALL = "recall --repo --task"
    PLACES = "places --repo"
    KNOWLEDGE = "knowledge list"
    STATUS = "status"
    FIRST_SYNC = "agentsview sync, all"
    SYNC = "agentsview sync, nothing new"
    COUNTED = "ccusage daily"


_QUICK = (
    Command.SWEEP,
    Command.GREW,
    Command.ENDED,
    Command.LIST,
    Command.SEARCH,
    Command.DOCTOR,
    Command.RECALL,
    Command.PLACES,
    Command.KNOWLEDGE,
    Command.STATUS,
)
BESIDE = (Command.ORJSON, Command.STAT, Command.BARE, Command.FIRST_SYNC, Command.SYNC, Command.COUNTED)
_BY_BYTES = (Command.ONE_JOB, Command.TWO_JOBS, Command.RELEARN, Command.DOCTOR_FULL)
_FLOORS = {
    Command.ONE_JOB: {"of_orjson": Command.ORJSON, "of_agentsview": Command.FIRST_SYNC, "of_ccusage": Command.COUNTED},
    Command.TWO_JOBS: {"of_orjson": Command.ORJSON},
    Command.RELEARN: {"of_orjson": Command.ORJSON},
    Command.DOCTOR_FULL: {"of_orjson": Command.ORJSON},
    Command.SWEEP: {"of_bare": Command.BARE, "of_agentsview": Command.SYNC},
    Command.GLANCE: {"of_stat": Command.STAT},
}
_MOST_GROWTH = dict.fromkeys(_QUICK, 1.3) | dict.fromkeys((Command.ONE_JOB, Command.TWO_JOBS), 1.1)


class Goal(NamedTuple):
    """The most that a figure of a command is to be."""

    command: Command
    figure: str
    most: float


GOALS = (
    Goal(Command.ONE_JOB, "of_orjson", 15.0),
    Goal(Command.ONE_JOB, "of_agentsview", 0.25),
    Goal(Command.TWO_JOBS, "of_one_job", 1 / 1.7),
    Goal(Command.TWO_JOBS, "peak_mb", 400.0),
    Goal(Command.SWEEP, "cpu_s", 0.3),
    Goal(Command.SWEEP, "of_agentsview", 0.5),
    Goal(Command.GLANCE, "of_stat", 2.0),
    Goal(Command.GREW, "cpu_s", 1.0),
    Goal(Command.ENDED, "cpu_s", 1.0),
    Goal(Command.LIST, "cpu_s", 0.25),
    Goal(Command.DOCTOR, "cpu_s", 1.5),
    Goal(Command.RECALL, "cpu_s", 0.3),
)


class Row(msgspec.Struct, kw_only=True, omit_defaults=True):
    """Medians of the runs of one command. Ratios are of CPU, but for `of_one_job`, which is of wall time."""

    command: Command
    runs: int
    cpu_s: float
    wall_s: float
    peak_mb: float | None = None  # the sum of the peaks of all its processes
    together_mb: float | None = None  # the peak of their sum
    of_orjson: float | None = None
    of_stat: float | None = None
    of_bare: float | None = None
    of_agentsview: float | None = None
    of_ccusage: float | None = None
    of_one_job: float | None = None


class Judged(msgspec.Struct):
    """Whether a goal is met."""

    goal: str
    value: float
    most: float
    verdict: str


class Size(msgspec.Struct, kw_only=True):
    """One home."""

    sessions: int  # as many as logs; those of subagents lie in the same files
    stored_sessions: int
    items: int
    input_mb: float
    lines: int
    two_cores_speedup: float  # wall time of one job over that of two
    beside: list[Row]  # floors and peers
    commands: list[Row]
    goals: list[Judged]


class Step(msgspec.Struct, omit_defaults=True):
    """What a command takes on the larger home, beside the smaller."""

    step: str
    times: float  # CPU
    growth: float | None = None  # the same; divided by how much more there is to read, where all has to be read
    most: float | None = None
    verdict: str = ""


class PeerVersion(msgspec.Struct):
    peer: str
    version: str


class Growth(msgspec.Struct):
    peers: list[PeerVersion]
    sizes: list[Size]
    growth: list[Step]


def rows_of(taken: Mapping[Command, Sequence[Run]]) -> list[Row]:
    """Medians, each beside what it is to be compared with."""
    cpu = {name: statistics.median(run.cpu_s for run in runs) for name, runs in taken.items()}
    wall = {name: statistics.median(run.wall_s for run in runs) for name, runs in taken.items()}

    def ratios(name: Command) -> dict[str, float]:
        beside = _FLOORS.get(name, {"of_bare": Command.BARE} if name in _QUICK else {})
        found = {figure: cpu[name] / cpu[floor] for figure, floor in beside.items() if floor in cpu}
        return found | ({"of_one_job": wall[name] / wall[Command.ONE_JOB]} if name == Command.TWO_JOBS else {})

    return [
        Row(
            command=name,
            runs=len(runs),
            cpu_s=cpu[name],
            wall_s=wall[name],
            peak_mb=statistics.median(run.peak_mb for run in runs) or None,
            together_mb=statistics.median(run.together_mb for run in runs) or None,
            **ratios(name),
        )
        for name, runs in taken.items()
    ]


def row_of(rows: Sequence[Row], command: Command) -> Row:
    return next(row for row in rows if row.command == command)


def judged(rows: Sequence[Row]) -> Iterator[Judged]:
    for goal in GOALS:
        value = getattr(row_of(rows, goal.command), goal.figure)
        if value is not None:
            yield Judged(f"{goal.command}: {goal.figure}", value, goal.most, _verdict(value, goal.most))


def steps(smaller: Size, larger: Size) -> Iterator[Step]:
    """Floors and peers are told, and not judged."""
    before = {row.command: row.cpu_s for row in (*smaller.beside, *smaller.commands)}
    for row in (*larger.beside, *larger.commands):
        if row.command not in before:
            continue
        step = Step(f"{row.command}, {smaller.sessions:,} to {larger.sessions:,}", row.cpu_s / before[row.command])
        if row.command not in BESIDE:
            step.growth = step.times * (smaller.input_mb / larger.input_mb if row.command in _BY_BYTES else 1)
        if step.growth is not None and row.command in _MOST_GROWTH:
            step.most = _MOST_GROWTH[row.command]
            step.verdict = _verdict(step.growth, step.most)
        yield step


def _verdict(value: float, most: float) -> str:
    return "met" if value <= most else "missed"
