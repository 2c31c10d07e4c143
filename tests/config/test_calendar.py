"""Moments as people of a zone see them, also on the days on which clocks are changed."""

import datetime as dt
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterwit.config.calendar import Calendar, month_of, week_of

NOW_MS = 1_794_837_900_000  # Monday, 2026-11-16 14:05 in UTC
UTC = Calendar(NOW_MS, dt.UTC)
ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "Asia/Beirut")
HOUR_MS = 3_600_000
moments = st.integers(min_value=946_684_800_000, max_value=4_102_444_800_000)
zones = st.sampled_from([ZoneInfo(name) for name in ZONES])


@pytest.mark.parametrize(
    ("moment", "shown"),
    [
        ("2026-11-16T09:00:00", "09:00"),
        ("2026-11-15T23:59:59", "Nov 15 23:59"),
        ("2026-01-02T03:04:00", "Jan 2 03:04"),
        ("2025-12-31T23:59:00", "Dec 31 2025 23:59"),
        ("2027-01-01T00:00:00", "Jan 1 2027 00:00"),
    ],
)
def test_the_further_away_the_more_is_said(moment: str, shown: str) -> None:
    assert UTC.moment(UTC.at_ms(dt.datetime.fromisoformat(moment))) == shown


def test_what_is_not_known_shows_nothing() -> None:
    assert (UTC.moment(None), UTC.day(None), UTC.clock(None)) == ("", "", "")


def test_today_is_that_of_the_zone() -> None:
    assert Calendar(NOW_MS, ZoneInfo("Pacific/Kiritimati")).moment(NOW_MS) == "04:05"
    assert Calendar(NOW_MS, ZoneInfo("Pacific/Kiritimati")).today == dt.date(2026, 11, 17)


def test_a_day_on_which_clocks_change_is_longer_or_shorter() -> None:
    berlin = Calendar(NOW_MS, ZoneInfo("Europe/Berlin"))
    lengths = [
        berlin.begin_ms(day + dt.timedelta(days=1)) - berlin.begin_ms(day)
        for day in (dt.date(2026, 3, 29), dt.date(2026, 10, 25), dt.date(2026, 7, 1))
    ]
    assert lengths == [23 * HOUR_MS, 25 * HOUR_MS, 24 * HOUR_MS]


def test_a_day_without_a_midnight_begins_when_the_clocks_are_changed() -> None:
    beirut = Calendar(NOW_MS, ZoneInfo("Asia/Beirut"))
    day = dt.date(2026, 3, 29)
    assert beirut.clock(beirut.begin_ms(day)) == "01:00"
    assert beirut.date(beirut.begin_ms(day)) == day
    assert beirut.date(beirut.begin_ms(day) - 1) == dt.date(2026, 3, 28)


@given(at_ms=moments, zone=zones)
def test_a_moment_lies_in_its_own_day(at_ms: int, zone: ZoneInfo) -> None:
    calendar = Calendar(at_ms, zone)
    day = calendar.date(at_ms)
    assert calendar.begin_ms(day) <= at_ms < calendar.begin_ms(day + dt.timedelta(days=1))
    assert calendar.date(calendar.begin_ms(day)) == day
    assert calendar.moment(at_ms) == f"{calendar.wall(at_ms):%H:%M}"


@given(at_ms=moments, zone=zones)
def test_the_zone_of_the_machine_is_told_as_any_other(at_ms: int, zone: ZoneInfo) -> None:
    """Tests run with a machine in UTC."""
    assert Calendar(at_ms).wall(at_ms) == Calendar(at_ms, dt.UTC).wall(at_ms)
    assert Calendar(at_ms).begin_ms(Calendar(at_ms).today) == Calendar(at_ms, dt.UTC).begin_ms(UTC.date(at_ms))
    assert Calendar(at_ms, zone).now_ms == at_ms


@given(day=st.dates(min_value=dt.date(1971, 1, 1), max_value=dt.date(2200, 1, 1)))
def test_a_day_is_in_its_month_and_its_week(day: dt.date) -> None:
    assert month_of(day) == day.isoformat()[:7]
    monday = dt.date.fromisocalendar(int(week_of(day)[:4]), int(week_of(day)[6:]), 1)
    assert 0 <= (day - monday).days < 7
