"""The table of growth: every command is run on every home, which stays as it is. No timing is asserted."""

from pathlib import Path
from typing import Any

import pytest
from bench.growth import table
from bench.growth_figures import Command, Judged, Row, Size, judged, rows_of, steps
from bench.homes import home_in, logs_of, write_home
from bench.peers import Peer
from bench.processes import Run, afterwit
from bench.workplace import Workplace
from tests.homes import rows

from bench import growth_figures


def _bytes(home: Path) -> dict[Path, tuple[bytes, int]]:
    return {log: (log.read_bytes(), log.stat().st_mtime_ns) for log in logs_of(home)}


@pytest.mark.slow
def test_every_command_is_measured_and_the_home_stays_as_it_is(tmp_path: Path) -> None:
    home = home_in(tmp_path, 6)
    before = _bytes(home)
    found = table([home], [Peer("ccusage", _peer(tmp_path))], rounds=1)
    assert _bytes(home) == before
    assert [peer.version for peer in found.peers] == ["ccusage 1"]
    [size] = found.sizes
    assert size.sessions == 6
    beside = {Command.ORJSON, Command.STAT, Command.BARE, Command.COUNTED}
    assert {row.command for row in size.beside} == beside
    measured = {row.command: row for row in size.commands}
    assert set(measured) == set(Command) - beside - {Command.FIRST_SYNC, Command.SYNC}
    assert {row.runs for row in size.commands} == {1}
    assert measured[Command.ONE_JOB].of_orjson
    assert measured[Command.ONE_JOB].of_ccusage
    assert measured[Command.ONE_JOB].of_agentsview is None
    assert measured[Command.LIST].of_bare
    assert {goal.verdict for goal in size.goals} <= {"met", "missed"}


def _peer(folder: Path) -> str:
    """A program that reads nothing."""
    place = folder / "ccusage"
    place.write_text('#!/bin/sh\necho "ccusage 1"\n')
    place.chmod(0o755)
    return str(place)


@pytest.fixture
def learned(tmp_path: Path) -> tuple[Workplace, Path]:
    write_home(tmp_path / "home", 8)
    place = Workplace(tmp_path / "home", tmp_path / "scratch")
    store = place.new_store(tmp_path / "store")
    assert afterwit(place.home, store, "learn").code == 0
    return place, store


_PROMPTS = "SELECT sum(prompts) FROM sessions"


@pytest.mark.slow
def test_a_session_that_grows_has_one_prompt_more(learned: tuple[Workplace, Path]) -> None:
    place, store = learned
    [(before,)] = rows(store, _PROMPTS)
    grown = [place.grow().log, place.grow().log]
    assert len(set(grown)) == 2
    assert afterwit(place.home, store, "learn").code == 0
    assert rows(store, _PROMPTS) == [(before + 2,)]


@pytest.mark.slow
def test_the_command_that_the_hook_would_start_reads_the_session_that_ended_and_no_other(
    learned: tuple[Workplace, Path],
) -> None:
    place, store = learned
    [(before,)] = rows(store, _PROMPTS)
    place.grow()
    command = place.end(store, place.grow())
    assert "--ended" in command
    assert afterwit(place.home, store, *command[command.index("learn") :]).code == 0
    assert rows(store, _PROMPTS) == [(before + 1,)]


def test_a_home_without_a_prompt_cannot_grow(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no session can grow"):
        Workplace(tmp_path, tmp_path / "scratch")


@pytest.mark.slow
def test_a_home_is_generated_once_and_again_where_it_was_not_finished(tmp_path: Path) -> None:
    home = home_in(tmp_path, 2)
    mark = home / "mark"
    mark.touch()
    home_in(tmp_path, 2)
    assert mark.exists()
    (home / "truth.json").unlink()
    assert home_in(tmp_path, 2) == home
    assert (home / "truth.json").exists()


def test_ratios_are_those_of_medians() -> None:
    taken = {
        Command.ORJSON: [Run(1, 1), Run(2, 2), Run(9, 9)],
        Command.ONE_JOB: [Run(20, 24, 100, 90), Run(30, 30, 120, 80), Run(25, 25, 110, 70)],
        Command.TWO_JOBS: [Run(30, 15)],
    }
    one = rows_of(taken)[1]
    assert (one.cpu_s, one.wall_s, one.of_orjson, one.peak_mb, one.together_mb) == (25, 25, 12.5, 110, 80)
    assert rows_of(taken)[2].of_one_job == 0.6


def _size(sessions: int, input_mb: float, *commands: Row) -> Size:
    counts: dict[str, Any] = {"stored_sessions": sessions, "items": 0, "lines": 0, "two_cores_speedup": 1.0}
    beside = [Row(command=Command.STAT, runs=1, cpu_s=input_mb, wall_s=1)]
    return Size(sessions=sessions, input_mb=input_mb, beside=beside, commands=list(commands), goals=[], **counts)


def test_what_reads_everything_may_grow_with_it_and_what_answers_may_not() -> None:
    def rows_with(quick_s: float, full_s: float) -> list[Row]:
        return [
            Row(command=Command.LIST, runs=1, cpu_s=quick_s, wall_s=1),
            Row(command=Command.ONE_JOB, runs=1, cpu_s=full_s, wall_s=1),
        ]

    small, large = _size(300, 10, *rows_with(0.2, 4)), _size(2_000, 100, *rows_with(0.3, 42))
    assert [(step.step, step.verdict) for step in steps(small, large)] == [
        ("stat per file, 300 to 2,000", ""),
        ("sessions list --limit 20, 300 to 2,000", "missed"),
        ("learn --jobs 1, all, 300 to 2,000", "met"),
    ]
    assert [step.times for step in steps(small, large)] == pytest.approx([10, 1.5, 10.5])
    assert [step.growth for step in steps(small, large)][1:] == pytest.approx([1.5, 1.05])


def test_a_goal_without_its_figure_is_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    goals = (growth_figures.Goal(Command.LIST, "cpu_s", 0.25), growth_figures.Goal(Command.LIST, "of_agentsview", 1))
    monkeypatch.setattr(growth_figures, "GOALS", goals)
    listed = Row(command=Command.LIST, runs=1, cpu_s=0.25, wall_s=1)
    assert list(judged([listed])) == [Judged("sessions list --limit 20: cpu_s", 0.25, 0.25, "met")]
