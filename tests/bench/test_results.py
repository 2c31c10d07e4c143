"""The history of figures: runs are kept when asked for, the newest last; and what got worse since is told."""

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from bench.compare import Change, figures, pair
from bench.results import KeptRun, history, last, report

from bench import compare, results


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "HISTORY", tmp_path / "results")
    monkeypatch.setattr(results, "LAST", tmp_path / "data")


def _measured(monkeypatch: pytest.MonkeyPatch, date: str, figures: Any, *, keep: bool) -> None:
    monkeypatch.setattr(results, "_now", lambda: date)
    report("hive", figures, keep=keep)


def test_a_run_is_kept_only_where_that_is_asked_for() -> None:
    report("hive", {"bees_of_bare": 2.0}, keep=False)
    assert history("hive") == []
    assert last("hive") is not None
    report("hive", {"bees_of_bare": 3.0}, keep=True)
    report("hive", {"bees_of_bare": 4.0}, keep=True)
    assert [run.figures["bees_of_bare"] for run in history("hive")] == [3, 4]
    assert last("hive") == history("hive")[-1]


def test_a_kept_run_says_when_at_which_commit_and_on_what_kind_of_machine(tmp_path: Path) -> None:
    report("hive", {"bees_s": 1 / 3}, keep=True)
    [run] = history("hive")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", run.date)
    assert re.fullmatch(r"[0-9a-f]{7,}|unknown", run.commit)
    assert set(run.machine) == {"python", "system", "machine", "cores"}
    assert run.figures == {"bees_s": 0.333333}
    assert len((tmp_path / "results" / "hive.json").read_text().splitlines()) == 3


def test_old_runs_make_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "MOST_KEPT", 3)
    for number in range(5):
        report("hive", {"bees": number}, keep=True)
    assert [run.figures["bees"] for run in history("hive")] == [2, 3, 4]


def test_a_file_of_one_run_without_a_date_is_refused_by_name_and_left_alone(tmp_path: Path) -> None:
    old = b'{"machine": {"python": "3.11.7"}, "figures": {"bees": 1}}\n'
    (tmp_path / "results").mkdir()
    path = tmp_path / "results" / "hive.json"
    path.write_bytes(old)
    with pytest.raises(ValueError, match=r"hive\.json is no list of runs"):
        report("hive", {"bees": 2}, keep=True)
    assert path.read_bytes() == old


def test_every_history_in_the_repository_can_be_read() -> None:
    files = sorted(Path(results.__file__).with_name("results").glob("*.json"))
    assert len(files) > 5
    for file in files:
        runs = msgspec.json.decode(file.read_bytes(), type=list[KeptRun])
        assert 0 < len(runs) <= results.MOST_KEPT
        assert [run.date for run in runs] == sorted(run.date for run in runs)


def test_a_table_is_shown_with_the_names_of_its_columns(capsys: pytest.CaptureFixture[str]) -> None:
    sizes = [{"sessions": 300, "commands": [{"command": "buzz", "cpu_s": 1.5}, {"command": "hum", "of_bare": 0.01}]}]
    report("hive", {"peers": [], "sizes": sizes}, keep=False)
    assert capsys.readouterr().out.splitlines() == [
        "== hive",
        "sessions                     300",
        "commands",
        "  command  cpu_s  of_bare",
        "  buzz      1.50",
        "  hum              0.0100",
    ]


def test_rows_are_told_apart_by_their_first_cell_and_neither_seconds_nor_peers_are_compared() -> None:
    sizes = [
        {
            "sessions": size,
            "orjson_s": 3.0,
            "beside": [{"command": "another hive", "peak_mb": 1.0}],
            "commands": [{"command": "hum", "cpu_s": 1.0, "of_bare": ratio}],
        }
        for size, ratio in ((300, 2.0), (2_000, 4.0))
    ]
    growth = [{"step": "hum, 300 to 2,000", "times": 2.0, "growth": 2.0, "verdict": "missed"}]
    assert dict(figures({"sizes": sizes, "growth": growth, "honey_of_input": 0.5, "is_kept": True})) == {
        "300: hum: of_bare": 2.0,
        "2000: hum: of_bare": 4.0,
        "hum, 300 to 2,000: growth": 2.0,
        "honey_of_input": 0.5,
    }


def test_what_got_worse_or_better_is_told_beyond_the_tolerance() -> None:
    before = {"a": [{"call": name, "of_bare": 1.0, "peak_mb": 100.0} for name in ("hum", "buzz", "gone")]}
    now = {
        "a": [
            {"call": "hum", "of_bare": 1.2, "peak_mb": 109.0},
            {"call": "buzz", "of_bare": 0.5, "peak_mb": 150.0},
            {"call": "new", "of_bare": 9.0},
        ]
    }
    found = compare.compare(before, now)
    assert found.compared == 4
    assert found.worse == [Change("buzz: peak_mb", 100, 150), Change("hum: of_bare", 1, 1.2)]
    assert found.better == [Change("buzz: of_bare", 1, 0.5)]
    assert compare.compare(before, now, tolerance=0.5) == (4, [], [])


def test_the_last_run_stands_against_the_newest_one_kept_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert pair("hive") is None
    _measured(monkeypatch, "2026-01-01", {"a": 1}, keep=True)
    assert pair("hive") is None
    _measured(monkeypatch, "2026-01-02", {"a": 2}, keep=True)
    assert _dates() == ("2026-01-01", "2026-01-02")
    _measured(monkeypatch, "2026-01-03", {"a": 3}, keep=False)
    assert _dates() == ("2026-01-02", "2026-01-03")
    _measured(monkeypatch, "2026-01-04", {"a": 4}, keep=False)
    assert _dates() == ("2026-01-02", "2026-01-04")


def test_a_run_of_long_ago_is_passed_over_for_a_newer_one_that_was_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    for date in ("2026-01-01", "2026-01-03"):
        _measured(monkeypatch, date, {"a": 1}, keep=True)
    _measured(monkeypatch, "2026-01-02", {"a": 2}, keep=False)
    assert _dates() == ("2026-01-01", "2026-01-03")


def _dates() -> tuple[str, str]:
    runs = pair("hive")
    assert runs is not None
    return runs[0].date, runs[1].date


@pytest.mark.parametrize(("arguments", "code"), [([], 0), (["--fail"], 1), (["--fail", "--tolerance", "0.6"], 0)])
def test_comparing_informs_and_fails_where_that_is_asked_for(
    arguments: list[str], code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _measured(monkeypatch, "2026-01-01", {"hum_of_bare": 2.0}, keep=True)
    _measured(monkeypatch, "2026-01-02", {"hum_of_bare": 3.0}, keep=False)
    capsys.readouterr()
    monkeypatch.setattr("sys.argv", ["compare", *arguments])
    with pytest.raises(SystemExit) as ended:
        compare.main()
    assert ended.value.code == code
    assert ("+50%" in capsys.readouterr().out) == ("0.6" not in arguments)
