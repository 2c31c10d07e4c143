"""What people type for a time, and which period they mean by it: in every zone, at any moment."""

import datetime as dt
from zoneinfo import ZoneInfo

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.every import for_every

from afterwit.cli.terminal.options import period, since_ms, until_ms
from afterwit.config.calendar import EXAMPLES, Calendar, Period

MONDAY = Calendar(1_794_837_900_000, dt.UTC)  # 2026-11-16 14:05
HOUR_MS, DAY_MS = 3_600_000, 86_400_000
ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "Asia/Beirut")
calendars = st.builds(
    Calendar,
    st.integers(min_value=946_684_800_000, max_value=4_102_444_800_000),
    st.sampled_from([ZoneInfo(name) for name in ZONES]),
)
WORDS = ("now", "today", "yesterday", "this week", "last week", "this month", "last month", "monday", "last sun")


def meant(text: str, calendar: Calendar = MONDAY) -> Period:
    return period(text, calendar, "--since")


def days(text: str) -> tuple[str, str]:
    """The first day of a period and the first behind it."""
    first, end = meant(text)
    assert MONDAY.clock(first) == MONDAY.clock(end) == "00:00"
    return MONDAY.date(first).isoformat(), MONDAY.date(end).isoformat()


@for_every(
    "text, first, end",
    [
        ("today", "2026-11-16", "2026-11-17"),
        ("Yesterday", "2026-11-15", "2026-11-16"),
        ("last week", "2026-11-09", "2026-11-16"),
        ("this week", "2026-11-16", "2026-11-23"),
        ("last  month", "2026-10-01", "2026-11-01"),
        ("this month", "2026-11-01", "2026-12-01"),
        ("monday", "2026-11-16", "2026-11-17"),
        ("last monday", "2026-11-09", "2026-11-10"),
        ("Tue", "2026-11-10", "2026-11-11"),
        ("2026", "2026-01-01", "2027-01-01"),
        ("2026-02", "2026-02-01", "2026-03-01"),
        ("2025-12", "2025-12-01", "2026-01-01"),
        ("2026-W01", "2025-12-29", "2026-01-05"),
        ("2026-05-01", "2026-05-01", "2026-05-02"),
        ("20260501", "2026-05-01", "2026-05-02"),
    ],
)
def test_days_weeks_and_months_count_whole(text: str, first: str, end: str) -> None:
    assert days(text) == (first, end)


@pytest.mark.parametrize(
    ("text", "back_ms"),
    [("12h", 12 * HOUR_MS), ("3d", 3 * DAY_MS), ("1w", 7 * DAY_MS), ("2 w ago", 14 * DAY_MS), ("0d", 0), ("now", 0)],
)
def test_spans_go_back_from_now(text: str, back_ms: int) -> None:
    assert meant(text) == (MONDAY.now_ms - back_ms, MONDAY.now_ms - back_ms)


def test_a_time_of_its_own_zone_is_not_moved() -> None:
    assert meant("2026-05-01T10:00:00Z") == meant("2026-05-01T12:00:00+02:00") == meant("2026-05-01 10:00")
    berlin = MONDAY._replace(zone=ZoneInfo("Europe/Berlin"))
    assert meant("2026-05-01T12:00", berlin) == meant("2026-05-01T10:00Z")


@for_every("text", ["soon", "", "d", "-3d", "3", "2026-13", "2026-02-30", "2026-W60", "mo", "last", "1.5d", "1y"])
def test_what_is_no_time_is_answered_with_examples(text: str) -> None:
    with pytest.raises(click.BadParameter, match="Examples: 12h, 3d") as error:
        meant(text)
    assert repr(text) in error.value.message


def test_every_example_is_understood() -> None:
    for text in EXAMPLES.split(", "):
        assert meant(text).begin_ms < MONDAY.now_ms


def test_a_span_beyond_all_calendars_goes_back_to_the_beginning() -> None:
    assert [meant(text).begin_ms for text in ("999999d", "999999w", "999999h")][:2] == [0, 0]


def test_since_is_the_beginning_and_until_the_end() -> None:
    assert (since_ms("yesterday", MONDAY), until_ms("yesterday", MONDAY)) == meant("yesterday")
    assert (since_ms(None, MONDAY), until_ms(None, MONDAY)) == (None, None)


def test_days_back_keep_the_time_of_the_clock_when_clocks_were_changed() -> None:
    zone = ZoneInfo("Europe/Berlin")
    noon = round(dt.datetime(2026, 3, 29, 12, tzinfo=zone).timestamp() * 1000)  # clocks went forward that night
    calendar = Calendar(noon, zone)
    assert noon - meant("1d", calendar).begin_ms == 23 * HOUR_MS
    assert noon - meant("24h", calendar).begin_ms == 24 * HOUR_MS
    assert calendar.clock(meant("1d", calendar).begin_ms) == "12:00"


@given(calendar=calendars, text=st.sampled_from(WORDS))
def test_a_period_ends_after_it_begins_and_has_begun(calendar: Calendar, text: str) -> None:
    first, end = meant(text, calendar)
    assert first <= end
    assert first <= calendar.now_ms


@given(calendar=calendars)
def test_periods_that_follow_each_other_leave_no_gap(calendar: Calendar) -> None:
    assert meant("yesterday", calendar).end_ms == meant("today", calendar).begin_ms
    assert meant("last week", calendar).end_ms == meant("this week", calendar).begin_ms
    assert meant("last month", calendar).end_ms == meant("this month", calendar).begin_ms
    for name in ("today", "this week", "this month"):
        assert meant(name, calendar).begin_ms <= calendar.now_ms < meant(name, calendar).end_ms


@given(calendar=calendars)
def test_a_day_by_its_date_is_the_day_by_its_name(calendar: Calendar) -> None:
    today = calendar.today
    assert meant(today.isoformat(), calendar) == meant("today", calendar) == meant(f"{today:%A}", calendar)
    assert meant(f"{today:%Y-%m}", calendar) == meant("this month", calendar)
    year, week, _ = today.isocalendar()
    assert meant(f"{year}-W{week:02d}", calendar) == meant("this week", calendar)


@given(calendar=calendars, weekday=st.integers(0, 6))
def test_a_weekday_is_the_latest_that_has_begun(calendar: Calendar, weekday: int) -> None:
    name = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")[weekday]
    day = calendar.date(meant(name, calendar).begin_ms)
    assert day.weekday() == weekday
    assert 0 <= (calendar.today - day).days < 7
    assert meant(name[:3], calendar) == meant(name, calendar)


@given(calendar=calendars, count=st.integers(0, 400))
def test_spans_back_are_in_order(calendar: Calendar, count: int) -> None:
    assert meant(f"{count + 1}d", calendar).begin_ms < meant(f"{count}d", calendar).begin_ms <= calendar.now_ms
    assert meant(f"{count}w", calendar) == meant(f"{7 * count}d", calendar)
    assert calendar.now_ms - meant(f"{count}h", calendar).begin_ms == count * HOUR_MS


@given(text=st.text(max_size=20))
def test_any_text_is_a_period_or_wrong_use(text: str) -> None:
    try:
        first, end = meant(text)
    except click.BadParameter:
        return
    assert 0 <= first <= end
