"""The report on a store with known sessions: three sessions of one day each show a wrapper that fails, a fourth is told
the note, a fifth is skipped on purpose, to compare."""

import datetime as dt
import json
import stat
from pathlib import Path
from typing import Any

import pytest
from tests.homes import CLAUDE, NOW_MS, Silent, learned, world_of
from tests.knowledge_home import MAY, learnable_home

from afterwit.config.world import World
from afterwit.knowledge.door.list import all_items
from afterwit.measure.collect import EXPLAINED, Measured, collect
from afterwit.measure.report import DASHBOARD, HISTORY, METRICS, is_due, plain, report
from afterwit.measure.told_notes import Came
from afterwit.store import spool
from afterwit.store.layout import Layout
from afterwit.store.store import open_store

DAY_MS = 86_400_000
MAY_MS = 1_777_593_600_000
TOLD_TEXT = "Instead of `rtk make …`, which fails, call `make …`."


def note_of(store: Path) -> str:
    with open_store(Layout(store)) as place:
        (item,) = all_items(place.db)
    return item.id


def draw(store: Path, session: str, day: int, item: str, *, is_skipped: bool = False, **more: Any) -> None:
    """What a hook notes at the start of a session, at six in the morning of a day in May."""
    text = "" if is_skipped else TOLD_TEXT
    record = {"kind": "draw", "at": MAY_MS + day * DAY_MS + 6 * 3_600_000, "agent": "claude-code", "session": session}
    record |= {"repo": "orchard", "moment": "start", "items": {item: int(not is_skipped)}, "held": int(is_skipped)}
    spool.append(Layout(store).spool, "claude-code", session, {**record, "text": text, "ms": 17, **more})


@pytest.fixture
def world(tmp_path: Path) -> World:
    home, store = tmp_path / "home", tmp_path / "store"
    learned(learnable_home(home, 3), store)
    item = note_of(store)
    draw(store, "s4", 3, item)
    draw(store, "s5", 4, item, is_skipped=True)
    learnable_home(home, 5)
    learned(home, store)
    return world_of(home, store)._replace(zone=dt.UTC)


@pytest.fixture
def empty(tmp_path: Path) -> World:
    (tmp_path / "home" / CLAUDE).mkdir(parents=True)
    learned(tmp_path / "home", tmp_path / "store")
    return world_of(tmp_path / "home", tmp_path / "store")._replace(zone=dt.UTC)


def measured(world: World, since_ms: int = 0) -> Measured:
    return collect(world, since_ms, Silent())


def test_a_note_is_gained_with_the_second_session_that_shows_it(world: World) -> None:
    figures, rows = measured(world)
    (change,) = rows["velocity"]
    assert dt.datetime.fromtimestamp(change.at_ms / 1000, dt.UTC).date() == MAY + dt.timedelta(days=1)
    assert (figures.velocity.gained, figures.velocity.lost, figures.velocity.in_use) == (1, 0, 1)


def test_the_told_session_had_its_moment_come(world: World) -> None:
    figures, rows = measured(world)
    assert [(row.session, row.told_at, row.moment) for row in rows["hit-rate"]] == [("s4", "start", Came.CAME)]
    assert (figures.hit_rate.used, figures.hit_rate.available, figures.wrong.told) == (1, 1, 1)


def test_errors_are_counted_in_all_five_sessions(world: World) -> None:
    figures, rows = measured(world)
    weeks = [(row.week, row.sessions, row.told, row.came_in) for row in figures.recurrence.weeks]
    assert weeks == [(-1, 2, 0, 2), (0, 3, 1, 3)]
    assert [row.session for row in rows["recurrence"]] == ["s1", "s2", "s3", "s4", "s5"]
    assert (figures.recurrence.before.share, figures.recurrence.after.share) == (1.0, 1.0)


def test_told_and_skipped_sessions_stand_beside_each_other(world: World) -> None:
    figures, rows = measured(world)
    assert [(row.session, row.is_skipped, row.tokens) for row in rows["cost"]] == [("s4", False, 13), ("s5", True, 0)]
    assert (figures.cost.hook_calls, figures.cost.hook_ms_median) == (2, 17)


def test_confidence_is_tested_by_sessions_that_were_not_told(world: World) -> None:
    figures, rows = measured(world)
    assert [row.session for row in rows["confidence"]] == ["s2", "s3", "s4", "s5"]  # s4 tried the fix
    assert all(row.came_true for row in rows["confidence"])
    assert figures.confidence is not None
    assert figures.confidence.forecasts == 4


def test_every_session_is_judged(world: World) -> None:
    figures, rows = measured(world)
    assert len(rows["completion"]) == 5
    assert figures.sessions == 5


def test_since_leaves_out_what_was_before(world: World) -> None:
    figures, rows = measured(world, MAY_MS + 4 * DAY_MS)
    assert (figures.sessions, len(rows["completion"]), figures.hit_rate.told, len(rows["velocity"])) == (1, 1, 0, 0)
    assert [row.session for row in rows["cost"]] == ["s5"]


def test_every_figure_can_be_traced_to_rows(world: World) -> None:
    rows = measured(world).rows
    assert all(len(rows[name]) for name in EXPLAINED)


def test_it_writes_a_page_the_figures_and_a_history(world: World) -> None:
    written = report(world, None, 0, Silent())
    folder = world.layout.metrics
    assert written.page == folder / DASHBOARD
    assert sorted(path.name for path in folder.iterdir()) == [DASHBOARD, HISTORY, METRICS]
    assert "1 of 1 (too few for a share) had their moment come" in written.page.read_text(encoding="utf-8")
    figures = json.loads((folder / METRICS).read_bytes())
    assert figures["made_at"].startswith("2026-05-28T")
    assert (figures["since_at"], figures["hit_rate"]["used"]) == ("", 1)


def test_its_files_are_for_the_user_alone(world: World) -> None:
    report(world, None, 0, Silent())
    folder = world.layout.metrics
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}


def test_a_day_has_one_line_in_the_history_and_the_next_another(world: World) -> None:
    report(world, None, 0, Silent())
    report(world, None, 0, Silent())
    report(world._replace(now_ms=NOW_MS + DAY_MS), None, 0, Silent())
    lines = (world.layout.metrics / HISTORY).read_bytes().splitlines()
    assert [json.loads(line)["day"] for line in lines] == ["2026-05-28", "2026-05-29"]


def test_the_history_is_in_order_bounded_and_loses_nothing_that_stands_there(world: World) -> None:
    report(world, None, 0, Silent())
    history = world.layout.metrics / HISTORY
    (line,) = map(json.loads, history.read_bytes().splitlines())
    others = [line | {"day": (dt.date(2027, 1, 1) - dt.timedelta(at)).isoformat(), "more": at} for at in range(1_100)]
    history.write_text("".join(f"{json.dumps(other)}\n" for other in others), encoding="utf-8")
    report(world, None, 0, Silent())
    days = [json.loads(kept) for kept in history.read_bytes().splitlines()]
    assert (len(days), days[-1]["day"], days[-1]["more"]) == (1_100, "2027-01-01", 0)
    assert days == sorted(days, key=lambda day: day["day"])


def test_a_report_on_a_part_of_the_time_leaves_no_line(world: World) -> None:
    report(world, None, MAY_MS, Silent())
    assert not (world.layout.metrics / HISTORY).exists()


def test_it_can_be_written_elsewhere(world: World, tmp_path: Path) -> None:
    written = report(world, tmp_path / "there" / "report", 0, Silent())
    assert written.page == tmp_path / "there" / "report" / DASHBOARD
    assert not world.layout.metrics.exists()


def test_the_same_store_gives_the_same_files(world: World, tmp_path: Path) -> None:
    for name in ("one", "two"):
        report(world, tmp_path / name, 0, Silent())
    first, second = ({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in ("one", "two"))
    assert first == second


def test_an_empty_store_has_a_report_that_says_so(empty: World) -> None:
    written = report(empty, None, 0, Silent())
    assert written.lines[0].startswith("Does it help? Nobody can tell yet: notes were told in 0 sessions")
    assert sorted(path.name for path in empty.layout.metrics.iterdir()) == [DASHBOARD, HISTORY, METRICS]


def test_it_is_due_once_a_day_where_somebody_wants_it(empty: World) -> None:
    assert not is_due(empty)
    (empty.layout.root / "config.toml").write_text("[measure]\ndaily_report = true\n", encoding="utf-8")
    wanted = world_of(empty.user_home, empty.layout.root)._replace(zone=dt.UTC)
    assert is_due(wanted)
    report(wanted, None, 0, Silent())
    assert not is_due(wanted)
    assert is_due(wanted._replace(now_ms=NOW_MS + DAY_MS))


def test_programs_get_every_field_by_its_name(world: World) -> None:
    (row,) = plain(measured(world).rows["hit-rate"])
    assert (row["session"], row["happened_at"], row["moment"]) == ("s4", "2026-05-04T06:00:00.000Z", "came")
